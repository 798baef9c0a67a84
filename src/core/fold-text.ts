const MARKS = /\p{M}+/gu;
/** Letters without a canonical decomposition. */
const LETTER_REPLACEMENTS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};
const REPLACED_LETTERS = new RegExp(`[${Object.keys(LETTER_REPLACEMENTS).join('')}]`, 'gu');

/** Fast path for the usual case. */
const IS_ASCII = /^[\x20-\x7e]*$/;

/** Returns the text without case, diacritics and width: 'Škoda' becomes 'skoda'. As fold_text of the database. */
export const fold = (text: string): string =>
  IS_ASCII.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replace(MARKS, '')
        .toLowerCase()
        .replace(REPLACED_LETTERS, (letter) => LETTER_REPLACEMENTS[letter] ?? letter);

/** Whether a text contains another one, without regard to case and accents. */
export const includesText = (text: string, wanted: string): boolean =>
  fold(text).includes(fold(wanted));

/** Returns a name as it is stored: names that look the same are the same. */
export const toName = (text: string): string => text.normalize('NFC').trim();
