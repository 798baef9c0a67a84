import { copyFile, link, mkdir, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Deps } from '../../core/context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type DataPaths, derivedName } from '../../core/paths.ts';
import { syncPath } from '../../media/file-placement.ts';
import { leaseCopy } from '../../storage/copies.ts';
import { quarantineFile, toPrefix } from '../../storage/removal.ts';
import {
  FILE_OWNERS,
  filterUnknownFiles,
  iterateFiles,
  listNamedFiles,
  type NamedFile,
  renameFile,
} from '../../storage/files.store.ts';
import { type ObjectOwner, parseFileKey, toObject } from '../../storage/stored-file.ts';
import { openObjectStore } from '../../storage/objects.ts';
import { derivedFile, profilePicture, scheduleDeletion } from '../../storage/index.ts';
import { UNKNOWN_SECONDS } from './originals.domain.ts';
import { remakeFile } from './remake.domain.ts';
import * as storage from '../../storage/index.ts';

// Derived files, sidecars and pictures of accounts in the object store. Exports are not moved: they are over in days.

const STORES = ['derived', 'profiles', 'exports'] as const;
const BATCH_SIZE = 1000;

/**
 * Compares the objects of a slice with the rows that name them. One that no row names is deleted in a month; one that is
 * gone is made again. Rows are read first, so that one that is new meanwhile is not missed.
 */
export async function compareFiles(ctx: Deps, slice: number): Promise<void> {
  const objects = await openObjectStore(ctx);
  const prefix = toPrefix(slice);
  const named = await listNamedFiles(ctx.db, prefix);
  const found: string[] = [];
  for (const store of STORES) {
    for await (const { key, size } of objects.list(`${store}/${prefix}/`)) {
      if (parseFileKey(key)?.size === size) found.push(key);
    }
  }
  await scheduleUnknown(ctx, found);
  const known = new Set(found);
  for (const file of named) {
    if (known.has(file.name)) continue;
    // A listing may lag behind: the object itself is asked.
    const size = await objects.findSize(file.name);
    if (size === undefined || size !== parseFileKey(file.name)?.size) await remakeFile(ctx, file);
  }
}

async function scheduleUnknown({ db, log }: Deps, keys: readonly string[]): Promise<void> {
  let scheduled = 0;
  for (let at = 0; at < keys.length; at += BATCH_SIZE) {
    const unknown = await filterUnknownFiles(db, keys.slice(at, at + BATCH_SIZE));
    await scheduleDeletion(db, unknown, UNKNOWN_SECONDS);
    scheduled += unknown.length;
  }
  if (scheduled > 0) log.warn('objects without a row will be deleted in 30 days', { scheduled });
}

export type FileMoveCounts = { readonly moved: number; readonly missing: number };

/** Moves the files of the data folder to the object store. Missing ones stay as they are. Throws StorageUnavailable. */
export async function moveFilesToObjects(
  deps: Deps,
  { deletesFiles }: { readonly deletesFiles: boolean },
): Promise<FileMoveCounts> {
  const counts = { moved: 0, missing: 0 };
  for (const owner of FILE_OWNERS) {
    for await (const file of iterateFiles(deps.db, owner, 'files')) {
      const { path, target } = getFilePlace(deps.paths, file);
      if (!(await Bun.file(path).exists())) {
        counts.missing += 1;
        continue;
      }
      const key = await storage.put(deps, path, target);
      if (key === undefined) throw new Error('There is no object store');
      if (!(await renameFile(deps.db, file, key))) continue;
      if (deletesFiles) await deleteMovedFile(deps.paths, file);
      counts.moved += 1;
    }
  }
  return counts;
}

/** Moves the files of the object store to the data folder. Missing ones stay as they are. Throws StorageUnavailable. */
export async function moveObjectsToFiles(deps: Deps): Promise<FileMoveCounts> {
  const counts = { moved: 0, missing: 0 };
  for (const owner of FILE_OWNERS) {
    for await (const file of iterateFiles(deps.db, owner, 'objects')) {
      counts[(await moveToFile(deps, file)) ? 'moved' : 'missing'] += 1;
    }
  }
  return counts;
}

/** Returns false when the object is missing. */
async function moveToFile(deps: Deps, file: NamedFile): Promise<boolean> {
  const key = parseFileKey(file.name);
  if (!key) return false;
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1);
  const name =
    file.owner === 'account'
      ? `${file.id}-${crypto.randomUUID()}.${extension}`
      : derivedName(key.id, key.kind, extension);
  const { path } = getFilePlace(deps.paths, { ...file, name });
  await using copy = await copyObject(deps, file.name);
  if (!copy) return false;
  await inTransaction(deps, async ({ db }) => {
    // The row is locked: no other process writes this file meanwhile.
    const isRenamed = await renameFile(db, file, file.owner === 'person' ? null : name);
    if (isRenamed) await copy.place(path);
  });
  return true;
}

/** Returns where a file of the data folder lies, and what its object will be. */
export function getFilePlace(
  paths: DataPaths,
  { owner, id, kind, name }: Pick<NamedFile, 'owner' | 'id' | 'kind' | 'name'>,
): { readonly path: string; readonly target: ObjectOwner } {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  if (owner === 'account') {
    const target = { store: 'profiles', id, kind: 'profile', extension } as const;
    return { path: profilePicture(paths, name).path, target };
  }
  if (owner === 'person') {
    const target = { store: 'derived', id, kind: 'person', extension: 'webp' } as const;
    return { path: derivedFile(paths, derivedName(id, 'person', 'webp')).path, target };
  }
  const [, assetId = id, fileKind = kind] = DERIVED_NAME.exec(basename(name)) ?? [];
  const target = { store: 'derived', id: assetId, kind: fileKind, extension } as const;
  return { path: derivedFile(paths, name).path, target };
}

/** '<asset>-<kind>.<extension>'. */
const DERIVED_NAME = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-([\w-]+)\.\w+$/;

/** Deletes a file whose object is stored; what was uploaded goes to the quarantine. */
async function deleteMovedFile(paths: DataPaths, file: NamedFile): Promise<void> {
  const { path } = getFilePlace(paths, file);
  if (file.owner !== 'account' && file.kind !== 'sidecar') return rm(path, { force: true });
  await quarantineFile(paths, path, `${basename(path)}.moved`);
}

/** Returns a durable file with the bytes of an object, which is deleted unless it is placed; undefined without them. */
async function copyObject(deps: Deps, name: string) {
  const object = toObject(name);
  const lease = object && (await leaseCopy(deps, object));
  if (!lease) return undefined;
  return {
    async place(path: string): Promise<void> {
      await mkdir(dirname(path), { recursive: true });
      await rm(path, { force: true });
      // Another file system, or one without hard links.
      await link(lease.path, path).catch(() => copyFile(lease.path, path));
      await syncPath(path);
      await syncPath(dirname(path));
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  };
}
