import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataPaths } from '../core/paths.ts';
import { getErrorCode, syncPath } from '../media/file-placement.ts';

// Servers may share the folder of unfinished uploads, or each have its own. A file in it tells which one it is, so that
// a server knows whether the bytes of an upload are on its machine.

const NAME = '.folder-id';
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const RETRIES = 20;
const RETRY_MS = 50;

/** By data folder. */
const known = new Map<string, string>();

/** Identifies the folder of unfinished uploads, for `getStagingId`. */
export async function openStaging({ root, incoming }: DataPaths): Promise<void> {
  if (!known.has(root)) known.set(root, await identify(incoming));
}

async function identify(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, NAME);
  try {
    await writeFile(path, randomUUID(), { flag: 'wx', flush: true });
    await syncPath(folder);
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error;
  }
  for (let tries = 0; tries < RETRIES; tries++) {
    const id = await readFile(path, 'utf8');
    if (UUID.test(id)) return id;
    // Another server has just made the file, and writes to it.
    await Bun.sleep(RETRY_MS);
  }
  throw new Error(`${path} is damaged: delete it`);
}

/** Returns the identity of the folder; undefined where it was not opened, as it is the only server's. */
export const getStagingId = ({ root }: Pick<DataPaths, 'root'>): string | undefined =>
  known.get(root);
