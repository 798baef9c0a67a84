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
 * Minimum cosine similarity of two centroids: below it, two people are hardly ever one. Two faces of one person are
 * seldom less alike, and centroids, without what differs between pictures, are more alike than faces.
 */
export const MIN_LIKELY_SIMILARITY = 0.45;

/**
 * Sorts people by similarity to the person or to a face on the asset; people without vectors come
 * last. `likelyOnly` leaves out those below the minimum, and without vectors.
 */
export async function rankBySimilarity(
  ctx: Ctx,
  listed: readonly ListedPerson[],
  { closestPersonId, closestAssetId, likelyOnly }: PeopleFilter,
): Promise<ListedPerson[]> {
  const modelId = await getFaceModel(ctx);
  if (!modelId && likelyOnly) return [];
  if (!modelId) return listed.toSorted(compareFaceCounts);
  const own = closestPersonId?.toLowerCase();
  const ids = listed.map((person) => person.id);
  const vectors = await getPersonVectors(ctx.db, modelId, own ? [...new Set([...ids, own])] : ids);
  const ownVector = own === undefined ? undefined : vectors.get(own);
  const targets = [
    ...(ownVector ? [ownVector] : []),
    ...(closestAssetId ? await listFaceVectors(ctx.db, modelId, closestAssetId) : []),
  ];
  const scored = listed.map((person) => {
    const vector = vectors.get(person.id);
    if (!vector || targets.length === 0) return { person, score: -1 };
    return { person, score: Math.max(...targets.map((target) => dot(vector, target))) };
  });
  const minimum = likelyOnly ? MIN_LIKELY_SIMILARITY : -1;
  return scored
    .filter(({ score }) => score >= minimum)
    .sort((a, b) => b.score - a.score || compareFaceCounts(a.person, b.person))
    .map(({ person }) => person);
}

const compareFaceCounts = (one: ListedPerson, other: ListedPerson) =>
  other.faces - one.faces || (one.id < other.id ? -1 : 1);
