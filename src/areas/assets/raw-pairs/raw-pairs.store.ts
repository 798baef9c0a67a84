import { type SQL, sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { isBehind, type Position } from '../../../db/keyset.ts';
import { getRow, queryRows } from '../../../db/query.ts';

type Reader = { readonly db: Db; readonly session: Session };

// The pairs of all accounts are measured by `server/storage-use/store.ts`. Files of external libraries are not ours.

/** Selects from the caller's raw photos, which `asset_raw` has in order, as `raw`. */
const selectRaws = ({ db, session }: Reader): SQL => sql`(
  select asset.* from ${ownAssets(db, session, 'timeline')}
  where is_raw_name(asset.file_name) and asset.type = 'IMAGE' and asset.library_id is null) raw`;

/** Selects from the pictures beside a raw photo, as `asset`. */
const selectPictures = ({ db, session }: Reader): SQL => sql`
  from ${ownAssets(db, session, 'library')}
  where asset.taken_at = raw.taken_at and asset.type = 'IMAGE' and asset.library_id is null
    and not is_raw_name(asset.file_name) and file_stem(asset.file_name) = file_stem(raw.file_name)`;

const PAIR_COLUMNS = {
  key: column.text,
  rawId: column.uuid,
  rawName: column.text,
  rawSize: column.bigint,
  pictureId: column.uuid,
  pictureName: column.text,
  pictureSize: column.bigint,
  takenAt: column.timestamptz,
  isStacked: column.boolean,
};
export type PairRow = InferRow<typeof PAIR_COLUMNS>;

/** Returns each raw photo that has a picture, with one of its pictures, the newest first. */
export const listRawPairPage = (
  reader: Reader,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<PairRow[]> => {
  const behind =
    after &&
    isBehind({
      columns: [sql`raw.taken_at`, sql`raw.id`],
      values: [sql`${after.value}::timestamptz`, sql`${after.id}::uuid`],
      direction: 'desc',
    });
  return queryRows(
    reader.db,
    PAIR_COLUMNS,
    sql`
    select raw.taken_at::text as key, raw.id as "rawId", raw.file_name as "rawName",
      raw.file_size as "rawSize", picture.id as "pictureId", picture.file_name as "pictureName",
      picture.file_size as "pictureSize", raw.taken_at as "takenAt",
      raw.stack_id is not null or picture.stack_id is not null as "isStacked"
    from ${selectRaws(reader)} cross join lateral (
      select asset.id, asset.file_name, asset.file_size, asset.stack_id
      ${selectPictures(reader)} order by asset.id limit 1) picture
    ${behind ? sql`where ${behind}` : sql``}
    order by raw.taken_at desc, raw.id desc limit ${limit}`,
  );
};

/** Returns the number of all pairs, and the bytes of their raw photos. */
export async function sumRawPairs(reader: Reader): Promise<{ files: number; bytes: number }> {
  const row = getRow(
    await queryRows(
      reader.db,
      { files: column.bigint, bytes: column.bigint },
      sql`
      select count(*) as files, coalesce(sum(raw.file_size), 0)::bigint as bytes
      from ${selectRaws(reader)} where exists (select ${selectPictures(reader)})`,
    ),
  );
  return { files: Number(row.files), bytes: Number(row.bytes) };
}
