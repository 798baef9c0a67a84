import type { Sql } from 'postgres';
import { type Log, getErrorMessage } from '../core/log.ts';
import type { Db } from '../db/client.ts';
import { isDatabaseError } from '../db/errors.ts';
import { type ClaimedJob, retryOrFail, releaseJobs, completeJob, completeJobs } from './claims.ts';
import type { Effect } from './define.ts';

const TRIES = 5;
/** A database that restarts is back before a lease ends: what was done is not lost. */
const OUTAGE_MS = 20_000;
const OUTAGE_PAUSE_MS = 250;
const MAX_ERROR_TEXT = 2000;

/**
 * Completes a job and does its effect in one transaction. False: the job was cancelled or given to
 * another meanwhile, and nothing was changed. A transaction that lost a race is repeated; after a lost
 * connection too, for if it did commit, the job is gone and nothing happens twice.
 */
export async function completeWithEffect(
  db: Db,
  worker: string,
  job: ClaimedJob,
  effect: Effect,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { isOurs, afterCommit } = await retryThroughOutage(() =>
        db.transaction(async (tx) => {
          const isOurs = await completeJob(tx, worker, job);
          return { isOurs, afterCommit: isOurs ? await effect(tx) : undefined };
        }),
      );
      await afterCommit?.().catch(() => {});
      return isOurs;
    } catch (error) {
      if (attempt === TRIES || !isConcurrencyFailure(error)) throw error;
      await Bun.sleep(20 * 2 ** attempt * Math.random());
    }
  }
}

export type CompleteJob = (job: ClaimedJob) => Promise<void>;

/** Completes jobs without an effect: those that end during one statement share the next one. */
export function createBatchedCompletion(sql: Sql, worker: string, log: Log): CompleteJob {
  let finished: ClaimedJob[] = [];
  let running: Promise<void> | undefined;

  async function finishAll(): Promise<void> {
    while (finished.length > 0) {
      const some = finished;
      finished = [];
      await retryThroughOutage(() => completeJobs(sql, worker, some)).catch((error: unknown) =>
        log.error('finished jobs cannot be recorded and will run again', { error }),
      );
    }
  }

  return async (job) => {
    finished.push(job);
    running ??= finishAll().finally(() => {
      running = undefined;
    });
    await running;
  };
}

/**
 * Back to the queue or parked; when even that fails, the lease runs out and the job is reclaimed. One
 * that lost its connection is not to blame, unless that happens again and again.
 */
export async function recordFailure(
  { sql, worker, log }: { sql: Sql; worker: string; log: Log },
  job: ClaimedJob,
  attempts: number,
  error: unknown,
): Promise<void> {
  const text = error instanceof Error ? getErrorMessage(error) : String(error);
  try {
    if (isDatabaseError(error, 'connectionFailure')) {
      log.warn('job lost its database connection and will be tried again', { error });
      const ids = [job.id];
      return await retryThroughOutage(() => releaseJobs(sql, worker, { ids, isCrash: true }));
    }
    // PostgreSQL takes no NUL in a text.
    const message = text.replaceAll('\0', '').slice(0, MAX_ERROR_TEXT).toWellFormed();
    const became = await retryThroughOutage(() =>
      retryOrFail(sql, worker, job, { error: message, attempts }),
    );
    if (became === 'failed') log.error('job failed for good', { error });
    else if (became === 'waiting') log.warn('job failed and will be tried again', { error });
  } catch (cause) {
    log.error('a failed job cannot be put back', { error: cause, failure: text });
  }
}

/** Does it again as long as the database cannot be reached, for as long as a restart takes. */
async function retryThroughOutage<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + OUTAGE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseError(error, 'connectionFailure') || performance.now() > end) throw error;
      await Bun.sleep(OUTAGE_PAUSE_MS);
    }
  }
}

/** Serialization failure or deadlock: nothing is wrong with the job. */
const isConcurrencyFailure = (error: unknown): boolean =>
  isDatabaseError(error, 'serializationFailure') || isDatabaseError(error, 'deadlock');
