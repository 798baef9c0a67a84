import type { Ctx } from '../../../core/context.ts';
import {
  type Candidates,
  type Capability,
  InferenceCrashed,
  getInference,
  listSemanticModels,
  ModelMissing,
  readEmbeddings,
  getVectorIndex,
} from '../../../inference/index.ts';
import { isShelfOnly } from '../counts/precomputed-counts.ts';
import type { Matching } from '../match/matching.store.ts';
import {
  estimateCount,
  filterMatchingSlots,
  selectMatchingSlots,
  countModelVectors,
  countMatchingVectors,
} from './smart.store.ts';
import { totalOf } from '../counts/totals.domain.ts';

/** A new model is asked when it has looked at this part of what the one before it knows. */
const MIN_COVERAGE = 0.9;
/** The choice holds until either has so many more vectors. */
const MAX_GROWTH = 1.01;

type Choice = { readonly slots: readonly [number, number]; readonly model: Capability | undefined };
const choices = new WeakMap<Ctx['sql'], Map<string, Choice>>();

/**
 * What understands pictures and texts, and knows these pictures; undefined while no model does. One
 * that was installed just now knows none yet: until it does, the older one answers.
 */
export async function selectSemanticModel(
  ctx: Ctx,
  matching: Matching,
): Promise<Capability | undefined> {
  const [best, older] = listSemanticModels(ctx.settings);
  if (!best) return undefined;
  if (!older) return (await countModelVectors(ctx, best.modelId)) === 0 ? undefined : best;
  const slots = await Promise.all([
    countModelVectors(ctx, best.modelId),
    countModelVectors(ctx, older.modelId),
  ]);
  if (slots[1] === 0) return slots[0] === 0 ? undefined : best;
  const all = withoutFilter(matching);
  const key = [best.modelId, all.scope, ...(all.owners ?? [])].join();
  const known = choices.get(ctx.sql) ?? new Map<string, Choice>();
  choices.set(ctx.sql, known);
  const last = known.get(key);
  const isFresh = last?.slots.every((count, at) => slots[at]! <= count * MAX_GROWTH);
  if (last && isFresh) return last.model;
  const [now, before] = await Promise.all(
    [best, older].map(({ modelId }) => countMatchingVectors(ctx, all, modelId)),
  );
  const isUsed = now! > 0 && now! >= before! * MIN_COVERAGE;
  const model = isUsed ? best : before! > 0 ? older : undefined;
  known.set(key, { slots, model });
  if (known.size > MAX_CHOICES) known.delete(known.keys().next().value!);
  return model;
}

const MAX_CHOICES = 256;

/** Undefined when the models cannot answer now: then words have to do. */
export async function embedText(
  ctx: Ctx,
  { modelId }: Capability,
  text: string,
): Promise<Float32Array | undefined> {
  try {
    return await getInference(ctx).embedQuery(text, { modelId });
  } catch (error) {
    if (!(error instanceof ModelMissing || error instanceof InferenceCrashed)) throw error;
    ctx.log.warn('a search by meaning is answered by words', { error });
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

/** A caller who has at least this part of all vectors is answered from the top of all. */
const LARGE_SHARE = 0.2;
/** No more of that top is looked at, nor more than match: to compare those costs less then. */
const MAX_TOP = 20_000;
const MIN_TOP = 1000;
/** The nearest are not spread evenly. */
const TOP_MARGIN = 1.25;

type Question = { readonly modelId: string; readonly vector: Float32Array; readonly k: number };

/** The ids of the best `k` that match, best first. */
export async function findNearestAssets(
  ctx: Ctx,
  matching: Matching,
  question: Question,
): Promise<readonly string[]> {
  const { modelId, vector, k } = question;
  const vectors = getVectorIndex(ctx);
  if (await hasLargeShare(ctx, matching, modelId)) {
    if (isShelfOnly(matching)) {
      const keep = (slots: readonly number[]) => filterMatchingSlots(ctx, matching, modelId, slots);
      const hits = await vectors.nearestAllowed(modelId, vector, { k, keep });
      return hits.map(({ subjectId }) => subjectId);
    }
    const top = await computeTopSize(ctx, matching, question);
    if (top !== undefined) {
      const ids = await findMatchingHits(ctx, matching, { ...question, k: top }, 'all');
      // The first that match of all are the first of those that match.
      if (ids.length >= k) return ids.slice(0, k);
    }
  }
  const candidates = await selectMatchingSlots(ctx, matching, modelId);
  return candidates.length === 0 ? [] : findMatchingHits(ctx, matching, question, candidates);
}

/**
 * So many of all are looked at to find, in all likelihood, as many that match as are asked for; undefined
 * where that would be too many.
 */
async function computeTopSize(
  ctx: Ctx,
  matching: Matching,
  { modelId, k }: Question,
): Promise<number | undefined> {
  const [likely, all] = await Promise.all([
    estimateCount(ctx, matching),
    countModelVectors(ctx, modelId),
  ]);
  const top = Math.max(MIN_TOP, Math.ceil((TOP_MARGIN * k * all) / Math.max(1, likely)));
  return top <= Math.min(MAX_TOP, Math.max(MIN_TOP, likely)) ? top : undefined;
}

/** Those of the nearest that match. */
async function findMatchingHits(
  ctx: Ctx,
  matching: Matching,
  { modelId, vector, k }: Question,
  candidates: Candidates,
): Promise<readonly string[]> {
  const hits = await getVectorIndex(ctx).nearest(modelId, vector, { k, candidates });
  const slots = hits.map(({ slot }) => slot);
  const ids = await filterMatchingSlots(ctx, matching, modelId, slots);
  return hits.flatMap(({ slot }) => ids.get(slot) ?? []);
}

/** All that is searched, whatever the filter leaves of it. */
const withoutFilter = ({ scope, owners, placeless }: Matching): Matching => ({
  scope,
  owners,
  placeless,
  filter: {},
  hidden: undefined,
  withTrashed: false,
});

/** Of the Timelines that are searched. */
async function hasLargeShare(ctx: Ctx, matching: Matching, modelId: string): Promise<boolean> {
  if (matching.scope !== 'timeline' && matching.scope !== 'library') return false;
  const [total, count] = await Promise.all([
    totalOf(ctx, withoutFilter(matching)),
    countModelVectors(ctx, modelId),
  ]);
  return total >= LARGE_SHARE * count;
}
