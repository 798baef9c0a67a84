import { unscopedAssets } from '../../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { uuids } from '../../../db/arrays.ts';

// What is listed together: of a stack, the members of one shelf. One of them stands for the others
// there, also when the one that the owner chose is elsewhere.
const TOGETHER = sql`member.stack_id = asset.stack_id
  and stack_shelf(member.visibility, member.locked_at, member.trashed_at)
    = stack_shelf(asset.visibility, asset.locked_at, asset.trashed_at)`;

/** How many members of its stack are listed together with "asset"; null when it is in none. */
export const STACK_SIZE: SQL = sql`case when asset.stack_id is not null then (
  select count(*) from ${unscopedAssets} member where ${TOGETHER}) end`;

/** Which of them stands for the others. */
export const STACK_TOP: SQL = sql`(
  select member.id from ${unscopedAssets} member where ${TOGETHER} and not member.is_stack_child limit 1)`;

/**
 * The member that stands for the whole "stack" wherever clients know one only: the one that the owner
 * chose, and while that one is locked, in the trash or archived, the first that is less so. One that
 * is Locked only when all are: so it is the same with and without the PIN. It follows what happens to
 * members; whenever it may have changed, `stack.updated_at` has.
 */
export const STACK_PRIMARY: SQL = sql`(
  select member.id from ${unscopedAssets} member
  where member.stack_id = stack.id and not member.is_stack_child
  order by member.locked_at is not null, member.trashed_at is not null,
    member.visibility <> 'timeline', member.id = stack.primary_id desc, member.id limit 1)`;

/**
 * `ids` and every other member of their stacks, locked against other writers in one order. Whoever
 * changes stacks, or moves whole ones, asks this first: the stacks of an account then stay what they
 * are until the transaction ends.
 */
export async function lockStackMembers(db: Db, ids: readonly string[]): Promise<string[]> {
  const named = sql`any(${uuids(ids)})`;
  await db.execute(sql`
    select pg_advisory_xact_lock(hashtext('stack'), hashtext(owner_id::text)) from (
      select distinct owner_id from ${unscopedAssets} where id = ${named} order by owner_id) owner`);
  // A statement of its own: it sees what those did who were waited for.
  const rows = await db.execute<{ id: string }>(sql`
    select id from ${unscopedAssets} where id in (
      select id from ${unscopedAssets} where id = ${named}
      union
      select member.id from ${unscopedAssets} named join ${unscopedAssets} member on member.stack_id = named.stack_id
      where named.id = ${named})
    order by id for no key update`);
  return rows.map((row) => row.id);
}
