import { getExtension } from '../../../media/formats.ts';

/** The limit of common file systems, so that a download can be saved under the same name. */
const MAX_NAME_BYTES = 255;

/** Control characters and bidirectional overrides, which can disguise an extension. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Returns the client's file name without folders and control characters, at most 255 bytes long. Keeps
 * the extension when it truncates. Returns 'unnamed' when nothing is left.
 */
export function toSafeFileName(input: string): string {
  const base = input.slice(Math.max(input.lastIndexOf('/'), input.lastIndexOf('\\')) + 1);
  const name = base.toWellFormed().normalize('NFC').replace(UNPRINTABLE, '').trim();
  if (/^\.*$/.test(name)) return 'unnamed';
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const extension = getExtension(name);
  const end =
    extension && Buffer.byteLength(extension) <= 20 ? name.slice(-extension.length - 1) : '';
  return (
    truncate(name.slice(0, name.length - end.length), MAX_NAME_BYTES - Buffer.byteLength(end)) + end
  );
}

function truncate(text: string, maxBytes: number): string {
  let result = '';
  let bytes = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > maxBytes) break;
    result += segment;
  }
  return result;
}
