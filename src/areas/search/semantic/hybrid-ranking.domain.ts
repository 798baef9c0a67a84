import type { Ctx } from '../../../core/context.ts';
import type { Matching } from '../match/matching.store.ts';
import { closest } from './embeddings.domain.ts';
import { type Grade, countUpTo, rankedByWords } from '../match/ranked.store.ts';
import { correctionsOf, saidIn } from '../query/spelling-correction.domain.ts';
import { queryOfWords, wholeWords } from '../match/words.ts';

// What looks like the question and what has its words, as one list (reciprocal rank fusion). It is the
// same whatever page of it is asked for.

/** Further down, nothing has anything to do with the question any more. */
export const DEEPEST = 10_000;

export type Meaningful = {
  readonly modelId: string;
  readonly vector: Float32Array;
  /** Undefined: asked by a picture. */
  readonly text: string | undefined;
};

/** Of the nearest, so many meet what has the words; the others follow. */
const HEAD = 200;
/** The usual constant: how little the first places differ. */
const SMOOTH = 60;
/** What has the words as somebody wrote them comes before what looks like them, place by place … */
const LATE: Readonly<Record<Grade, number>> = { 0: -0.25, 1: 0.5, 2: 2.25 };
/** … and what is less than that is only told by words that few have. */
const FEW = 20;

type Worded = { readonly id: string; readonly late: number };

/** The first `most` ids; those that have the words are among them even where no vector is. */
export async function fusedIds(
  ctx: Ctx,
  matching: Matching,
  question: Meaningful,
  most: number,
): Promise<readonly string[]> {
  const { modelId, vector, text } = question;
  const end = Math.min(DEEPEST, most);
  const k = Math.max(HEAD, end);
  const [near, worded] = await Promise.all([
    closest(ctx, matching, { modelId, vector, k }),
    text === undefined ? [] : byTheirWords(ctx, matching, text),
  ]);
  return fuse(worded, near).slice(0, end);
}

function fuse(worded: readonly Worded[], near: readonly string[]): string[] {
  const scores = new Map<string, number>();
  const add = (id: string, place: number) =>
    scores.set(id, (scores.get(id) ?? 0) + 1 / (SMOOTH + place));
  for (const [place, { id, late }] of worded.entries()) add(id, place + late);
  for (const [place, id] of near.slice(0, HEAD).entries()) add(id, place);
  const head = [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
  return [...head, ...near.slice(HEAD).filter((id) => !scores.has(id))];
}

async function byTheirWords(ctx: Ctx, matching: Matching, text: string): Promise<Worded[]> {
  const { exact, words } = saidIn(text);
  if (exact === undefined) return [];
  const wanted = { written: wholeWords(words, 'ABC'), whole: wholeWords(words) };
  const found = await rankedByWords(ctx, { ...matching, words: exact }, wanted);
  const whole = found.filter(({ grade }) => grade < 2);
  if (whole.length > 0) return whole.map(({ id, grade }) => ({ id, late: LATE[grade] }));
  const begun = found.length > 0 ? found : await byFewWords(ctx, matching, words);
  return begun.slice(0, FEW).map(({ id }) => ({ id, late: LATE[2] }));
}

/** Nothing has all of the words: what has those that tell most. */
async function byFewWords(ctx: Ctx, matching: Matching, words: readonly string[]) {
  const ofWord = (word: string) => ({ ...matching, words: queryOfWords([word])! });
  const counts = await Promise.all(words.map((word) => countUpTo(ctx, ofWord(word), FEW + 1)));
  const missing = words.filter((_, at) => counts[at] === 0);
  const meant = await correctionsOf(ctx, matching, missing);
  const telling = words.filter(
    (word, at) => meant.has(word) || (counts[at]! > 0 && counts[at]! <= FEW),
  );
  if (telling.length === 0) return [];
  const any = telling.map((word) => queryOfWords([word], meant)).join(' | ');
  return rankedByWords(ctx, { ...matching, words: any }, { written: any, whole: any });
}
