import type { Ctx } from '../../../core/context.ts';
import type { Matching } from '../match/matching.store.ts';
import { findNearestAssets } from './embeddings.domain.ts';
import { type Grade, countUpTo, rankByWords } from '../match/word-ranking.store.ts';
import { findCorrections, tokenizeQuery } from '../query/spelling-correction.domain.ts';
import { toPrefixTsquery, toExactTsquery } from '../match/words.ts';

// Merges vector neighbours and word matches by reciprocal rank fusion. The list is the same
// whichever page of it is requested.

/** Longest result list; results further down are irrelevant. */
export const MAX_RESULTS = 10_000;

export type SemanticQuestion = {
  readonly modelId: string;
  readonly vector: Float32Array;
  /** Undefined for a search by picture. */
  readonly text: string | undefined;
};

/** Number of nearest neighbours that take part in the fusion; the others follow in order. */
const FUSION_DEPTH = 200;
/** The usual constant k of reciprocal rank fusion. */
const RRF_CONSTANT = 60;
/** Rank penalty by grade: typed words go before neighbours … */
const GRADE_PENALTIES: Readonly<Record<Grade, number>> = { 0: -0.25, 1: 0.5, 2: 2.25 };
/** … and prefix matches count only if few items have them. */
const RARE_LIMIT = 20;

type WordHit = { readonly id: string; readonly penalty: number };

/** Returns the best `most` ids; word matches are included even without a vector. */
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

/** No item has all words: uses the rare ones. */
async function rankByRareWords(ctx: Ctx, matching: Matching, words: readonly string[]) {
  const withWord = (word: string) => ({ ...matching, words: toPrefixTsquery([word])! });
  const counts = await Promise.all(
    words.map((word) => countUpTo(ctx, withWord(word), RARE_LIMIT + 1)),
  );
  const missing = words.filter((_, at) => counts[at] === 0);
  const corrections = await findCorrections(ctx, matching, missing);
  const rareWords = words.filter(
    (word, at) => corrections.has(word) || (counts[at]! > 0 && counts[at]! <= RARE_LIMIT),
  );
  if (rareWords.length === 0) return [];
  const any = rareWords.map((word) => toPrefixTsquery([word], corrections)).join(' | ');
  return rankByWords(ctx, { ...matching, words: any }, { written: any, whole: any });
}
