import type { Ctx } from '../../../core/context.ts';
import {
  type Candidates,
  type Capability,
  InferenceCrashed,
  inferenceOf,
  meaningModelsOf,
  ModelMissing,
  readEmbeddings,
  vectorsOf,
} from '../../../inference/index.ts';
import { isShelfOnly } from '../counts/precomputed-counts.ts';
import type { Matching } from '../match/matching.store.ts';
import {
  likelyCount,
  matchingSlots,
  packedSlots,
  vectorCount,
  vectorsAmong,
} from './smart.store.ts';
import { totalOf } from '../counts/totals.domain.ts';

/** A new model is asked when it has looked at this part of what the one before it knows. */
const CAUGHT_UP = 0.9;
/** The choice holds until either has so many more vectors. */
const GROWTH = 1.01;

type Choice = { readonly slots: readonly [number, number]; readonly model: Capability | undefined };
const choices = new WeakMap<Ctx['sql'], Map<string, Choice>>();

/**
 * What understands pictures and texts, and knows these pictures; undefined while no model does. One
 * that was installed just now knows none yet: until it does, the older one answers.
 */
export async function meaningModel(ctx: Ctx, matching: Matching): Promise<Capability | undefined> {
  const [best, older] = meaningModelsOf(ctx.settings);
  if (!best) return undefined;
  if (!older) return (await vectorCount(ctx, best.modelId)) === 0 ? undefined : best;
  const slots = await Promise.all([
    vectorCount(ctx, best.modelId),
    vectorCount(ctx, older.modelId),
  ]);
  if (slots[1] === 0) return slots[0] === 0 ? undefined : best;
  const all = shelfOf(matching);
  const key = [best.modelId, all.shelf, ...(all.owners ?? [])].join();
  const known = choices.get(ctx.sql) ?? new Map<string, Choice>();
  choices.set(ctx.sql, known);
  const last = known.get(key);
  const isFresh = last?.slots.every((count, at) => slots[at]! <= count * GROWTH);
  if (last && isFresh) return last.model;
  const [now, before] = await Promise.all(
    [best, older].map(({ modelId }) => vectorsAmong(ctx, all, modelId)),
  );
  const isUsed = now! > 0 && now! >= before! * CAUGHT_UP;
  const model = isUsed ? best : before! > 0 ? older : undefined;
  known.set(key, { slots, model });
  if (known.size > MOST_CHOICES) known.delete(known.keys().next().value!);
  return model;
}

const MOST_CHOICES = 256;

/** Undefined when the models cannot answer now: then words have to do. */
export async function vectorOfText(
  ctx: Ctx,
  { modelId }: Capability,
  text: string,
): Promise<Float32Array | undefined> {
  try {
    return await inferenceOf(ctx).embedQuery(text, { modelId });
  } catch (error) {
    if (!(error instanceof ModelMissing || error instanceof InferenceCrashed)) throw error;
    ctx.log.warn('a search by meaning is answered by words', { error });
    return undefined;
  }
}

export async function vectorOfAsset(
  ctx: Ctx,
  { modelId }: Capability,
  assetId: string,
): Promise<Float32Array | undefined> {
  const [stored] = await readEmbeddings(ctx.db, modelId, [assetId]);
  return stored?.vector;
}

/** A caller who has at least this part of all vectors is answered from the top of all. */
const LARGE_PART = 0.2;
/** No more of that top is looked at, nor more than match: to compare those costs less then. */
const LARGEST_TOP = 20_000;
const LEAST_TOP = 1000;
/** The nearest are not spread evenly. */
const MARGIN = 1.25;

type Question = { readonly modelId: string; readonly vector: Float32Array; readonly k: number };

/** The ids of the best `k` that match, best first. */
export async function closest(
  ctx: Ctx,
  matching: Matching,
  question: Question,
): Promise<readonly string[]> {
  const { modelId, vector, k } = question;
  const vectors = vectorsOf(ctx);
  if (await hasLargePart(ctx, matching, modelId)) {
    if (isShelfOnly(matching)) {
      const keep = (slots: readonly number[]) => matchingSlots(ctx, matching, modelId, slots);
      const hits = await vectors.nearestKept(modelId, vector, { k, keep });
      return hits.map(({ subjectId }) => subjectId);
    }
    const top = await topFor(ctx, matching, question);
    if (top !== undefined) {
      const ids = await matchingHits(ctx, matching, { ...question, k: top }, 'all');
      // The first that match of all are the first of those that match.
      if (ids.length >= k) return ids.slice(0, k);
    }
  }
  const candidates = await packedSlots(ctx, matching, modelId);
  return candidates.length === 0 ? [] : matchingHits(ctx, matching, question, candidates);
}

/**
 * So many of all are looked at to find, in all likelihood, as many that match as are asked for; undefined
 * where that would be too many.
 */
async function topFor(
  ctx: Ctx,
  matching: Matching,
  { modelId, k }: Question,
): Promise<number | undefined> {
  const [likely, all] = await Promise.all([likelyCount(ctx, matching), vectorCount(ctx, modelId)]);
  const top = Math.max(LEAST_TOP, Math.ceil((MARGIN * k * all) / Math.max(1, likely)));
  return top <= Math.min(LARGEST_TOP, Math.max(LEAST_TOP, likely)) ? top : undefined;
}

/** Those of the nearest that match. */
async function matchingHits(
  ctx: Ctx,
  matching: Matching,
  { modelId, vector, k }: Question,
  candidates: Candidates,
): Promise<readonly string[]> {
  const hits = await vectorsOf(ctx).nearest(modelId, vector, { k, candidates });
  const slots = hits.map(({ slot }) => slot);
  const ids = await matchingSlots(ctx, matching, modelId, slots);
  return hits.flatMap(({ slot }) => ids.get(slot) ?? []);
}

/** All that is searched, whatever the filter leaves of it. */
const shelfOf = ({ shelf, owners, placeless }: Matching): Matching => ({
  shelf,
  owners,
  placeless,
  filter: {},
  hidden: undefined,
  withTrashed: false,
});

/** Of the Timelines that are searched. */
async function hasLargePart(ctx: Ctx, matching: Matching, modelId: string): Promise<boolean> {
  if (matching.shelf !== 'timeline' && matching.shelf !== 'library') return false;
  const [total, count] = await Promise.all([
    totalOf(ctx, shelfOf(matching)),
    vectorCount(ctx, modelId),
  ]);
  return total >= LARGE_PART * count;
}
