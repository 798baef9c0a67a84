import type { Ctx } from '../../../core/context.ts';
import type { Matching } from '../match/matching.store.ts';
import { findNearestAssets } from './embeddings.domain.ts';
import { type Grade, countUpTo, rankByWords } from '../match/word-ranking.store.ts';
import { findCorrections, tokenizeQuery } from '../query/spelling-correction.domain.ts';
import { toPrefixTsquery, toExactTsquery } from '../match/words.ts';

// What looks like the question and what has its words, as one list (reciprocal rank fusion). It is the
// same whatever page of it is asked for.

/** Further down, nothing has anything to do with the question any more. */
export const MAX_RESULTS = 10_000;

export type SemanticQuestion = {
  readonly modelId: string;
  readonly vector: Float32Array;
  /** Undefined: asked by a picture. */
  readonly text: string | undefined;
};

/** Of the nearest, so many meet what has the words; the others follow. */
const FUSION_DEPTH = 200;
/** The usual constant: how little the first places differ. */
const RRF_CONSTANT = 60;
/** What has the words as somebody wrote them comes before what looks like them, place by place … */
const GRADE_PENALTIES: Readonly<Record<Grade, number>> = { 0: -0.25, 1: 0.5, 2: 2.25 };
/** … and what is less than that is only told by words that few have. */
const RARE_LIMIT = 20;

type WordHit = { readonly id: string; readonly penalty: number };

/** The first `most` ids; those that have the words are among them even where no vector is. */
export async function rankHybrid(
  ctx: Ctx,
  matching: Matching,
  question: SemanticQuestion,
  most: number,
): Promise<readonly string[]> {
  const { modelId, vector, text } = question;
  const end = Math.min(MAX_RESULTS, most);
  const k = Math.max(FUSION_DEPTH, end);
  const [nearest, wordHits] = await Promise.all([
    findNearestAssets(ctx, matching, { modelId, vector, k }),
    text === undefined ? [] : rankWordHits(ctx, matching, text),
  ]);
  return fuse(wordHits, nearest).slice(0, end);
}

function fuse(wordHits: readonly WordHit[], nearest: readonly string[]): string[] {
  const scores = new Map<string, number>();
  const add = (id: string, place: number) =>
    scores.set(id, (scores.get(id) ?? 0) + 1 / (RRF_CONSTANT + place));
  for (const [place, { id, penalty }] of wordHits.entries()) add(id, place + penalty);
  for (const [place, id] of nearest.slice(0, FUSION_DEPTH).entries()) add(id, place);
  const head = [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
  return [...head, ...nearest.slice(FUSION_DEPTH).filter((id) => !scores.has(id))];
}

async function rankWordHits(ctx: Ctx, matching: Matching, text: string): Promise<WordHit[]> {
  const { exact, words } = tokenizeQuery(text);
  if (exact === undefined) return [];
  const wanted = { written: toExactTsquery(words, 'ABC'), whole: toExactTsquery(words) };
  const found = await rankByWords(ctx, { ...matching, words: exact }, wanted);
  const whole = found.filter(({ grade }) => grade < 2);
  if (whole.length > 0)
    return whole.map(({ id, grade }) => ({ id, penalty: GRADE_PENALTIES[grade] }));
  const prefixHits = found.length > 0 ? found : await rankByRareWords(ctx, matching, words);
  return prefixHits.slice(0, RARE_LIMIT).map(({ id }) => ({ id, penalty: GRADE_PENALTIES[2] }));
}

/** Nothing has all of the words: what has those that tell most. */
async function rankByRareWords(ctx: Ctx, matching: Matching, words: readonly string[]) {
  const withWord = (word: string) => ({ ...matching, words: toPrefixTsquery([word])! });
  const counts = await Promise.all(
    words.map((word) => countUpTo(ctx, withWord(word), RARE_LIMIT + 1)),
  );
  const missing = words.filter((_, at) => counts[at] === 0);
  const meant = await findCorrections(ctx, matching, missing);
  const rareWords = words.filter(
    (word, at) => meant.has(word) || (counts[at]! > 0 && counts[at]! <= RARE_LIMIT),
  );
  if (rareWords.length === 0) return [];
  const any = rareWords.map((word) => toPrefixTsquery([word], meant)).join(' | ');
  return rankByWords(ctx, { ...matching, words: any }, { written: any, whole: any });
}
