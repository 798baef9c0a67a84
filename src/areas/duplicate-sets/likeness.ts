import { editDistance } from '../../core/edit-distance.ts';
import type { Likeness } from './grouping.ts';
import type { Member, Pair } from './sets.store.ts';

/**
 * Measured on copies of real photos in other sizes, formats, qualities and brightness, against other
 * photos of the same things and pages of text: copies have a sameness of 0.98 and more, others at most
 * 0.95, at any cosine. Crops have less: 0.7 to 0.9, and a cosine of 0.94 and more.
 */
const SAME_EDGES = 0.96;
const CROPPED = { score: 0.96, sameness: 0.7 };
export const SURE = { score: 0.95, sameness: 0.97 };
/** A much smaller copy loses more of its vector than of its edges. */
const SMALL_COPY = 0.98;

export const isAlike = ({ score, sameness }: Pick<Pair, 'score' | 'sameness'>): boolean =>
  (sameness ?? 0) >= SAME_EDGES || (score >= CROPPED.score && (sameness ?? 1) >= CROPPED.sameness);

/** Returns undefined for pictures of other things that only look alike, as two invoices. */
export function getLikeness(pair: Pair): Likeness | undefined {
  const { first, second, score, sameness, isIdentical } = pair;
  if (isIdentical) return 'identical';
  const isWhole = isAlike(pair);
  if (!isWhole && pair.commonPart === null) return undefined;
  if (haveOtherTexts(first.text, second.text)) return undefined;
  const shots = compareShots(first, second);
  // Programs that crop often leave out the EXIF data: a missing moment excludes nothing, a doubtful one does.
  if (!isWhole) return shots === 'one' ? 'crop' : undefined;
  if (shots === 'two') return areOfOneBurst(first, second) ? 'burst' : undefined;
  const isCopy = (sameness ?? 0) >= (score >= SURE.score ? SURE.sameness : SMALL_COPY);
  return isCopy && shots === 'one' ? 'copy' : 'alike';
}

/**
 * Tells one shot from two that look the same. A copy may have lost the fraction of its second, or all EXIF data;
 * where a camera writes no fraction, two of one second and one size may be two shots.
 */
function compareShots(first: Member, second: Member): 'one' | 'two' | 'unknown' {
  if (first.camera !== null && second.camera !== null && first.camera !== second.camera)
    return 'two';
  const [one, other] = [first.shotMs, second.shotMs];
  if (one === null || other === null) return 'one';
  if (one === other) return one % 1000 === 0 && first.pixels === second.pixels ? 'unknown' : 'one';
  const [early, late] = [Math.min(one, other), Math.max(one, other)];
  return early % 1000 !== 0 || late - early >= 1000 ? 'two' : 'one';
}

/** Longest time between two shots of a burst. */
const MAX_BURST_GAP_MS = 10_000;

const areOfOneBurst = (first: Member, second: Member): boolean =>
  first.camera === second.camera &&
  Math.abs((first.shotMs ?? Infinity) - (second.shotMs ?? 0)) <= MAX_BURST_GAP_MS;

/** Length of the beginning of a text that is compared. */
export const COMPARED_CHARS = 2000;
/** Least share of the words of the shorter text that both have; OCR misreads some words of a small copy. */
const MIN_COMMON_WORDS = 0.5;

/** Longer words that each of two pages of one layout has for itself: names in a form. */
const MIN_OWN_WORDS = 2;
const MIN_LETTERS = 4;

/** Returns whether each has a number or words that the other lacks, or most words differ. */
function haveOtherTexts(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return false;
  const [a, b] = [toTokens(one), toTokens(other)];
  if (hasOther(a.numbers, b.numbers) && hasOther(b.numbers, a.numbers)) return true;
  const shorter = Math.min(a.words.size, b.words.size);
  if (shorter > 0 && a.words.intersection(b.words).size < MIN_COMMON_WORDS * shorter) return true;
  return hasOwnWords(a.words, b.words) && hasOwnWords(b.words, a.words);
}

/** Returns whether one has words that are no misread ones of the other. */
function hasOwnWords(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const joined = [...other].join('');
  const isMisread = (word: string) =>
    joined.includes(word) ||
    [...other].some((known) => editDistance(word, known) <= Math.floor(word.length / 3));
  const own = [...one.difference(other)].filter(
    (word) => word.length >= MIN_LETTERS && !isMisread(word),
  );
  return own.length >= MIN_OWN_WORDS;
}

function toTokens(text: string) {
  const tokens = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const isNumber = (token: string) => /\p{N}/u.test(token);
  return {
    numbers: new Set(tokens.filter(isNumber)),
    words: new Set(tokens.filter((token) => !isNumber(token))),
  };
}

const hasOther = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.difference(other).size > 0;
