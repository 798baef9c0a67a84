import { getScopeKey } from '../../../access/batch.ts';
import type { Ctx } from '../../../core/context.ts';
import { defineKind } from '../../../read-cache/memory.ts';
import {
  type Capability,
  InferenceCrashed,
  getInference,
  listSemanticModels,
  ModelMissing,
  readEmbeddings,
  getSearchChoice,
  getVectorIndex,
  type Hit,
  type SubjectHit,
} from '../../../inference/index.ts';
import { isWholeScope } from '../match/precomputed-counts.ts';
import type { Matching } from '../match/matching.store.ts';
import { estimateMatches } from '../match/newest.store.ts';
import {
  filterMatchingSlots,
  selectMatchingSlots,
  countModelVectors,
  countMatchingVectors,
} from './smart.store.ts';
import { listMonths, sumCounts } from '../match/month-counts.store.ts';

/**
 * A new model is used once it has embedded this share of what the one before it has: the rest are pictures that it cannot
 * embed …
 */
const MIN_COVERAGE = 0.98;
/** … and one that the owner goes back to, though it lacks pictures that are new. */
const MIN_CHOSEN_COVERAGE = 0.9;
/** The choice is cached until either model has grown by this factor: less than what coverage may lack. */
const MAX_GROWTH = 1.01;

type Choice = {
  /** Vectors of the models that it is about. */
  readonly slots: readonly number[];
  readonly models?: SemanticModels | undefined;
  /** Slots of some pictures, packed as `VectorIndex` takes them. */
  readonly sample?: Uint8Array;
};
export type SemanticModels = {
  readonly model: Capability;
  /** The model that is to follow: new pictures have vectors of it only. */
  readonly next?: Capability | undefined;
};
const choices = defineKind<Choice>('embedding models', ({ sample }) => sample?.length ?? 0);

const isFresh = (choice: Choice, slots: readonly number[]): boolean =>
  choice.slots.every((count, at) => (slots[at] ?? Number.NaN) <= count * MAX_GROWTH);

/**
 * Returns the embedding model for this set; undefined while none has vectors. A newly installed
 * model is used once it covers most of the set, and until then beside the one before it.
 */
export async function selectSemanticModels(
  ctx: Ctx,
  matching: Matching,
): Promise<SemanticModels | undefined> {
  const [best, ...others] = listSemanticModels(ctx.settings);
  if (!best) return undefined;
  const count = ({ modelId }: Capability) => countModelVectors(ctx, modelId);
  const [bestSlots, ...otherSlots] = await Promise.all([count(best), ...others.map(count)]);
  const slots = [bestSlots, Math.max(0, ...otherSlots)] as const;
  const older = others[otherSlots.indexOf(slots[1])];
  if (!older || slots[1] === 0) return slots[0] === 0 ? undefined : { model: best };
  const all = withoutFilter(matching);
  const key = [
    best.modelId,
    older.modelId,
    all.scope,
    ...(all.owners ?? [getScopeKey(ctx.session)]),
  ].join();
  const last = choices.find(ctx, key);
  if (last && isFresh(last, slots)) return last.models;
  const [now, before] = await Promise.all([
    countMatchingVectors(ctx, all, best.modelId),
    countMatchingVectors(ctx, all, older.modelId),
  ]);
  const isChosen = getSearchChoice(ctx.settings).model === best.modelId;
  const share = isChosen ? MIN_CHOSEN_COVERAGE : MIN_COVERAGE;
  const isUsed = now > 0 && now >= before * share;
  const behind = before > 0 ? { model: older, next: now > 0 ? best : undefined } : undefined;
  const models = isUsed ? { model: best } : behind;
  choices.keep(ctx, key, { slots, models });
  return models;
}

/**
 * Returns the embedding of a text; undefined when inference is unavailable, and words have to do.
 */
export async function embedText(
  ctx: Ctx,
  { modelId }: Capability,
  text: string,
): Promise<Float32Array | undefined> {
  try {
    return await getInference(ctx).embedQuery(text, { modelId });
  } catch (error) {
    if (!(error instanceof ModelMissing || error instanceof InferenceCrashed)) throw error;
    ctx.log.warn('text embedding failed, searching by words', { error });
    return undefined;
  }
}

export async function findAssetVector(
  ctx: Ctx,
  { modelId }: Capability,
  assetId: string,
): Promise<Float32Array | undefined> {
  const [stored] = await readEmbeddings(ctx.db, modelId, [assetId]);
  return stored?.vector;
}

/**
 * From this share of all vectors on, the global ranking is filtered instead of ranking a subset.
 */
const LARGE_SHARE = 0.2;
/** Bounds of the global top that is filtered. */
const MAX_TOP = 20_000;
const MIN_TOP = 1000;
/** Safety margin, because neighbours are not spread evenly. */
const TOP_MARGIN = 1.25;

type Question = {
  readonly modelId: string;
  readonly vector: Float32Array;
  readonly k: number;
  /** Lowest score of a result. */
  readonly atLeast?: number | undefined;
};

