import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import { releaseBytes } from '../../../core/release-bytes.ts';
import type { DataPaths } from '../../../core/paths.ts';
import { getScratchFolder } from '../../../storage/index.ts';
import * as storage from '../../../storage/index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const scratchFolders = new Map<string, Promise<string>>();

/**
 * Returns the folder for intermediate files, on the same file system as derived files. On first use it
 * deletes files older than a day, which a crash left behind.
 */
export function ensureScratchFolder(paths: DataPaths): Promise<string> {
  const folder = getScratchFolder(paths);
  let making = scratchFolders.get(folder);
  if (!making) {
    making = createScratchFolder(paths);
    scratchFolders.set(folder, making);
    making.catch(() => scratchFolders.delete(folder));
  }
  return making;
}

async function createScratchFolder(paths: DataPaths): Promise<string> {
  const folder = getScratchFolder(paths);
  await mkdir(folder, { recursive: true });
  // Another process may be working here, but no job runs for a day. Each machine may have such a folder, and jobs that
  // sweep run on one of them.
  await storage.sweepScratch(paths, new Date(Date.now() - DAY_MS));
  return folder;
}

/** Returns a unique path in the scratch folder. */
export const createScratchPath = async (paths: DataPaths, extension: string): Promise<string> =>
  join(await ensureScratchFolder(paths), `${randomUUID()}.${extension}`);

/**
 * Writes a derived file, all or nothing, and frees the bytes. Returns its name, its size in bytes and an ETag computed
 * from its bytes.
 */
export async function writeDerivedFile(
  deps: Pick<Deps, 'db' | 'sql' | 'settings' | 'paths'>,
  owner: Parameters<typeof storage.putDerived>[2],
  bytes: Uint8Array,
): Promise<{ readonly name: string; readonly size: number; readonly tag: string }> {
  const from = await createScratchPath(deps.paths, 'part');
  try {
    await Bun.write(from, bytes);
    const name = await storage.putDerived(deps, from, owner);
    await storage.place(deps, from, storage.derivedFile(deps.paths, name));
    const written = { name, size: bytes.length, tag: Bun.hash(bytes).toString(36) };
    releaseBytes(bytes);
    return written;
  } catch (error) {
    await rm(from, { force: true });
    throw error;
  }
}
