import type { Effect, HandlerOf, JobCtx } from '../../../jobs/define.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { type Hit, readEmbeddings, vectorsOf } from '../../../inference/index.ts';
import { clusterFaces as clusterTogether, type Link, LINKED } from './clustering.ts';
import * as store from './cluster.store.ts';
import { clusterFaces, type forgetClusters } from '../jobs.ts';
import { renderPeople } from '../thumbnail/render.domain.ts';

/** Compared with everything else in one pass. */
const BATCH = 2000;
/** Of each face: the most similar ones. */
const NEIGHBOURS = 48;

/** The nearest faces of an account by slot; in tests without the thread that ranks them. */
export type FindNearest = (
  ctx: JobCtx,
  where: { readonly ownerId: string; readonly modelId: string },
  vectors: readonly Float32Array[],
) => Promise<readonly (readonly Hit[])[]>;

const findNearest: FindNearest = async (ctx, where, vectors) => {
  const ranked = vectorsOf(ctx);
  await ranked.refresh(where.modelId);
  const slots = await store.ownSlots(ctx.db, where);
  return ranked.nearestMany(where.modelId, vectors, {
    candidates: slots ?? 'all',
    k: NEIGHBOURS,
  });
};

/** One batch of one account and the job for the next one, together. */
export const clusterWith =
  (nearest: FindNearest): HandlerOf<typeof clusterFaces> =>
  async (ctx) => {
    const ownerId = await store.nextWaitingOwner(ctx.db);
    if (!ownerId) return undefined;
    const waiting = await store.waitingFaces(ctx.db, ownerId, BATCH);
    const modelId = await store.modelOf(ctx.db, ownerId);
    const decided = modelId
      ? await decide(ctx, nearest, { ownerId, modelId }, waiting)
      : { assignments: waiting, founded: [], merged: [] };
    return settling(ctx, ownerId, decided, waiting.length === BATCH);
  };

export const handleClusterFaces = clusterWith(findNearest);

export const handleForgetClusters: HandlerOf<typeof forgetClusters> = async () => async (tx) => {
  await store.letAllWait(tx);
  await enqueue(tx, clusterFaces, {});
};

type Where = { readonly ownerId: string; readonly modelId: string };
type Decided = {
  readonly assignments: readonly store.Assignment[];
  readonly founded: readonly string[];
  readonly merged: readonly (readonly [kept: string, gone: string])[];
};

async function decide(
  ctx: JobCtx,
  nearest: FindNearest,
  where: Where,
  waiting: readonly store.Waiting[],
): Promise<Decided> {
  const first = await lookAround(ctx, nearest, where, waiting);
  // Faces that were alone so far may now be enough for a person.
  const known = new Set(waiting.map((face) => face.id));
  const loose = [...first.around.values()].filter(
    (face) => (face.isLoose || face.isWaiting) && !known.has(face.id),
  );
  const nearby = [...new Map(loose.map((face) => [face.id, face])).values()].slice(0, BATCH);
  const second = await lookAround(ctx, nearest, where, nearby);
  const all = [...waiting, ...nearby];
  const vectors = new Map([...first.vectors, ...second.vectors]);
  const faces = all.flatMap((face) => {
    const vector = vectors.get(face.id);
    return vector ? [{ id: face.id, vector, former: face.personId }] : [];
  });
  const links = [...first.links, ...second.links];
  const formers = [...new Set(faces.flatMap((face) => face.former ?? []))];
  const neighbours = [...first.around.values(), ...second.around.values()];
  const around = neighbours.flatMap((face) => (face.isWaiting ? [] : (face.personId ?? [])));
  const people = await store.knownPeople(ctx.db, where.modelId, [...new Set(around)]);
  const [guarded, settled, minimum] = await Promise.all([
    store.protectedAmong(ctx.db, formers),
    store.settledAmong(ctx.db, formers),
    store.minimumFaces(ctx.db, where.ownerId),
  ]);
  const { personOf, founded, merged } = clusterTogether(faces, people, links, {
    minimum,
    isProtected: (id) => guarded.has(id),
    isFree: (id) => !settled.has(id),
  });
  // New people get ids of their own; the answer names them by a face.
  const ids = new Map(founded.map((face) => [face, crypto.randomUUID() as string]));
  const assignments = all.map(({ id, revision }) => {
    const person = personOf.get(id) ?? null;
    return { id, revision, personId: person === null ? null : (ids.get(person) ?? person) };
  });
  return { assignments, founded: [...ids.values()], merged };
}

/** The vectors of these faces, and who is near them. */
async function lookAround(
  ctx: JobCtx,
  nearest: FindNearest,
  where: Where,
  faces: readonly store.Waiting[],
) {
  const ids = faces.map((face) => face.id);
  const stored = await readEmbeddings(ctx.db, where.modelId, ids);
  const vectors = new Map(stored.map((row) => [row.subjectId, row.vector]));
  const from = [...vectors.keys()];
  const hits = from.length > 0 ? await nearest(ctx, where, [...vectors.values()]) : [];
  const near = hits.map((list) => list.filter((hit) => hit.score >= LINKED));
  const slots = new Set(near.flatMap((list) => list.map((hit) => hit.slot)));
  const around = await store.facesInSlots(ctx.db, where, [...slots]);
  const links: Link[] = [];
  for (const [index, list] of near.entries()) {
    for (const { slot, score } of list) {
      const other = around.get(slot);
      if (!other || other.id === from[index]) continue;
      // A settled face stands for its person.
      const to = other.isWaiting || other.personId === null ? other.id : other.personId;
      links.push({ from: from[index]!, to, score });
    }
  }
  return { vectors, around, links };
}

function settling(ctx: JobCtx, ownerId: string, decided: Decided, isMore: boolean): Effect {
  return async (tx) => {
    const now = ctx.now();
    await store.foundPeople(tx, ownerId, decided.founded);
    const touched = new Set(await store.assignFaces(tx, decided.assignments, now));
    for (const [kept, gone] of decided.merged) {
      await store.unite(tx, kept, gone, now);
      touched.add(kept);
    }
    if (!isMore) await store.tidyPeople(tx, ownerId);
    await renderPeople(tx, touched);
    // Also those of other accounts.
    if (decided.assignments.length > 0) await enqueue(tx, clusterFaces, {});
  };
}
