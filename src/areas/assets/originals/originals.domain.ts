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
  { db, paths }: Located,
  sha256: Uint8Array | string,
): Promise<LocatedFile | undefined> {
  const hash = typeof sha256 === 'string' ? sha256 : toHex(sha256);
  const external = await findExternalFile(db, hash);
  if (!external) {
    const stored = await statOriginal(originalPath(paths, hash));
    return stored && { ...stored, folder: undefined };
  }
  if (external.root === null || !(await isPlainPath(external.path))) return undefined;
  const found = await statOriginal(external.path);
  return found && { ...found, folder: external.root };
}

/** Returns the path of the file of an original, which may be gone. */
export const getOriginalPath = async (deps: Located, sha256: string): Promise<string> =>
  (await findOriginal(deps, sha256))?.path ?? originalPath(deps.paths, sha256);
