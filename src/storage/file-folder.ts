import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../core/command-line.ts';
import type { Deps } from '../core/context.ts';
import type { DataPaths } from '../core/paths.ts';
import type { Db } from '../db/client.ts';
import { syncPath } from '../media/file-placement.ts';
import { findDerivedFile, isNamedFile } from './files.store.ts';
import { findAnyOriginal, findOriginal } from './originals.store.ts';
import { sql } from 'drizzle-orm';
import { column, type InferRow } from '../db/columns.ts';
import { getRow, queryRows } from '../db/query.ts';

// Small files that tell what a folder is.

/** Returns the text of a mark; empty without one. */
export const readMark = (folder: string, name: string): Promise<string> =>
  readFile(join(folder, name), 'utf8').then(
    (text) => text.trim(),
    () => '',
  );

/** Writes a mark durably, and makes the folder. */
export async function writeMark(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `${text}\n`, { flush: true });
  await syncPath(folder);
}

// Machines beside an object store have data folders of their own, each with the mark of the library. When files are moved
// back, they are in one of these: the database names it, and a machine with another one is refused. Servers of
// earlier versions do not look for this mark. Without such a move there is none.

/** Name of the file with the identity of a data folder. */
export const FOLDER_MARKER = '.safelight-folder';

/** Folders that files are moved to. */
export const FILE_STORES = ['originals', 'derived'] as const;

type FolderDeps = Pick<Deps, 'db' | 'paths'>;

/** Before files are moved to the data folder: makes it the one that has them. Throws Failure when another one has. */
export async function claimFolder({ db, paths }: FolderDeps): Promise<void> {
  const id = (await findFolderId(paths)) ?? randomUUID();
  // Before the database names it: a crash between must not leave a library without a folder.
  await writeFolderId(paths, id);
  if (await setFolder(db, id)) return;
  throw new Failure(`The files of this library are in another data folder than ${paths.root}`);
}

/** After files were moved to the object store: when none is left, each marked folder is as good as this one. */
export async function releaseFolder({ db, paths }: FolderDeps): Promise<void> {
  if (!(await hasFiles(db, paths.root))) await clearFolder(db);
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The folder keeps its identity, by which an earlier backup of the database knows it. */
async function findFolderId(paths: DataPaths): Promise<string | undefined> {
  const marks = await Promise.all(FILE_STORES.map((name) => readMark(paths[name], FOLDER_MARKER)));
  return marks.find((mark) => UUID.test(mark));
}

export async function writeFolderId(paths: DataPaths, id: string): Promise<void> {
  for (const name of FILE_STORES) await writeMark(paths[name], FOLDER_MARKER, id);
}

// Whether a library beside an object store has files in its data folder: then an empty folder is not that. No index tells
// it, since a library that has all of its files in the folder would pay for it with each upload. So the file that was found
// last is asked for first, by its key.

/** Returns whether a file is still in the data folder. */
type Witness = (db: Db) => Promise<boolean>;

/** By data folder. */
const witnesses = new Map<string, Witness>();

/** Returns whether any original or derived file is in the data folder; a row whose file is missing counts. */
export async function hasFiles(db: Db, root: string): Promise<boolean> {
  if (await witnesses.get(root)?.(db)) return true;
  const found = await findWitness(db);
  if (found) witnesses.set(root, found);
  else witnesses.delete(root);
  return found !== undefined;
}

async function findWitness(db: Db): Promise<Witness | undefined> {
  const sha256 = await findAnyOriginal(db);
  if (sha256) return async (later) => (await findOriginal(later, sha256)) !== undefined;
  const file = await findDerivedFile(db);
  return file && ((later) => isNamedFile(later, file));
}

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
async function setFolder(db: Db, folderId: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    update instance set file_folder_id = ${folderId}::uuid
    where coalesce(file_folder_id, ${folderId}::uuid) = ${folderId}::uuid returning id`,
  );
  return rows.length > 0;
}

/** Makes each data folder that is marked one of the library again. */
const clearFolder = (db: Db): Promise<unknown> =>
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
