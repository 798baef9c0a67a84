import type { Db } from '../../../db/client.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { finishCounting } from '../../../jobs/runs.ts';
import { pickFrames } from '../../enrichment-queue/index.ts';
import { isAnalysisQueue, requeueAnalysis } from './analysis.handlers.ts';
import {
  readMetadata,
  renderImage,
  renderVideo,
  requeueAssets,
  type searchUnprocessed,
  transcodeVideo,
} from '../jobs.ts';
import { enqueuePage, goOn } from './requeue.domain.ts';
import { findToRequeue } from './requeue.store.ts';

const PAGE_SIZE = 2000;

/**
 * Enqueues one page of jobs and the job for the next page in one transaction, so that a crash neither
 * skips nor repeats a page.
 */
export const handleRequeue: JobHandler<typeof requeueAssets> = async (ctx, payload) => {
  const { queue, force, skipsBroken, after, runId } = payload;
  if (runId) {
    ctx.onFailed((db, error) => finishCounting(db, runId, (error as Error).message));
  }
  if (isAnalysisQueue(queue)) return requeueAnalysis(ctx, queue, payload);
  const rows = await findToRequeue(ctx.db, {
    queue,
    force,
    skipsBroken,
    after,
    limit: PAGE_SIZE,
  });
  const selectType = (...types: string[]) =>
    rows.filter(({ type }) => types.includes(type)).map((row) => ({ assetId: row.id }));
  return async (tx: Db) => {
    if (queue === 'metadataExtraction') {
      const payloads = rows.map((row) => ({ assetId: row.id }));
      await enqueuePage(tx, runId, readMetadata, payloads);
    } else if (queue === 'thumbnailGeneration') {
      await enqueuePage(tx, runId, renderImage, selectType('IMAGE'));
      await enqueuePage(tx, runId, renderVideo, selectType('VIDEO', 'AUDIO'));
    } else if (queue === 'videoMoments') {
      const payloads = selectType('VIDEO').map((video) => ({ ...video, force: true }));
      await enqueuePage(tx, runId, pickFrames, payloads);
    } else {
      await enqueuePage(tx, runId, transcodeVideo, selectType('VIDEO', 'AUDIO'));
    }
    await goOn(tx, payload, rows[PAGE_SIZE - 1]?.id);
  };
};

/** Films are left out: which videos need one is decided for each. */
const SEARCHED = ['metadataExtraction', 'thumbnailGeneration', 'videoMoments', 'analysis'] as const;

export const handleSearchUnprocessed: JobHandler<typeof searchUnprocessed> = () =>
  Promise.resolve(async (tx) => {
    for (const queue of SEARCHED) {
      await enqueue(tx, requeueAssets, { queue, force: false, skipsBroken: true });
    }
  });
