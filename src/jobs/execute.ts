import type { Deps } from '../core/context.ts';
import { retryThroughOutage } from '../db/outage.ts';
import type { ClaimedJob } from './claims.ts';
import {
  type AnyJob,
  DEFAULT_TIME_LIMIT_MS,
  type Effect,
  type FailureRecord,
  type JobCtx,
} from './define.ts';
import { isTimeout, type Leases } from './leases.ts';
import { findCause, isLasting, isMachineFault } from './machine-faults.ts';
import { FinalFailure, JobPostponed, postponeJob } from './postpone.ts';
import { completeWithEffect, createBatchedCompletion, recordFailure } from './settle.ts';

export type Handler = (ctx: JobCtx, payload: never) => Promise<Effect | void>;

export type ExecuteOptions = {
  readonly deps: Deps;
  readonly lane: string;
  readonly worker: string;
  readonly jobs: readonly AnyJob[];
  /** By the name of the job. */
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly leases: Leases;
  /** For a handler to end after its signal was aborted because of its time limit. */
  readonly abortGraceMs: number;
  /** Jobs of this name cannot run for now. */
  readonly onFault: (job: ClaimedJob, error: unknown) => void;
  /** A job ran, or failed for a reason of its own. */
  readonly onNoFault: (job: ClaimedJob) => void;
  /** A handler ignored its time limit and may run for ever: this thread should be replaced. */
  readonly onStuck: (reason: string) => void;
};

/** For the failure of a stuck job to be recorded before its thread is replaced. */
const RECORD_MS = 5000;

/**
 * Returns a function that runs one claimed job to its end: completed, retried later, or failed. It calls
 * `freeSlot` once, when the handler is done: the next job runs while this one commits.
 */
export function createExecute(options: ExecuteOptions) {
  const { deps, lane, worker, leases, abortGraceMs, onStuck, onFault, onNoFault } = options;
  const complete = createBatchedCompletion(deps.db, worker, deps.log);
  const definitions = new Map(options.jobs.map((job) => [job.name, job]));

  return async (job: ClaimedJob, freeSlot: () => void): Promise<void> => {
    const definition = definitions.get(job.name);
    const handler = options.handlers[job.name];
    const signal = leases.getSignal(job.id);
    if (!definition || !handler) throw new Error(`Unknown job ${job.name}`);
    const log = deps.log.with({ lane, job: job.name });
    if (!signal) {
      // Claimed twice after its lease was lost: the other run has ended it.
      log.warn('a job lost its lease before it began');
      return freeSlot();
    }
    const { timeLimitMs = DEFAULT_TIME_LIMIT_MS, attempts } = definition;
    const restartTimeLimit = (ms = timeLimitMs) => leases.limitTime(job.id, ms);
    let isStuck = false;
    let record: FailureRecord | undefined;

    const fail = async (error: unknown) => {
      // Cancelled, lost, or released at the end: its row belongs to somebody else.
      if (signal.aborted && !isTimeout(signal)) return;
      const reason = isTimeout(signal) ? signal.reason : error;
      if (reason instanceof JobPostponed) {
        onNoFault(job);
        return await retryThroughOutage(() => postponeJob(deps.db, worker, job, reason)).catch(
          (cause: unknown) => log.error('postponing a job failed', { error: cause }),
        );
      }
      const isFinal = reason instanceof FinalFailure;
      const cause = isFinal ? reason : await findCause(deps, reason);
      const isFault = isMachineFault(cause);
      await recordFailure({ db: deps.db, worker, log }, job, {
        attempts: isFinal ? 1 : attempts,
        isFault,
        isRetriedLater: definition.isRetriedLater === true && !isFinal && !isLasting(cause),
        error: cause,
        record,
      });
      if (isFault) onFault(job, cause);
      else onNoFault(job);
    };
    const run = async () => {
      signal.throwIfAborted();
      restartTimeLimit();
      const isLastAttempt = job.failures + 1 >= attempts;
      const onFailed = (given: FailureRecord) => {
        record = given;
      };
      const { itemId } = job;
      const ctx = { ...deps, log, signal, itemId, isLastAttempt, onFailed, restartTimeLimit };
      // Safe: `parse` of the same declaration checks the payload.
      return handler(ctx, definition.parse(job.payload) as never);
    };
    const work = async () => {
      try {
        const effect = await run().finally(freeSlot);
        if (isStuck) return;
        // Without an effect the handler did it all. With one the fault may be met when it is saved.
        if (!effect) {
          onNoFault(job);
          return await complete(job);
        }
        const isOurs = await completeWithEffect(deps.db, worker, job, effect);
        if (isOurs) onNoFault(job);
        else log.debug('job was taken away before it completed');
      } catch (error) {
        if (!isStuck) await fail(error);
      }
    };

    const timeout = createTimeoutWatch(signal, abortGraceMs);
    const working = work().finally(() => timeout.close());
    const hasEnded = await Promise.race([working.then(() => true), timeout.ignored]);
    if (hasEnded) return;
    isStuck = true;
    freeSlot();
    await Promise.race([fail(signal.reason), Bun.sleep(RECORD_MS)]);
    onStuck(`${job.name} ignored its time limit`);
  };
}

/** `ignored` resolves to false when the signal has been aborted by a timeout for `graceMs`. */
function createTimeoutWatch(signal: AbortSignal, graceMs: number) {
  const { promise: ignored, resolve } = Promise.withResolvers<false>();
  let timer: Timer | undefined;
  const onAbort = () => {
    if (isTimeout(signal)) timer = setTimeout(() => resolve(false), graceMs);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    ignored,
    close() {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
  };
}
