import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import {
  isCorrectable,
  isStopWord,
  rankCorrections,
  toPrefixTsquery,
  findSimilarWords,
  tokenize,
} from '../../search/index.ts';
import { MAX_MATCHES, toMatch } from './moment-match.ts';
import type { MomentMatch } from '../schemas.ts';
import * as store from './search.store.ts';

/** Minimum score of word matches; semantic matches stay below it. */
export const WORDS_SCORE = 0.6;

/** Matches by their key (moment, frame or line). */
export type KeyedMatch = readonly [key: string, MomentMatch];

/**
 * Finds moments by the words of captions, titles and transcripts; each spoken line is a match of
 * its own. Words without a match are corrected by the caller's own videos.
 */
export async function findByText(
  ctx: Ctx,
  text: string,
  filter: store.SearchFilter,
): Promise<KeyedMatch[]> {
  const words = tokenizeQuery(text);
  const found = await findMatches(ctx, words, new Map(), filter);
  if (found.length > 0) return found;
  const corrections = await findCorrections(ctx, words, filter);
  return corrections ? findMatches(ctx, words, corrections, filter) : [];
}

/** Returns the words without stop words: 'a dog on the beach' is about a dog and a beach. */
function tokenizeQuery(query: string): string[] {
  const all = [...new Set(tokenize(query))];
  const significant = all.filter((word) => !isStopWord(word));
  return significant.length > 0 ? significant : all;
}

type Corrections = ReadonlyMap<string, readonly string[]>;

const toReader = (ctx: Ctx): store.Reader => ({ db: ctx.db, session: requireUser(ctx.session) });

/** Transcribed speech belongs to generated moments only. */
const includesSpeech = ({ kinds }: store.SearchFilter) => !kinds || kinds.includes('generated');

async function findMatches(
  ctx: Ctx,
  words: readonly string[],
  corrections: Corrections,
  filter: store.SearchFilter,
): Promise<KeyedMatch[]> {
  const query = toPrefixTsquery(words, corrections);
  if (query === undefined) return [];
  const reader = toReader(ctx);
  const moments = await store.findByWords(reader, query, filter, MAX_MATCHES);
  const lines = includesSpeech(filter)
    ? await store.findInSpeech(reader, query, filter, MAX_MATCHES)
    : [];
  const all = [...words, ...[...corrections.values()].flat()];
  return [
    ...moments.map((row): KeyedMatch => [row.momentId ?? '', toMomentMatch(row, all)]),
    ...lines.map((row): KeyedMatch => [
      row.lineId,
      toMatch(row, toScore(row.rank), ['transcript']),
    ]),
  ];
}

function toMomentMatch(row: store.MatchRow & { readonly rank: number }, words: readonly string[]) {
  const isIn = (text: string | null) => {
    const there = tokenize(text ?? '');
    return words.some((word) => there.some((one) => one.startsWith(word)));
  };
  const isCaption = isIn(row.caption) || isIn(row.title);
  const isTranscript = isIn(row.transcript);
  const by: MomentMatch['matchedBy'] = [
    ...(isCaption ? (['caption'] as const) : []),
    ...(isTranscript ? (['transcript'] as const) : []),
  ];
  const transcript = isTranscript ? row.transcript : null;
  return toMatch({ ...row, transcript }, toScore(row.rank), by);
}

const toScore = (rank: number) => WORDS_SCORE + (1 - WORDS_SCORE) * Math.min(1, rank);

/**
 * Returns corrections of words without a match, from the caller's own videos: others would be
 * revealed. Undefined when a word has no correction.
 */
async function findCorrections(
  ctx: Ctx,
  words: readonly string[],
  filter: store.SearchFilter,
): Promise<Corrections | undefined> {
  const reader = toReader(ctx);
  const isThere = (word: string) =>
    store.hasMatch(reader, toPrefixTsquery([word]), filter, includesSpeech(filter));
  const corrections = new Map<string, readonly string[]>();
  for (const word of words) {
    if (await isThere(word)) continue;
    const similar = isCorrectable(word) ? await findSimilarWords(ctx.db, [word]) : undefined;
    const own: string[] = [];
    for (const written of rankCorrections(word, similar?.get(word) ?? [])) {
      if (await isThere(written)) own.push(written);
    }
    if (own.length === 0) return undefined;
    corrections.set(word, own);
  }
  return corrections.size > 0 ? corrections : undefined;
}
