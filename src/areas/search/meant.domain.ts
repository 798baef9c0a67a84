import { visibleAmong } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { isFiller } from './keywords.ts';
import type { Matching } from './matching.store.ts';
import { closest, meaningModel, vectorOfAsset, vectorOfText } from './meaning.domain.ts';
import { matchingFor } from './query.ts';
import type { FilterFields, TextFields } from './schemas.ts';
import { hasAny } from './smart.store.ts';
import { meantWords } from './spelling.ts';
import { similarWords } from './text.store.ts';
import { isCorrectable, queryOfWords, wordsOf } from './words.ts';

/** Further down, nothing has anything to do with the question any more. */
export const DEEPEST = 10_000;

export type Question =
  | { readonly by: 'meaning'; readonly modelId: string; readonly vector: Float32Array }
  | { readonly by: 'words'; readonly text: string };

const textOf = ({ query }: TextFields) => query?.trim() ?? '';

/** Whether the body has more than filters. */
export const isAsked = (search: TextFields): boolean =>
  textOf(search) !== '' || search.queryAssetId !== undefined;

type Asked = { readonly matching: Matching; readonly question: Question };

/** Undefined: nothing can be found, as by a picture that no model has looked at. */
export async function askedOf(
  ctx: Ctx,
  search: FilterFields & TextFields,
): Promise<Asked | undefined> {
  const text = textOf(search);
  const likeId = text === '' ? search.queryAssetId?.toLowerCase() : undefined;
  if (likeId !== undefined) await requireVisible(ctx, likeId);
  const matching = await matchingFor(ctx, search);
  if (!matching) return undefined;
  const model = meaningModel(ctx);
  const vector =
    model &&
    (likeId === undefined
      ? await vectorOfText(ctx, text)
      : await vectorOfAsset(ctx, model, likeId));
  if (model && vector) {
    return { matching, question: { by: 'meaning', modelId: model.modelId, vector } };
  }
  return text === '' ? undefined : { matching, question: { by: 'words', text } };
}

async function requireVisible(ctx: Ctx, id: string): Promise<void> {
  const seen = await visibleAmong(ctx.db, ctx.session, [id]);
  if (!seen.has(id)) throw noAccess('asset.read');
}

/** What the listing of the same body goes through, from its first page to its last. */
export async function matchingOfSearch(
  ctx: Ctx,
  search: FilterFields & TextFields,
): Promise<Matching | undefined> {
  if (!isAsked(search)) return matchingFor(ctx, search);
  const asked = await askedOf(ctx, search);
  if (!asked) return undefined;
  const { matching, question } = asked;
  if (question.by === 'meaning') {
    return { ...matching, ids: await closest(ctx, matching, { ...question, k: DEEPEST }) };
  }
  const { words } = await wordsMeant(ctx, matching, question.text);
  return words === undefined ? undefined : { ...matching, words };
}

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
async function wordsMeant(ctx: Ctx, matching: Matching, text: string): Promise<Meant> {
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
  const similar = await similarWords(ctx.db, missing.filter(isCorrectable));
  const meant = new Map<string, readonly string[]>();
  for (const word of missing) {
    const written = meantWords(word, similar.get(word) ?? []);
    const known = await Promise.all(written.map(isThere));
    const own = written.filter((_, index) => known[index]);
    if (own.length > 0) meant.set(word, own);
  }
  const unresolved = missing.filter((word) => !meant.has(word));
  const used = words.filter((word) => !unresolved.includes(word));
  return { words: queryOfWords(used, meant), unresolved };
}
