import { constants, copyFile, link, mkdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reach } from '../core/fault-points.ts';
import type { DataPaths } from '../core/paths.ts';
import { getErrorCode, syncPath } from '../media/file-placement.ts';
import { derivedFile, originalPath } from './stored-file.ts';

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
