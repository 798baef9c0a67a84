import { AppError } from '../../../core/errors.ts';
import { toHex } from '../../../core/hash.ts';
import * as storage from '../../../storage/index.ts';
import { findPlace, type OriginalPlace } from './originals.store.ts';

type Deps = storage.StorageDeps;

/** Returns a file with the bytes of an original; undefined while they cannot be reached. */
export async function findOriginal(
  deps: Deps,
  sha256: Uint8Array | string,
): Promise<storage.LeasedFile | undefined> {
  const hash = typeof sha256 === 'string' ? sha256 : toHex(sha256);
  const file = toFile(deps, hash, await findPlace(deps.db, hash));
  return file && storage.lease(deps, file);
}

/** Returns the path of such a file for whoever cannot tell when it is done: it stays for hours. */
export async function findHeldOriginal(deps: Deps, sha256: string): Promise<string | undefined> {
  const file = toFile(deps, sha256, await findPlace(deps.db, sha256));
  const path = file && (await storage.hold(deps, file));
  return path === undefined ? undefined : (await storage.statLocal(path))?.path;
}

/** As findHeldOriginal, to be played to a client. Throws 404 while its bytes are known to be wrong. */
export async function getPlayedOriginal(deps: Deps, sha256: string): Promise<string> {
  const path = await storage.hold(deps, await getSentOriginal(deps, sha256));
  if (path === undefined) throw createDamagedError();
  return path;
}

/** Returns an original to be sent to a client. Throws 404 while its bytes are known to be wrong. */
export async function getSentOriginal(deps: Deps, sha256: string): Promise<storage.StoredFile> {
  const place = await findPlace(deps.db, sha256);
  if (place?.isDamaged) throw createDamagedError();
  return toFile(deps, sha256, place) ?? toStored(deps, sha256);
}

export const createDamagedError = () =>
  new AppError('notFound', 'The file is missing or damaged on the server');

/** Returns undefined for a file whose library was changed meanwhile. */
function toFile(deps: Deps, sha256: string, place: OriginalPlace | undefined) {
  if (!place) return toStored(deps, sha256);
  if (place.path !== null && !place.isInLibrary) return undefined;
  return storage.originalFile(deps.paths, { ...place, sha256 });
}

/** Nothing is there. */
const toStored = ({ paths }: Deps, sha256: string): storage.StoredFile =>
  storage.originalFile(paths, { sha256, size: 0, path: null, objectKey: null });
