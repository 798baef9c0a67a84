import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import {
  isCorrectable,
  isStopWord,
  rankCorrections,
  toPrefixTsquery,
  findSimilarWords,
  tokenize,
} from '../search/index.ts';
import { MAX_MATCHES, toMatch } from './moment-match.ts';
import type { MomentMatch } from './schemas.ts';
import * as store from './search.store.ts';

/** A word that is there says more than any likeness: that one stays below, this one above. */
export const WORDS_SCORE = 0.6;

/** By what the match is told apart from others. */
export type Found = readonly [key: string, MomentMatch];

/**
 * Moments by the words of captions, titles and typed transcripts, and by what is said: each line is a
 * moment of its own, for in a long talk nothing but the words changes. Words that nothing has are taken
 * for slips of what the caller's own videos have.
 */
export async function findByText(ctx: Ctx, text: string, among: store.Among): Promise<Found[]> {
  const asked = tellingWords(text);
  const found = await find(ctx, asked, new Map(), among);
  if (found.length > 0) return found;
  const meant = await meantBy(ctx, asked, among);
  return meant ? find(ctx, asked, meant, among) : [];
}

/** 'a dog on the beach' is about a dog and a beach. */
function tellingWords(query: string): string[] {
  const said = [...new Set(tokenize(query))];
  const telling = said.filter((word) => !isStopWord(word));
  return telling.length > 0 ? telling : said;
}

type Meant = ReadonlyMap<string, readonly string[]>;

const readerOf = (ctx: Ctx): store.Reader => ({ db: ctx.db, session: requireUser(ctx.session) });

/** What the machine has heard belongs to no moment by hand. */
const isSpoken = ({ kinds }: store.Among) => !kinds || kinds.includes('generated');

async function find(
  ctx: Ctx,
  words: readonly string[],
  meant: Meant,
  among: store.Among,
): Promise<Found[]> {
  const query = toPrefixTsquery(words, meant);
  if (query === undefined) return [];
  const reader = readerOf(ctx);
  const moments = await store.findByWords(reader, query, among, MAX_MATCHES);
  const lines = isSpoken(among) ? await store.findSpoken(reader, query, among, MAX_MATCHES) : [];
  const all = [...words, ...[...meant.values()].flat()];
  return [
    ...moments.map((row): Found => [row.momentId ?? '', matchOf(row, all)]),
    ...lines.map((row): Found => [row.lineId, toMatch(row, scoreOf(row.rank), ['transcript'])]),
  ];
}

function matchOf(row: store.MatchRow & { readonly rank: number }, words: readonly string[]) {
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
  return toMatch({ ...row, transcript }, scoreOf(row.rank), by);
}

const scoreOf = (rank: number) => WORDS_SCORE + (1 - WORDS_SCORE) * Math.min(1, rank);

/**
 * Words that are written like those that are nowhere. Only what the caller's own videos say counts:
 * that a word is known would tell of what others have. Undefined: one of them means nothing.
 */
async function meantBy(
  ctx: Ctx,
  words: readonly string[],
  among: store.Among,
): Promise<Meant | undefined> {
  const reader = readerOf(ctx);
  const isThere = (word: string) =>
    store.hasWords(reader, toPrefixTsquery([word])!, among, isSpoken(among));
  const meant = new Map<string, readonly string[]>();
  for (const word of words) {
    if (await isThere(word)) continue;
    const similar = isCorrectable(word) ? await findSimilarWords(ctx.db, [word]) : undefined;
    const own: string[] = [];
    for (const written of rankCorrections(word, similar?.get(word) ?? [])) {
      if (await isThere(written)) own.push(written);
    }
    if (own.length === 0) return undefined;
    meant.set(word, own);
  }
  return meant.size > 0 ? meant : undefined;
}
