import type { Ctx } from '../../../core/context.ts';
import { findCutOff, getVectorIndex } from '../../../inference/index.ts';
import { countMatching } from '../counts/totals.domain.ts';
import type { Matching } from '../match/matching.store.ts';
import { findNearestAssets, getScoreSample, withoutFilter } from './embeddings.domain.ts';

type Query = { readonly modelId: string; readonly vector: Float32Array };

/** Number of the best scores that are compared with the background. */
const MOST = 200;

/**
 * Returns the score from which on pictures are results, the same for all filters of a library. Undefined while nobody
 * has measured the model and the library has too few pictures to tell.
 */
export async function findScoreThreshold(
  ctx: Ctx,
  matching: Matching,
  query: Query,
  nearest: { readonly best: number; readonly isLabelled: boolean },
): Promise<number | undefined> {
  const cutOff = findCutOff(ctx.settings, query.modelId);
  if (!cutOff) return findLibraryThreshold(ctx, withoutFilter(matching), query);
  const { least, besideLabels, distance } = cutOff;
  return Math.max(nearest.isLabelled ? besideLabels : least, nearest.best - distance);
}

/** Returns the score below which no picture is a result, whatever else is found; undefined where the library tells. */
export function findLowestThreshold(ctx: Ctx, modelId: string): number | undefined {
  const cutOff = findCutOff(ctx.settings, modelId);
  return cutOff && Math.min(cutOff.least, cutOff.besideLabels);
}

async function findLibraryThreshold(
  ctx: Ctx,
  library: Matching,
  query: Query,
): Promise<number | undefined> {
  const { modelId, vector } = query;
  const candidates = await getScoreSample(ctx, library, modelId);
  const sample = await getVectorIndex(ctx).nearest(modelId, vector, {
    k: candidates.length,
    candidates,
  });
  const scores = sample.map(({ score }) => score);
  const background = measureBackground(scores);
  if (!background) return undefined;
  // The sample tells about things that many pictures show, the best scores about those that few show.
  const [best, total] = await Promise.all([
    findNearestAssets(ctx, library, { ...query, k: MOST }),
    countMatching(ctx, library),
  ]);
  const rarest = best.map(({ score }) => score);
  return Math.min(
    findThreshold(scores, scores.length, background),
    findThreshold(rarest, Math.max(total, rarest.length), background),
  );
}

// A threshold for a model that nobody has measured: from the scores of a query over the pictures of a library. Most
// pictures do not show what is asked for, so that most scores are background. A score is above the threshold when so
// many as high ones are unlikely to be background (Benjamini and Hochberg 1995): a query that fits no picture finds
// nothing, and of the results few are wrong.

/** The share of queries without a fitting picture that find something all the same, if scores are spread normally. */
const FALSE_ALARM_RATE = 0.01;
/** The share of results that are wrong, where anything is certainly right. */
const FALSE_DISCOVERY_RATE = 0.2;
/** Below this number of pictures there is no telling what is background. */
const MIN_SAMPLE = 50;

type Background = {
  readonly centre: number;
  /** Standard deviation. */
  readonly spread: number;
};

/**
 * Returns the distribution of the scores of pictures that do not show what is asked for. It is measured at the lower half
 * of the scores: those of pictures that show it are in the upper one. Undefined for too few scores and for equal ones.
 */
export function measureBackground(scores: readonly number[]): Background | undefined {
  if (scores.length < MIN_SAMPLE) return undefined;
  const lower = scores.toSorted((a, b) => a - b).slice(0, Math.ceil(scores.length / 2));
  const centre = lower.at(-1);
  if (centre === undefined) return undefined;
  const squares = lower.reduce((sum, score) => sum + (centre - score) ** 2, 0);
  const spread = Math.sqrt(squares / lower.length);
  return spread > 0 ? { centre, spread } : undefined;
}

/**
 * Returns the lowest score that is above the background; Infinity where none is. `best`: the best of `total` scores, in
 * descending order.
 */
export function findThreshold(
  best: readonly number[],
  total: number,
  { centre, spread }: Background,
): number {
  const tails = best.map((score) => computeTail((score - centre) / spread));
  const findLast = (rate: number) =>
    tails.findLastIndex((tail, at) => tail <= (rate * (at + 1)) / total);
  if (findLast(FALSE_ALARM_RATE) < 0) return Number.POSITIVE_INFINITY;
  return best[findLast(FALSE_DISCOVERY_RATE)] ?? Number.POSITIVE_INFINITY;
}

/** Chebyshev coefficients of erfc (Press et al., Numerical Recipes in C, §6.2), the highest power first. */
const ERFC = [
  0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196,
  1.00002368, -1.26551223,
];

/** Returns the share of a standard normal distribution above `z`; relative error below 1.2e-7. */
export function computeTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + x / 2);
  const power = ERFC.reduce((sum, coefficient) => sum * t + coefficient, 0);
  const tail = (t * Math.exp(power - x * x)) / 2;
  return z < 0 ? 1 - tail : tail;
}
