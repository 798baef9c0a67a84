import { sql } from 'drizzle-orm';
import { unscopedAssets } from '../../../access/unscoped.ts';
import type { Db } from '../../../db/client.ts';
import { queryRows } from '../../../db/query.ts';

export type UnseenCounts = {
  /** Files that have to be read before it is known what became of unseen ones. */
  readonly unread: number;
  readonly unseen: number;
  readonly present: number;
};

export async function countUnseen(db: Db, libraryId: string): Promise<UnseenCounts> {
  const [row] = await queryRows<UnseenCounts>(
    db,
    sql`
    select count(*) filter (where sha256 is null and error is null and unseen_at is null)::int as unread,
      count(*) filter (where unseen_at is not null and missing_at is null)::int as unseen,
      count(*) filter (where unseen_at is null)::int as present
    from library_file where library_id = ${libraryId}::uuid`,
  );
  return row!;
}

/** Sets the unseen files of a library missing, and their items offline. Returns their number. */
export async function setMissing(db: Db, libraryId: string, now: Date): Promise<number> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const rows = await queryRows(
    db,
    sql`
    with gone as (
      update library_file set missing_at = ${at}
      where library_id = ${libraryId}::uuid and unseen_at is not null and missing_at is null
      returning asset_id, sha256, path
    ), offline as (
      update ${unscopedAssets} set offline_at = ${at}, updated_at = ${at}
      from gone where asset.id = gone.asset_id
    ), elsewhere as (
      -- Another file with the content is read from now on.
      update original set path = other.path
      from gone, library_file other
      where original.sha256 = gone.sha256 and original.path = gone.path
        and other.sha256 = gone.sha256 and other.unseen_at is null
    )
    select from gone`,
  );
  // Files that were never taken in leave no trace.
  await queryRows(
    db,
    sql`
    delete from library_file
    where library_id = ${libraryId}::uuid and missing_at is not null and asset_id is null`,
  );
  return rows.length;
}
