import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { dot, getCapabilities } from '../../../inference/index.ts';
import type { PeopleFilter } from '../schemas.ts';
import { findNewestFaceModel, getPersonVectors, listFaceVectors } from './similarity.store.ts';
import type { ListedPerson } from '../store.ts';

/** Returns the model whose face vectors are compared; undefined without face vectors. */
export const getFaceModel = async (ctx: Ctx): Promise<string | undefined> =>
  getCapabilities(ctx.settings).faces?.modelId ??
  (await findNewestFaceModel(ctx.db, requireUser(ctx.session).userId));

/**
 * Sorts people by similarity to the person or to a face on the asset; people without vectors come
 * last.
 */
export async function rankBySimilarity(
  ctx: Ctx,
  listed: readonly ListedPerson[],
  { closestPersonId, closestAssetId }: PeopleFilter,
): Promise<ListedPerson[]> {
  const modelId = await getFaceModel(ctx);
  if (!modelId) return listed.toSorted(compareFaceCounts);
  const own = closestPersonId?.toLowerCase();
  const ids = listed.map((person) => person.id);
  const vectors = await getPersonVectors(ctx.db, modelId, own ? [...new Set([...ids, own])] : ids);
  const targets = [
    ...(own && vectors.has(own) ? [vectors.get(own)!] : []),
    ...(closestAssetId ? await listFaceVectors(ctx.db, modelId, closestAssetId) : []),
  ];
  const scores = new Map(
    ids.map((id) => {
      const vector = vectors.get(id);
      if (!vector || targets.length === 0) return [id, -1];
      return [id, Math.max(...targets.map((target) => dot(vector, target)))];
    }),
  );
  return listed.toSorted(
    (one, other) => scores.get(other.id)! - scores.get(one.id)! || compareFaceCounts(one, other),
  );
}

const compareFaceCounts = (one: ListedPerson, other: ListedPerson) =>
  other.faces - one.faces || (one.id < other.id ? -1 : 1);
