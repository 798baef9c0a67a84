import type { Deps } from '../../../core/context.ts';
import { releaseBytes } from '../../../core/release-bytes.ts';
import type { Transfer } from '../../../http/transfer.ts';
import * as staging from '../../../staging/staging.ts';
import {
  getUploadLimits,
  digestMismatch,
  inconsistentLength,
  invalidInput,
  requireSize,
  tooLarge,
} from './responses.ts';
import type { ContentHeaders, Digest } from './request.ts';
import type { Upload } from './resumable.store.ts';
import { markFatal } from '../../../staging/errors.ts';

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
  const file = await staging.open(deps, upload, { isTentative: digest !== undefined });
  const hasher = digest && createHasher(digest);
  const progress = createCommitter(file, (offset) => inform?.(offset));
  let failure: ReceivedPart['failure'];
  try {
    const end = await transfer.receive((chunk) => {
      if (file.size + chunk.length > maxEnd) throw overrun();
      hasher?.update(chunk);
      const written = file.write(chunk);
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
  const closed = await file.close();
  let offset = closed.end;
  if (closed.error !== undefined) failure ??= { error: closed.error };
  if (!failure && digest && !(hasher && matchesDigest(hasher, digest))) {
    failure = { error: digestMismatch('Content-Digest', digest.algorithm, digest.value) };
    offset = upload.offset;
  }
  await file.settle(offset);
  return { offset, failure };
}

/** Uncommitted steps before the sender must wait for the disk. */
const MAX_UNCOMMITTED_STEPS = 8;

/** Commits in the background, one at a time; on a slow disk the steps grow. */
function createCommitter(file: staging.StagedFile, inform: (offset: number) => void) {
  let committedSize = file.size;
  let isBusy = false;
  let committing: Promise<void> = Promise.resolve();
  const isDue = () => file.size - committedSize >= getUploadLimits().progressBytes;
  const commit = async () => {
    // Stays true after a failure: the next write or `idle` then throws it.
    isBusy = true;
    do {
      committedSize = file.size;
      inform(await file.commit());
    } while (isDue());
    isBusy = false;
  };
  return {
    after(written: Promise<void> | undefined): Promise<unknown> | undefined {
      if (isBusy) {
        const ahead = file.size - committedSize;
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

// Consistency of Upload-Length, Content-Length and Upload-Offset.

const overrun = () => markFatal(inconsistentLength('The content goes beyond Upload-Length'));

/** Returns the highest offset that this request may reach, and the error beyond it. */
export function getContentLimit({ length }: Upload) {
  if (length !== null) return { maxEnd: length, overrun };
  const { maxBytes } = getUploadLimits();
  return { maxEnd: maxBytes, overrun: () => markFatal(tooLarge(maxBytes)) };
}

/**
 * Returns the length of the file as far as known from all requests. Throws 400 when they contradict
 * each other.
 */
export function resolveLength(upload: Upload, content: ContentHeaders): number | null {
  const { length, contentLength, isLast } = content;
  if (length !== undefined && upload.length !== null && length !== upload.length) {
    throw inconsistentLength('Upload-Length is not what it was before');
  }
  const known = upload.length ?? length ?? null;
  if (known !== null && known < upload.offset) {
    throw inconsistentLength('Upload-Length is less than what has been received');
  }
  if (contentLength === undefined) return known;
  const end = upload.offset + contentLength;
  if (known !== null && end > known) throw overrun();
  requireSize(end, getUploadLimits().maxBytes);
  if (!isLast) return known;
  if (known !== null && end < known) {
    throw inconsistentLength('The last part ends before Upload-Length');
  }
  if (end === 0) throw invalidInput('Content-Length', 'The file is empty');
  return end;
}

/** Returns the length after the last part. Throws 400 if it is not Upload-Length. */
export function requireCompleteLength({ offset, length }: Upload): number {
  if (length !== null && offset !== length) {
    throw inconsistentLength('The last part ended before Upload-Length');
  }
  if (offset === 0) throw invalidInput('Content-Length', 'The file is empty');
  return offset;
}
