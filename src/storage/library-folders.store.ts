import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { getRow, queryRows } from '../db/query.ts';

const LIBRARY_COLUMNS = {
  id: column.uuid,
  /** Its folders have been marked. */
  isMarked: column.boolean,
  /** Identity of the data folder that its files are in; null: of each that is marked. */
  folderId: column.uuid.orNull,
};

export type Library = InferRow<typeof LIBRARY_COLUMNS>;

const COLUMNS = sql.raw(
  `id, stores_marked_at is not null as "isMarked", file_folder_id as "folderId"`,
);

export const readLibrary = async (db: Db): Promise<Library> =>
  getRow(await queryRows(db, LIBRARY_COLUMNS, sql`select ${COLUMNS} from instance`));

/** The same of a database of an earlier version. */
export const readFormerLibrary = async (db: Db): Promise<Pick<Library, 'id' | 'isMarked'>> =>
  getRow(
    await queryRows(
      db,
      { id: column.uuid, isMarked: column.boolean },
      sql`select id, stores_marked_at is not null as "isMarked" from instance`,
    ),
  );

/** Holds the row until commit. */
export const lockLibrary = async (db: Db): Promise<Library> =>
  getRow(await queryRows(db, LIBRARY_COLUMNS, sql`select ${COLUMNS} from instance for update`));

export const setMarked = (db: Db): Promise<unknown> =>
  queryRows(db, sql`update instance set stores_marked_at = coalesce(stores_marked_at, now())`);

/** Makes a data folder the one of the files. Returns false when another one is. */
export async function setFolder(db: Db, folderId: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    update instance set file_folder_id = ${folderId}::uuid
    where coalesce(file_folder_id, ${folderId}::uuid) = ${folderId}::uuid returning id`,
  );
  return rows.length > 0;
}

/** Makes each data folder that is marked one of the library again. */
export const clearFolder = (db: Db): Promise<unknown> =>
  queryRows(db, sql`update instance set file_folder_id = null where file_folder_id is not null`);

/** Returns digests of some originals of our store. */
export async function sampleOriginals(db: Db, limit: number): Promise<Uint8Array[]> {
  const rows = await queryRows(
    db,
    { sha256: column.bytea },
    sql`
    select sha256 from original where path is null and object_key is null
    order by sha256 limit ${limit}`,
  );
  return rows.map(({ sha256 }) => sha256);
}
