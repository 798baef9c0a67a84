import { toTerm } from '../match/words.ts';

/** Scripts without spaces between words, in which a name may be segmented otherwise than beside other words. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー・ ]+$/u;

/** The quick test is for most names. */
export const isUnspaced = (text: string): boolean =>
  text.charCodeAt(0) > LAST_LATIN && UNSPACED.test(text);
const LAST_LATIN = 0x2_4f;

/** Returns the key of a name: its folded words, joined where its script has no spaces. */
export function toPlaceTerm(name: string): string {
  const term = toTerm(name);
  return isUnspaced(term) ? term.replaceAll(' ', '') : term;
}
