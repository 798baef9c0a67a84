import type { Ctx } from '../../../core/context.ts';
import { CONSE, readEmbeddings, type SubjectHit } from '../../../inference/index.ts';
import type { Matching } from '../match/matching.store.ts';
import { findNearestAssets } from './embeddings.domain.ts';
import { findLowestThreshold, findScoreThreshold } from './score-threshold.domain.ts';
import { findRemoved } from '../labels/decisions.store.ts';
import { isOptional } from '../labels/evidence.ts';
import { judge, type Judged } from './evidence.domain.ts';
import { listByAnyTerm, listEvident, listLabelled, listLikely } from './labelled.domain.ts';
import type { LabelTerm } from '../labels/query-terms.ts';
import { loadVocabulary, toLabelName } from '../labels/vocabulary.ts';
import { type Grade, countUpTo, MAX_RANKED, rankByWords } from '../match/word-ranking.store.ts';
import { findCorrections, tokenizeQuery } from '../query/spelling-correction.domain.ts';
import { orJoined, RECOGNISED, toExactTsquery, toPrefixTsquery } from '../match/words.ts';

// Merges what pictures show, by labels and vectors, and word matches by reciprocal rank fusion. The
// list is the same whichever page of it is requested.

/** Longest result list; results further down are irrelevant. */
export const MAX_RESULTS = 10_000;

