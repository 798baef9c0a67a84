import type { Ctx } from '../../../core/context.ts';
import { isFiller } from './keywords.ts';
import type { Matching } from '../match/matching.store.ts';
import { hasAny } from '../semantic/smart.store.ts';
import { meantWords } from './spelling.ts';
import { similarWords } from '../match/text.store.ts';
import { isCorrectable, queryOfWords, wordsOf } from '../match/words.ts';

// The words of a question, and what may be meant by them.

type Meant = {
  /** A tsquery; undefined: nothing is found. */
  readonly words: string | undefined;
  readonly unresolved: readonly string[];
};

export type Said = {
  /** All of the words as they are; undefined: there are none. */
  readonly exact: string | undefined;
  readonly words: readonly string[];
};

export function saidIn(text: string): Said {
  const said = [...new Set(wordsOf(text))];
  const telling = said.filter((word) => !isFiller(word));
  const words = telling.length > 0 ? telling : said;
  return { exact: queryOfWords(words), words };
}

/** The words as they are, if anything that matches has them all; else what may be meant by them. */
export async function wordsMeant(ctx: Ctx, matching: Matching, text: string): Promise<Meant> {
  const { exact, words } = saidIn(text);
  const isFound = exact !== undefined && (await hasAny(ctx, { ...matching, words: exact }));
  return isFound ? { words: exact, unresolved: [] } : similarMeant(ctx, matching, words);
}

/**
 * Instead of words that nothing has, words that are written alike, of what matches. What others have
 * written does not count: that a word is known would tell of it.
 */
export async function similarMeant(
  ctx: Ctx,
  matching: Matching,
  words: readonly string[],
): Promise<Meant> {
  const isThere = (word: string) => hasAny(ctx, { ...matching, words: queryOfWords([word])! });
  const there = await Promise.all(words.map(isThere));
  const missing = words.filter((_, index) => !there[index]);
  const meant = await correctionsOf(ctx, matching, missing);
  const unresolved = missing.filter((word) => !meant.has(word));
  const used = words.filter((word) => !unresolved.includes(word));
  return { words: queryOfWords(used, meant), unresolved };
}

/** What words that nothing has may have been meant to be. */
export async function correctionsOf(
  ctx: Ctx,
  matching: Matching,
  missing: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const similar = await similarWords(ctx.db, missing.filter(isCorrectable));
  const meant = new Map<string, readonly string[]>();
  for (const word of missing) {
    const written = meantWords(word, similar.get(word) ?? []);
    const known = await Promise.all(
      written.map((one) => hasAny(ctx, { ...matching, words: queryOfWords([one])! })),
    );
    const own = written.filter((_, index) => known[index]);
    if (own.length > 0) meant.set(word, own);
  }
  return meant;
}
