import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { getRow, queryPrepared } from '../../db/query.ts';
import { equalsAny } from './store.ts';

const isInMonth = (owners: readonly string[], month: string) =>
  sql`owner_id = ${equalsAny(owners)} and local_month = ${month}::date`;

/** Returns a version that changes with every change of these owners' assets in the month and of their tags, faces and albums. */
export async function getMonthVersion(
  db: Db,
  owners: readonly string[],
  month: string,
): Promise<string> {
  const rows = await queryPrepared(
    db,
    { version: column.text },
    sql`select coalesce(bit_xor(stamp), 0)::text as version
      from asset_count where ${isInMonth(owners, month)}`,
  );
  return getRow(rows).version;
}

/** Returns a version of an album's month: of all owners of its items and of those who hide places. */
export async function getAlbumMonthVersion(
  db: Db,
  albumId: string,
  month: string,
): Promise<string> {
  const [row] = await queryPrepared(
    db,
    { version: column.text.orNull },
    sql`select string_agg(owner_id || ' ' || version || coalesce((
            select string_agg(' ' || viewer_id, '' order by viewer_id) from partner
            where sharer_id = of_owner.owner_id and hides_places), ''),
          ',' order by owner_id) as version from (
        select owner_id, bit_xor(stamp) as version from asset_count
        where local_month = ${month}::date and owner_id in (
          select owner_id from album_count
          where album_id = ${albumId}::uuid and local_month = ${month}::date)
        group by owner_id) of_owner`,
  );
  return row?.version ?? '';
}

const MONTH_VERSION_COLUMNS = { month: column.text, version: column.text };

export type MonthVersion = InferRow<typeof MONTH_VERSION_COLUMNS>;

/**
 * Lists the versions of all months in which these owners have or had assets. As an array, also one owner is read in the
 * order of the table: in that of the index, a block for each row.
 */
export const listMonthVersions = (db: Db, owners: readonly string[]) =>
  queryPrepared(
    db,
    MONTH_VERSION_COLUMNS,
    sql`select local_month::text as month, bit_xor(stamp)::text as version from asset_count
      where owner_id = any(${uuids(owners)}) group by local_month order by local_month`,
  );