/** Returns the `k` nearest matching items, nearest first. */
export async function findNearestAssets(
  ctx: Ctx,
  matching: Matching,
  question: Question,
): Promise<readonly SubjectHit[]> {
  const { modelId, vector, k, atLeast } = question;
  const vectors = getVectorIndex(ctx);
  if (await hasLargeShare(ctx, matching, modelId)) {
    if (isWholeScope(matching)) {
      const keep = (slots: readonly number[]) => filterMatchingSlots(ctx, matching, modelId, slots);
      return vectors.nearestAllowed(modelId, vector, { k, atLeast, keep });
    }
    const top = await computeTopSize(ctx, matching, question);
    if (top !== undefined) {
      const nearest = await vectors.nearest(modelId, vector, { k: top, atLeast });
      const hits = await keepMatching(ctx, matching, modelId, nearest);
      // The first matches of the global ranking are the first of the subset; fewer than asked for are all there are.
      if (hits.length >= k || nearest.length < top) return hits.slice(0, k);
    }
  }
  const candidates = await selectMatchingSlots(ctx, matching, modelId);
  if (candidates.length === 0) return [];
  const nearest = await vectors.nearest(modelId, vector, { k, atLeast, candidates });
  return keepMatching(ctx, matching, modelId, nearest);
}

/** Returns how many global neighbours probably contain `k` matches; undefined when too many. */
async function computeTopSize(
  ctx: Ctx,
  matching: Matching,
  { modelId, k }: Question,
): Promise<number | undefined> {
  const [likely, all] = await Promise.all([
    estimateMatches(ctx, matching),
    countModelVectors(ctx, modelId),
  ]);
  const top = Math.max(MIN_TOP, Math.ceil((TOP_MARGIN * k * all) / Math.max(1, likely)));
  return top <= Math.min(MAX_TOP, Math.max(MIN_TOP, likely)) ? top : undefined;
}

/** Returns those of the hits that match. */
async function keepMatching(
  ctx: Ctx,
  matching: Matching,
  modelId: string,
  hits: readonly Hit[],
): Promise<readonly SubjectHit[]> {
  const slots = hits.map(({ slot }) => slot);
  const ids = await filterMatchingSlots(ctx, matching, modelId, slots);
  return hits.flatMap(({ slot, score }) => {
    const subjectId = ids.get(slot);
    return subjectId === undefined ? [] : [{ subjectId, score }];
  });
}

/** Pictures by which the scores of a library are known. */
const SAMPLE_SIZE = 2000;

/**
 * Returns the slots of up to 2000 pictures from all parts of a library, packed as `VectorIndex` takes them; cached until
 * the model has embedded a hundredth more.
 */
export async function getScoreSample(
  ctx: Ctx,
  library: Matching,
  modelId: string,
): Promise<Uint8Array> {
  const count = await countModelVectors(ctx, modelId);
  const key = [
    'sample',
    modelId,
    library.scope,
    ...(library.owners ?? [getScopeKey(ctx.session)]),
  ].join();
  const last = choices.find(ctx, key);
  if (last?.sample && isFresh(last, [count])) return last.sample;
  const sample = (await hasLargeShare(ctx, library, modelId))
    ? await sampleLargeShare(ctx, library, modelId, count)
    : thinOut(await selectMatchingSlots(ctx, library, modelId));
  choices.keep(ctx, key, { slots: [count], sample });
  return sample;
}

/** Picks slots of all accounts, of which this library has many, and leaves out those of others. */
async function sampleLargeShare(
  ctx: Ctx,
  library: Matching,
  modelId: string,
  count: number,
): Promise<Uint8Array> {
  const step = Math.max(1, (count * LARGE_SHARE) / SAMPLE_SIZE);
  const slots = Array.from({ length: Math.ceil(count / step) }, (_, at) => Math.floor(at * step));
  const own = await filterMatchingSlots(ctx, library, modelId, slots);
  const packed = Buffer.alloc(own.size * SLOT_BYTES);
  for (const [at, slot] of [...own.keys()].entries()) packed.writeInt32BE(slot, at * SLOT_BYTES);
  return thinOut(packed);
}

const SLOT_BYTES = 4;

/** Returns every n-th of the packed slots, so that they are no more than the sample has. */
function thinOut(packed: Uint8Array): Uint8Array {
  const step = Math.ceil(packed.length / SLOT_BYTES / SAMPLE_SIZE);
  if (step <= 1) return packed;
  return packed.filter((_, at) => Math.floor(at / SLOT_BYTES) % step === 0);
}

/** Returns the set without its filter. */
export const withoutFilter = ({ scope, owners, placeless }: Matching): Matching => ({
  scope,
  owners,
  placeless,
  filter: {},
  hidden: undefined,
  withTrashed: false,
});

/** Returns whether the set holds a large share of all vectors. */
async function hasLargeShare(ctx: Ctx, matching: Matching, modelId: string): Promise<boolean> {
  if (matching.scope !== 'timeline' && matching.scope !== 'library') return false;
  if (matching.albums) return false;
  const [months, count] = await Promise.all([
    listMonths(ctx, withoutFilter(matching)),
    countModelVectors(ctx, modelId),
  ]);
  return sumCounts(months) >= LARGE_SHARE * count;
}
