import type { DateContext } from './date-terms.ts';

/** "summer of '19"; not "the '70s", which are ten years, and no height (5'10). */
const SHORT_YEAR = /(?<![\p{L}\p{N}])['’](\d\d)(?![\p{L}\p{N}'’])/gu;

/** Writes years of two digits with four, those to come as of the last century. `toSource` returns an offset of the old text. */
export function expandYears(
  source: string,
  { now }: DateContext,
): { readonly text: string; readonly toSource: (offset: number) => number } {
  const ends: number[] = [];
  const text = source.replaceAll(SHORT_YEAR, (found, digits: string, at: number) => {
    const year = 2000 + Number(digits);
    ends.push(at + found.length + ends.length + 1);
    return String(year > now.year ? year - 100 : year);
  });
  return { text, toSource: (offset) => offset - ends.filter((end) => end <= offset).length };
}
