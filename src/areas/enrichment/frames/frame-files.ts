import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import type { DataPaths } from '../../../core/paths.ts';
import { getScratchFolder } from '../../../storage/index.ts';
import * as storage from '../../../storage/index.ts';

/** Returns the folder for incomplete files, on the file system of the derived files. */
export async function scratchFolder(paths: DataPaths): Promise<string> {
  const folder = getScratchFolder(paths);
  await mkdir(folder, { recursive: true });
  return folder;
}

/**
 * Writes a frame and renames it once `make` has completed it; undefined when `make` returns false.
 */
export async function writeFrame(
  deps: Pick<Deps, 'db' | 'sql' | 'settings' | 'paths'>,
  { assetId, kind }: { readonly assetId: string; readonly kind: string },
  make: (target: string) => Promise<boolean>,
): Promise<{ readonly name: string; readonly size: number; readonly tag: string } | undefined> {
  const from = join(await scratchFolder(deps.paths), `${randomUUID()}.jpg`);
  try {
    if (!(await make(from))) return undefined;
    const bytes = await Bun.file(from).bytes();
    const name = await storage.putDerived(deps, from, { id: assetId, kind, extension: 'jpg' });
    await storage.place(deps, from, storage.derivedFile(deps.paths, name));
    return { name, size: bytes.length, tag: Bun.hash(bytes).toString(36) };
  } finally {
    await rm(from, { force: true });
  }
}
