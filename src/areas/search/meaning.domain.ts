import type { Ctx } from '../../core/context.ts';
import {
  type Capability,
  capabilitiesOf,
  InferenceCrashed,
  inferenceOf,
  ModelMissing,
  readEmbeddings,
  vectorsOf,
} from '../../inference/index.ts';
import { totalOf } from './counts.domain.ts';
import { isShelfOnly } from './kept.ts';
import type { Matching } from './matching.store.ts';
import { matchingSlots, packedSlots, vectorCount } from './smart.store.ts';

/** What understands pictures and texts; undefined while its models are not installed. */
export const meaningModel = ({ settings }: Ctx): Capability | undefined =>
  capabilitiesOf(settings).embedding;

/** Undefined when the models cannot answer now: then words have to do. */
export async function vectorOfText(ctx: Ctx, text: string): Promise<Float32Array | undefined> {
  try {
    return await inferenceOf(ctx).embedQuery(text);
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

/** The ids of the best `k` that match, best first. */
export async function closest(
  ctx: Ctx,
  matching: Matching,
  { modelId, vector, k }: { modelId: string; vector: Float32Array; k: number },
): Promise<readonly string[]> {
  const vectors = vectorsOf(ctx);
  const isMost =
    isShelfOnly(matching) &&
    (await totalOf(ctx, matching)) >= LARGE_PART * (await vectorCount(ctx, modelId));
  if (isMost) {
    const keep = (slots: readonly number[]) => matchingSlots(ctx, matching, modelId, slots);
    const hits = await vectors.nearestKept(modelId, vector, { k, keep });
    return hits.map(({ subjectId }) => subjectId);
  }
  const candidates = await packedSlots(ctx, matching, modelId);
  if (candidates.length === 0) return [];
  const hits = await vectors.nearest(modelId, vector, { k, candidates });
  const ids = await matchingSlots(
    ctx,
    matching,
    modelId,
    hits.map(({ slot }) => slot),
  );
  return hits.flatMap(({ slot }) => ids.get(slot) ?? []);
}
