import type { Ctx } from '../../../core/context.ts';
import { badRequest } from '../../../core/errors.ts';
import { EMPTY_PAGE, type FoundPage, listBodies, listPage } from '../domain.ts';
import type { Matching } from '../match/matching.store.ts';
import { rankHybrid, type SemanticQuestion } from './hybrid-ranking.domain.ts';
import { parseQuery, hasQuery } from '../query/query-resolution.domain.ts';
import { tokenizeQuery, resolveSimilarWords } from '../query/spelling-correction.domain.ts';
import type { TextFields } from '../schemas.ts';
import type { SmartSearch } from './smart.schemas.ts';
import { listInOrder } from './smart.store.ts';

const DEFAULT_SIZE = 100;

export type SmartSearchResult = FoundPage & {
  /** Query words without any match. */
  readonly unresolved: readonly string[];
};

/** Ranks by embedding and by words; by words alone while no embedding model is usable. */
export async function searchSmart(
  ctx: Ctx,
  search: SmartSearch & Pick<TextFields, 'lessCertain'>,
): Promise<SmartSearchResult> {
  if (!hasQuery(search)) throw badRequest('Either `query` or `queryAssetId` must be set');
  const parsed = await parseQuery(ctx, search, { scope: 'library' });
  if (!parsed) return EMPTY_RESULT;
  const { matching, question } = parsed;
  return question.by === 'meaning'
    ? listByMeaning(ctx, matching, search, question)
    : listByWords(ctx, matching, search, question.text);
}

const EMPTY_RESULT: SmartSearchResult = { ...EMPTY_PAGE, unresolved: [] };

async function listByMeaning(
  ctx: Ctx,
  matching: Matching,
  { page = 1, size = DEFAULT_SIZE, withExif = false }: SmartSearch,
  question: SemanticQuestion,
): Promise<SmartSearchResult> {
  const ids = await rankHybrid(ctx, matching, question, page * size + 1);
  const query = { ...matching, withExif };
  const names = await listInOrder(ctx, query, ids.slice((page - 1) * size, page * size));
  return {
    items: await listBodies(ctx, query, names),
    nextPage: ids.length > page * size ? String(page + 1) : null,
    nextCursor: null,
    unresolved: [],
  };
}

/** Lists newest first: word matches have no score worth sorting by. */
async function listByWords(
  ctx: Ctx,
  matching: Matching,
  { page = 1, size = DEFAULT_SIZE, withExif = false }: SmartSearch,
  text: string,
): Promise<SmartSearchResult> {
  const list = (words: string) => {
    const query = { field: 'fileCreatedAt', direction: 'desc', words, withExif } as const;
    return listPage(ctx, { ...matching, ...query }, { page, size });
  };
  const { exact, words: queryWords } = tokenizeQuery(text);
  const found = exact === undefined ? EMPTY_RESULT : await list(exact);
  // An existence check costs as much as the page itself.
  if (found.items.length > 0) return { ...found, unresolved: [] };
  const { words, unresolved } = await resolveSimilarWords(ctx, matching, queryWords);
  return words === undefined || words === exact
    ? { ...found, unresolved }
    : { ...(await list(words)), unresolved };
}
