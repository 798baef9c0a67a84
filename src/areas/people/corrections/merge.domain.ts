import { requireUser } from '../../../access/scope.ts';
import { toBulkResults } from '../../../core/bulk-results.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, noAccess } from '../../../core/errors.ts';
import type { PersonRow } from '../../../db/tables/people.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { BulkIdResult } from '../../../http/schemas.ts';
import { listPeopleIds, listClusterPartners, mergeInto } from './merge.store.ts';
import { enqueuePersonThumbnails } from '../thumbnail/render.domain.ts';
import { getFaceModel } from '../clustering/similarity.domain.ts';
import { dot } from '../../../inference/index.ts';
import { getPersonVectors } from '../clustering/similarity.store.ts';
import { lockPeople } from '../store.ts';

/** Merges people into the first one. Returns one result for each of the others, in order. */
export async function mergePeople(ctx: Ctx, ids: readonly string[]): Promise<BulkIdResult[]> {
  const session = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const found = await lockPeople(ctx.db, session, ids);
    const [first = '', ...others] = ids.map((id) => id.toLowerCase());
    const survivor = found.get(first);
    if (!survivor) throw noAccess('person.merge');
    const getError = (id: string) => (found.has(id) ? undefined : 'no_permission');
    const [, ...results] = toBulkResults([first, ...others], 'duplicate', getError);
    const merged = results.flatMap(({ id, success }) => (success ? (found.get(id) ?? []) : []));
    if (merged.length > 0) await mergeLockedPeople(ctx, survivor, merged);
    return results;
  });
}

/** Variant of older clients: the id in the path is the survivor. */
export async function mergeIntoPerson(
  ctx: Ctx,
  id: string,
  ids: readonly string[],
): Promise<BulkIdResult[]> {
  if (ids.some((other) => other.toLowerCase() === id.toLowerCase())) {
    throw badRequest('Cannot merge a person into themselves');
  }
  return mergePeople(ctx, [id, ...ids]);
}

/** Merges people that the caller's transaction has locked. */
export async function mergeLockedPeople(
  ctx: Ctx,
  survivor: PersonRow,
  merged: readonly PersonRow[],
): Promise<void> {
  // Searched before the merge: afterwards, all of them are one.
  const counterparts = await findSamePeopleElsewhere(ctx, survivor, merged);
  const mergedPerson = await mergeInto(ctx.db, survivor, merged, ctx.now());
  await enqueuePersonThumbnails(ctx.db, [survivor.id]);
  for (const group of counterparts) {
    const [first, ...others] = group;
    if (!first || others.length === 0 || hasConflictingNames([mergedPerson, ...group])) continue;
    await mergeInto(ctx.db, first, others, ctx.now());
    await enqueuePersonThumbnails(ctx.db, [first.id]);
  }
}

/** Minimum cosine similarity of centroids in two accounts to be the same person. */
const MIN_SAME_PERSON_SIMILARITY = 0.6;

/**
 * Returns the same people in the other accounts of the cluster group, locked; the survivor's
 * counterpart first.
 */
async function findSamePeopleElsewhere(
  ctx: Ctx,
  survivor: PersonRow,
  merged: readonly PersonRow[],
): Promise<PersonRow[][]> {
  const { userId } = requireUser(ctx.session);
  const accounts = await listClusterPartners(ctx.db, userId);
  const modelId = accounts.length > 0 ? await getFaceModel(ctx) : undefined;
  if (!modelId) return [];
  const wanted = [survivor, ...merged].map((person) => person.id);
  const own = await getPersonVectors(ctx.db, modelId, wanted);
  const groups: PersonRow[][] = [];
  for (const account of accounts) {
    const ids = await listPeopleIds(ctx.db, account);
    const theirs = await getPersonVectors(ctx.db, modelId, ids);
    const matches = wanted.flatMap((id) => findClosest(own.get(id), theirs) ?? []);
    const locked = await lockPeople(ctx.db, { userId: account, unlocked: true }, matches);
    groups.push([...new Set(matches)].flatMap((id) => locked.get(id) ?? []));
  }
  return groups;
}

function findClosest(
  vector: Float32Array | undefined,
  candidates: ReadonlyMap<string, Float32Array>,
): string | undefined {
  if (!vector) return undefined;
  const [best] = [...candidates]
    .map(([id, other]) => ({ id, score: dot(vector, other) }))
    .toSorted((one, other) => other.score - one.score);
  return best && best.score >= MIN_SAME_PERSON_SIMILARITY ? best.id : undefined;
}

/** Returns whether two of them have different names or birth dates. */
function hasConflictingNames(all: readonly PersonRow[]): boolean {
  const names = new Set(all.flatMap(({ name }) => (name === '' ? [] : [name])));
  const dates = new Set(all.flatMap(({ birthDate }) => birthDate ?? []));
  return names.size > 1 || dates.size > 1;
}
