import { toTerm } from '../match/words.ts';

/** Scripts without spaces between words, in which a name may be segmented otherwise than beside other words. */
export const IS_UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー・ ]+$/u;

/** Returns the key of a name: its folded words, joined where its script has no spaces. */
export function toPlaceTerm(name: string): string {
  const term = toTerm(name);
  return IS_UNSPACED.test(term) ? term.replaceAll(' ', '') : term;
}
