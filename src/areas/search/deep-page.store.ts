import { type SQL, sql } from 'drizzle-orm';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { type DayCount, listDayCounts, type SummaryReader } from '../assets/index.ts';
import { isWholeScope } from './counts/precomputed-counts.ts';
import { MAX_UTC_OFFSET } from './match/filter.store.ts';
import { selectMatching, unionPerOwner, type Reader } from './match/matching.store.ts';
import type { SearchQuery } from './store.ts';

export type Depth = {
  /** The wanted item was taken before this instant. */
  readonly before: string;
  /** Number of items between that instant and the wanted item. */
  readonly offset: number;
};

/**
 * Locates item number `place` (from 0, newest first) of a whole Timeline by the daily counts,
 * without reading the items before it. Undefined for other orders and for filtered listings.
 */
export async function findDepth(
  reader: Reader & SummaryReader,
  query: SearchQuery,
  place: number,
): Promise<Depth | undefined> {
  const isInOrder = query.field === 'fileCreatedAt' && query.direction === 'desc';
  const isListed = query.scope === 'timeline' || query.scope === 'library';
  if (!isInOrder || !isListed || !isWholeScope(query)) return undefined;
  const owned = reader.session.kind === 'user' ? reader.session.userId : null;
  const day = findDay(
    await listDayCounts(reader, query.owners),
    place,
    (ownerId) =>
      // The archive is listed in the caller's own library only.
      query.scope === 'timeline' || ownerId !== owned,
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
  const late = sql`asset.taken_at >= ${at} and asset.taken_at < ${at} + ${MAX_UTC_OFFSET}
    and asset.local_taken_at < ${day.day}::timestamp`;
  const early = sql`asset.taken_at < ${at} and asset.taken_at >= ${at} - ${MAX_UTC_OFFSET}
    and asset.local_taken_at >= ${day.day}::timestamp`;
  const rows = await queryRows(
    reader.db,
    { late: column.bigint, early: column.bigint },
    sql`select (select count(*) from (${near(late)}) item) as late,
      (select count(*) from (${near(early)}) item) as early`,
  );
  const edge = getRow(rows);
  const offset = place - (day.later + Number(edge.late) - Number(edge.early));
  return offset < 0 ? undefined : { before, offset };
}

/** Returns the earliest day with which at most `place` items come since, and how many these are. */
function findDay(
  counts: readonly DayCount[],
  place: number,
  isWithoutArchive: (ownerId: string) => boolean,
): { readonly day: string; readonly later: number } | undefined {
  const days = new Map<string, number>();
  for (const { ownerId, kind, day, count } of counts) {
    if (kind === 'taken') days.set(day, (days.get(day) ?? 0) + count);
    if (kind === 'archived' && isWithoutArchive(ownerId))
      days.set(day, (days.get(day) ?? 0) - count);
  }
  let [found, later]: [string | undefined, number] = [undefined, 0];
  for (const [day, count] of [...days].toSorted(([a], [b]) => (a < b ? 1 : -1))) {
    if (later + count > place) break;
    later += count;
    found = day;
  }
  return found === undefined ? undefined : { day: found, later };
}
