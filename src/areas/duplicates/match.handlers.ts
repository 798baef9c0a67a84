import { join } from 'node:path';
import { type Candidate, listCandidates, listOutlines, replacePairs } from './similarity.store.ts';
import { readEmbeddings, getVectorIndex } from '../../inference/index.ts';
import type { JobHandler, JobCtx } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { computeOutline, compareOutlines } from '../../media/outline.ts';
import { matchPictures } from './jobs.ts';
import * as store from './match.store.ts';

const PAGE_SIZE = 128;
/**
 * Minimum cosine similarity: copies in another size, format or crop reach it. Others may, too;
 * their outlines tell them apart.
 */
const MIN_SIMILARITY = 0.9;
/** Neighbours per picture; further copies are found through each other. */
const MAX_NEIGHBOURS = 100;

/**
 * Matches one page and enqueues the next run in the same transaction: a crash neither skips nor
 * repeats a page.
 */
export const handleMatch: JobHandler<typeof matchPictures> = async (ctx) => {
  const changes = await store.findChanges(ctx.db, PAGE_SIZE);
  if (!changes) return undefined;
  const { modelId, marks, assetIds } = changes;
  const stored = await readEmbeddings(ctx.db, modelId, assetIds);
  const vectors = getVectorIndex(ctx);
  // Of two new copies, at least the later one then finds the other.
  if (stored.length > 0) await vectors.refresh(modelId);
  const hits = await vectors.nearestMany(
    modelId,
    stored.map(({ vector }) => vector),
    { k: MAX_NEIGHBOURS },
  );
  const near = stored.flatMap(({ subjectId, slot: own }, index) =>
    hits[index]!.filter(({ slot, score }) => slot !== own && score >= MIN_SIMILARITY).map(
      ({ slot, score }) => ({ assetId: subjectId, slot, score }),
    ),
  );
  const candidates = await listCandidates(ctx.db, modelId, near);
  const outlines = await readOutlines(ctx, candidates, new Set(assetIds));
  const pairs = candidates.map((pair) => {
    const [one, other] = [outlines.get(pair.firstId), outlines.get(pair.secondId)];
    return { ...pair, sameness: one && other ? compareOutlines(one, other) : null };
  });
  return async (tx) => {
    await replacePairs(tx, assetIds, pairs, outlines);
    await store.removeChanges(tx, marks);
    await enqueue(tx, matchPictures, {});
  };
};

/** Returns stored outlines; those of changed pictures are computed again. */
async function readOutlines(
  ctx: JobCtx,
  pairs: readonly Candidate[],
  changed: ReadonlySet<string>,
): Promise<Map<string, Uint8Array>> {
  const ids = new Set(pairs.flatMap(({ firstId, secondId }) => [firstId, secondId]));
  const outlines = new Map<string, Uint8Array>();
  for (const { assetId, thumbnail, light } of await listOutlines(ctx.db, [...ids])) {
    const known = changed.has(assetId) ? null : light;
    const outline = known ?? (thumbnail === null ? undefined : await readOutline(ctx, thumbnail));
    if (outline) outlines.set(assetId, outline);
  }
  return outlines;
}

async function readOutline(ctx: JobCtx, name: string): Promise<Uint8Array | undefined> {
  try {
    return await computeOutline(join(ctx.paths.derived, name));
  } catch (error) {
    ctx.log.warn('cannot compute the outline of a thumbnail', { name, error });
    return undefined;
  }
}
