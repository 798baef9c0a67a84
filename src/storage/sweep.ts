import { readdir, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../core/context.ts';
import { reach } from '../core/fault-points.ts';
import type { DataPaths } from '../core/paths.ts';
import { inTransaction } from '../db/transaction.ts';
import { isOwnerProcessDead } from '../media/process-owner.ts';
import { removeCopies } from './copies.ts';
import { remove } from './files.ts';
import { isObjectName, parseKey } from './object-keys.ts';
import { openObjectStore } from './objects.ts';
import { deleteDeletions, lockDueDeletions } from './objects.store.ts';
import { derivedFiles, getScratchFolder } from './stored-file.ts';

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
