import { fold } from '../../core/fold-text.ts';

const MAX_CHARS = 300;
/** Context shown before the match. */
const CHARS_BEFORE_MATCH = 80;

/** Returns up to 300 characters around the first match of the folded words, else the beginning. */
export function createSnippet(text: string, words: readonly string[]): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  if (flat.length <= MAX_CHARS) return flat;
  const at = findFirstMatch(flat, words);
  const start = at <= CHARS_BEFORE_MATCH ? 0 : findWordStart(flat, at - CHARS_BEFORE_MATCH);
  const head = start > 0 ? '…' : '';
  const room = MAX_CHARS - head.length;
  if (flat.length - start <= room) return head + flat.slice(start);
  return `${head}${dropHalfPair(flat.slice(start, start + room - 1)).trimEnd()}…`;
}

function findFirstMatch(text: string, words: readonly string[]): number {
  if (words.length === 0) return 0;
  // Folding changes lengths: maps each folded character to its origin.
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
  // Without a place the minimum is Infinity, which has no origin.
  return origins[Math.min(...places)] ?? 0;
}

const findWordStart = (text: string, near: number): number => {
  const space = text.indexOf(' ', near);
  return space < 0 || space > near + 40 ? skipHalfPair(text, near) : space + 1;
};
/** Never splits a surrogate pair. */
const skipHalfPair = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at + 1 : at;
const dropHalfPair = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, '');
