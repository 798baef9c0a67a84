import { computeSha256, toHex } from '../core/hash.ts';
import { findObjectStore, type ObjectDeps, openObjectStore, putObject } from './objects.ts';
import { createPartKey } from './stored-file.ts';
import { ObjectMissing, PART_BYTES } from './object-store.ts';
import { hastenDeletion } from './objects.store.ts';
import { insertPart, listParts, type UploadEpoch, type UploadPart } from './upload-parts.store.ts';

// Parts of large unfinished uploads in the object store, each an object: those of a multipart upload could not be read
// before that is complete. They are complete, in order and without gaps from the first byte on. The object of the original
// is composed of them.

/** Smaller files are sent again as fast, and need fewer requests. */
const LARGE_BYTES = 2 * PART_BYTES;

/** Whether parts of an upload of so many bytes are kept in the object store, if there is one. */
export const hasParts = ({ settings }: Pick<ObjectDeps, 'settings'>, size: number): boolean =>
  size > LARGE_BYTES && findObjectStore(settings) !== undefined;

/**
 * Has the object store keep the part of an upload at this position, from the file that has its bytes. Returns false
 * when the part does not count: another process owns the upload by now, or it is over.
 */
export async function putUploadPart(
  deps: ObjectDeps,
  upload: UploadEpoch,
  { path, position }: { readonly path: string; readonly position: number },
): Promise<boolean> {
  const start = position * PART_BYTES;
  const sha256 = await computeSha256(Bun.file(path).slice(start, start + PART_BYTES));
  const key = createPartKey(upload.id, position);
  await putObject(deps, key, { path, start, size: PART_BYTES, sha256 });
  const part = { position, size: PART_BYTES, sha256: Buffer.from(sha256, 'hex'), key };
  if (await insertPart(deps.db, upload, part)) return true;
  await hastenDeletion(deps.db, key);
  return false;
}

/** Returns the parts of an upload of so many bytes that the object store has, from the first one on. */
export const findUploadParts = async (
  deps: ObjectDeps,
  uploadId: string,
  size: number,
): Promise<UploadPart[]> => (hasParts(deps, size) ? listParts(deps.db, uploadId) : []);

export const sumBytes = (parts: readonly UploadPart[]): number =>
  parts.reduce((sum, { size }) => sum + size, 0);

/**
 * Yields the bytes of a part. Throws ObjectMissing when it is not there, or, at the end, has other bytes; and
 * StorageUnavailable.
 */
export async function* readUploadPart(
  deps: ObjectDeps,
  { key, size, sha256 }: UploadPart,
): AsyncGenerator<Uint8Array> {
  const objects = await openObjectStore(deps);
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of objects.read(key, { start: 0, end: size })) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== toHex(sha256)) throw new ObjectMissing(`${key} has other bytes`);
}
