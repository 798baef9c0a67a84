import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import { LARGE_BYTES } from '../../../core/large-files.ts';
import { texts, uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, prepareQuery, queryRows } from '../../../db/query.ts';
import { hasJob } from '../../../jobs/queue.ts';
import { deleteTranscodes } from '../jobs.ts';

// Administrators are told nothing of what is in Locked: its files stay.
const TRANSCODES = sql`
  asset_file join ${backgroundAssets} on asset.id = asset_file.asset_id
  where asset_file.kind in ('encoded_video', 'bare_video') and asset.locked_at is null`;

const SUM_COLUMNS = {
  files: column.integer,
  bytes: column.float,
  largeFiles: column.integer,
  largeBytes: column.float,
  isDeleting: column.boolean,
};
export type TranscodeSums = InferRow<typeof SUM_COLUMNS>;

/** Counts the converted videos of all accounts, and tells whether they are being deleted. */
export const sumTranscodes = async (db: Db): Promise<TranscodeSums> =>
  getRow(
    await queryRows(
      db,
      SUM_COLUMNS,
      sql`
    select count(*)::int as files, coalesce(sum(size), 0)::float8 as bytes,
      count(*) filter (where size >= ${LARGE_BYTES})::int as "largeFiles",
      coalesce(sum(size) filter (where size >= ${LARGE_BYTES}), 0)::float8 as "largeBytes",
      ${hasJob(deleteTranscodes.name, sql`'all'`)} as "isDeleting"
    from ${TRANSCODES}`,
    ),
  );

const FILE_COLUMNS = { assetId: column.uuid, name: column.text };
export type TranscodeFile = InferRow<typeof FILE_COLUMNS>;

type Page = {
  readonly minBytes: number;
  /** Continue after this one. */
  readonly after: TranscodeFile | undefined;
  readonly limit: number;
};

/** Returns the next converted videos, by asset. */
export const listTranscodes = (
  db: Db,
  { minBytes, after, limit }: Page,
): Promise<TranscodeFile[]> =>
  queryRows(
    db,
    FILE_COLUMNS,
    sql`
    select asset_id as "assetId", asset_file.name
    from ${TRANSCODES} and size >= ${minBytes}
      ${after ? sql`and (asset_id, name) > (${after.assetId}::uuid, ${after.name})` : sql``}
    order by asset_id, name limit ${limit}`,
  );

/** Deletes the rows of these files, and remembers which videos had a conversion. Returns the names of the files. */
export async function deleteFiles(
  db: Db,
  files: readonly TranscodeFile[],
  now: Date,
): Promise<string[]> {
  const ids = uuids(files.map(({ assetId }) => assetId));
  await queryRows(
    db,
    sql`
    select from ${backgroundAssets} where id = any(${ids}) order by id for no key update`,
  );
  const rows = await queryRows(
    db,
    { name: column.text },
    sql`
    with gone as (
      delete from asset_file
      where asset_id = any(${ids}) and name = any(${texts(files.map(({ name }) => name))})
        and kind in ('encoded_video', 'bare_video')
      returning asset_id, kind, name
    ), touched as (
      update ${backgroundAssets} set updated_at = ${now.toISOString()}::timestamptz
      where id in (select asset_id from gone)
    ), remembered as (
      insert into deleted_transcode (asset_id)
      select asset_id from gone where kind = 'encoded_video' order by asset_id
      on conflict do nothing
    )
    select name from gone`,
  );
  return rows.map(({ name }) => name);
}

const findMark = prepareQuery(
  { id: column.uuid },
  sql`select asset_id as id from deleted_transcode where asset_id = ${sql.placeholder('assetId')}::uuid`,
);

/** Returns whether the conversion of a video was deleted, and nobody has played it since. */
export const isMarked = async (db: Db, assetId: string): Promise<boolean> =>
  (await findMark(db, { assetId })).length > 0;

export async function deleteMark(db: Db, assetId: string): Promise<void> {
  await queryRows(db, sql`delete from deleted_transcode where asset_id = ${assetId}::uuid`);
}
