import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { toJsonBytes } from '../../core/json-bytes.ts';
import { shareReads } from '../../access/batch.ts';
import { inTransaction } from '../../db/transaction.ts';
import { QUEUE_NAMES, type QueueName } from '../../jobs/define.ts';
import { enqueueRun } from '../../jobs/runs.ts';
import { clusterFaces, reclusterAll } from '../people/index.ts';
import { startRequeue, toInstant } from '../assets/index.ts';
import type {
  QueueCommandDto,
  QueueResponseDto,
  QueueResponseLegacyDto,
  QueueUpdateDto,
} from './schemas.ts';
import {
  countQueues,
  deleteJobs,
  type QueueRow,
  setPaused,
  listFailedJobs as listRows,
} from './store.ts';
import { listFileNames } from './runs/runs.store.ts';
import type { FailedJobPage, FailedJobsFilter } from './failed-jobs/failed-jobs.schemas.ts';

/** Returns `QueuesResponseLegacyDto` as JSON. */
export const renderQueuesLegacy = shareReads(async (db) => {
  const rows = await countQueues(db, QUEUE_NAMES);
  return toJsonBytes(Object.fromEntries(rows.map((row) => [row.name, toLegacy(row)])));
});

export async function listQueues({ db }: Ctx): Promise<QueueResponseDto[]> {
  return (await countQueues(db, QUEUE_NAMES)).map(toQueue);
}

export async function getQueue({ db }: Ctx, name: QueueName): Promise<QueueResponseDto> {
  return toQueue(await readQueue(db, name));
}

export async function updateQueue(
  ctx: Ctx,
  name: QueueName,
  { isPaused }: QueueUpdateDto,
): Promise<QueueResponseDto> {
  if (isPaused && name === 'backgroundTask') {
    throw badRequest('The BackgroundTask queue cannot be paused');
  }
  if (isPaused !== undefined) await inTransaction(ctx, (ctx) => pauseQueue(ctx, name, isPaused));
  return getQueue(ctx, name);
}

/** Runs a command on a queue, for all machines. */
export async function commandQueue(
  ctx: Ctx,
  name: QueueName,
  { command, force = false }: QueueCommandDto,
): Promise<QueueResponseLegacyDto> {
  switch (command) {
    case 'start':
      await inTransaction(ctx, (ctx) => startQueue(ctx, name, force));
      break;
    case 'pause':
    case 'resume':
      await inTransaction(ctx, (inside) => pauseQueue(inside, name, command === 'pause'));
      break;
    case 'empty':
      await deleteJobs(ctx.db, name, 'waiting');
      break;
    case 'clear-failed':
      await deleteJobs(ctx.db, name, 'failed');
      break;
  }
  return toLegacy(await readQueue(ctx.db, name));
}

/** Queues whose skipped tasks are requeued when they are resumed. */
const CAUGHT_UP_QUEUES = ['faceDetection', 'smartSearch', 'ocr', 'duplicateDetection'] as const;

async function pauseQueue({ db }: Ctx, name: QueueName, isPaused: boolean): Promise<void> {
  await setPaused(db, name, isPaused);
  const queue = CAUGHT_UP_QUEUES.find((one) => one === name);
  if (queue && !isPaused) await startRequeue(db, { queue, force: false }, { trigger: 'system' });
}

/** Queues that run by themselves and cannot be started. */
const AUTOMATIC_QUEUES: ReadonlySet<QueueName> = new Set([
  'backgroundTask',
  'search',
  'notifications',
  'workflow',
  'integrityCheck',
  'editor',
]);

const REQUEUED_QUEUES = [
  'metadataExtraction',
  'thumbnailGeneration',
  'videoConversion',
  'faceDetection',
  'smartSearch',
  'ocr',
  'duplicateDetection',
] as const;

const isRequeued = (name: QueueName): name is (typeof REQUEUED_QUEUES)[number] =>
  REQUEUED_QUEUES.some((queue) => queue === name);

/** A background job finds the assets, so that the response does not wait for it. */
async function startQueue({ db, session }: Ctx, name: QueueName, force: boolean): Promise<void> {
  const { running } = await readQueue(db, name);
  if (running > 0) throw badRequest('Job is already running');
  const started = { trigger: 'manual', requestedBy: requireUser(session).userId } as const;
  if (isRequeued(name)) return startRequeue(db, { queue: name, force }, started);
  if (name === 'facialRecognition') {
    const job = force ? reclusterAll : clusterFaces;
    return enqueueRun(db, { ...started, name, queue: name, isForced: force }, job, {});
  }
  // Other queues that clients may start have no jobs.
  if (AUTOMATIC_QUEUES.has(name)) throw badRequest(`Invalid job name: ${name}`);
}

async function readQueue(db: Ctx['db'], name: QueueName): Promise<QueueRow> {
  const [row] = await countQueues(db, [name]);
  if (!row) throw new Error(`no row for queue ${name}`);
  return row;
}

/** Counts waiting jobs of a paused queue as paused. */
const toCounts = (row: QueueRow) => ({
  active: row.running,
  completed: row.done,
  delayed: row.delayed,
  failed: row.failed,
  paused: row.is_paused ? row.waiting : 0,
  waiting: row.is_paused ? 0 : row.waiting,
});

const toLegacy = (row: QueueRow): QueueResponseLegacyDto => ({
  jobCounts: toCounts(row),
  queueStatus: { isActive: row.running > 0, isPaused: row.is_paused },
});

const toQueue = (row: QueueRow): QueueResponseDto => ({
  name: row.name as QueueName,
  isPaused: row.is_paused,
  statistics: toCounts(row),
});

/** Returns the failed jobs of a queue with their errors, newest first. Names only assets that the caller may see. */
export async function listFailedJobs(
  { db, session }: Ctx,
  queue: QueueName,
  { cursor, size }: FailedJobsFilter,
): Promise<FailedJobPage> {
  const rows = await listRows(db, queue, { cursor, limit: size + 1 });
  const page = rows.slice(0, size);
  const assetIds = page.flatMap(({ assetId }) => assetId ?? []);
  const names = await listFileNames(db, session, assetIds);
  return {
    items: page.map(({ failedAt, ...job }) => ({
      ...job,
      queue,
      failedAt: failedAt === null ? null : toInstant(failedAt),
      label: names.get(job.assetId ?? '') ?? null,
    })),
    nextCursor: rows.length > size ? (page.at(-1)?.id ?? null) : null,
  };
}
