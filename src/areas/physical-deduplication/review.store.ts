import { sql } from 'drizzle-orm';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

/** A file of a plan, and how the last scan of its library found it. */
const RECORDED_FILE_COLUMNS = {
  path: column.text.orNull,
  /** Hex. */
  sha256: column.text,
  size: column.float,
  /** Modification time in microseconds since 1970; null: in our store. */
  modifiedUs: column.float.orNull,
};

export type RecordedFile = Omit<InferRow<typeof RECORDED_FILE_COLUMNS>, 'sha256'> & {
  readonly sha256: Buffer;
};

/** Returns the files of these copies of a plan, and those that are retained for them. */
export async function listRecordedFiles(
  db: Db,
  planId: string,
  copyIds: readonly string[],
): Promise<RecordedFile[]> {
  const rows = await queryRows(
    db,
    RECORDED_FILE_COLUMNS,
    sql`
    with chosen as (
      select id, group_id from deduplication_copy
      where plan_id = ${planId}::uuid and id = any(${uuids(copyIds)})
    )
    select copy.path, encode(copy.sha256, 'hex') as sha256, copy.size::float8 as size,
      file.modified_us::float8 as "modifiedUs"
    from deduplication_copy copy left join library_file file on file.id = copy.file_id
    where copy.plan_id = ${planId}::uuid and copy.id in (
      select id from chosen union select group_id from chosen)`,
  );
  return rows.map((row) => ({ ...row, sha256: Buffer.from(row.sha256, 'hex') }));
}

const CANDIDATE_COLUMNS = {
  ...RECORDED_FILE_COLUMNS,
  id: column.float,
  /** Our store has the content, too. */
  isStored: column.boolean,
};

export type Candidate = Omit<InferRow<typeof CANDIDATE_COLUMNS>, 'sha256'> & {
  readonly sha256: Buffer;
};

/** Returns a page of the files of libraries whose content another file has, too, by id. */
export async function listCandidates(
  db: Db,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Candidate[]> {
  const rows = await queryRows(
    db,
    CANDIDATE_COLUMNS,
    sql`
    select file.id::float8 as id, file.path, encode(file.sha256, 'hex') as sha256,
      file.size::float8 as size, file.modified_us::float8 as "modifiedUs",
      original.path is null as "isStored"
    from library_file file join original on original.sha256 = file.sha256
    where file.id > ${after}::bigint and file.asset_id is not null and file.unseen_at is null
      and not file.is_released and original.object_key is null and (original.path is null or exists (
        select from library_file other
        where other.sha256 = file.sha256 and other.id <> file.id and other.unseen_at is null))
    order by file.id limit ${limit}`,
  );
  return rows.map((row) => ({ ...row, sha256: Buffer.from(row.sha256, 'hex') }));
}
