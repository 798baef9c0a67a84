import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../core/command-line.ts';
import type { Deps } from '../core/context.ts';
import { badRequest, invalidField, notFound, StorageUnavailable } from '../core/errors.ts';
import { computeSha256 } from '../core/hash.ts';
import type { Db } from '../db/client.ts';
import { findBackupStore, readStoreMark } from '../storage/objects.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { MARKER } from '../storage/stored-file.ts';
import {
  deleteBackups,
  findBackup,
  getDownload,
  isBackupName,
  isScheduled,
  isWritten,
  listBackups,
} from './backup-files.ts';

// Dumps at a second endpoint (--backup-store), beside those of the backup folder. Its key tells the SHA-256 of a dump,
// so that one that is fetched can be compared without a database.

type BackupDeps = Pick<Deps, 'paths' | 'settings'>;

type StoredBackup = {
  readonly key: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 in hex. */
  readonly sha256: string;
};

async function listStored(store: ObjectStore): Promise<StoredBackup[]> {
  const found: StoredBackup[] = [];
  for await (const { key, size } of store.list('backups/')) {
    const [, sha256 = '', name = ''] = /^backups\/([\da-f]{64})\/([^/]+)$/.exec(key) ?? [];
    if (isBackupName(name)) found.push({ key, name, size, sha256 });
  }
  return found;
}

/** Returns a stored backup; undefined where there is no such one, or no store. Throws StorageUnavailable. */
async function findStored({ settings }: BackupDeps, name: string) {
  const store = findBackupStore(settings);
  const stored = store && (await listStored(store)).find((one) => one.name === name);
  return store && stored && { store, stored };
}

/** Lists the backups of the folder and of the store, newest first. While the store is away, those of the folder. */
export async function listAllBackups({ paths, settings }: BackupDeps) {
  const { backups } = await listBackups(paths.backups);
  const known = new Set(backups.map(({ filename }) => filename));
  const store = findBackupStore(settings);
  const stored = store ? await listStored(store).catch(ignoreUnavailable) : [];
  const others = stored
    .filter(({ name }) => !known.has(name))
    .map(({ name, size }) => ({ filename: name, filesize: size, timezone: 'UTC' }))
    .toSorted((a, b) => (a.filename < b.filename ? 1 : -1));
  return { backups: [...backups, ...others] };
}

function ignoreUnavailable(error: unknown): StoredBackup[] {
  if (error instanceof StorageUnavailable) return [];
  throw error;
}

const isNotFound = (error: unknown): boolean =>
  (error as { readonly kind?: unknown }).kind === 'notFound';

/** Throws 400 for a name that is none, 404 unless the backup is in the folder or in the store. */
export async function requireBackup(deps: BackupDeps, name: string): Promise<void> {
  if (name === '') {
    const message = 'Backup filename is required when action is restore_database';
    throw invalidField('restoreBackupFilename', message);
  }
  try {
    await findBackup(deps.paths.backups, name);
  } catch (error) {
    if (!isNotFound(error) || !(await findStored(deps, name))) throw error;
  }
}

/** Returns the path and the size of a backup, after it was fetched. Throws as `requireBackup`, and StorageUnavailable. */
export async function fetchBackup(deps: BackupDeps, name: string) {
  const { backups: folder } = deps.paths;
  try {
    return await findBackup(folder, name);
  } catch (error) {
    const found = isNotFound(error) ? await findStored(deps, name) : undefined;
    if (!found) throw error;
    await fetchInto(folder, found);
    return findBackup(folder, name);
  }
}

type Found = { readonly store: ObjectStore; readonly stored: StoredBackup };

/** The file appears when it is complete. Throws Failure for other bytes. */
async function fetchInto(folder: string, { store, stored }: Found): Promise<void> {
  const { key, name, size, sha256 } = stored;
  await mkdir(folder, { recursive: true });
  const building = join(folder, `.fetch-${crypto.randomUUID()}.partial`);
  const file = await open(building, 'wx', 0o600);
  try {
    const hash = new Bun.CryptoHasher('sha256');
    for await (const chunk of store.read(key, { start: 0, end: size })) {
      hash.update(chunk);
      await file.appendFile(chunk);
    }
    if (hash.digest('hex') !== sha256) throw new Failure(`${name} is damaged in the backup store`);
    await file.sync();
    await rename(building, join(folder, name));
  } finally {
    await file.close();
    await rm(building, { force: true });
  }
}

/** Returns a backup to download, of the folder or of the store. Throws as `requireBackup`. */
export async function getBackupDownload(deps: BackupDeps, fileName: string) {
  if (!isBackupName(fileName)) throw badRequest('Invalid backup name!');
  try {
    return await getDownload(deps.paths.backups, fileName);
  } catch (error) {
    const found = isNotFound(error) ? await findStored(deps, fileName) : undefined;
    if (!found) throw error;
    const { key, size } = found.stored;
    return {
      read: (range: { start: number; end: number }) => found.store.read(key, range),
      size,
      type: 'application/octet-stream',
      cacheControl: 'private, no-cache, no-transform',
      disposition: { kind: 'attachment', fileName } as const,
    };
  }
}

/** Deletes these backups in the folder and in the store, or none of them. */
export async function deleteAllBackups(
  { paths, settings }: BackupDeps,
  names: readonly string[],
): Promise<void> {
  const store = findBackupStore(settings);
  if (!store) return deleteBackups(paths.backups, names);
  const stored = (await listStored(store)).filter(({ name }) => names.includes(name));
  const local = new Set(await readdir(paths.backups).catch(() => []));
  const known = new Set([...local, ...stored.map(({ name }) => name)]);
  if (!names.every(isBackupName)) throw badRequest('Invalid backup name!');
  if (!names.every((name) => known.has(name))) throw notFound('Backup');
  await store.remove(stored.map(({ key }) => key));
  await deleteBackups(
    paths.backups,
    names.filter((name) => local.has(name)),
  );
}

/**
 * Puts the dumps of the folder that the server has written into the store, where there is one, and deletes those of the
 * schedule there but the newest. One that failed before is made up for. Throws StorageUnavailable.
 */
export async function storeBackups(
  { db, paths, settings }: BackupDeps & Pick<Deps, 'db'>,
  keep: number,
): Promise<void> {
  const store = findBackupStore(settings);
  if (!store) return;
  await proveBackupStore(db, store);
  const known = new Set((await listStored(store)).map(({ name }) => name));
  for (const name of await readdir(paths.backups)) {
    if (isWritten(name) && !known.has(name)) await putBackup(store, paths.backups, name);
  }
  const scheduled = (await listStored(store)).filter(({ name }) => isScheduled(name));
  const sorted = scheduled.toSorted((a, b) => (a.name < b.name ? 1 : -1));
  await store.remove(sorted.slice(keep).map(({ key }) => key));
}

async function putBackup(store: ObjectStore, folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  const { size } = await stat(path);
  const sha256 = await computeSha256(Bun.file(path));
  await store.put(`backups/${sha256}/${name}`, { path, size, sha256 });
}

/** Dumps of two libraries in one store would prune each other. Throws StorageUnavailable. */
async function proveBackupStore(db: Db, store: ObjectStore): Promise<void> {
  const { id } = await readStoreMark(db);
  const found = (await store.findText(MARKER))?.trim();
  if (found === id) return;
  if (found !== undefined) {
    throw new StorageUnavailable(`${store.url} has the backups of another library`);
  }
  for await (const { key } of store.list('')) {
    throw new StorageUnavailable(`${store.url} is not empty, it has ${key}`);
  }
  await store.putText(MARKER, id);
}
