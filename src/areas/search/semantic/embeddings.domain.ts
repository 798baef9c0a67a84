import type { Ctx } from '../../../core/context.ts';
import { defineKind } from '../../../read-cache/memory.ts';
import {
  type Candidates,
  type Capability,
  InferenceCrashed,
  getInference,
  listSemanticModels,
  ModelMissing,
  readEmbeddings,
  getVectorIndex,
  type SubjectHit,
} from '../../../inference/index.ts';
import { isWholeScope } from '../counts/precomputed-counts.ts';
import type { Matching } from '../match/matching.store.ts';
import {
  estimateCount,
  filterMatchingSlots,
  selectMatchingSlots,
  countModelVectors,
  countMatchingVectors,
} from './smart.store.ts';
import { countMatching } from '../counts/totals.domain.ts';

/** A new model is used once it has embedded this share of what the previous one has. */
const MIN_COVERAGE = 0.9;
/** The choice is cached until either model has grown by this factor. */
const MAX_GROWTH = 1.01;

type Choice = { readonly slots: readonly [number, number]; readonly model: Capability | undefined };
const choices = defineKind<Choice>('embedding models', () => 0);

/**
 * Returns the embedding model for this set; undefined while none has vectors. A newly installed
 * model is used once it covers most of the set.
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
  const last = choices.find(ctx, key);
  const isFresh = last?.slots.every((count, at) => slots[at]! <= count * MAX_GROWTH);
  if (last && isFresh) return last.model;
  const [now, before] = await Promise.all(
    [best, older].map(({ modelId }) => countMatchingVectors(ctx, all, modelId)),
  );
  const isUsed = now! > 0 && now! >= before! * MIN_COVERAGE;
  const model = isUsed ? best : before! > 0 ? older : undefined;
  choices.keep(ctx, key, { slots, model });
  return model;
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

type Question = { readonly modelId: string; readonly vector: Float32Array; readonly k: number };

/** Returns the `k` nearest matching items, nearest first. */
export async function findNearestAssets(
  ctx: Ctx,
  matching: Matching,
  question: Question,
): Promise<readonly SubjectHit[]> {
  const { modelId, vector, k } = question;
  const vectors = getVectorIndex(ctx);
  if (await hasLargeShare(ctx, matching, modelId)) {
    if (isWholeScope(matching)) {
      const keep = (slots: readonly number[]) => filterMatchingSlots(ctx, matching, modelId, slots);
      return vectors.nearestAllowed(modelId, vector, { k, keep });
    }
    const top = await computeTopSize(ctx, matching, question);
    if (top !== undefined) {
      const hits = await findMatchingHits(ctx, matching, { ...question, k: top }, 'all');
      // The first matches of the global ranking are the first of the subset.
      if (hits.length >= k) return hits.slice(0, k);
    }
  }
  const candidates = await selectMatchingSlots(ctx, matching, modelId);
  return candidates.length === 0 ? [] : findMatchingHits(ctx, matching, question, candidates);
}

/** Returns how many global neighbours probably contain `k` matches; undefined when too many. */
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

/** Returns those of the nearest that match. */
async function findMatchingHits(
  ctx: Ctx,
  matching: Matching,
  { modelId, vector, k }: Question,
  candidates: Candidates,
): Promise<readonly SubjectHit[]> {
  const hits = await getVectorIndex(ctx).nearest(modelId, vector, { k, candidates });
  const slots = hits.map(({ slot }) => slot);
  const ids = await filterMatchingSlots(ctx, matching, modelId, slots);
  return hits.flatMap(({ slot, score }) => {
    const subjectId = ids.get(slot);
    return subjectId === undefined ? [] : [{ subjectId, score }];
  });
}

/** Returns the set without its filter. */
const withoutFilter = ({ scope, owners, placeless }: Matching): Matching => ({
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
  const [total, count] = await Promise.all([
    countMatching(ctx, withoutFilter(matching)),
    countModelVectors(ctx, modelId),
  ]);
  return total >= LARGE_SHARE * count;
}
