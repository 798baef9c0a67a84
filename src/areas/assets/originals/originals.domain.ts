import { AppError } from '../../../core/errors.ts';
import { toHex } from '../../../core/hash.ts';
import { guardPath } from '../../../core/guarded-path.ts';
import { originalPath } from '../../../storage/original-path.ts';
import { type OriginalFile, statOriginal } from '../../../storage/originals.ts';
import {
  type CacheDeps,
  type CachedObject,
  holdObject,
  leaseObject,
} from '../../../storage/object-cache.ts';
import { isReadable, readObject } from '../../../storage/object-reading.ts';
import type { ObjectRange } from '../../../storage/object-store.ts';
import { findPlace, type OriginalPlace } from './originals.store.ts';

/** A file for as long as it is not disposed: a copy of an object may go afterwards. */
export type LeasedOriginal = OriginalFile & AsyncDisposable;

/** Returns a file with the bytes of an original; undefined while they cannot be reached. */
export async function findOriginal(
  deps: CacheDeps,
  sha256: Uint8Array | string,
): Promise<LeasedOriginal | undefined> {
  const hash = typeof sha256 === 'string' ? sha256 : toHex(sha256);
  const place = await findPlace(deps.db, hash);
  const object = toObject(hash, place);
  if (object) return leaseObject(deps, object);
  const path = getPath(deps, hash, place);
  const found = path === undefined ? undefined : await statOriginal(path);
  return found && { ...found, async [Symbol.asyncDispose]() {} };
}

/** Returns the path of such a file for whoever cannot tell when it is done: it stays for hours. */
export async function findHeldOriginal(
  deps: CacheDeps,
  sha256: string,
): Promise<string | undefined> {
  const place = await findPlace(deps.db, sha256);
  const object = toObject(sha256, place);
  if (object) return holdObject(deps, object);
  const path = getPath(deps, sha256, place);
  return path === undefined ? undefined : (await statOriginal(path))?.path;
}

/** As findHeldOriginal, to be played to a client. Throws 404 while its bytes are known to be wrong. */
export async function getPlayedOriginal(deps: CacheDeps, sha256: string): Promise<string> {
  const place = await findPlace(deps.db, sha256);
  if (place?.isDamaged) throw createDamagedError();
  const object = toObject(sha256, place);
  if (!object) return getPath(deps, sha256, place) ?? originalPath(deps.paths, sha256);
  const path = await holdObject(deps, object);
  if (path === undefined) throw createDamagedError();
  return path;
}

/** The bytes of an original that are sent: a file, or what reads a part of an object. */
export type ServedOriginal =
  | { readonly path: string }
  | {
      readonly read: (range: ObjectRange) => AsyncGenerator<Uint8Array>;
      readonly key: string;
    };

/** Returns an original to be sent to a client. Throws 404 while its bytes are known to be wrong. */
export async function getServedOriginal(deps: CacheDeps, sha256: string): Promise<ServedOriginal> {
  const place = await findPlace(deps.db, sha256);
  if (place?.isDamaged) throw createDamagedError();
  const object = toObject(sha256, place);
  if (!object) return { path: getPath(deps, sha256, place) ?? originalPath(deps.paths, sha256) };
  if (!(await isReadable(deps, object))) throw createDamagedError();
  return { read: (range) => readObject(deps, object, range), key: object.key };
}

const createDamagedError = () =>
  new AppError('notFound', 'The file is missing or damaged on the server');

const toObject = (sha256: string, place: OriginalPlace | undefined): CachedObject | undefined =>
  place && place.objectKey !== null
    ? { key: place.objectKey, sha256, size: place.size }
    : undefined;

/** Returns undefined for a file whose library was changed meanwhile. */
function getPath(
  { paths }: Pick<CacheDeps, 'paths'>,
  hash: string,
  place: OriginalPlace | undefined,
): string | undefined {
  if (!place || place.path === null) return originalPath(paths, hash);
  return place.isInLibrary ? guardPath(place.path) : undefined;
}
