import type { JobHandler } from '../../jobs/define.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import type { cleanUpQueue, reportFailures } from './jobs.ts';
import { deleteRunsBefore, foldRunCounts } from './runs/runs.store.ts';
import {
  foldFinishedJobs,
  deleteCancelledJobs,
  takeUnreportedFailures,
  takeUnreportedFaults,
  takeUnreportedTime,
} from './store.ts';
import type { Db } from '../../db/client.ts';
import { notifyAdmins } from '../notifications/index.ts';

const RETENTION_MS = 90 * 24 * 60 * 60_000;

export const handleCleanUpQueue: JobHandler<typeof cleanUpQueue> = async (ctx) => {
  const before = new Date(ctx.now().getTime() - RETENTION_MS);
  await runThrottled(ctx, () => deleteRunsBefore(ctx.db, before));
  return async (tx) => {
    await foldFinishedJobs(tx);
    await foldRunCounts(tx);
    await deleteCancelledJobs(tx);
  };
};

/** Afterwards and not with each failure: ten thousand jobs may fail within a minute. */
export const handleReportFailures: JobHandler<typeof reportFailures> = ({ now }) =>
  Promise.resolve(async (tx) => {
    await tellFailures(tx, now());
    await tellFaults(tx, now());
    await tellUncountedTime(tx, now());
  });

const MAX_ERROR_TEXT = 500;

async function tellFailures(db: Db, now: Date): Promise<void> {
  for (const { name, jobs, error } of await takeUnreportedFailures(db)) {
    const event = {
      kind: 'jobFailed',
      title: 'Job Failed',
      description: `Job ${name} failed with error: ${(error ?? '').slice(0, MAX_ERROR_TEXT)}`,
      data: { name, count: jobs },
      key: `job-failed ${name}`,
    } as const;
    await notifyAdmins(db, event, now);
  }
}

async function tellFaults(db: Db, now: Date): Promise<void> {
  for (const { name, error } of await takeUnreportedFaults(db)) {
    const event = {
      kind: 'jobFailed',
      title: 'Jobs Wait',
      description: `Jobs ${name} wait until the machine can run them: ${error.slice(0, MAX_ERROR_TEXT)}`,
      data: { name, isWaiting: true },
      key: `job-fault ${name}`,
    } as const;
    await notifyAdmins(db, event, now);
  }
}

/** The machine may just have been off: nobody has to do anything. */
async function tellUncountedTime(db: Db, now: Date): Promise<void> {
  const days = await takeUnreportedTime(db);
  if (days === 0) return;
  const event = {
    kind: 'integrity',
    title: 'Deletions Wait',
    description: `The clock moved ahead by ${days} days that the server has not seen pass. The trash, and whatever else is deleted for good after some days, is kept so much longer`,
    data: { uncountedDays: days },
    key: 'uncounted-time',
  } as const;
  await notifyAdmins(db, event, now);
}
