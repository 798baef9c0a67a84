import {
  constants,
  copyFile,
  link,
  mkdir,
  readdir,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Deps } from '../core/context.ts';
import { reach } from '../core/fault-points.ts';
import type { DataPaths } from '../core/paths.ts';
import { inTransaction } from '../db/transaction.ts';
import { getErrorCode, syncPath } from '../media/file-placement.ts';
import { isOwnerProcessDead } from '../media/process-stat.ts';
import { removeCopies } from './copies.ts';
import { remove } from './files.ts';
import { deleteDeletions, lockDueDeletions, openObjectStore } from './objects.ts';
import {
  derivedFile,
  derivedFiles,
  getScratchFolder,
  originalPath,
  isObjectName,
  parseKey,
} from './stored-file.ts';

// Removal of originals (the rule is in originals.ts): under the lock on its row a file is moved to
// quarantine; after the commit it is deleted there. A crash in between leaves a file in quarantine
// and perhaps a row without assets: the next run finds both.

/** Where the file of an original (SHA-256 in hex) is put before it is deleted. */
export const getQuarantinePath = (paths: DataPaths, hash: string) => join(paths.removed, hash);

/**
 * Moves originals (SHA-256 in hex) to quarantine. Call while their rows are locked and
 * unreferenced.
 */
export async function quarantineOriginals(
  paths: DataPaths,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return;
  await mkdir(paths.removed, { recursive: true });
  const moved = await forEachExisting(hashes, (hash) =>
    rename(originalPath(paths, hash), getQuarantinePath(paths, hash)),
  );
  reach('removal.renamed');
  const folders = moved.map((hash) => dirname(originalPath(paths, hash)));
  await Promise.all([...new Set([paths.removed, ...folders])].map(syncPath));
  reach('removal.synced');
}

/** Moves any file to quarantine, under a name that no other file there has. */
export async function quarantineFile(paths: DataPaths, path: string, name: string): Promise<void> {
  await mkdir(paths.removed, { recursive: true });
  await rename(path, join(paths.removed, name));
  await Promise.all([paths.removed, dirname(path)].map(syncPath));
}

/**
 * Keeps the bytes of a file in quarantine, under a name that no other file there has, while the file itself
 * stays until it is replaced.
 */
export async function keepInQuarantine(
  paths: DataPaths,
  path: string,
  name: string,
): Promise<void> {
  await mkdir(paths.removed, { recursive: true });
  const aside = join(paths.removed, name);
  // Some file systems have no hard links.
  await link(path, aside).catch(() => copyFile(path, aside, constants.COPYFILE_EXCL));
  await syncPath(paths.removed);
}

/**
 * Restores a quarantined file whose original is in use after an interrupted run, unless the bytes
 * were uploaded again. Call while the row is locked.
 */
export async function restoreOriginals(paths: DataPaths, hashes: readonly string[]): Promise<void> {
  const back = await forEachExisting(hashes, async (hash) => {
    const aside = getQuarantinePath(paths, hash);
    try {
      await link(aside, originalPath(paths, hash));
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') throw error;
    }
  });
  await Promise.all(
    [...new Set(back.map((hash) => dirname(originalPath(paths, hash))))].map(syncPath),
  );
  await forEachExisting(back, (hash) => unlink(getQuarantinePath(paths, hash)));
}

/** Deletes quarantined originals and derived files. Returns those that could not be deleted. */
export async function purgeQuarantine(
  paths: DataPaths,
  hashes: readonly string[],
  names: readonly string[],
): Promise<{ readonly hashes: string[]; readonly names: string[]; readonly error: unknown }> {
  const failed = { hashes: [] as string[], names: [] as string[], error: undefined as unknown };
  const attempt = (list: string[], item: string, path: string) =>
    unlink(path).catch((error: unknown) => {
      if (getErrorCode(error) === 'ENOENT') return;
      list.push(item);
      failed.error = error;
    });
  await Promise.all([
    ...hashes.map((hash) => attempt(failed.hashes, hash, getQuarantinePath(paths, hash))),
    ...names.map((name) => attempt(failed.names, name, derivedFile(paths, name).path)),
  ]);
  if (hashes.length > 0) await syncPath(paths.removed).catch(() => {});
  reach('removal.unlinked');
  return failed;
}

/** Runs `work` for each hash. Returns the hashes whose file exists. */
async function forEachExisting(
  hashes: readonly string[],
  work: (hash: string) => Promise<unknown>,
): Promise<string[]> {
  const done = await Promise.all(
    hashes.map(async (hash) => {
      try {
        await work(hash);
        return hash;
      } catch (error) {
        if (getErrorCode(error) === 'ENOENT') return undefined;
        throw error;
      }
    }),
  );
  return done.filter((hash) => hash !== undefined);
}

