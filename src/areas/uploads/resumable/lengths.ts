import { uploadLimits } from '../limits.ts';
import { inconsistentLength, invalidInput } from './problems.ts';
import { type Content, tooLarge } from './request.ts';
import type { Upload } from './resumable.store.ts';

// What the lengths that a client names say together.

/** Marks errors after which the upload cannot go on. */
const deadly = new WeakSet<Error>();
const fatal = (error: Error): Error => {
  deadly.add(error);
  return error;
};
export const isFatal = (error: unknown): error is Error =>
  error instanceof Error && deadly.has(error);

const overrun = () => fatal(inconsistentLength('The content goes beyond Upload-Length'));

/** How far this request may go, and what it is when it goes further. */
export const endOf = ({ length }: Upload) =>
  length === null
    ? { maxEnd: uploadLimits().maxBytes, overrun: () => fatal(tooLarge()) }
    : { maxEnd: length, overrun };

/** What all requests so far and this one say together. Throws when they contradict each other. */
export function agreedLength(upload: Upload, content: Content): number | null {
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
  if (end > uploadLimits().maxBytes) throw tooLarge();
  if (!isLast) return known;
  if (known !== null && end < known) {
    throw inconsistentLength('The last part ends before Upload-Length');
  }
  if (end === 0) throw invalidInput('Content-Length', 'The file is empty');
  return end;
}

/** After the last part. */
export function wholeLength({ offset, length }: Upload): number {
  if (length !== null && offset !== length) {
    throw inconsistentLength('The last part ended before Upload-Length');
  }
  if (offset === 0) throw invalidInput('Content-Length', 'The file is empty');
  return offset;
}
