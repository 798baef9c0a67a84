import type { Deps } from '../../../core/context.ts';
import { AppError } from '../../../core/errors.ts';
import { toHex } from '../../../core/hash.ts';
import { guardPath } from '../../../core/guarded-path.ts';
import { originalPath } from '../../../core/paths.ts';
import { type OriginalFile, statOriginal } from '../../../media/originals.ts';
import { findPlace, type OriginalPlace } from './originals.store.ts';

type Located = Pick<Deps, 'db' | 'paths'>;

/** Returns where the bytes of an original are; undefined while they cannot be reached. */
export async function findOriginal(
  deps: Located,
  sha256: Uint8Array | string,
): Promise<OriginalFile | undefined> {
  const hash = typeof sha256 === 'string' ? sha256 : toHex(sha256);
  const path = getPath(deps, hash, await findPlace(deps.db, hash));
  return path === undefined ? undefined : statOriginal(path);
}

/** Returns the path of the file of an original, which may be gone. */
export const getOriginalPath = async (deps: Located, sha256: string): Promise<string> =>
  getPath(deps, sha256, await findPlace(deps.db, sha256)) ?? originalPath(deps.paths, sha256);

/** As getOriginalPath, to send the file to a client. Throws 404 while its bytes are known to be wrong. */
export async function getServedPath(deps: Located, sha256: string): Promise<string> {
  const place = await findPlace(deps.db, sha256);
  if (place?.isDamaged) throw new AppError('notFound', DAMAGED);
  return getPath(deps, sha256, place) ?? originalPath(deps.paths, sha256);
}

const DAMAGED = 'The file is missing or damaged on the server';

/** Returns undefined for a file whose library was changed meanwhile. */
function getPath(
  { paths }: Pick<Located, 'paths'>,
  hash: string,
  place: OriginalPlace | undefined,
): string | undefined {
  if (!place || place.path === null) return originalPath(paths, hash);
  return place.isInLibrary ? guardPath(place.path) : undefined;
}
