import type { Db } from '../../../db/client.ts';
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
import type { Effect, JobCtx, JobPayload } from '../../../jobs/define.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { pickFrames, retryFailedVideos, watchVideos } from '../../enrichment-queue/index.ts';
import type { requeueAssets } from '../jobs.ts';
import { enqueuePage, goOn } from './requeue.domain.ts';
import { findToAnalyze } from './requeue.store.ts';

const PAGE_SIZE = 2000;

/** Jobs of the queues that run models; 'analysis' runs all models on one decoded picture. */
const JOBS = {
  analysis: analyzeAsset,
  smartSearch: embedAsset,
  faceDetection: detectFaces,
  ocr: readText,
  duplicateDetection: computeFeature,
} as const satisfies Record<InferenceQueue | 'analysis', unknown>;

type AnalysisQueue = keyof typeof JOBS;

export const isAnalysisQueue = (queue: string): queue is AnalysisQueue =>
  Object.hasOwn(JOBS, queue);

/** Enqueues one page of analysis jobs and the job for the next page. */
export async function requeueAnalysis(
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
