import { visibleAmong } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, noAccess } from '../../core/errors.ts';
import { listPage, responseOf, shown } from './domain.ts';
import { isFiller } from './keywords.ts';
import type { Matching } from './matching.store.ts';
import { closest, meaningModel, vectorOfAsset, vectorOfText } from './meaning.domain.ts';
import { matchingFor } from './query.ts';
import type { SearchResponse } from './schemas.ts';
import type { SmartSearch } from './smart.schemas.ts';
import { hasAny, itemsInOrder } from './smart.store.ts';
import { meantWords } from './spelling.ts';
import { similarWords } from './text.store.ts';
import { isCorrectable, queryOfWords, wordsOf } from './words.ts';

const DEFAULT_SIZE = 100;
/** Further down, nothing has anything to do with the question any more. */
const DEEPEST = 10_000;

export type SmartAnswer = SearchResponse & {
  /** Words that nothing has, where words were searched. */
  readonly unresolved: readonly string[];
};

/** By meaning; by words as long as no model is installed that knows meanings. */
export async function searchSmart(ctx: Ctx, search: SmartSearch): Promise<SmartAnswer> {
  const text = search.query?.trim() ?? '';
  const { queryAssetId } = search;
  if (text === '' && queryAssetId === undefined) {
    throw badRequest('Either `query` or `queryAssetId` must be set');
  }
  if (text === '') await requireVisible(ctx, queryAssetId!);
  const matching = await matchingFor(ctx, search);
  if (!matching) return NOTHING;
  const model = meaningModel(ctx);
  const vector =
    model &&
    (text === ''
      ? await vectorOfAsset(ctx, model, queryAssetId!.toLowerCase())
      : await vectorOfText(ctx, text));
  if (model && vector) return byMeaning(ctx, matching, search, { ...model, vector });
  return text === '' ? NOTHING : byWords(ctx, matching, search, text);
}

async function requireVisible(ctx: Ctx, id: string): Promise<void> {
  const seen = await visibleAmong(ctx.db, ctx.session, [id]);
  if (!seen.has(id.toLowerCase())) throw noAccess('asset.read');
}

const NOTHING: SmartAnswer = { ...responseOf([], null, null), unresolved: [] };

async function byMeaning(
  ctx: Ctx,
  matching: Matching,
  { page = 1, size = DEFAULT_SIZE, withExif = false }: SmartSearch,
  { modelId, vector }: { readonly modelId: string; readonly vector: Float32Array },
): Promise<SmartAnswer> {
  const k = Math.min(DEEPEST, page * size + 1);
  const ids = await closest(ctx, matching, { modelId, vector, k });
  const query = { ...matching, withExif };
  const rows = await itemsInOrder(ctx, query, ids.slice((page - 1) * size, page * size));
  const next = ids.length > page * size ? String(page + 1) : null;
  return { ...responseOf(await shown(ctx, query, rows), next, null), unresolved: [] };
}

/** Newest first: words are there or not. */
async function byWords(
  ctx: Ctx,
  matching: Matching,
  { page = 1, size = DEFAULT_SIZE, withExif = false }: SmartSearch,
  text: string,
): Promise<SmartAnswer> {
  const said = [...new Set(wordsOf(text))];
  const telling = said.filter((word) => !isFiller(word));
  const asked = telling.length > 0 ? telling : said;
  const list = (words: string) =>
    listPage(
      ctx,
      { ...matching, field: 'fileCreatedAt', direction: 'desc', words, withExif },
      { page, size },
    );
  const exact = queryOfWords(asked);
  const found = exact === undefined ? NOTHING : await list(exact);
  if (found.assets.count > 0) return { ...found, unresolved: [] };
  const { words, unresolved } = await meantBy(ctx, matching, asked);
  return words === undefined || words === exact
    ? { ...found, unresolved }
    : { ...(await list(words)), unresolved };
}

/**
 * The words as they are, or, of what matches, words that are written alike. What others have written
 * does not count: that a word is known would tell of it.
 */
async function meantBy(ctx: Ctx, matching: Matching, words: readonly string[]) {
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
