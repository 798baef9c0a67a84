import { sql } from 'drizzle-orm';
import type { Deps } from '../core/context.ts';
import { StorageUnavailable } from '../core/errors.ts';
import { reach } from '../core/fault-points.ts';
import { texts } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { column } from '../db/columns.ts';
import { perDatabase } from '../db/per-database.ts';
import { getRow, queryRows } from '../db/query.ts';
import type { S3Address } from '../core/s3-address.ts';
import type { Settings } from '../core/settings.ts';
import { createS3Store, type LocalContent, type ObjectStore } from './object-store.ts';
import { MARKER } from './stored-file.ts';

// Objects of the object store. Before one is written, a row says that it is to be deleted in a day; the transaction
// that names the object deletes this row: for originals here, for other files by the trigger `object_named`. So whatever
// fails between leaves no object behind, and a deletion can never meet an object that is named.

type StoreSettings = {
  readonly objectStore: S3Address | undefined;
  readonly objectStoreCredentials: string | undefined;
};

const stores = new WeakMap<S3Address, ObjectStore>();

/** Returns the store for dumps of the database; undefined when they are in the data folder only. */
export const findBackupStore = ({
  backupStore,
  backupStoreCredentials,
  objectStoreCredentials,
}: Pick<Settings, 'backupStore' | 'backupStoreCredentials' | 'objectStoreCredentials'>):
  ObjectStore | undefined =>
  findObjectStore({
    objectStore: backupStore,
    objectStoreCredentials: backupStoreCredentials ?? objectStoreCredentials,
  });

/** Whether files are put in an object store. */
export const hasObjectStore = (settings: StoreSettings): boolean =>
  settings.objectStore !== undefined;

/** Returns the object store of these settings; undefined when originals are in the data folder only. */
export function findObjectStore({
  objectStore: address,
  objectStoreCredentials: credentials,
}: StoreSettings): ObjectStore | undefined {
  if (address === undefined) return undefined;
  let store = stores.get(address);
  if (!store) {
    store = createS3Store(address, credentials);
    stores.set(address, store);
  }
  return store;
}

export type ObjectDeps = Pick<Deps, 'db' | 'sql' | 'settings'>;

/** Longer than an upload takes from its first byte in the object store to its commit. */
export const UNNAMED_SECONDS = 24 * 3600;

const proofs = perDatabase(() => ({ proof: undefined as Promise<void> | undefined }));

/** Returns the object store, once it has shown that it is that of this library. Throws StorageUnavailable. */
export async function openObjectStore(deps: ObjectDeps): Promise<ObjectStore> {
  const objects = findObjectStore(deps.settings);
  if (!objects) {
    throw new StorageUnavailable('Originals are in an object store, and --object-store is not set');
  }
  const status = proofs(deps.sql);
  status.proof ??= proveStore(deps, objects);
  try {
    await status.proof;
  } catch (error) {
    status.proof = undefined;
    throw error;
  }
  return objects;
}

