import { randomUUID } from 'node:crypto';
import { chmod, constants, copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findGuardedPath, getDescriptorPath, openFile } from '../core/guarded-path.ts';

/**
 * Calls `use` with the path of a file that nobody else changes: of a copy in `tempDir`, which is removed
 * afterwards, if the path is guarded. For tools that serve many files, which get no descriptor of each.
 */
export async function withPrivateFile<T>(
  path: string,
  tempDir: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if (findGuardedPath(path) === undefined) return use(path);
  const copy = join(tempDir, `${randomUUID()}.copy`);
  try {
    const file = await openFile(path);
    try {
      await copyFile(getDescriptorPath(file.fd), copy, constants.COPYFILE_FICLONE);
    } finally {
      await file.close();
    }
    await chmod(copy, 0o600);
    return await use(copy);
  } finally {
    await rm(copy, { force: true });
  }
}
