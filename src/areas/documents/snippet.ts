import { fold } from '../search/index.ts';

const MOST_LETTERS = 300;
/** Shown before the match, so that it is read in its sentence. */
const BEFORE = 80;

/** Some of the text around the first of the words (folded) that it holds, else its beginning. */
export function snippetOf(text: string, words: readonly string[]): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  if (flat.length <= MOST_LETTERS) return flat;
  const at = firstMatch(flat, words);
  const start = at <= BEFORE ? 0 : wordStart(flat, at - BEFORE);
  const head = start > 0 ? '…' : '';
  const room = MOST_LETTERS - head.length;
  if (flat.length - start <= room) return head + flat.slice(start);
  return `${head}${whole(flat.slice(start, start + room - 1)).trimEnd()}…`;
}

function firstMatch(text: string, words: readonly string[]): number {
  if (words.length === 0) return 0;
  // Folding changes lengths: every folded letter remembers where it came from.
  let folded = '';
  const origins: number[] = [];
  let at = 0;
  for (const letter of text) {
    const plain = fold(letter);
    folded += plain;
    for (let step = 0; step < plain.length; step++) origins.push(at);
    at += letter.length;
  }
  const places = words.map((word) => folded.indexOf(word)).filter((place) => place >= 0);
  return places.length === 0 ? 0 : origins[Math.min(...places)]!;
}

const wordStart = (text: string, near: number): number => {
  const space = text.indexOf(' ', near);
  return space < 0 || space > near + 40 ? afterPair(text, near) : space + 1;
};
/** Never half of a pair of UTF-16 units. */
const afterPair = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at + 1 : at;
const whole = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, '');
