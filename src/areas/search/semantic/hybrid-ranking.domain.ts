import type { Ctx } from '../../../core/context.ts';
import { CONSE_CUT_OFF, type SubjectHit } from '../../../inference/index.ts';
import type { Matching } from '../match/matching.store.ts';
import { findNearestAssets } from './embeddings.domain.ts';
import { findRemoved } from '../labels/decisions.store.ts';
import { rankByLabels } from '../labels/labels.store.ts';
import { isColour, type LabelTerm } from '../labels/query-terms.ts';
import { toLabelName } from '../labels/vocabulary.ts';
import { type Grade, countUpTo, rankByWords } from '../match/word-ranking.store.ts';
import { findCorrections, tokenizeQuery } from '../query/spelling-correction.domain.ts';
import { toExactTsquery, toLabelTsquery, toPrefixTsquery } from '../match/words.ts';

// Merges what pictures show, by labels and vectors, and word matches by reciprocal rank fusion. The
// list is the same whichever page of it is requested.

/** Longest result list; results further down are irrelevant. */
export const MAX_RESULTS = 10_000;

export type SemanticQuestion = {
  readonly modelId: string;
  readonly vector: Float32Array;
  /** Undefined for a search by picture. */
  readonly text?: string;
  /** Parts of the text that labels may show; undefined for models without labels, whose vectors have no known cut-off either. */
  readonly terms?: readonly LabelTerm[] | undefined;
  /** Lists neighbours below the threshold, too. */
  readonly isLessCertain?: boolean | undefined;
};

/** Number of nearest neighbours that take part in the fusion; the others follow in order. */
const FUSION_DEPTH = 200;
/** The usual constant k of reciprocal rank fusion. */
const RRF_CONSTANT = 60;
/** Rank penalty by grade: typed words go before neighbours … */
const GRADE_PENALTIES: Readonly<Record<Grade, number>> = { 0: -0.25, 1: 0.5, 2: 2.25 };
/** … and prefix matches count only if few items have them. */
const RARE_LIMIT = 20;
/** Prefixes and corrections are of words that people have typed: names, descriptions, tags, places. */
const TYPED = 'ABC';

type WordHit = { readonly id: string; readonly penalty: number };

/** Returns the best `most` ids; word matches are included even without a vector. */
export async function rankHybrid(
  ctx: Ctx,
  matching: Matching,
  question: SemanticQuestion,
  most: number,
): Promise<readonly string[]> {
  const { modelId, vector, text, terms, isLessCertain } = question;
  const end = Math.min(MAX_RESULTS, most);
  const k = Math.max(FUSION_DEPTH, end);
  const words = text === undefined ? [] : tokenizeQuery(text).words;
  const [nearest, labelled, wholeWords] = await Promise.all([
    findNearestAssets(ctx, matching, { modelId, vector, k }),
    terms ? listLabelled(ctx, matching, terms, end) : [],
    rankByWholeWords(ctx, matching, words),
  ]);
  const near = terms && !isLessCertain ? cutOff(nearest, labelled.length > 0) : nearest;
  const neighbours = near.map(({ subjectId }) => subjectId);
  const shown = [...new Set([...labelled, ...(await leaveOutRemoved(ctx, neighbours, terms))])];
  const isCertain = wholeWords.length > 0 || (terms !== undefined && shown.length > 0);
  const wordHits = isCertain ? wholeWords : await rankBySimilarWords(ctx, matching, words);
  return fuse(wordHits, shown).slice(0, end);
}

/** Leaves out the neighbours of which the owner has said that they do not show a term. */
async function leaveOutRemoved(
  { db }: Ctx,
  ids: readonly string[],
  terms: readonly LabelTerm[] = [],
): Promise<readonly string[]> {
  const names = terms.flatMap(({ labels }) => labels.map(toLabelName));
  const removed = await findRemoved(db, ids, names);
  return removed.size === 0 ? ids : ids.filter((id) => !removed.has(id));
}

