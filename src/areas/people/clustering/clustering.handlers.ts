import { requireValue } from '../../../core/required.ts';
import type { Effect, JobHandler, JobCtx } from '../../../jobs/define.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { type Hit, readEmbeddings, getVectorIndex } from '../../../inference/index.ts';
import {
  clusterFaces as clusterTogether,
  DEFAULT_LIMITS,
  type Link,
  type SimilarityLimits,
} from './clustering.ts';
import * as store from './clustering.store.ts';
import { DEFAULTS, readRecentConfig } from '../../system-config/index.ts';
import { wakeRunsByFaces } from '../../workflow-events/index.ts';
import { type cleanUpPeople, clusterFaces, type reclusterAll } from '../jobs.ts';
import { enqueuePersonThumbnails } from '../thumbnail/render.domain.ts';

/** Faces that are compared in one pass. */
const BATCH_SIZE = 2000;
/** Nearest neighbours per face. */
const NEIGHBOURS = 48;

/** Returns the nearest faces of an account by slot; replaced in tests. */
export type FindNearest = (
  ctx: JobCtx,
  where: { readonly ownerId: string; readonly modelId: string },
  vectors: readonly Float32Array[],
) => Promise<readonly (readonly Hit[])[]>;

const findNearest: FindNearest = async (ctx, where, vectors) => {
  const ranked = getVectorIndex(ctx);
  await ranked.refresh(where.modelId);
  const slots = await store.findOwnSlots(ctx.db, where);
  return ranked.nearestMany(where.modelId, vectors, {
    candidates: slots ?? 'all',
    k: NEIGHBOURS,
  });
};

/** Clusters one batch of one account and enqueues the next run in the same transaction. */
export const createClusterHandler =
  (nearest: FindNearest): JobHandler<typeof clusterFaces> =>
  async (ctx) => {
    const ownerId = await store.findWaitingOwner(ctx.db);
    if (!ownerId) return undefined;
    const waiting = await store.listWaitingFaces(ctx.db, ownerId, BATCH_SIZE);
    const modelId = await store.findFaceModel(ctx.db, ownerId);
    const limits = await readLimits(ctx);
    const decided = modelId
      ? await clusterBatch(ctx, nearest, { ownerId, modelId, limits }, waiting)
      : { assignments: waiting, created: [], merged: [] };
    return saveClusters(ctx, ownerId, decided, waiting.length === BATCH_SIZE);
  };

export const handleClusterFaces = createClusterHandler(findNearest);

export const handleReclusterAll: JobHandler<typeof reclusterAll> =
  async (_ctx, { clusterGroupId }) =>
  async (tx) => {
    await store.requeueUnassignedFaces(tx, clusterGroupId);
    await enqueue(tx, clusterFaces, {});
  };

export const handleCleanUpPeople: JobHandler<typeof cleanUpPeople> =
  async (_ctx, { ownerId }) =>
  (tx) =>
    store.deleteEmptyPeople(tx, ownerId);

/** Immich's default distance leaves our own limits, a greater one lowers them as much. */
async function readLimits({ db }: JobCtx): Promise<SimilarityLimits> {
  const { machineLearning } = await readRecentConfig(db);
  const more =
    machineLearning.facialRecognition.maxDistance -
    DEFAULTS.machineLearning.facialRecognition.maxDistance;
  const { link, group, weakLink, weakGroup } = DEFAULT_LIMITS;
  return {
    link: link - more,
    group: group - more,
    weakLink: weakLink - more,
    weakGroup: weakGroup - more,
  };
}

type VectorSpace = {
  readonly ownerId: string;
  readonly modelId: string;
  readonly limits: SimilarityLimits;
};
type ClusteredBatch = {
  readonly assignments: readonly store.Assignment[];
  readonly created: readonly string[];
  readonly merged: readonly (readonly [kept: string, gone: string])[];
};