export type SemanticQuestion = {
  readonly modelId: string;
  readonly vector: Float32Array;
  /** Undefined for a search by picture. */
  readonly text?: string;
  /** Parts of the text that labels may show. */
  readonly terms?: readonly LabelTerm[] | undefined;
  /** Lists neighbours below the threshold, too. */
  readonly isLessCertain?: boolean | undefined;
  /** The same for the model that is to follow, of which alone new pictures have vectors. */
  readonly next?: Pick<SemanticQuestion, 'modelId' | 'vector'> | undefined;
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

/** Letters of a known word from which on it is also taken for the beginning of another. */
const MIN_BEGINNING = 5;

type WordHit = { readonly id: string; readonly penalty: number };

/** Returns the best `most` ids; word matches are included even without a vector. */
export async function rankHybrid(
  ctx: Ctx,
  matching: Matching,
  question: SemanticQuestion,
  most: number,
): Promise<readonly string[]> {
  const { modelId, vector, text, terms = [], isLessCertain } = question;
  const end = Math.min(MAX_RESULTS, most);
  const k = Math.max(FUSION_DEPTH, end);
  const { words, joined } = tokenizeQuery(text ?? '');
  const isConse = modelId === CONSE;
  // Labels are merged with neighbours of other models that are no results by themselves.
  const atLeast =
    isConse && text !== undefined && !isLessCertain ? findLowestThreshold(ctx, modelId) : undefined;
  const [nearest, added, labelled, wholeWords] = await Promise.all([
    findNearestAssets(ctx, matching, { modelId, vector, k, atLeast }),
    question.next ? listAdded(ctx, matching, { ...question, next: question.next }) : [],
    listByTerms(ctx, matching, question, end),
    rankByWholeWords(ctx, matching, words, joined),
  ]);
  const isLabelled = labelled.certain.length > 0 || labelled.less.length > 0;
  const threshold =
    text === undefined
      ? undefined
      : await findScoreThreshold(ctx, matching, question, {
          best: nearest[0]?.score ?? 0,
          isLabelled,
        });
  const isNear = ({ score }: SubjectHit) => threshold === undefined || score >= threshold;
  const wanted = isLessCertain ? nearest : nearest.filter(isNear);
  const kept = await leaveOutRemoved(ctx, wanted.map(toId), terms);
  const near = new Set(nearest.filter(isNear).map(toId));
  const neighbours = kept.filter((id) => near.has(id));
  const sure = isConse ? await keepEvident(ctx, neighbours, terms) : neighbours;
  const shown = isConse
    ? [...new Set([...labelled.certain, ...sure])]
    : mergeByVectors(nearest, new Set(sure), labelled.certain);
  const isJudged = threshold !== undefined || isConse;
  const isCertain = wholeWords.length > 0 || (isJudged && shown.length > 0);
  const wordHits = isCertain ? wholeWords : await rankBySimilarWords(ctx, matching, words);
  // A rare word that is written there says more than the last part of a compound.
  const isRead = wholeWords.length <= RARE_LIMIT && terms.some(({ isGuess }) => isGuess);
  const read = isRead ? wholeWords.map(({ id }) => id) : [];
  const first = [...new Set([...read, ...fuse(wordHits, shown, added)])];
  if (!isLessCertain && first.length > 0) return first.slice(0, end);
  // Less certain results are better than none beside a person, a place or a date, and where only the colour differs.
  const isWorthLess = isNarrowed(matching) || terms.every(isOptional);
  if (!isLessCertain && isLabelled) return isWorthLess ? labelled.less.slice(0, end) : [];
  // What is likely is better than nothing.
  const likely = isLessCertain || isConse ? await listLikely(ctx, matching, terms, end) : [];
  const others = isLessCertain ? [...labelled.less, ...likely, ...kept] : likely;
  const some = isConse ? await listByAnyTerm(ctx, matching, terms, end) : [];
  return [...new Set([...first, ...others, ...some])].slice(0, end);
}

const isNarrowed = ({ filter, albums }: Matching): boolean =>
  albums !== undefined || Object.keys(filter).some((field) => field !== 'visibility');

const toId = ({ subjectId }: SubjectHit): string => subjectId;

/** Returns those neighbours of which there is evidence of the terms that need any; the others are less certain. */
async function keepEvident(
  ctx: Ctx,
  ids: readonly string[],
  terms: readonly LabelTerm[],
): Promise<readonly string[]> {
  const judged = terms.filter(({ evidence }) => evidence && !evidence.isBroad);
  if (judged.length === 0) return ids;
  const { certain } = await judge(ctx, ids.slice(0, MAX_RANKED), judged);
  return judged.every(isOptional) ? [...certain, ...ids.slice(MAX_RANKED)] : certain;
}

/** Returns the results of the model that is to follow among pictures without a vector of this one. */
async function listAdded(
  ctx: Ctx,
  matching: Matching,
  {
    modelId,
    next,
    isLessCertain,
  }: SemanticQuestion & { readonly next: NonNullable<SemanticQuestion['next']> },
): Promise<readonly string[]> {
  const nearest = await findNearestAssets(ctx, matching, { ...next, k: FUSION_DEPTH });
  const best = nearest[0]?.score ?? 0;
  const threshold = await findScoreThreshold(ctx, matching, next, { best, isLabelled: false });
  const ids = nearest
    .filter(({ score }) => isLessCertain || score >= (threshold ?? Infinity))
    .map(({ subjectId }) => subjectId);
  const known = await readEmbeddings(ctx.db, modelId, ids);
  const older = new Set(known.map(({ subjectId }) => subjectId));
  return ids.filter((id) => !older.has(id));
}

/** The vectors of a model of its own know combinations: with one, labels show all terms or nothing. */
const listByTerms = (
  ctx: Ctx,
  matching: Matching,
  { modelId, terms = [] }: SemanticQuestion,
  end: number,
): Promise<Judged> =>
  modelId === CONSE
    ? listLabelled(ctx, matching, terms, end)
    : listEvident(ctx, matching, terms, Math.max(MAX_RANKED, end));

/** Labelled items are results too, in the order of their vectors where they are among the nearest. */
function mergeByVectors(
  nearest: readonly SubjectHit[],
  neighbours: ReadonlySet<string>,
  labelled: readonly string[],
): readonly string[] {
  // The same ones for each page.
  const near = new Set(labelled.slice(0, MAX_RANKED));
  const ordered = nearest.filter(
    ({ subjectId }, at) => neighbours.has(subjectId) || (at < FUSION_DEPTH && near.has(subjectId)),
  );
  return [...new Set([...ordered.map(({ subjectId }) => subjectId), ...labelled])];
}

/** Leaves out the neighbours of which the owner has said that they do not show a term. */
async function leaveOutRemoved(
  { db }: Ctx,
  ids: readonly string[],
  terms: readonly LabelTerm[] = [],
): Promise<readonly string[]> {
  const { listBroader } = await loadVocabulary();
  const names = terms.flatMap(({ labels }) =>
    labels.flatMap((label) => [toLabelName(label), ...listBroader(label)]),
  );
  const removed = await findRemoved(db, ids, names);
  return removed.size === 0 ? ids : ids.filter((id) => !removed.has(id));
}

function fuse(
  wordHits: readonly WordHit[],
  shown: readonly string[],
  added: readonly string[],
): string[] {
  const scores = new Map<string, number>();
  const add = (id: string, place: number) =>
    scores.set(id, (scores.get(id) ?? 0) + 1 / (RRF_CONSTANT + place));
  for (const [place, { id, penalty }] of wordHits.entries()) add(id, place + penalty);
  for (const list of [shown.slice(0, FUSION_DEPTH), added.filter((id) => !shown.includes(id))])
    for (const [place, id] of list.entries()) add(id, place);
  const head = [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
  return [...head, ...shown.slice(FUSION_DEPTH).filter((id) => !scores.has(id))];
}

async function rankByWholeWords(
  ctx: Ctx,
  matching: Matching,
  words: readonly string[],
  joined: readonly string[],
): Promise<WordHit[]> {
  if (words.length === 0) return [];
  const whole = orJoined(toExactTsquery(words), joined);
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
  const { isWord } = await loadVocabulary();
  // A short word is the beginning of many: 'bar' asks for no Barcelona.
  if (words.some((word) => word.length < MIN_BEGINNING && isWord(word))) return [];
  const all = toPrefixTsquery(words, undefined, TYPED);
  if (all === undefined) return [];
  const found = await rankByWords(ctx, { ...matching, words: all }, { written: all, whole: all });
  const typed = found.length > 0 ? found : await rankByRareWords(ctx, matching, words);
  const hits = typed.length > 0 ? typed : await rankByRecognised(ctx, matching, words);
  return hits.slice(0, RARE_LIMIT).map(({ id }) => ({ id, penalty: GRADE_PENALTIES[2] }));
}

/** By recognised text that begins with the words or is written similarly: a recogniser adds letters, and mistakes some. */
async function rankByRecognised(ctx: Ctx, matching: Matching, words: readonly string[]) {
  const find = (corrections?: ReadonlyMap<string, readonly string[]>) => {
    const read = words
      .map((word) =>
        word.length < MIN_BEGINNING
          ? toExactTsquery([word], RECOGNISED)
          : toPrefixTsquery([word], corrections, RECOGNISED),
      )
      .join(' & ');
    return rankByWords(ctx, { ...matching, words: read }, { written: read, whole: read });
  };
  const found = await find();
  if (found.length > 0) return found;
  const corrections = await findCorrections(ctx, matching, words);
  return corrections.size === 0 ? [] : find(corrections);
}

/** Recognised text counts only if each word occurs somewhere: one of several words tells little. */
async function rankByRareWords(ctx: Ctx, matching: Matching, words: readonly string[]) {
  const toQuery = (word: string, corrections?: ReadonlyMap<string, readonly string[]>) =>
    toPrefixTsquery([word], corrections, TYPED);
  const toWhole = (word: string) => `${toQuery(word)} | ${toExactTsquery([word])}`;
  const counted = await Promise.all(
    words.map(async (word) => {
      const found = { ...matching, words: toWhole(word) };
      return { word, count: await countUpTo(ctx, found, RARE_LIMIT + 1) };
    }),
  );
  const missing = counted.flatMap(({ word, count }) => (count === 0 ? [word] : []));
  const corrections = await findCorrections(ctx, matching, missing);
  const isRare = (word: string, count: number) =>
    corrections.has(word) || (count > 0 && count <= RARE_LIMIT);
  const rareWords = counted.flatMap(({ word, count }) => (isRare(word, count) ? [word] : []));
  if (rareWords.length === 0) return [];
  const areAllKnown = missing.every((word) => corrections.has(word));
  const any = rareWords
    .map((word) =>
      areAllKnown && !corrections.has(word) ? toWhole(word) : toQuery(word, corrections),
    )
    .join(' | ');
  return rankByWords(ctx, { ...matching, words: any }, { written: any, whole: any });
}
