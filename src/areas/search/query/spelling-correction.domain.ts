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
  const all = [...new Set(tokenize(text))];
  const significant = all.filter((word) => !isStopWord(word));
  const words = significant.length > 0 ? significant : all;
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
  const isFound = (word: string) => hasAny(ctx, { ...matching, words: toPrefixTsquery([word])! });
  const isKnown = await Promise.all(words.map(isFound));
  const missing = words.filter((_, index) => !isKnown[index]);
  const corrections = await findCorrections(ctx, matching, missing);
  const unresolved = missing.filter((word) => !corrections.has(word));
  const used = words.filter((word) => !unresolved.includes(word));
  return { words: toPrefixTsquery(used, corrections), unresolved };
}

/** What words that nothing has may have been meant to be. */
export async function findCorrections(
  ctx: Ctx,
  matching: Matching,
  missing: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const similar = await findSimilarWords(ctx.db, missing.filter(isCorrectable));
  const corrections = new Map<string, readonly string[]>();
  for (const word of missing) {
    const candidates = rankCorrections(word, similar.get(word) ?? []);
    const known = await Promise.all(
      candidates.map((one) => hasAny(ctx, { ...matching, words: toPrefixTsquery([one])! })),
    );
    const confirmed = candidates.filter((_, index) => known[index]);
    if (confirmed.length > 0) corrections.set(word, confirmed);
  }
  return corrections;
}
