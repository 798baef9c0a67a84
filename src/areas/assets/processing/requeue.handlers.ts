import type { JobHandler } from '../../../jobs/define.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { isAnalysisQueue, requeueAnalysis } from './analysis.handlers.ts';
import { readMetadata, renderImage, renderVideo, requeueAssets, transcodeVideo } from '../jobs.ts';
import { findToRequeue } from './requeue.store.ts';

const PAGE_SIZE = 2000;

/**
 * Enqueues one page of jobs and the job for the next page in one transaction, so that a crash neither
 * skips nor repeats a page.
 */
export const handleRequeue: JobHandler<typeof requeueAssets> = async (ctx, payload) => {
  const { queue, force, after } = payload;
  if (isAnalysisQueue(queue)) return requeueAnalysis(ctx, queue, payload);
  const { db } = ctx;
  const rows = await findToRequeue(db, { queue, force, after, limit: PAGE_SIZE });
  if (rows.length === 0) return undefined;

  const selectType = (type: string) =>
    rows.filter((row) => row.type === type).map((row) => ({ assetId: row.id }));
  return async (tx) => {
    if (queue === 'metadataExtraction') {
      await enqueueMany(
        tx,
        readMetadata,
        rows.map((row) => ({ assetId: row.id })),
      );
    } else if (queue === 'thumbnailGeneration') {
      await enqueueMany(tx, renderImage, selectType('IMAGE'));
      await enqueueMany(tx, renderVideo, selectType('VIDEO'));
    } else {
      await enqueueMany(tx, transcodeVideo, selectType('VIDEO'));
    }
    const last = rows.at(-1);
    if (last && rows.length === PAGE_SIZE) {
      await enqueue(tx, requeueAssets, { queue, force, after: last.id });
    }
  };
};
