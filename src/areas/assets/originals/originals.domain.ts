import type { Deps } from '../../../core/context.ts';
import { toHex } from '../../../core/hash.ts';
import { originalPath } from '../../../core/paths.ts';
import { isPlainPath, type OriginalFile, statOriginal } from '../../../media/originals.ts';
import { findExternalFile } from './originals.store.ts';

export type LocatedFile = OriginalFile & {
  /** Folder that tools must be allowed to read besides our own; undefined: it is in our store. */
  readonly folder: string | undefined;
};

type Located = Pick<Deps, 'db' | 'paths'>;

/** Returns where the bytes of an original are; undefined while they cannot be reached. */
export async function findOriginal(
  deps: Located,
  sha256: Uint8Array | string,
): Promise<LocatedFile | undefined> {
  const place = await locate(deps, typeof sha256 === 'string' ? sha256 : toHex(sha256));
  const found = place && (await statOriginal(place.path));
  return found && { ...found, folder: place.folder };
}

/** Returns the path of the file of an original, which may be gone. */
export const getOriginalPath = async (deps: Located, sha256: string): Promise<string> =>
  (await locate(deps, sha256))?.path ?? originalPath(deps.paths, sha256);

/** Returns undefined for a file of a library whose path leads somewhere else now. */
async function locate(
  { db, paths }: Located,
  hash: string,
): Promise<Pick<LocatedFile, 'path' | 'folder'> | undefined> {
  const external = await findExternalFile(db, hash);
  if (!external) return { path: originalPath(paths, hash), folder: undefined };
  const { path, root } = external;
  return root !== null && (await isPlainPath(path)) ? { path, folder: root } : undefined;
}