/** Returns the items that show all terms; without any, all but colours; without any, some of these. */
export async function listLabelled(
  ctx: Ctx,
  matching: Matching,
  terms: readonly LabelTerm[],
  most: number,
): Promise<readonly string[]> {
  const things = terms.filter((term) => !isColour(term));
  const toQuery = (some: readonly LabelTerm[], join: '&' | '|') =>
    some.map(({ labels }) => `(${toLabelTsquery(labels)})`).join(join);
  for (const [some, words] of [
    [terms, toQuery(terms, '&')],
    [things, toQuery(things, '&')],
    [things, toQuery(things, '|')],
  ] as const) {
    if (some.length === 0) return [];
    const found = await rankByLabels(ctx, { ...matching, words }, some, most);
    if (found.length > 0) return found;
  }
  return [];
}

/** Returns the neighbours above the threshold. */
function cutOff(nearest: readonly SubjectHit[], isLabelled: boolean): SubjectHit[] {
  const { least, besideLabels, distance } = CONSE_CUT_OFF;
  const best = nearest[0]?.score ?? 0;
  const threshold = Math.max(isLabelled ? besideLabels : least, best - distance);
  return nearest.filter(({ score }) => score >= threshold);
}

function fuse(wordHits: readonly WordHit[], shown: readonly string[]): string[] {
  const scores = new Map<string, number>();
  const add = (id: string, place: number) =>
    scores.set(id, (scores.get(id) ?? 0) + 1 / (RRF_CONSTANT + place));
  for (const [place, { id, penalty }] of wordHits.entries()) add(id, place + penalty);
  for (const [place, id] of shown.slice(0, FUSION_DEPTH).entries()) add(id, place);
  const head = [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
  return [...head, ...shown.slice(FUSION_DEPTH).filter((id) => !scores.has(id))];
}

async function rankByWholeWords(
  ctx: Ctx,
  matching: Matching,
  words: readonly string[],
): Promise<WordHit[]> {
  if (words.length === 0) return [];
  const whole = toExactTsquery(words);
  const wanted = { written: toExactTsquery(words, TYPED), whole };
  const found = await rankByWords(ctx, { ...matching, words: whole }, wanted);
  return found.map(({ id, grade }) => ({ id, penalty: GRADE_PENALTIES[grade] }));
}

/** By beginnings of all words or, if no item has these, of the rare ones and their corrections. */
async function rankBySimilarWords(
  ctx: Ctx,
  matching: Matching,
  words: readonly string[],
): Promise<WordHit[]> {
  const all = toPrefixTsquery(words, undefined, TYPED);
  if (all === undefined) return [];
  const found = await rankByWords(ctx, { ...matching, words: all }, { written: all, whole: all });
  const hits = found.length > 0 ? found : await rankByRareWords(ctx, matching, words);
  return hits.slice(0, RARE_LIMIT).map(({ id }) => ({ id, penalty: GRADE_PENALTIES[2] }));
}

/** Recognised text counts only if each word occurs somewhere: one of several words tells little. */
async function rankByRareWords(ctx: Ctx, matching: Matching, words: readonly string[]) {
  const toQuery = (word: string, corrections?: ReadonlyMap<string, readonly string[]>) =>
    toPrefixTsquery([word], corrections, TYPED)!;
  const toWhole = (word: string) => `${toQuery(word)} | ${toExactTsquery([word])}`;
  const counts = await Promise.all(
    words.map((word) => countUpTo(ctx, { ...matching, words: toWhole(word) }, RARE_LIMIT + 1)),
  );
  const missing = words.filter((_, at) => counts[at] === 0);
  const corrections = await findCorrections(ctx, matching, missing);
  const rareWords = words.filter(
    (word, at) => corrections.has(word) || (counts[at]! > 0 && counts[at]! <= RARE_LIMIT),
  );
  if (rareWords.length === 0) return [];
  const areAllKnown = missing.every((word) => corrections.has(word));
  const any = rareWords
    .map((word) =>
      areAllKnown && !corrections.has(word) ? toWhole(word) : toQuery(word, corrections),
    )
    .join(' | ');
  return rankByWords(ctx, { ...matching, words: any }, { written: any, whole: any });
}
