import type { Deps } from '../../../core/context.ts';
import { releaseBytes } from '../../../core/release-bytes.ts';
import type { Transfer } from '../../../http/transfer.ts';
import {
  getBootId,
  openPartial,
  type PartialFile,
  truncatePartial,
} from '../../../media/partial-file.ts';
import { getUploadLimits } from './limits.ts';
import { saveUpload } from './ownership.ts';
import { copyParts } from './part-copies.ts';
import { digestMismatch } from './problems.ts';
import type { ContentHeaders, Digest } from './request.ts';
import type { Upload } from './resumable.store.ts';
import { updateDigests, retainDigests } from './running-digests.ts';
import { requireSpace } from '../publish/space.ts';

/** The connection that the content arrives on. */
export type ContentSource = {
  readonly transfer: Transfer;
  /** Sends a 104 with the offset up to which all bytes are durable. */
  readonly reportOffset: ((offset: number) => void) | undefined;
};

export type ReceivedPart = {
  /** End of the file: durable and saved in the row. */
  readonly offset: number;
  /** Undefined when the request was complete. */
  readonly failure: 'cut' | { readonly error: unknown } | undefined;
};

/**
 * Appends the content of a request up to the offset `maxEnd`; more fails with `overrun`. Keeps the
 * bytes received before a failure, except those with a wrong Content-Digest.
 */
export async function receivePart(
  deps: Deps,
  upload: Upload,
  content: ContentHeaders,
  { transfer, reportOffset: inform }: ContentSource,
  { maxEnd, overrun }: { readonly maxEnd: number; readonly overrun: () => Error },
): Promise<ReceivedPart> {
  const { digest } = content;
  const save = (set: Partial<Upload>) => saveUpload(deps, deps.db, upload, set);
  // With a Content-Digest, bytes of this request must not count after a crash.
  if (digest) await save({ bootId: null });
  const partial = await openPartial(deps.paths, upload, upload.offset);
  const hasher = digest && createHasher(digest);
  const progress = createCommitter(partial, async (offset) => {
    await requireSpace(deps, 0);
    await save({ offset, bootId: getBootId() });
    inform?.(offset);
    copyParts(deps, upload, offset);
  });
  let failure: ReceivedPart['failure'];
  try {
    const end = await transfer.receive((chunk) => {
      const at = partial.size;
      if (at + chunk.length > maxEnd) throw overrun();
      updateDigests(upload.id, at, chunk);
      hasher?.update(chunk);
      const written = partial.write(chunk);
      releaseBytes(chunk);
      // With a Content-Digest no offset is reported, as a mismatch moves it back.
      return hasher ? written : progress.after(written);
    }, getUploadLimits().idleMs);
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
  if (!failure && digest && !(hasher && matchesDigest(hasher, digest))) {
    failure = { error: digestMismatch('Content-Digest', digest.algorithm, digest.value) };
    offset = upload.offset;
    await truncatePartial(deps.paths, upload, offset);
  }
  retainDigests(upload.id, offset);
  await save({ offset, bootId: getBootId() });
  copyParts(deps, upload, offset);
  return { offset, failure };
}

/** Uncommitted steps before the sender must wait for the disk. */
const MAX_UNCOMMITTED_STEPS = 8;

/** Commits in the background, one at a time; on a slow disk the steps grow. */
function createCommitter(partial: PartialFile, saved: (offset: number) => Promise<void>) {
  let committedSize = partial.size;
  let isBusy = false;
  let committing: Promise<void> = Promise.resolve();
  const isDue = () => partial.size - committedSize >= getUploadLimits().progressBytes;
  const commit = async () => {
    // Stays true after a failure: the next write or `idle` then throws it.
    isBusy = true;
    do {
      committedSize = partial.size;
      await saved(await partial.commit());
    } while (isDue());
    isBusy = false;
  };
  return {
    after(written: Promise<void> | undefined): Promise<unknown> | undefined {
      if (isBusy) {
        const ahead = partial.size - committedSize;
        const isTooFar = ahead >= MAX_UNCOMMITTED_STEPS * getUploadLimits().progressBytes;
        return isTooFar ? Promise.all([written, committing]) : written;
      }
      if (!isDue()) return written;
      committing = commit();
      committing.catch(() => {});
      return written;
    },
    /** Waits for the last commit. Throws its error. */
    idle: () => committing,
  };
}

const createHasher = ({ algorithm }: Digest) =>
  new Bun.CryptoHasher(algorithm === 'sha-256' ? 'sha256' : 'sha512');

const matchesDigest = (hasher: Bun.CryptoHasher, { value }: Digest): boolean =>
  Buffer.compare(hasher.digest(), value) === 0;
