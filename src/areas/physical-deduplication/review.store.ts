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
