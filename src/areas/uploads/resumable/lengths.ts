import { markFatal } from '../../../staging/errors.ts';
import { getUploadLimits } from './limits.ts';
import { inconsistentLength, invalidInput } from './problems.ts';
import { type ContentHeaders, requireSize, tooLarge } from './request.ts';
import type { Upload } from './resumable.store.ts';

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
