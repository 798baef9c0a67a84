import { replacePairs } from '../../access/likeness.ts';
import { readEmbeddings, vectorsOf } from '../../inference/index.ts';
import type { HandlerOf } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { matchPictures } from './jobs.ts';
import * as store from './match.store.ts';

const PAGE = 128;
/** Cosine: copies in another size, format or crop reach it; other pictures stay below 0.8. */
const ALIKE = 0.9;
/** More copies of one picture are found through each other. */
const MOST_COPIES = 100;

/** One page and the job for the next one, together: a crash neither skips nor repeats a page. */
export const handleMatch: HandlerOf<typeof matchPictures> = async (ctx) => {
  const changes = await store.findChanges(ctx.db, PAGE);
  if (!changes) return undefined;
  const { modelId, marks, assetIds } = changes;
  const stored = await readEmbeddings(ctx.db, modelId, assetIds);
  const vectors = vectorsOf(ctx);
  // Of two new copies, at least the later one then finds the other.
  if (stored.length > 0) await vectors.refresh(modelId);
  const hits = await vectors.nearestMany(
    modelId,
    stored.map(({ vector }) => vector),
    { k: MOST_COPIES },
  );
  const pairs = stored.flatMap(({ subjectId, slot: own }, index) =>
    hits[index]!.filter(({ slot, score }) => slot !== own && score >= ALIKE).map(
      ({ slot, score }) => ({ assetId: subjectId, slot, score }),
    ),
  );
  return async (tx) => {
    await replacePairs(tx, modelId, assetIds, pairs);
    await store.removeChanges(tx, marks);
    await enqueue(tx, matchPictures, {});
  };
};
