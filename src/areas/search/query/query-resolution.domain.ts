import { visibleAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess } from '../../../core/errors.ts';
import { DEEPEST, fusedIds, type Meaningful } from '../semantic/hybrid-ranking.domain.ts';
import type { Matching } from '../match/matching.store.ts';
import { meaningModel, vectorOfAsset, vectorOfText } from '../semantic/embeddings.domain.ts';
import { matchingFor, type Options } from '../match/query.ts';
import type { FilterFields, TextFields } from '../schemas.ts';
import { wordsMeant } from './spelling-correction.domain.ts';

export type Question =
  (Meaningful & { readonly by: 'meaning' }) | { readonly by: 'words'; readonly text: string };

const textOf = ({ query }: TextFields) => query?.trim() ?? '';

/** Whether the body has more than filters. */
export const isAsked = (search: TextFields): boolean =>
  textOf(search) !== '' || search.queryAssetId !== undefined;

type Asked = { readonly matching: Matching; readonly question: Question };

/** Undefined: nothing can be found, as by a picture that no model has looked at. */
export async function askedOf(
  ctx: Ctx,
  search: FilterFields & TextFields,
  options: Options = {},
): Promise<Asked | undefined> {
  const text = textOf(search);
  const likeId = text === '' ? search.queryAssetId?.toLowerCase() : undefined;
  if (likeId !== undefined) await requireVisible(ctx, likeId);
  const matching = await matchingFor(ctx, search, options);
  if (!matching) return undefined;
  const model = await meaningModel(ctx, matching);
  const vector =
    model &&
    (likeId === undefined
      ? await vectorOfText(ctx, model, text)
      : await vectorOfAsset(ctx, model, likeId));
  if (model && vector) {
    const said = text === '' ? undefined : text;
    return { matching, question: { by: 'meaning', modelId: model.modelId, vector, text: said } };
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
    return { ...matching, ids: await fusedIds(ctx, matching, question, DEEPEST) };
  }
  const { words } = await wordsMeant(ctx, matching, question.text);
  return words === undefined ? undefined : { ...matching, words };
}
