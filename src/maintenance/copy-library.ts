import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listOriginals, type OriginalRow } from '../media/originals.store.ts';
import { type DataPaths, dataPaths, originalPath } from '../core/paths.ts';
import type { Db } from '../db/client.ts';

export type CopyCounts = {
  /** Files that were there already. */
  readonly kept: number;
  readonly copied: number;
  /** Paths of originals that are missing or whose bytes are not those of their digest. */
  readonly bad: readonly string[];
};

type Source = { readonly db: Db; readonly paths: DataPaths };

const BATCH = 1_000;

/**
 * Copies originals and profile pictures to a folder with the layout of a data folder, except those that are
 * there. Shares blocks with the original where the file system can, else links the file on the same file
 * system, else copies its bytes. Each copy is read and compared with its digest before it appears.
 */
export async function copyLibrary(
  { db, paths }: Source,
  folder: string,
  onBytes: (bytes: number) => void = () => {},
): Promise<CopyCounts> {
  const target = dataPaths(folder);
  const counts = { kept: 0, copied: 0, bad: [] as string[] };
  let bytes = 0;
  for await (const original of listAll(db)) {
    const from = originalPath(paths, original.sha256);
    const to = originalPath(target, original.sha256);
    if (await hasSize(to, original.size)) counts.kept += 1;
    else if (await copyOriginal(from, to, original)) counts.copied += 1;
    else counts.bad.push(from);
    onBytes((bytes += original.size));
  }
  await copyProfiles(paths.profiles, target.profiles);
  return counts;
}

async function* listAll(db: Db): AsyncGenerator<OriginalRow> {
  let after: Uint8Array = new Uint8Array(32);
  let inclusive = true;
  for (;;) {
    const rows = await listOriginals(db, { after, inclusive, limit: BATCH });
    yield* rows;
    const last = rows[BATCH - 1];
    if (!last) return;
    after = last.sha256;
    inclusive = false;
  }
}

/** Returns false when there are no such bytes. */
async function copyOriginal(from: string, to: string, original: OriginalRow): Promise<boolean> {
  if (!(await hasSize(from, original.size))) return false;
  await mkdir(dirname(to), { recursive: true });
  const building = `${to}.partial`;
  await rm(building, { force: true });
  try {
    await shareOrCopy(from, building);
    if (!(await computeDigest(building)).equals(original.sha256)) return false;
    await syncFile(building);
    await rename(building, to);
    await syncFile(dirname(to));
    return true;
  } finally {
    await rm(building, { force: true });
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

/** Returns how many originals of a database are not in a folder with the layout of a data folder. */
export async function countMissing(db: Db, folder: string): Promise<number> {
  const paths = dataPaths(folder);
  let missing = 0;
  for await (const { sha256, size } of listAll(db)) {
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
