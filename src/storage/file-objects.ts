import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Deps } from '../core/context.ts';
import { type DataPaths, derivedName } from '../core/paths.ts';
import { findObjectStore } from './configured-store.ts';
import { type CachedObject, type CacheDeps, ensureCopy, openCopy } from './object-cache.ts';
import { noteCopy } from './object-eviction.ts';
import { createFileKey, isObjectName, type ObjectOwner, parseFileKey } from './object-keys.ts';
import { type ObjectDeps, putObject } from './object-originals.ts';
import { isReadable, readObject } from './object-reading.ts';
import type { ObjectRange } from './object-store.ts';

// Files other than originals: derived ones, sidecars, profile pictures, exports. Each is a file of the data folder, or an
// object; its name tells which. The triggers of 0043_object_storage.sql announce the deletion of an object that no row
// names any more.

type StoreDeps = ObjectDeps & Pick<Deps, 'paths'>;

/** Larger objects are sent as they are read, unless there is a copy. */
const LARGE_BYTES = 8 * 1024 ** 2;

/** Returns where a derived file or its copy lies on this machine, if it does. */
export const getDerivedPath = (paths: DataPaths, name: string): string =>
  join(isObjectName(name) ? paths.cache : paths.derived, name);

/** Returns the path of a derived file, after its object was fetched. Without either, nothing is there. Throws StorageUnavailable. */
export async function locateDerived(deps: CacheDeps, name: string): Promise<string> {
  const object = toObject(name);
  if (object) await ensureCopy(deps, object);
  return getDerivedPath(deps.paths, name);
}

/** The same for a file that must be there: that it is not, as on a mount that is offline, says nothing about the picture. */
export async function requireDerived(deps: CacheDeps, name: string): Promise<string> {
  const path = await locateDerived(deps, name);
  if (!(await Bun.file(path).exists())) throw new Error(`${name} is not on the disk`);
  return path;
}

/** The source of what is sent: a file, or a function that reads a part of an object. */
export type FileSource =
  { readonly path: string } | { readonly read: (range: ObjectRange) => AsyncGenerator<Uint8Array> };

/** Returns an object as it is sent; undefined when it is missing. Throws StorageUnavailable. */
export async function findObjectSource(
  deps: CacheDeps,
  name: string,
): Promise<FileSource | undefined> {
  const object = toObject(name);
  if (!object) return undefined;
  if (object.size > LARGE_BYTES && !(await hasCopy(deps.paths, object))) {
    if (!(await isReadable(deps, object))) return undefined;
    return { read: (range) => readObject(deps, object, range) };
  }
  const path = await ensureCopy(deps, object);
  return path === undefined ? undefined : { path };
}

/** The same for a derived file of either place; whether a file exists is not asked. */
export const findDerivedSource = async (
  deps: CacheDeps,
  name: string,
): Promise<FileSource | undefined> =>
  isObjectName(name) ? findObjectSource(deps, name) : { path: getDerivedPath(deps.paths, name) };

/** Returns the object that a name is the key of, as the cache knows it. */
export function toObject(name: string): CachedObject | undefined {
  const key = isObjectName(name) ? parseFileKey(name) : undefined;
  return key && { key: name, sha256: key.digest, size: key.size };
}

/** Returns whether a derived file, or its object or a copy of that, is there. Throws StorageUnavailable. */
export async function isDerivedThere(deps: CacheDeps, name: string): Promise<boolean> {
  const object = toObject(name);
  return object ? isReadable(deps, object) : Bun.file(getDerivedPath(deps.paths, name)).exists();
}

async function hasCopy(paths: DataPaths, object: CachedObject): Promise<boolean> {
  const copy = await openCopy(paths, object);
  await copy?.close();
  return copy !== undefined;
}

/** Whether files are put in the object store. */
export const storesObjects = ({ settings }: Pick<Deps, 'settings'>): boolean =>
  findObjectStore(settings) !== undefined;

/**
 * Has the object store keep a file, and returns its key; undefined where files stay in the data folder. Call it outside of
 * a transaction: it takes as long as the network. The object is deleted in a day unless a row names it.
 */
export async function putFile(
  deps: StoreDeps,
  path: string,
  owner: ObjectOwner,
): Promise<string | undefined> {
  if (!storesObjects(deps)) return undefined;
  const { size } = await stat(path);
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  const sha256 = hash.digest('hex');
  const key = createFileKey(owner, { sha256, size });
  await putObject(deps, key, { path, size, sha256 });
  return key;
}

/** Has the object store keep a derived file, where there is one. Returns the name that `placeDerivedFile` gives it. */
export const nameDerivedFile = async (
  deps: StoreDeps,
  path: string,
  { id, kind, extension }: Omit<ObjectOwner, 'store'>,
): Promise<string> =>
  (await putFile(deps, path, { store: 'derived', id, kind, extension })) ??
  derivedName(id, kind, extension);

/** Gives a complete file its final name in one step; that of an object becomes the copy of this machine. */
export async function placeDerivedFile(
  deps: Pick<Deps, 'paths' | 'settings'>,
  from: string,
  name: string,
): Promise<void> {
  const target = getDerivedPath(deps.paths, name);
  const object = toObject(name);
  if (object) noteCopy(deps, object.size);
  try {
    await rename(from, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The cache may be on another disk.
    if (code === 'EXDEV' && object) return rm(from, { force: true });
    if (code !== 'ENOENT') throw error;
    await mkdir(dirname(target), { recursive: true });
    await rename(from, target);
  }
}

/** Deletes derived files, and copies of objects: those themselves are deleted once no row names them. */
export async function deleteDerivedFiles(
  paths: DataPaths,
  names: readonly string[],
): Promise<void> {
  await Promise.all(names.map((name) => rm(getDerivedPath(paths, name), { force: true })));
}