async function clusterBatch(
  ctx: JobCtx,
  nearest: FindNearest,
  where: VectorSpace,
  waiting: readonly store.WaitingFace[],
): Promise<ClusteredBatch> {
  const first = await findNeighbours(ctx, nearest, where, waiting);
  // Faces that were unassigned so far may now be enough for a person.
  const known = new Set(waiting.map((face) => face.id));
  const loose = [...first.around.values()].filter(
    (face) => (face.isLoose || face.isWaiting) && !known.has(face.id),
  );
  const nearby = [...new Map(loose.map((face) => [face.id, face])).values()].slice(0, BATCH_SIZE);
  const second = await findNeighbours(ctx, nearest, where, nearby);
  const all = [...waiting, ...nearby];
  const vectors = new Map([...first.vectors, ...second.vectors]);
  const faces = all.flatMap((face) => {
    const vector = vectors.get(face.id);
    return vector ? [{ id: face.id, vector, former: face.personId, isWeak: face.isWeak }] : [];
  });
  const links = [...first.links, ...second.links];
  const formers = [...new Set(faces.flatMap((face) => face.former ?? []))];
  const neighbours = [...first.around.values(), ...second.around.values()];
  const around = neighbours.flatMap((face) => (face.isWaiting ? [] : (face.personId ?? [])));
  const people = await store.listKnownPeople(ctx.db, where.modelId, [...new Set(around)]);
  const [guarded, settled, minimum] = await Promise.all([
    store.filterOwnerConfirmed(ctx.db, formers),
    store.filterSettled(ctx.db, formers),
    store.getMinimumFaces(ctx.db, where.ownerId),
  ]);
  const { personByFace, created, merged } = clusterTogether(faces, people, links, {
    minimum,
    limits: where.limits,
    isProtected: (id) => guarded.has(id),
    isFree: (id) => !settled.has(id),
  });
  // New people are identified by a face so far and get ids here.
  const ids = new Map(created.map((face) => [face, crypto.randomUUID() as string]));
  const assignments = all.map(({ id, revision }) => {
    const person = personByFace.get(id) ?? null;
    return { id, revision, personId: person === null ? null : (ids.get(person) ?? person) };
  });
  return { assignments, created: [...ids.values()], merged };
}

/** Returns the vectors of these faces and their neighbours. */
async function findNeighbours(
  ctx: JobCtx,
  nearest: FindNearest,
  where: VectorSpace,
  faces: readonly store.WaitingFace[],
) {
  const ids = faces.map((face) => face.id);
  const stored = await readEmbeddings(ctx.db, where.modelId, ids);
  const vectors = new Map(stored.map((row) => [row.subjectId, row.vector]));
  const hits = vectors.size > 0 ? await nearest(ctx, where, [...vectors.values()]) : [];
  const near = hits.map((list) => list.filter((hit) => hit.score >= where.limits.link));
  const slots = new Set(near.flatMap((list) => list.map((hit) => hit.slot)));
  const around = await store.findFacesBySlot(ctx.db, where, [...slots]);
  const links: Link[] = [];
  for (const [index, from] of [...vectors.keys()].entries()) {
    for (const { slot, score } of requireValue(near[index], 'hits of a face')) {
      const other = around.get(slot);
      if (!other || other.id === from) continue;
      // A clustered face represents its person.
      const to = other.isWaiting || other.personId === null ? other.id : other.personId;
      links.push({ from, to, score });
    }
  }
  return { vectors, around, links };
}

function saveClusters(
  ctx: JobCtx,
  ownerId: string,
  decided: ClusteredBatch,
  isMore: boolean,
): Effect {
  return async (tx) => {
    const now = ctx.now();
    await store.insertPeople(tx, ownerId, decided.created);
    const touched = new Set(await store.assignFaces(tx, decided.assignments, now));
    for (const [kept, gone] of decided.merged) {
      await store.mergeUnconfirmed(tx, kept, gone, now);
      touched.add(kept);
    }
    if (!isMore) await store.deleteEmptyPeople(tx, ownerId);
    await enqueuePersonThumbnails(tx, touched);
    await wakeRunsByFaces(
      tx,
      decided.assignments.map(({ id }) => id),
    );
    // The next run also serves other accounts.
    if (decided.assignments.length > 0) await enqueue(tx, clusterFaces, {});
  };
}
