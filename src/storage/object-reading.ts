import type { FileHandle } from 'node:fs/promises';
import type { CacheDeps, CachedObject } from './object-cache.ts';
import { openCopy } from './object-cache.ts';
import { openObjectStore } from './object-originals.ts';
import type { ObjectRange } from './object-store.ts';

// Objects that are sent as they come: from their copy, else through this process.

const CHUNK_BYTES = 256 * 1024;

/** Whether the bytes of an object can be read, now: a response cannot tell any more once it has begun. */
export async function isReadable(deps: CacheDeps, object: CachedObject): Promise<boolean> {
  const copy = await openCopy(deps.paths, object);
  await copy?.close();
  if (copy) return true;
  const objects = await openObjectStore(deps);
  return (await objects.findSize(object.key)) === object.size;
}

/** Yields a part of an object. Throws StorageUnavailable, and ObjectMissing. */
export async function* readObject(
  deps: CacheDeps,
  object: CachedObject,
  range: ObjectRange,
): AsyncGenerator<Uint8Array> {
  const copy = await openCopy(deps.paths, object);
  if (copy) return yield* readCopy(copy, range);
  const objects = await openObjectStore(deps);
  return yield* objects.read(object.key, range);
}

async function* readCopy(copy: FileHandle, { start, end }: ObjectRange) {
  try {
    for (let position = start; position < end;) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
      const { bytesRead } = await copy.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) throw new Error('The copy became shorter while it was read');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await copy.close();
  }
}
