/**
 * Groups whose text has no certain encoding: programs write UTF-8, or what their system has. exiftool is asked to read
 * it as Windows-1252, which loses no byte.
 */
const UNCERTAIN = /^(IPTC|IFD\d+|ExifIFD|SubIFD\d*|GPS|InteropIFD)$/;

/** The letters of the bytes 128 to 159 in Windows-1252; all others are those of Unicode. */
const LETTERS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';
const BYTES = new Map(Array.from(LETTERS, (letter, index) => [letter, 128 + index]));

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Returns text of such a group, also within lists and structures, as UTF-8 if it is, else as it was read. */
export function repairText(group: string, value: unknown): unknown {
  if (!UNCERTAIN.test(group)) return value;
  if (Array.isArray(value)) return value.map((item) => repairText(group, item));
  return typeof value === 'string' ? decodeAgain(value) : value;
}

function decodeAgain(text: string): string {
  const bytes = Array.from(text, (letter) => BYTES.get(letter) ?? letter.codePointAt(0) ?? 0);
  if (bytes.every((byte) => byte < 128) || bytes.some((byte) => byte > 255)) return text;
  try {
    return decoder.decode(new Uint8Array(bytes));
  } catch {
    return text;
  }
}

/** Whether IPTC says itself that it is UTF-8, as exiftool prints that. */
export const isMarked = (characterSet: unknown): boolean =>
  typeof characterSet === 'string' && /^utf-?8$/i.test(characterSet);
