import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import { toHex } from '../../../core/hash.ts';
import type { Db } from '../../../db/client.ts';
import { prepareQuery } from '../../../db/query.ts';

/** The values of an item that a file of a library becomes. */
export type NewItem = {
  readonly id: string;
  readonly libraryId: string;
  readonly folder: string;
} & Required<
  Pick<
    typeof backgroundAssets.$inferInsert,
    | 'ownerId'
    | 'type'
    | 'sha256'
    | 'sha1'
    | 'fileName'
    | 'fileSize'
    | 'isFavorite'
    | 'visibility'
    | 'lockedAt'
    | 'takenAt'
    | 'localTakenAt'
    | 'fileModifiedAt'
  >
>;

// The query builder would name each column of the table for each row.
const insertItems = prepareQuery(sql`
  insert into ${backgroundAssets} (id, owner_id, library_id, folder, type, sha256, sha1, file_name, file_size,
    is_favorite, visibility, locked_at, taken_at, local_taken_at, file_modified_at, is_copy)
  select id, owner_id, library_id, folder, type, decode(sha256, 'hex'), decode(sha1, 'hex'), file_name, file_size,
    is_favorite, visibility, locked_at, taken_at, local_taken_at, file_modified_at, true
  from jsonb_to_recordset(${sql.placeholder('rows')}::text::jsonb) item (id uuid, owner_id uuid,
    library_id uuid, folder text, type text, sha256 text, sha1 text, file_name text, file_size bigint,
    is_favorite boolean, visibility text, locked_at timestamptz, taken_at timestamptz,
    local_taken_at timestamp, file_modified_at timestamptz)`);
const insertExif = prepareQuery(sql`
  insert into asset_exif (asset_id) select unnest(${sql.placeholder('ids')}::uuid[])`);

/** Inserts items; none of them is found by its checksum. */
export async function insertNewItems(db: Db, rows: readonly NewItem[]): Promise<void> {
  if (rows.length === 0) return;
  const items = rows.map((row) => ({
    id: row.id,
    owner_id: row.ownerId,
    library_id: row.libraryId,
    folder: row.folder,
    type: row.type,
    sha256: toHex(row.sha256),
    sha1: toHex(row.sha1),
    file_name: row.fileName,
    file_size: row.fileSize,
    is_favorite: row.isFavorite,
    visibility: row.visibility,
    locked_at: row.lockedAt,
    taken_at: row.takenAt,
    local_taken_at: row.localTakenAt,
    file_modified_at: row.fileModifiedAt,
  }));
  await insertItems(db, { rows: JSON.stringify(items) });
  await insertExif(db, { ids: `{${rows.map(({ id }) => id).join(',')}}` });
}
