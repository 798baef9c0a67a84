import { join } from 'node:path';
import { areIdentical, digestPictures } from './identity.ts';
import { SURE } from './sets/index.ts';
import {
  type Candidate,
  listCandidates,
  listPictures,
  type Looks,
  type MeasuredPair,
  type Picture,
  replacePairs,
} from './similarity.store.ts';
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
  const { pairs, looks } = await comparePairs(ctx, candidates, new Set(assetIds));
  return async (tx) => {
    await replacePairs(tx, assetIds, pairs, looks);
    await store.removeChanges(tx, marks);
    await enqueue(tx, matchPictures, {});
  };
};

/** Compares by what is stored; the looks of changed pictures are read again. */
async function comparePairs(
  ctx: JobCtx,
  candidates: readonly Candidate[],
  changed: ReadonlySet<string>,
): Promise<{ readonly pairs: readonly MeasuredPair[]; readonly looks: Looks }> {
  const ids = new Set(candidates.flatMap(({ firstId, secondId }) => [firstId, secondId]));
  const pictures = new Map<string, Picture>();
  const outlines = new Map<string, Uint8Array>();
  for (const stored of await listPictures(ctx.db, [...ids])) {
    const { assetId, thumbnail, light } = stored;
    const isStale = changed.has(assetId);
    pictures.set(assetId, isStale ? { ...stored, pixels: null } : stored);
    const known = isStale ? null : light;
    const outline = known ?? (thumbnail === null ? undefined : await readOutline(ctx, thumbnail));
    if (outline) outlines.set(assetId, outline);
  }
  const measured = candidates.flatMap((pair) => {
    const [first, second] = [pictures.get(pair.firstId), pictures.get(pair.secondId)];
    // Deleted since.
    if (!first || !second) return [];
    const [one, other] = [outlines.get(pair.firstId), outlines.get(pair.secondId)];
    const sameness = one && other ? compareOutlines(one, other) : null;
    return [{ pair, sameness, pictures: [first, second] as const }];
  });
  const sure = measured.filter(({ sameness }) => (sameness ?? 0) >= SURE.sameness);
  const digests = await digestPictures(
    ctx,
    sure.map(({ pictures }) => pictures),
  );
  const pairs = measured.map(({ pair, sameness, pictures }) => {
    return { ...pair, sameness, isIdentical: areIdentical(digests, pictures) };
  });
  const known = [...pictures.values()].flatMap(({ assetId, pixels }): [string, string][] =>
    pixels ? [[assetId, pixels]] : [],
  );
  return { pairs, looks: { outlines, digests: new Map([...known, ...digests]) } };
}

async function readOutline(ctx: JobCtx, name: string): Promise<Uint8Array | undefined> {
  try {
    return await computeOutline(join(ctx.paths.derived, name));
  } catch (error) {
    ctx.log.warn('cannot compute the outline of a thumbnail', { name, error });
    return undefined;
  }
}
