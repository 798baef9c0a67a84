import type { Ctx } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { QUEUE_NAMES, type QueueName } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { clusterFaces, reclusterAll, requeueAssets } from '../../job-registry.ts';
import type {
  QueueCommandDto,
  QueueResponseDto,
  QueueResponseLegacyDto,
  QueuesResponseLegacyDto,
  QueueUpdateDto,
} from './schemas.ts';
import { countQueues, deleteJobs, type QueueRow, setPaused } from './store.ts';

export async function listQueuesLegacy({ db }: Ctx): Promise<QueuesResponseLegacyDto> {
  const rows = await countQueues(db, QUEUE_NAMES);
  const entries = rows.map((row) => [row.name, toLegacy(row)] as const);
  // Safe: the store answers one row per name it was asked for.
  return Object.fromEntries(entries) as QueuesResponseLegacyDto;
}

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
  if (isPaused !== undefined)
    await inTransaction(ctx, (inside) => pauseQueue(inside, name, isPaused));
  return getQueue(ctx, name);
}

/** Acts on a queue of the whole installation, on every machine. */
export async function commandQueue(
  ctx: Ctx,
  name: QueueName,
  { command, force = false }: QueueCommandDto,
): Promise<QueueResponseLegacyDto> {
  switch (command) {
    case 'start':
      await startQueue(ctx, name, force);
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

/** What is looked at meanwhile leaves out the tasks of a paused queue: they are made up for. */
const MADE_UP = ['faceDetection', 'smartSearch', 'ocr', 'duplicateDetection'] as const;

async function pauseQueue({ db }: Ctx, name: QueueName, isPaused: boolean): Promise<void> {
  await setPaused(db, name, isPaused);
  const queue = MADE_UP.find((one) => one === name);
  if (queue && !isPaused) await enqueue(db, requeueAssets, { queue, force: false });
}

/** Queues that work by themselves: nothing can be started in them. */
const NEVER_STARTED: ReadonlySet<QueueName> = new Set([
  'backgroundTask',
  'search',
  'notifications',
  'workflow',
  'integrityCheck',
  'editor',
]);

const REQUEUED = [
  'metadataExtraction',
  'thumbnailGeneration',
  'videoConversion',
  'faceDetection',
  'smartSearch',
  'ocr',
  'duplicateDetection',
] as const;

const isRequeued = (name: QueueName): name is (typeof REQUEUED)[number] =>
  REQUEUED.some((queue) => queue === name);

/** The assets are found by a background job: the answer does not wait for a million rows. */
async function startQueue({ db }: Ctx, name: QueueName, force: boolean): Promise<void> {
  const { running } = await readQueue(db, name);
  if (running > 0) throw badRequest('Job is already running');
  if (isRequeued(name)) await enqueue(db, requeueAssets, { queue: name, force });
  else if (name === 'facialRecognition') await enqueue(db, force ? reclusterAll : clusterFaces, {});
  // The others that clients may start have nothing to do yet.
  else if (NEVER_STARTED.has(name)) throw badRequest(`Invalid job name: ${name}`);
}

async function readQueue(db: Ctx['db'], name: QueueName): Promise<QueueRow> {
  const [row] = await countQueues(db, [name]);
  if (!row) throw new Error(`no row for queue ${name}`);
  return row;
}

/** Waiting jobs of a paused queue are shown as paused. */
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
