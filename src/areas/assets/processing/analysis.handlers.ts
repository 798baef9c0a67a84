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
import type { Effect, JobCtx, PayloadOf } from '../../../jobs/define.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { pickFrames, retryFailedVideos, watchVideos } from '../../enrichment/index.ts';
import { requeueAssets } from '../jobs.ts';
import { findToAnalyze } from './requeue.store.ts';

const PAGE = 2000;

/** Queues whose work is done by models; `analysis` is all of them, from one look at each picture. */
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

/** One page of what the installed models have not looked at, and the job for the next one. */
export async function requeueAnalysis(
  { db, settings }: JobCtx,
  queue: AnalysisQueue,
  { force, after }: Omit<PayloadOf<typeof requeueAssets>, 'queue'>,
): Promise<Effect | undefined> {
  const capabilities = getCapabilities(settings);
  const tasks = queue === 'analysis' ? STORED_TASKS : listQueueTasks(queue);
  const wanted = tasks.flatMap((task) => {
    const capability = STORED_TASKS.includes(task) ? capabilities[task] : undefined;
    return capability ? [{ task, modelId: capability.modelId }] : [];
  });
  // Videos belong to it, too: their own watch finds what nobody has heard, and those that failed. The
  // fault may have been a killed tool, or an earlier version's.
  const isForVideos = queue === 'smartSearch' && after === undefined;
  const watch = isForVideos
    ? async (tx: Db) => {
        const retried = await retryFailedVideos(tx);
        if (retried > 0 || capabilities.speech) await enqueue(tx, watchVideos, {});
      }
    : undefined;
  if (wanted.length === 0) return watch;
  const rows = await findToAnalyze(db, { wanted, force, after, limit: PAGE });
  const last = rows.at(-1);
  if (!last) return watch;
  return async (tx: Db) => {
    await watch?.(tx);
    const payloads = rows.map(({ id }) => ({ assetId: id, ...(force ? { force } : {}) }));
    await enqueueMany(tx, JOBS[queue], payloads);
    if (queue === 'smartSearch' && force) {
      const videos = rows.filter(({ type }) => type === 'VIDEO');
      await enqueueMany(
        tx,
        pickFrames,
        videos.map(({ id }) => ({ assetId: id, force })),
      );
    }
    if (rows.length === PAGE) await enqueue(tx, requeueAssets, { queue, force, after: last.id });
  };
}
