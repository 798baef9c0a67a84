import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import {
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { iterateOriginals, type OriginalRow } from '../storage/originals.store.ts';
import type { Deps } from '../core/context.ts';
import { dataPaths } from '../core/paths.ts';
import { originalPath, parseFileKey } from '../storage/stored-file.ts';
import type { Db } from '../db/client.ts';
import { iterateFiles } from '../storage/files.store.ts';
import { openObjectStore } from '../storage/objects.ts';
import { ObjectMissing } from '../storage/s3-request.ts';

export type CopyCounts = {
  /** Files that were there already. */
  readonly kept: number;
  readonly copied: number;
  /** Paths of originals that are missing or whose bytes are not those of their digest. */
  readonly bad: readonly string[];
};

type Source = Pick<Deps, 'db' | 'sql' | 'paths' | 'settings'>;

/**
 * Copies originals and profile pictures to a folder with the layout of a data folder, except those that are
 * there. Shares blocks with the original where the file system can, else links the file on the same file
 * system, else copies its bytes. Each copy is read and compared with its digest before it appears.
 */
export async function copyLibrary(
  source: Source,
  folder: string,
  onBytes: (bytes: number) => void = () => {},
): Promise<CopyCounts> {
  const { db, paths } = source;
  const target = dataPaths(folder);
  const counts = { kept: 0, copied: 0, bad: [] as string[] };
  let bytes = 0;
  for await (const original of iterateOriginals(db, 'all')) {
    const from = originalPath(paths, original.sha256);
    const to = originalPath(target, original.sha256);
    if (await hasSize(to, original.size)) counts.kept += 1;
    else if (await copyOriginal(source, original, to)) counts.copied += 1;
    else counts.bad.push(original.objectKey ?? from);
    onBytes((bytes += original.size));
  }
  await copyProfiles(paths.profiles, target.profiles);
  await copyProfileObjects(source, target.profiles);
  return counts;
}

/** Returns false when there are no such bytes. */
async function copyOriginal(source: Source, original: OriginalRow, to: string): Promise<boolean> {
  const { objectKey, sha256, size } = original;
  const from = originalPath(source.paths, sha256);
  if (objectKey === null && !(await hasSize(from, size))) return false;
  await mkdir(dirname(to), { recursive: true });
  const building = `${to}.partial`;
  await rm(building, { force: true });
  try {
    if (objectKey === null) await shareOrCopy(from, building);
    else if (!(await writeObject(source, { key: objectKey, size }, building))) return false;
    if (!(await computeDigest(building)).equals(sha256)) return false;
    await syncFile(building);
    await rename(building, to);
    await syncFile(dirname(to));
    return true;
  } finally {
    await rm(building, { force: true });
  }
}

/** Returns false when there is no such object. */
async function writeObject(
  source: Source,
  { key, size }: { readonly key: string; readonly size: number },
  to: string,
): Promise<boolean> {
  const objects = await openObjectStore(source);
  try {
    await writeFile(to, objects.read(key, { start: 0, end: size }));
    return true;
  } catch (error) {
    if (error instanceof ObjectMissing) return false;
    throw error;
  }
}

async function shareOrCopy(from: string, to: string): Promise<void> {
  const ways = [
    () => copyFile(from, to, constants.COPYFILE_FICLONE_FORCE),
    () => link(from, to),
    () => copyFile(from, to),
  ];
  for (const [at, way] of ways.entries()) {
    try {
      return await way();
    } catch (error) {
      if (at === ways.length - 1) throw error;
      await rm(to, { force: true });
    }
  }
}

async function copyProfiles(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch(() => []);
  await mkdir(to, { recursive: true });
  for (const name of names) {
    const found = await stat(join(from, name)).catch(() => undefined);
    if (!found?.isFile() || (await hasSize(join(to, name), found.size))) continue;
    const building = join(to, `${name}.partial`);
    await copyFile(join(from, name), building);
    await syncFile(building);
    await rename(building, join(to, name));
  }
}

/** Copies pictures of accounts that are in the object store, under the last part of their keys. */
async function copyProfileObjects(source: Source, to: string): Promise<void> {
  for await (const { name } of iterateFiles(source.db, 'account', 'objects')) {
    const { size = 0 } = parseFileKey(name) ?? {};
    const target = join(to, basename(name));
    if (await hasSize(target, size)) continue;
    const building = `${target}.partial`;
    if (!(await writeObject(source, { key: name, size }, building))) continue;
    await syncFile(building);
    await rename(building, target);
  }
}

/** Returns how many originals of a database are not in a folder with the layout of a data folder. */
export async function countMissing(db: Db, folder: string): Promise<number> {
  const paths = dataPaths(folder);
  let missing = 0;
  for await (const { sha256, size } of iterateOriginals(db, 'all')) {
    if (!(await hasSize(originalPath(paths, sha256), size))) missing += 1;
  }
  return missing;
}

const hasSize = async (path: string, size: number): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === size;
};

async function computeDigest(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest();
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
