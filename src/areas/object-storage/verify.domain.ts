import type { Deps } from '../../core/context.ts';
import { toHex } from '../../core/hash.ts';
import { iterateOriginals, type OriginalRow } from '../../storage/originals.store.ts';
import { SLICES } from '../../storage/removal.ts';
import { openObjectStore } from '../../storage/objects.ts';
import { ObjectMissing } from '../../storage/s3-request.ts';
import { FILE_OWNERS, iterateFiles } from '../../storage/files.store.ts';
import { parseFileKey } from '../../storage/stored-file.ts';
import { markMissing } from './originals.store.ts';
import { compareSlice } from './compare.handlers.ts';
import { remakeFile } from './remake.domain.ts';

export type ObjectProblem = { readonly key: string; readonly kind: 'missing' | 'damaged' };

/**
 * Reads every object of an original and compares it with its digest, after the object store was compared with the
 * database. Yields 'ok', or what is wrong, which is recorded: the next upload of the same bytes replaces the object.
 */
export async function* verifyObjects(
  deps: Deps,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ObjectProblem | 'ok'> {
  for (let slice = 0; slice < SLICES; slice += 1) await compareSlice(deps, slice);
  yield* verifyFiles(deps);
  let bytes = 0;
  for await (const original of iterateOriginals(deps.db, 'objects')) {
    const kind = await verifyObject(deps, original);
    onBytes((bytes += original.size));
    if (kind === 'ok') yield kind;
    else yield { key: original.objectKey ?? '', kind };
  }
}

/** Yields the same for the other files. What is wrong is made again. */
async function* verifyFiles(deps: Deps): AsyncGenerator<ObjectProblem | 'ok'> {
  for (const owner of FILE_OWNERS) {
    for await (const file of iterateFiles(deps.db, owner, 'objects')) {
      const { digest = '', size = 0 } = parseFileKey(file.name) ?? {};
      const kind = await compareDigest(deps, { key: file.name, size }, (hash) =>
        toHex(hash).startsWith(digest),
      );
      if (kind !== 'ok') await remakeFile(deps, file);
      yield kind === 'ok' ? kind : { key: file.name, kind };
    }
  }
}

async function verifyObject(
  deps: Deps,
  { sha256, size, objectKey }: OriginalRow,
): Promise<'ok' | ObjectProblem['kind']> {
  const key = objectKey ?? '';
  const kind = await compareDigest(
    deps,
    { key, size },
    (hash) => Buffer.compare(hash, sha256) === 0,
  );
  if (kind !== 'ok') await markMissing(deps.db, { sha256: toHex(sha256), key, size });
  return kind;
}

/** Reads an object; `isRight` gets its SHA-256. */
async function compareDigest(
  deps: Deps,
  { key, size }: { readonly key: string; readonly size: number },
  isRight: (sha256: Uint8Array) => boolean,
): Promise<'ok' | ObjectProblem['kind']> {
  const objects = await openObjectStore(deps);
  const hash = new Bun.CryptoHasher('sha256');
  try {
    for await (const chunk of objects.read(key, { start: 0, end: size })) hash.update(chunk);
    return isRight(hash.digest()) ? 'ok' : 'damaged';
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error;
    return 'missing';
  }
}