// Removal of files left in the data folder by a crash, an aborted upload or a kill before a commit.

/** '<uuid>.<mark>'; a file without a mark belongs to a resumable upload, which knows its own age. */
const OWNED_NAME = /^[\da-f-]{36}\.(.+)$/;

/**
 * Removes what crashed or cut-off uploads left in the incoming folder: files of a process that no
 * longer runs, and any file that nobody has written to since `before`. Returns how many.
 */
export async function sweepIncoming(paths: DataPaths, before = new Date(0)): Promise<number> {
  let removed = 0;
  for (const name of await listNames(paths.incoming)) {
    const mark = OWNED_NAME.exec(name)?.[1];
    if (mark === undefined) continue;
    const path = join(paths.incoming, name);
    const info = await stat(path).catch(() => undefined);
    if (!info?.isFile()) continue;
    const isOld = info.mtimeMs < before.getTime();
    if (!isOld && !isOwnerProcessDead(mark)) continue;
    await unlink(path).catch(() => {});
    removed += 1;
  }
  return removed;
}

/** Removes intermediate files that nobody has written to since `before`. */
export async function sweepScratch(paths: DataPaths, before: Date): Promise<number> {
  const folder = getScratchFolder(paths);
  const all = (await listNames(folder)).map((name) => join(folder, name));
  const old = await filterOlder(all, before);
  for (const path of old) await rm(path, { recursive: true, force: true });
  return old.length;
}

const HASH = /^[\da-f]{64}$/;

/**
 * Deletes for good what has been in quarantine since `before`. `filterUnnamed` returns those of the hashes
 * that no row has: the others are of a removal that goes on.
 */
export async function sweepQuarantine(
  { removed: folder }: DataPaths,
  before: Date,
  filterUnnamed: (hashes: readonly string[]) => Promise<readonly string[]>,
): Promise<number> {
  const old: string[] = [];
  for (const name of await listNames(folder)) {
    // The time of the move: a rename changes the inode.
    const info = await stat(join(folder, name)).catch(() => undefined);
    if (info?.isFile() && info.ctimeMs < before.getTime()) old.push(name);
  }
  const unnamed = new Set(await filterUnnamed(old.filter((name) => HASH.test(name))));
  const gone = old.filter((name) => !HASH.test(name) || unnamed.has(name));
  for (const name of gone) await unlink(join(folder, name)).catch(() => {});
  return gone.length;
}

type SweepDeps = Pick<Deps, 'db' | 'sql' | 'settings' | 'paths'>;

/** Deletes objects that no row names any more. Returns false when none is due. */
export async function deleteDueObjects(deps: SweepDeps): Promise<boolean> {
  const objects = await openObjectStore(deps);
  return inTransaction(deps, async ({ db, paths }) => {
    const keys = await lockDueDeletions(db, OBJECTS_AT_ONCE);
    await objects.remove(keys);
    reach('object.deleted');
    await removeCopies(
      paths,
      keys.flatMap((key) => parseKey(key) ?? []),
    );
    await remove(derivedFiles(paths, keys.filter(isObjectName)));
    await deleteDeletions(db, keys);
    return keys.length > 0;
  });
}

const OBJECTS_AT_ONCE = 100;

/** Originals and derived files lie in folders by the first two hex digits of their names. */
export const SLICES = 256;
/** Returns these digits. */
export const toPrefix = (slice: number): string => slice.toString(16).padStart(2, '0');

/** Yields the paths of the originals of a slice. */
export async function* listOriginals(paths: DataPaths, slice: number): AsyncGenerator<string> {
  const top = join(paths.originals, toPrefix(slice));
  for (const folder of await listNames(top)) {
    for (const name of await listNames(join(top, folder))) {
      if (HASH.test(name)) yield join(top, folder, name);
    }
  }
}

/** Yields the names of the derived files of a slice, relative to the derived folder. */
export async function* listDerived(paths: DataPaths, slice: number): AsyncGenerator<string> {
  const top = toPrefix(slice);
  for (const folder of await listNames(join(paths.derived, top))) {
    for (const name of await listNames(join(paths.derived, top, folder))) {
      yield `${top}/${folder}/${name}`;
    }
  }
}

/**
 * Returns files that nobody has written to since `before`; younger ones may be about to be committed.
 */
export async function filterOlder(files: readonly string[], before: Date): Promise<string[]> {
  const old: string[] = [];
  for (const path of files) {
    const info = await stat(path).catch(() => undefined);
    if (info && info.mtimeMs < before.getTime()) old.push(path);
  }
  return old;
}

/** Returns the names in a folder; none if it does not exist. */
const listNames = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
