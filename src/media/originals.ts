import { realpath, stat } from 'node:fs/promises';
import { findGuardedPath, statFile } from '../core/guarded-path.ts';
import { type DataPaths, originalPath } from '../core/paths.ts';
import { requireStores } from '../storage/stores.ts';
import type { FileDoubt, Incoming } from './incoming-file.ts';
import type { Placement } from './file-placement.ts';

export { type Digests, type Incoming, openIncoming } from './incoming-file.ts';
export { sweepIncoming } from './sweep.ts';

// The rule that keeps bytes from being lost: whoever publishes or deletes the file of an original
// holds the lock on its row in table `original` until commit, and looks only then.
//
// - Taking in: insert the row (or lock the one that is there), insert the asset, publish the file,
//   commit. A rollback after that leaves a file that no row names, never a row without its file.
// - Deleting: `select … for update` on the row, look again whether any asset refers to it, delete
//   the row, put the file aside (see quarantine), commit.
//
// Locks are taken in the order original, then account; nobody who holds an account row waits for an
// original.

/** In an external library the path is guarded (core/guarded-path.ts). */
export type OriginalFile = { readonly path: string; readonly size: number };

/** Error codes of a path that leads nowhere, or, if it is guarded, over links. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL']);

/** Undefined when the bytes are not there: a broken disk, or a mount that is missing. */
export async function statOriginal(path: string): Promise<OriginalFile | undefined> {
  try {
    return { path, size: (await statFile(path)).size };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'ENOENT' || (findGuardedPath(path) && GONE.has(code))) return undefined;
    throw error;
  }
}

/** False where the file or a folder of its path was replaced by a link: it could lead anywhere. */
export const isPlainPath = (path: string): Promise<boolean> =>
  realpath(path).then(
    (target) => target === path,
    () => false,
  );

/** Returns whether the file exists with the recorded length (one stat). */
export async function hasOriginal(
  paths: DataPaths,
  { sha256, size }: { readonly sha256: Uint8Array | string; readonly size: number },
): Promise<boolean> {
  const found = await stat(originalPath(paths, sha256)).catch(() => undefined);
  return found?.isFile() === true && found.size === size;
}

/**
 * Gives the received bytes their final place; a file there that is damaged is replaced. Call it in the
 * transaction that holds the lock on the row of this original, last before the commit. When it returns,
 * the file survives a power loss, and is in the folder of the library: not in one that its disk hides later.
 */
export async function publishOriginal(
  paths: DataPaths,
  incoming: Pick<Incoming, 'publish'>,
  sha256: Uint8Array,
  doubt?: FileDoubt,
): Promise<Placement> {
  const placement = await incoming.publish(originalPath(paths, sha256), doubt);
  await requireStores({ paths });
  return placement;
}
