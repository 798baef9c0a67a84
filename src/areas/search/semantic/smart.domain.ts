import type { Ctx } from '../../../core/context.ts';
import { badRequest } from '../../../core/errors.ts';
import { listPage, responseOf, shown } from '../domain.ts';
import type { Matching } from '../match/matching.store.ts';
import { fusedIds, type Meaningful } from './hybrid-ranking.domain.ts';
import { askedOf, isAsked } from '../query/query-resolution.domain.ts';
import { saidIn, similarMeant } from '../query/spelling-correction.domain.ts';
import type { SearchResponse } from '../schemas.ts';
import type { SmartSearch } from './smart.schemas.ts';
import { itemsInOrder } from './smart.store.ts';

const DEFAULT_SIZE = 100;

export type SmartAnswer = SearchResponse & {
  /** Words that nothing has, where words were searched. */
  readonly unresolved: readonly string[];
};

/** By meaning and by words; by words alone as long as no model is installed that knows meanings. */
export async function searchSmart(ctx: Ctx, search: SmartSearch): Promise<SmartAnswer> {
  if (!isAsked(search)) throw badRequest('Either `query` or `queryAssetId` must be set');
  const asked = await askedOf(ctx, search, { shelf: 'library' });
  if (!asked) return NOTHING;
  const { matching, question } = asked;
  return question.by === 'meaning'
    ? byMeaning(ctx, matching, search, question)
    : byWords(ctx, matching, search, question.text);
}

const NOTHING: SmartAnswer = { ...responseOf([], null, null), unresolved: [] };

async function byMeaning(
  ctx: Ctx,
  matching: Matching,
  { page = 1, size = DEFAULT_SIZE, withExif = false }: SmartSearch,
  question: Meaningful,
): Promise<SmartAnswer> {
  const ids = await fusedIds(ctx, matching, question, page * size + 1);
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
  const list = (words: string) => {
    const query = { field: 'fileCreatedAt', direction: 'desc', words, withExif } as const;
    return listPage(ctx, { ...matching, ...query }, { page, size });
  };
  const { exact, words: said } = saidIn(text);
  const found = exact === undefined ? NOTHING : await list(exact);
  // A look whether there is anything at all costs as much as the page itself.
  if (found.assets.count > 0) return { ...found, unresolved: [] };
  const { words, unresolved } = await similarMeant(ctx, matching, said);
  return words === undefined || words === exact
    ? { ...found, unresolved }
    : { ...(await list(words)), unresolved };
}
