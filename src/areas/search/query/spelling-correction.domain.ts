import type { Ctx } from '../../../core/context.ts';
import { isStopWord } from './keywords.ts';
import type { Matching } from '../match/matching.store.ts';
import { hasAny } from '../semantic/smart.store.ts';
import { rankCorrections } from './edit-distance.ts';
import { findSimilarWords } from '../match/text-index.store.ts';
import { isCorrectable, toPrefixTsquery, tokenize } from '../match/words.ts';

// The words of a question, and what may be meant by them.

type ResolvedWords = {
  /** A tsquery; undefined: nothing is found. */
  readonly words: string | undefined;
  readonly unresolved: readonly string[];
};

export type QueryWords = {
  /** All of the words as they are; undefined: there are none. */
  readonly exact: string | undefined;
  readonly words: readonly string[];
};

export function tokenizeQuery(text: string): QueryWords {
  const said = [...new Set(tokenize(text))];
  const telling = said.filter((word) => !isStopWord(word));
  const words = telling.length > 0 ? telling : said;
  return { exact: toPrefixTsquery(words), words };
}

/** The words as they are, if anything that matches has them all; else what may be meant by them. */
export async function resolveWords(
  ctx: Ctx,
  matching: Matching,
  text: string,
): Promise<ResolvedWords> {
  const { exact, words } = tokenizeQuery(text);
  const isFound = exact !== undefined && (await hasAny(ctx, { ...matching, words: exact }));
  return isFound ? { words: exact, unresolved: [] } : resolveSimilarWords(ctx, matching, words);
}

/**
 * Instead of words that nothing has, words that are written alike, of what matches. What others have
 * written does not count: that a word is known would tell of it.
 */
export async function resolveSimilarWords(
  ctx: Ctx,
  matching: Matching,
  words: readonly string[],
): Promise<ResolvedWords> {
  const isThere = (word: string) => hasAny(ctx, { ...matching, words: toPrefixTsquery([word])! });
  const there = await Promise.all(words.map(isThere));
  const missing = words.filter((_, index) => !there[index]);
  const meant = await findCorrections(ctx, matching, missing);
  const unresolved = missing.filter((word) => !meant.has(word));
  const used = words.filter((word) => !unresolved.includes(word));
  return { words: toPrefixTsquery(used, meant), unresolved };
}

/** What words that nothing has may have been meant to be. */
export async function findCorrections(
  ctx: Ctx,
  matching: Matching,
  missing: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const similar = await findSimilarWords(ctx.db, missing.filter(isCorrectable));
  const meant = new Map<string, readonly string[]>();
  for (const word of missing) {
    const written = rankCorrections(word, similar.get(word) ?? []);
    const known = await Promise.all(
      written.map((one) => hasAny(ctx, { ...matching, words: toPrefixTsquery([one])! })),
    );
    const own = written.filter((_, index) => known[index]);
    if (own.length > 0) meant.set(word, own);
  }
  return meant;
}
