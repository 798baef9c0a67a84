import { type SQL, sql } from 'drizzle-orm';
import { queryRows } from '../../db/query.ts';
import { isShelfOnly } from './counts/precomputed-counts.ts';
import { selectMatching, unionPerOwner, type Reader } from './match/matching.store.ts';
import type { SearchQuery } from './store.ts';
import { uuids } from '../../db/arrays.ts';

export type Depth = {
  /** The item at the wanted place was taken before this. */
  readonly before: string;
  /** How many of those come before it. */
  readonly offset: number;
};

/** How far the clock of a place is from UTC at most, in hours, to either side. */
const MAX_UTC_OFFSET_HOURS = 15;

/**
 * Where the item number `place` (from 0) of a whole Timeline lies, newest first: found by the kept
 * counts of the days, whose items need not be read then. Undefined where nothing is kept, or in
 * another order.
 */
export async function findDepth(
  reader: Reader,
  query: SearchQuery,
  place: number,
): Promise<Depth | undefined> {
  const isInOrder = query.field === 'fileCreatedAt' && query.direction === 'desc';
  const isShelf = query.scope === 'timeline' || query.scope === 'library';
  if (!isInOrder || !isShelf || !isShelfOnly(query)) return undefined;
  const owned = reader.session.kind === 'user' ? reader.session.userId : null;
  const isTaken = sql`kind = 'taken'`;
  // The archive is taken off, but where it is listed: of the caller's own library.
  const isLess = sql`kind = 'archived'
    and (${query.scope === 'timeline'} or owner_id is distinct from ${owned}::uuid)`;
  const owners = sql`any(${uuids(query.owners)})`;
  const [day] = await queryRows<{ day: string; later: string }>(
    reader.db,
    sql`select day::text, later::text from (
        select day, sum(assets) over (order by day desc) as later from (
          select day, sum(case kind when 'taken' then assets else -assets end) as assets
          from asset_day_count
          where owner_id = ${owners} and (${isTaken} or (${isLess})) group by day
        ) kept
      ) deep where later <= ${place} order by day limit 1`,
  );
  if (!day) return undefined;
  // Days are those of the place, the order is that of the world: near midnight they differ.
  const before = `${day.day}T00:00:00Z`;
  const at = sql`${before}::timestamptz`;
  const near = (only: SQL) =>
    unionPerOwner(
      query,
      (owner) => sql`select 1 ${selectMatching(reader, query, owner, { only })}`,
    );
  const late = sql`asset.taken_at >= ${at} and asset.taken_at < ${at} + ${sql.raw(`interval '${MAX_UTC_OFFSET_HOURS} hours'`)}
    and asset.local_taken_at < ${day.day}::timestamp`;
  const early = sql`asset.taken_at < ${at} and asset.taken_at >= ${at} - ${sql.raw(`interval '${MAX_UTC_OFFSET_HOURS} hours'`)}
    and asset.local_taken_at >= ${day.day}::timestamp`;
  const [edge] = await queryRows<{ late: string; early: string }>(
    reader.db,
    sql`select (select count(*) from (${near(late)}) item) as late,
      (select count(*) from (${near(early)}) item) as early`,
  );
  const offset = place - (Number(day.later) + Number(edge!.late) - Number(edge!.early));
  return offset < 0 ? undefined : { before, offset };
}