/** The object store answers, and is not that of the library. */
export class ForeignStore extends StorageUnavailable {
  /** For the log and for administrators. */
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Returns whether the library has an object store, which is the one of the settings. Throws ForeignStore when that is
 * another one, StorageUnavailable when it cannot be asked.
 */
export async function proveObjectStore(deps: ObjectDeps): Promise<boolean> {
  if (!(await readStoreMark(deps.db)).isMarked) return false;
  await openObjectStore(deps);
  return true;
}

const STORE_MARK_COLUMNS = {
  /** Identity of the library. */
  id: column.uuid,
  /** Its object store has been marked. */
  isMarked: column.boolean,
};

export const readStoreMark = async (db: Db) =>
  getRow(
    await queryRows(
      db,
      STORE_MARK_COLUMNS,
      sql`select id, object_store_marked_at is not null as "isMarked" from instance`,
    ),
  );

const setStoreMarked = (db: Db): Promise<unknown> =>
  queryRows(
    db,
    sql`
    update instance set object_store_marked_at = coalesce(object_store_marked_at, now())`,
  );

async function proveStore(deps: ObjectDeps, objects: ObjectStore): Promise<void> {
  const { db } = deps;
  const { id, isMarked } = await readStoreMark(db);
  const found = (await objects.findText(MARKER))?.trim();
  if (found === id) return isMarked ? undefined : void (await setStoreMarked(db));
  if (found !== undefined) {
    throw new ForeignStore(`${objects.url} belongs to another library than the database`);
  }
  if (isMarked) {
    const hint = `if it is the right one, give it an object ${MARKER} with the text ${id}`;
    throw new ForeignStore(`${objects.url} is not the object store of this library: ${hint}`);
  }
  for await (const { key } of objects.list('')) {
    // It is the first of the names: another server has just written it, perhaps of this library.
    if (key === MARKER) return proveStore(deps, objects);
    throw new ForeignStore(`${objects.url} is not empty, it has ${key}`);
  }
  await objects.putText(MARKER, id);
  if ((await objects.findText(MARKER)) !== id) {
    throw new ForeignStore(`${objects.url} was taken by another library at this moment`);
  }
  await setStoreMarked(db);
}

/** Where `safelight storage move` moves files to. */
export type MoveTarget = 's3' | 'files';

/** The name of the pool of connections of a move, before its target: so servers see that it runs. */
export const MOVE_POOL = 'storage move to ';

/** Stores an object, which is deleted in a day unless a row names it. Call it outside of a transaction. */
export async function putObject(
  deps: ObjectDeps,
  key: string,
  content: LocalContent,
): Promise<void> {
  const objects = await openObjectStore(deps);
  await scheduleDeletion(deps.db, [key], UNNAMED_SECONDS);
  reach('object.announced');
  await objects.put(key, content);
  reach('object.stored');
}

/** Has the objects deleted after so many seconds, unless `keepObject` comes before. */
export async function scheduleDeletion(
  db: Db,
  keys: readonly string[],
  seconds: number,
): Promise<void> {
  if (keys.length === 0) return;
  await queryRows(
    db,
    sql`
    insert into object_deletion (key, due_at)
    select key, now() + ${seconds}::int * interval '1 second' from unnest(${texts(keys)}) key
    on conflict (key) do nothing`,
  );
}

/** Has an object deleted now that was to be deleted later. */
export const hastenDeletion = (db: Db, key: string): Promise<unknown> =>
  queryRows(db, sql`update object_deletion set due_at = now() where key = ${key}`);

/** Makes the object the place of an original, with the commit. Returns false when it has been deleted meanwhile. */
export async function keepObject(db: Db, sha256: Uint8Array, key: string): Promise<boolean> {
  const kept = await queryRows(
    db,
    { key: column.text },
    sql`delete from object_deletion where key = ${key} returning key`,
  );
  if (kept.length === 0) return false;
  await scheduleNamed(db, sha256, 0);
  await queryRows(
    db,
    sql`update original set object_key = ${key}, path = null where sha256 = ${sha256}`,
  );
  return true;
}

/** Makes the file in the data folder the place of an original again; its object is deleted after so many seconds. */
export async function leaveObject(db: Db, sha256: Uint8Array, seconds: number): Promise<void> {
  await scheduleNamed(db, sha256, seconds);
  await queryRows(db, sql`update original set object_key = null where sha256 = ${sha256}`);
}

/** Has the object of an original deleted after so many seconds, if it has one. */
async function scheduleNamed(db: Db, sha256: Uint8Array, seconds: number): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into object_deletion (key, due_at)
    select object_key, now() + ${seconds}::int * interval '1 second' from original
    where sha256 = ${sha256} and object_key is not null
    on conflict (key) do nothing`,
  );
}

/** Returns keys that are due, locked until commit; others skip them. */
export async function lockDueDeletions(db: Db, limit: number): Promise<string[]> {
  const rows = await queryRows(
    db,
    { key: column.text },
    sql`
    select key from object_deletion where due_at <= now()
    order by due_at limit ${limit} for update skip locked`,
  );
  return rows.map(({ key }) => key);
}

export const deleteDeletions = (db: Db, keys: readonly string[]): Promise<unknown> =>
  queryRows(db, sql`delete from object_deletion where key = any(${texts(keys)})`);
