import { requireValue } from '../../core/required.ts';
import {
  areIdentical,
  digestPictures,
  limitCandidates,
  limitComparisons,
  MIN_PART_SIMILARITY,
} from './identity.ts';
import { isAlike, SURE } from '../duplicate-sets/index.ts';
import {
  type Candidate,
  listCandidates,
  listPictures,
  type MeasuredPair,
  type Picture,
  replacePairs,
  type StoredLooks,
} from './similarity.store.ts';
import { readEmbeddings, getVectorIndex } from '../../inference/index.ts';
import type { JobHandler, JobCtx } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { compareOutlines, computeLooks, type PictureLooks } from '../../media/outline.ts';
import { matchPictures } from './jobs.ts';
import * as store from './match.store.ts';
import * as storage from '../../storage/index.ts';

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
  // At least the later one of two new copies then finds the other.
  if (stored.length > 0) await vectors.refresh(modelId);
  const hits = await vectors.nearestMany(
    modelId,
    stored.map(({ vector }) => vector),
    { k: MAX_NEIGHBOURS },
  );
  const near = stored.flatMap(({ subjectId, slot: own }, index) =>
    requireValue(hits[index], 'hits of a vector')
      .filter(({ slot, score }) => slot !== own && score >= MIN_PART_SIMILARITY)
      .map(({ slot, score }) => ({ assetId: subjectId, slot, score })),
  );
  const changed = new Set(assetIds);
  const found = await listCandidates(ctx.db, modelId, near);
  const candidates = limitCandidates(found, changed, MIN_SIMILARITY);
  const { pairs, looks } = await comparePairs(ctx, candidates, changed);
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
): Promise<{ readonly pairs: readonly MeasuredPair[]; readonly looks: StoredLooks }> {
  const ids = new Set(candidates.flatMap(({ firstId, secondId }) => [firstId, secondId]));
  const pictures = new Map<string, Picture>();
  const looks = new Map<string, PictureLooks>();
  const fresh = new Map<string, PictureLooks>();
  for (const stored of await listPictures(ctx.db, [...ids])) {
    const { assetId, thumbnail } = stored;
    const isStale = changed.has(assetId);
    pictures.set(assetId, isStale ? { ...stored, pixels: null } : stored);
    const known = isStale ? undefined : toLooks(stored);
    const found = known ?? (thumbnail === null ? undefined : await readLooks(ctx, thumbnail));
    if (found) looks.set(assetId, found);
    if (found && !known) fresh.set(assetId, found);
  }
  const measureCommonPart = limitComparisons(pictures, looks, changed);
  const measured = candidates.flatMap((pair) => {
    const [first, second] = [pictures.get(pair.firstId), pictures.get(pair.secondId)];
    // Deleted since.
    if (!first || !second) return [];
    const [one, other] = [looks.get(pair.firstId), looks.get(pair.secondId)];
    const sameness = one && other ? compareOutlines(one.light, other.light) : null;
    const isWhole = isAlike({ score: pair.score, sameness });
    const commonPart = isWhole ? null : measureCommonPart(pair);
    if (pair.score < MIN_SIMILARITY && commonPart === null) return [];
    return [{ pair: { ...pair, sameness, commonPart }, pictures: [first, second] as const }];
  });
  const sure = measured.filter(({ pair }) => (pair.sameness ?? 0) >= SURE.sameness);
  const digests = await digestPictures(
    ctx,
    sure.map(({ pictures }) => pictures),
  );
  const pairs = measured.map(({ pair, pictures }) => {
    return { ...pair, isIdentical: areIdentical(digests, pictures) };
  });
  return { pairs, looks: { looks: fresh, digests } };
}

const toLooks = ({ light, patches }: Picture): PictureLooks | undefined =>
  light && patches ? { light, patches } : undefined;

async function readLooks(ctx: JobCtx, name: string): Promise<PictureLooks | undefined> {
  const path = await storage.locate(ctx, storage.derivedFile(ctx.paths, name));
  try {
    return await computeLooks(path);
  } catch (error) {
    ctx.log.warn('cannot compute the outline of a thumbnail', { name, error });
    return undefined;
  }
}
