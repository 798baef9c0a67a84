import type { Deps } from '../../../core/context.ts';
import type { Transfer } from '../../../http/transfer.ts';
import {
  getBootId,
  openPartial,
  type PartialFile,
  truncatePartial,
} from '../../../media/partial-file.ts';
import { uploadLimits } from '../limits.ts';
import { digestMismatch, noUpload } from './problems.ts';
import type { Content, Digest } from './request.ts';
import { type Upload, updateOpen } from './resumable.store.ts';
import { addToDigests, keepDigests } from './running-digests.ts';
import { ensureSpace } from '../publish/space.ts';

/** Where the bytes of a request come from, and who is told how far they have come. */
export type Link = {
  readonly transfer: Transfer;
  /** Tells the client that everything before this byte is safe. */
  readonly inform: ((offset: number) => void) | undefined;
};

export type Part = {
  /** Where the file ends now: durable, and in the row. */
  readonly offset: number;
  /** Undefined when the request came to its end. */
  readonly failure: 'cut' | { readonly error: unknown } | undefined;
};

/**
 * Appends what the request brings, up to the byte `maxEnd`, and throws `overrun` at the first one
 * behind that. Whatever ends the request, what has arrived before is kept.
 */
export async function receivePart(
  deps: Deps,
  upload: Upload,
  content: Content,
  { transfer, inform }: Link,
  { maxEnd, overrun }: { readonly maxEnd: number; readonly overrun: () => Error },
): Promise<Part> {
  const { digest } = content;
  const save = savingFor(deps, upload.id);
  // Its bytes may turn out to be wrong: after a crash nothing of them counts.
  if (digest) await save({ bootId: null });
  const partial = await openPartial(deps.paths, upload.id, upload.offset);
  const own = digest && createHasher(digest);
  const progress = createProgress(partial, async (offset) => {
    await ensureSpace(deps, 0);
    await save({ offset, bootId: getBootId() });
    inform?.(offset);
  });
  let failure: Part['failure'];
  try {
    const end = await transfer.receive((chunk) => {
      const at = partial.size;
      if (at + chunk.length > maxEnd) throw overrun();
      addToDigests(upload.id, at, chunk);
      own?.update(chunk);
      const written = partial.write(chunk);
      // An offset that was told must never go back, as it does when the digest is wrong.
      return own ? written : progress.after(written);
    }, uploadLimits().idleMs);
    if (end === 'cut') failure = 'cut';
  } catch (error) {
    failure = { error };
  }
  await progress.idle().catch((error: unknown) => {
    failure ??= { error };
  });
  const closed = await partial.close();
  let offset = closed.end;
  if (closed.error !== undefined) failure ??= { error: closed.error };
  if (!failure && digest && !isSame(own!, digest)) {
    failure = { error: digestMismatch('Content-Digest', digest.algorithm, digest.value) };
    offset = upload.offset;
    await truncatePartial(deps.paths, upload.id, offset);
  }
  keepDigests(upload.id, offset);
  await save({ offset, bootId: getBootId() });
  return { offset, failure };
}

const savingFor =
  ({ db, now }: Deps, id: string) =>
  async (set: { offset?: number; bootId?: string | null }): Promise<void> => {
    if (!(await updateOpen(db, id, { ...set, updatedAt: now() }))) throw noUpload();
  };

/** Steps that the sender may be ahead of a disk that is busy. */
const MAX_AHEAD = 8;

/** Commits in the background, one at a time: a slow disk makes the steps longer. */
function createProgress(partial: PartialFile, saved: (offset: number) => Promise<void>) {
  let begun = partial.size;
  let isBusy = false;
  let committing: Promise<void> = Promise.resolve();
  const isDue = () => partial.size - begun >= uploadLimits().progressBytes;
  const commit = async () => {
    // Stays so when it fails: the sender is stopped, and told why, by what waits for it.
    isBusy = true;
    do {
      begun = partial.size;
      await saved(await partial.commit());
    } while (isDue());
    isBusy = false;
  };
  return {
    after(written: Promise<void> | undefined): Promise<unknown> | undefined {
      if (isBusy) {
        const ahead = partial.size - begun;
        const isTooFar = ahead >= MAX_AHEAD * uploadLimits().progressBytes;
        return isTooFar ? Promise.all([written, committing]) : written;
      }
      if (!isDue()) return written;
      committing = commit();
      committing.catch(() => {});
      return written;
    },
    /** After the last byte. Throws what stood against a commit. */
    idle: () => committing,
  };
}

const createHasher = ({ algorithm }: Digest) =>
  new Bun.CryptoHasher(algorithm === 'sha-256' ? 'sha256' : 'sha512');

const isSame = (hasher: Bun.CryptoHasher, { value }: Digest): boolean =>
  Buffer.compare(hasher.digest(), value) === 0;
