import { type SQL, sql } from 'drizzle-orm';

/** How many members a stack shows; null when `stackId` is. */
export const stackSizeOf = (stackId: SQL): SQL => sql`case when ${stackId} is not null then (
  select count(*) from asset member
  where member.stack_id = ${stackId} and member.locked_at is null and member.trashed_at is null) end`;
