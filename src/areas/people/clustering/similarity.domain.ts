import { asUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { capabilitiesOf } from '../../../inference/index.ts';
import type { PeopleFilter } from '../schemas.ts';
import { cosine, newestFaceModel, personVectors, vectorsOfAsset } from './similarity.store.ts';
import type { Listed } from '../store.ts';

/** The model whose vectors of faces are compared; undefined when there are none. */
export const faceModel = async (ctx: Ctx): Promise<string | undefined> =>
  capabilitiesOf(ctx.settings).faces?.modelId ??
  (await newestFaceModel(ctx.db, asUser(ctx.session).userId));

/** Those most similar to the person or to one of the faces of the asset first; the rest last. */
export async function byCloseness(
  ctx: Ctx,
  listed: readonly Listed[],
  { closestPersonId, closestAssetId }: PeopleFilter,
): Promise<Listed[]> {
  const modelId = await faceModel(ctx);
  if (!modelId) return listed.toSorted(byFaces);
  const own = closestPersonId?.toLowerCase();
  const ids = listed.map((person) => person.id);
  const vectors = await personVectors(ctx.db, modelId, own ? [...new Set([...ids, own])] : ids);
  const targets = [
    ...(own && vectors.has(own) ? [vectors.get(own)!] : []),
    ...(closestAssetId ? await vectorsOfAsset(ctx.db, modelId, closestAssetId) : []),
  ];
  const scores = new Map(
    ids.map((id) => {
      const vector = vectors.get(id);
      if (!vector || targets.length === 0) return [id, -1];
      return [id, Math.max(...targets.map((target) => cosine(vector, target)))];
    }),
  );
  return listed.toSorted(
    (one, other) => scores.get(other.id)! - scores.get(one.id)! || byFaces(one, other),
  );
}

const byFaces = (one: Listed, other: Listed) =>
  other.faces - one.faces || (one.id < other.id ? -1 : 1);
