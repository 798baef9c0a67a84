import { visibleAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { type Capability, CONSE } from '../../../inference/index.ts';
import { noAccess } from '../../../core/errors.ts';
import {
  MAX_RESULTS,
  rankHybrid,
  type SemanticQuestion,
} from '../semantic/hybrid-ranking.domain.ts';
import type { Matching } from '../match/matching.store.ts';
import { selectSemanticModel, findAssetVector, embedText } from '../semantic/embeddings.domain.ts';
import { readTerms } from '../labels/query-terms.ts';
import { toMatching, type MatchingOptions } from '../match/matching.domain.ts';
import type { FilterFields, TextFields } from '../schemas.ts';
import { resolveWords } from './spelling-correction.domain.ts';

export type Question =
  (SemanticQuestion & { readonly by: 'meaning' }) | { readonly by: 'words'; readonly text: string };

const getQueryText = ({ query }: TextFields) => query?.trim() ?? '';

/** Returns whether the body has a text or a picture besides its filters. */
export const hasQuery = (search: TextFields): boolean =>
  getQueryText(search) !== '' || search.queryAssetId !== undefined;

type ParsedQuery = { readonly matching: Matching; readonly question: Question };

/**
 * Resolves filters and text of a search. Undefined when nothing can match, as for a picture that no
 * model has analyzed. Throws 400 `noAccess` for an asset the caller may not see.
 */
export async function parseQuery(
  ctx: Ctx,
  search: FilterFields & TextFields,
  options: MatchingOptions = {},
): Promise<ParsedQuery | undefined> {
  const text = getQueryText(search);
  const likeId = text === '' ? search.queryAssetId?.toLowerCase() : undefined;
  if (likeId !== undefined) await requireVisible(ctx, likeId);
  const matching = await toMatching(ctx, search, options);
  if (!matching) return undefined;
  const model = await selectSemanticModel(ctx, matching);
  const question = model && (await toSemanticQuestion(ctx, model, { text, likeId }, search));
  if (question) return { matching, question: { by: 'meaning', ...question } };
  return text === '' ? undefined : { matching, question: { by: 'words', text } };
}

/** Undefined for a picture that was not analyzed, and while no text can be. */
async function toSemanticQuestion(
  ctx: Ctx,
  model: Capability,
  { text, likeId }: { readonly text: string; readonly likeId: string | undefined },
  { language }: TextFields,
): Promise<SemanticQuestion | undefined> {
  const { modelId } = model;
  if (likeId !== undefined) {
    const vector = await findAssetVector(ctx, model, likeId);
    return vector && { modelId, vector };
  }
  // Other models may know the language of the query.
  const query = modelId === CONSE ? await readTerms(text, language) : undefined;
  const vector = await embedText(ctx, model, query?.english ?? text);
  return vector && { modelId, vector, text, terms: query?.terms };
}

async function requireVisible(ctx: Ctx, id: string): Promise<void> {
  const seen = await visibleAmong(ctx.db, ctx.session, [id]);
  if (!seen.has(id)) throw noAccess('asset.read');
}

/**
 * Returns the set that all pages of the same search list together; undefined when nothing can
 * match.
 */
export async function resolveMatching(
  ctx: Ctx,
  search: FilterFields & TextFields,
): Promise<Matching | undefined> {
  if (!hasQuery(search)) return toMatching(ctx, search);
  const parsed = await parseQuery(ctx, search);
  if (!parsed) return undefined;
  const { matching, question } = parsed;
  if (question.by === 'meaning') {
    return { ...matching, ids: await rankHybrid(ctx, matching, question, MAX_RESULTS) };
  }
  const { words } = await resolveWords(ctx, matching, question.text);
  return words === undefined ? undefined : { ...matching, words };
}
