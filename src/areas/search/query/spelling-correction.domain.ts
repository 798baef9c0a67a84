import type { Ctx } from '../../../core/context.ts';
import { loadVocabulary } from '../labels/vocabulary.ts';
import { isStopWord } from '../labels/function-words.ts';
import type { Matching } from '../match/matching.store.ts';
import { hasAny } from '../match/existence.store.ts';
import { rankCorrections } from '../../../core/edit-distance.ts';
import { findSimilarWords } from '../match/text-index.store.ts';
import {
  isCorrectable,
  joinCutWords,
  orJoined,
  toPrefixTsquery,
  tokenize,
} from '../match/words.ts';

// Words of a query and their corrections.

type ResolvedWords = {
  /** A tsquery; undefined when nothing can match. */
  readonly words: string | undefined;
  readonly unresolved: readonly string[];
};

export type QueryWords = {
  /** A tsquery of all words as typed; undefined without words. */
  readonly exact: string | undefined;
  readonly words: readonly string[];
  /** The words as a recogniser may have read them: as one. */
  readonly joined: readonly string[];
};

/** Words of a query that may be one on a sign: 'Koeln Messe'. */
const MAX_JOINED_WORDS = 3;
const MIN_JOINED_LETTERS = 5;

export function tokenizeQuery(text: string): QueryWords {
  const all = [...new Set(tokenize(text))];
  const significant = all.filter((word) => !isStopWord(word));
  const words = significant.length > 0 ? significant : all;
  const whole = all.length > 1 && all.length <= MAX_JOINED_WORDS ? all.join('') : '';
  const joined = [...joinCutWords(text), ...(whole.length >= MIN_JOINED_LETTERS ? [whole] : [])];
  const exact = toPrefixTsquery(words);
  return {
    exact: exact === undefined ? undefined : orJoined(exact, joined),
    words,
    joined: [...new Set(joined)],
  };
}

/** Returns the words as typed if any item has them all, else with corrections. */
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
 * Replaces words without a match by similarly written ones that occur among the matching items.
 * Words of other accounts do not count: a correction would reveal them.
 */
export async function resolveSimilarWords(
  ctx: Ctx,
  matching: Matching,
  words: readonly string[],
): Promise<ResolvedWords> {
  const isFound = (word: string) => hasAny(ctx, { ...matching, words: toPrefixTsquery([word]) });
  const isKnown = await Promise.all(words.map(isFound));
  const missing = words.filter((_, index) => !isKnown[index]);
  const corrections = await findCorrections(ctx, matching, missing);
  const unresolved = missing.filter((word) => !corrections.has(word));
  const used = words.filter((word) => !unresolved.includes(word));
  return { words: toPrefixTsquery(used, corrections), unresolved };
}

/** Returns corrections that occur among the matching items, by misspelled word: none of a word of a language. */
export async function findCorrections(
  ctx: Ctx,
  matching: Matching,
  missing: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { isWord } = await loadVocabulary();
  const misspelled = missing.filter((word) => isCorrectable(word) && !isWord(word));
  const similar = await findSimilarWords(ctx.db, misspelled);
  const corrections = new Map<string, readonly string[]>();
  for (const word of misspelled) {
    const candidates = rankCorrections(word, similar.get(word) ?? []);
    const known = await Promise.all(
      candidates.map((one) => hasAny(ctx, { ...matching, words: toPrefixTsquery([one]) })),
    );
    const confirmed = candidates.filter((_, index) => known[index]);
    if (confirmed.length > 0) corrections.set(word, confirmed);
  }
  return corrections;
}
