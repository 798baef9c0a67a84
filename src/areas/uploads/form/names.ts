import { getExtension } from '../../../media/formats.ts';

/** What file systems allow, so that a download can be saved under the same name. */
const MAX_NAME_BYTES = 255;

/** Control characters, and those that turn the direction of writing to disguise an extension. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/**
 * The name a client gave, without any folder and safe to show and to save. Keeps the extension when
 * the name has to be shortened.
 */
export function cleanFileName(given: string): string {
  const base = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
  const name = base.toWellFormed().normalize('NFC').replace(UNPRINTABLE, '').trim();
  if (/^\.*$/.test(name)) return 'unnamed';
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const extension = getExtension(name);
  const end =
    extension && Buffer.byteLength(extension) <= 20 ? name.slice(-extension.length - 1) : '';
  return (
    shorten(name.slice(0, name.length - end.length), MAX_NAME_BYTES - Buffer.byteLength(end)) + end
  );
}

function shorten(text: string, maxBytes: number): string {
  let kept = '';
  let bytes = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > maxBytes) break;
    kept += segment;
  }
  return kept;
}
