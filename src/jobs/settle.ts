import { type Log, getErrorMessage } from '../core/log.ts';
import type { Db } from '../db/client.ts';
import { isDatabaseError } from '../db/errors.ts';
import { retryThroughOutage } from '../db/outage.ts';
import {
  type ClaimedJob,
  retryOrFail,
  completeJob,
  completeJobs,
  limitLockWaits,
} from './claims.ts';
import type { Effect, FailureRecord } from './define.ts';

const TRIES = 5;
const MAX_ERROR_TEXT = 2000;
const RECORD_LOCK_MS = 2000;

/**
 * Completes a job and applies its effect in one transaction. Returns false, and changes nothing, if the
 * job was cancelled or given to another worker meanwhile. Retries after a serialization failure, a
 * deadlock or a lost connection: if that did commit, the job is gone and nothing happens twice.
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

/** Returns a function that completes jobs without effect; those that end during a statement share the next. */
export function createBatchedCompletion(db: Db, worker: string, log: Log): CompleteJob {
  let finished: ClaimedJob[] = [];
  let running: Promise<void> | undefined;

  async function finishAll(): Promise<void> {
    while (finished.length > 0) {
      const some = finished;
      finished = [];
      await retryThroughOutage(() => completeJobs(db, worker, some)).catch((error: unknown) =>
        log.error('completing jobs failed, they will run again', { error }),
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

type Failure = {
  readonly attempts: number;
  readonly isFault: boolean;
  readonly isRetriedLater: boolean;
  readonly error: unknown;
  readonly record: FailureRecord | undefined;
};

/** Retries or parks a job; if even that fails, its lease expires and the job is released. */
export async function recordFailure(
  { db, worker, log }: { db: Db; worker: string; log: Log },
  job: ClaimedJob,
  { error, record, ...failure }: Failure,
): Promise<void> {
  const text = error instanceof Error ? getErrorMessage(error) : String(error);
  try {
    // PostgreSQL takes no NUL in a text.
    const message = text.replaceAll('\0', '').slice(0, MAX_ERROR_TEXT).toWellFormed();
    const settle = (withRecord?: FailureRecord) =>
      retryThroughOutage(() =>
        db.transaction(async (tx) => {
          const state = await retryOrFail(tx, worker, job, {
            ...failure,
            error: message,
          });
          if (state !== 'failed' || !withRecord) return state;
          // A handler that ignored its time limit may hold the lock that the record needs.
          await limitLockWaits(tx, RECORD_LOCK_MS);
          await withRecord(tx, error);
          return state;
        }),
      );
    const became = await settle(record).catch((cause: unknown) => {
      if (!record) throw cause;
      log.error('a job failed, but what it leaves could not be marked', { error: cause });
      return settle();
    });
    if (became === 'failed') log.error('job failed, no attempts left', { error });
    else if (became === 'waiting') log.warn('job failed, retrying', { error });
  } catch (cause) {
    log.error('recording the failure of a job failed', { error: cause, failure: text });
  }
}

/** Another transaction interfered: nothing is wrong with the job. */
const isConcurrencyFailure = (error: unknown): boolean =>
  isDatabaseError(error, 'serializationFailure') || isDatabaseError(error, 'deadlock');
