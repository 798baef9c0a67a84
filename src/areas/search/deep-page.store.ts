import { type SQL, sql } from 'drizzle-orm';
import { queryRows } from '../../db/query.ts';
import { isShelfOnly } from './counts/precomputed-counts.ts';
import { selectMatching, unionPerOwner, type Reader } from './match/matching.store.ts';
import type { SearchQuery } from './store.ts';
import { uuids } from '../../db/arrays.ts';

export type Depth = {
  /** The wanted item was taken before this instant. */
  readonly before: string;
  /** Number of items between that instant and the wanted item. */
  readonly offset: number;
};

/** Largest offset of a local clock from UTC, in hours. */
const MAX_UTC_OFFSET_HOURS = 15;

/**
 * Locates item number `place` (from 0, newest first) of a whole Timeline by the daily counts,
 * without reading the items before it. Undefined for other orders and for filtered listings.
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
  // Archived items are subtracted, except from the caller's own library listing.
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
  // Days are local, the order is by instant: near midnight the two differ.
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
