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
import { selectSemanticModels, findAssetVector, embedText } from '../semantic/embeddings.domain.ts';
import { addOwnLabels } from '../labels/own-terms.domain.ts';
import { isWhollyLabelled, readTerms } from '../labels/query-terms.ts';
import { toLabelTsquery } from '../match/words.ts';
import { toMatching, type MatchingOptions } from '../match/matching.domain.ts';
import type { FilterFields } from '../match/filter-fields.schemas.ts';
import type { TextFields } from '../schemas.ts';
import { resolveWords } from './spelling-correction.domain.ts';

export type Question =
  (SemanticQuestion & { readonly by: 'meaning' }) | { readonly by: 'words'; readonly text: string };

const getQueryText = ({ query }: TextFields) => query?.trim() ?? '';

/** Returns whether the body has a text or a picture besides its filters. */
export const hasQuery = (search: TextFields): boolean =>
  getQueryText(search) !== '' || search.queryAssetId !== undefined;

type ParsedQuery = { readonly matching: Matching; readonly question: Question };

const IN_LATIN = /\p{sc=Latin}|\p{Extended_Pictographic}|\p{N}/u;

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
  if (likeId !== undefined) return likePicture(ctx, matching, likeId);
  if (text === '') return undefined;
  const query = await addOwnLabels(ctx, matching, await readTerms(text, search.language));
  const unlike = query.excluded.length > 0 ? toLabelTsquery(query.excluded) : undefined;
  const rest = unlike ? { ...matching, unlike } : matching;
  const models = await selectSemanticModels(ctx, matching);
  // Other models may know the language of the query.
  const embed = async (model: Capability | undefined) => {
    const isConse = model?.modelId === CONSE;
    // The default model knows English: what is left in another script says nothing to it.
    if (!model || (isConse && !IN_LATIN.test(query.english))) return undefined;
    return embedText(ctx, model, isConse ? query.english : query.text);
  };
  const [vector, nextVector] = await Promise.all([embed(models?.model), embed(models?.next)]);
  if (!models || !vector) return { matching: rest, question: { by: 'words', text: query.text } };
  const { modelId } = models.model;
  const terms = modelId === CONSE || isWhollyLabelled(query) ? query.terms : undefined;
  return {
    matching: rest,
    question: {
      by: 'meaning',
      modelId,
      vector,
      text: query.text,
      terms,
      isLessCertain: search.lessCertain,
      next:
        models.next && nextVector
          ? { modelId: models.next.modelId, vector: nextVector }
          : undefined,
    },
  };
}

async function likePicture(
  ctx: Ctx,
  matching: Matching,
  assetId: string,
): Promise<ParsedQuery | undefined> {
  const models = await selectSemanticModels(ctx, matching);
  // A new picture has a vector of the model only that is to follow.
  for (const model of [models?.model, models?.next]) {
    const vector = model && (await findAssetVector(ctx, model, assetId));
    if (vector) return { matching, question: { by: 'meaning', modelId: model.modelId, vector } };
  }
  return undefined;
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
