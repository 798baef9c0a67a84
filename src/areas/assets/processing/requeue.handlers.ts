import type { Db } from '../../../db/client.ts';
import type { JobHandler, Effect, JobCtx, JobPayload } from '../../../jobs/define.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { finishCounting } from '../../../jobs/runs.ts';
import { pickFrames, retryFailedVideos, watchVideos } from '../../enrichment-queue/index.ts';
import {
  readMetadata,
  renderImage,
  renderVideo,
  requeueAssets,
  type searchUnprocessed,
  transcodeVideo,
} from '../jobs.ts';
import { enqueuePage, goOn } from './requeue.domain.ts';
import { findToRequeue, findToAnalyze } from './requeue.store.ts';
import {
  analyzeAsset,
  getCapabilities,
  detectFaces,
  type InferenceQueue,
  STORED_TASKS,
  computeFeature,
  readText,
  listQueueTasks,
  embedAsset,
} from '../../../inference/index.ts';

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

/** Jobs of the queues that run models; 'analysis' runs all models on one decoded picture. */
const JOBS = {
  analysis: analyzeAsset,
  smartSearch: embedAsset,
  faceDetection: detectFaces,
  ocr: readText,
  duplicateDetection: computeFeature,
} as const satisfies Record<InferenceQueue | 'analysis', unknown>;

type AnalysisQueue = keyof typeof JOBS;

const isAnalysisQueue = (queue: string): queue is AnalysisQueue => Object.hasOwn(JOBS, queue);

/** Enqueues one page of analysis jobs and the job for the next page. */
async function requeueAnalysis(
  { db, settings }: JobCtx,
  queue: AnalysisQueue,
  payload: JobPayload<typeof requeueAssets>,
): Promise<Effect> {
  const { force, after, runId } = payload;
  const capabilities = getCapabilities(settings);
  const tasks = queue === 'analysis' ? STORED_TASKS : listQueueTasks(queue);
  const wanted = tasks.flatMap((task) => {
    const capability = STORED_TASKS.includes(task) ? capabilities[task] : undefined;
    return capability ? [{ task, modelId: capability.modelId }] : [];
  });
  // Videos have their own job, which finds those without a transcript. Failed ones are retried: the
  // cause may have been a killed tool or an earlier version.
  const isForVideos = queue === 'smartSearch' && after === undefined;
  const enqueueVideoWatch = isForVideos
    ? async (tx: Db) => {
        const retried = await retryFailedVideos(tx);
        if (retried > 0 || capabilities.speech) await enqueue(tx, watchVideos, {});
      }
    : undefined;
  const rows =
    wanted.length === 0 ? [] : await findToAnalyze(db, { wanted, force, after, limit: PAGE_SIZE });
  return async (tx: Db) => {
    await enqueueVideoWatch?.(tx);
    const payloads = rows.map(({ id }) => ({ assetId: id, ...(force ? { force } : {}) }));
    await enqueuePage(tx, runId, JOBS[queue], payloads);
    if (queue === 'smartSearch' && force) {
      const videos = rows.filter(({ type }) => type === 'VIDEO');
      await enqueueMany(
        tx,
        pickFrames,
        videos.map(({ id }) => ({ assetId: id, force })),
      );
    }
    await goOn(tx, payload, rows[PAGE_SIZE - 1]?.id);
  };
}
