import type { Ctx } from '../../../core/context.ts';
import { findCutOff, getVectorIndex } from '../../../inference/index.ts';
import { countMatching } from '../counts/totals.domain.ts';
import type { Matching } from '../match/matching.store.ts';
import { findNearestAssets, getScoreSample, withoutFilter } from './embeddings.domain.ts';
import { findThreshold, measureBackground } from './score-threshold.ts';

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
