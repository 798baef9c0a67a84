import type { Db } from '../../../db/client.ts';
import type { AnyJob, JobPayload, QueueName } from '../../../jobs/define.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { enqueueInRun, finishCounting, type NewRun, startCounting } from '../../../jobs/runs.ts';
import { pickFrames } from '../../enrichment-queue/index.ts';
import { requeueAssets } from '../jobs.ts';

type Requeue = JobPayload<typeof requeueAssets>;

/** Starts a run of all assets that lack what a queue does, or of all; unless one waits to be counted. */
export const startRequeue = (
  db: Db,
  { queue, force }: Pick<Requeue, 'queue' | 'force'>,
  started: Pick<NewRun, 'trigger' | 'requestedBy'> & { readonly name?: string },
): Promise<void> =>
  startCounting(
    db,
    { name: queue, ...started, queue: getQueueOfItems(queue), isForced: force },
    requeueAssets,
    (runId) => ({ queue, force, runId }),
  );

/** Starts a run of the assets that lack results of the installed models. */
export const startAnalysis = (db: Db): Promise<void> =>
  startRequeue(db, { queue: 'analysis', force: false }, { trigger: 'system' });

function getQueueOfItems(queue: Requeue['queue']): QueueName {
  if (queue === 'analysis') return requeueAssets.queue;
  return queue === 'videoMoments' ? pickFrames.queue : queue;
}

/** Enqueues jobs, as items of the run if there is one. */
export const enqueuePage = <J extends AnyJob>(
  db: Db,
  runId: string | undefined,
  job: J,
  payloads: readonly JobPayload<J>[],
): Promise<void> =>
  runId ? enqueueInRun(db, runId, job, payloads) : enqueueMany(db, job, payloads);

/** Enqueues the job of the next page, or marks the run as counted. */
export async function goOn(db: Db, payload: Requeue, lastId: string | undefined): Promise<void> {
  if (lastId !== undefined) await enqueue(db, requeueAssets, { ...payload, after: lastId });
  else if (payload.runId) await finishCounting(db, payload.runId);
}
