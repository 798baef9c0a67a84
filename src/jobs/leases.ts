import type { Log } from '../core/log.ts';
import type { Db } from '../db/client.ts';
import { type ClaimedJob, confirmClaims } from './claims.ts';
import { JobTimeoutError } from './define.ts';

export type LeaseOptions = {
  readonly db: Db;
  readonly log: Log;
  readonly worker: string;
  readonly leaseMs: number;
  /** Interval of the checks for time limits and cancelled jobs. */
  readonly checkMs: number;
};

export type Leases = {
  add(jobs: readonly ClaimedJob[]): void;
  readonly getSignal: (id: string) => AbortSignal | undefined;
  /** Starts the time limit of a job, or starts it anew. */
  limitTime(id: string, ms: number): void;
  /** The job is settled or released. */
  remove(id: string): void;
  count(): number;
  abortAll(reason: string): void;
  close(): void;
};

type Held = {
  readonly abort: AbortController;
  limitMs: number;
  /** Rest of its limit; a claimed job that has not started has none. */
  leftMs: number;
};

/**
 * Renews the leases of the jobs that a worker holds. Aborts the signal of those that are no longer its
 * own and of those that are past their time limit; the latter are not renewed any more.
 */
export function keepLeases({ db, log, worker, leaseMs, checkMs }: LeaseOptions): Leases {
  const held = new Map<string, Held>();
  let timer: Timer | undefined;
  let renewedAt = 0;
  let checkedAt = performance.now();
  let isChecking = false;

  /** Counts only time in which this thread runs: a machine that was suspended or overloaded ends no job. */
  function abortExpired(): void {
    const now = performance.now();
    const passedMs = Math.min(now - checkedAt, 2 * checkMs);
    checkedAt = now;
    for (const job of held.values()) {
      job.leftMs -= passedMs;
      if (job.leftMs <= 0 && !job.abort.signal.aborted)
        job.abort.abort(new JobTimeoutError(job.limitMs));
    }
  }

  async function check(): Promise<void> {
    abortExpired();
    if (isChecking) return;
    isChecking = true;
    const now = performance.now();
    const isDue = now - renewedAt > leaseMs / 3;
    const ids = [...held].flatMap(([id, { abort }]) => (isTimeout(abort.signal) ? [] : [id]));
    try {
      const ours = await confirmClaims(db, worker, ids, isDue ? leaseMs : undefined);
      if (isDue) renewedAt = now;
      for (const id of ids) if (!ours.has(id)) abortJob(id, 'The job was cancelled');
    } catch (error) {
      log.warn('leases cannot be renewed', { error });
      if (now - renewedAt > leaseMs) for (const id of ids) abortJob(id, 'The lease was lost');
    } finally {
      isChecking = false;
    }
  }

  const abortJob = (id: string, reason: string) => held.get(id)?.abort.abort(new Error(reason));
  const stopChecking = () => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    add(jobs) {
      // The claims are fresh: the others need not be renewed early for them.
      if (held.size === 0) renewedAt = performance.now();
      for (const { id } of jobs) {
        held.set(id, { abort: new AbortController(), limitMs: Infinity, leftMs: Infinity });
      }
      if (held.size === 0 || timer) return;
      checkedAt = performance.now();
      timer = setInterval(() => void check(), checkMs);
    },
    getSignal: (id) => held.get(id)?.abort.signal,
    limitTime(id, ms) {
      const job = held.get(id);
      if (job) Object.assign(job, { limitMs: ms, leftMs: ms });
    },
    remove(id) {
      held.delete(id);
      if (held.size === 0) stopChecking();
    },
    count: () => held.size,
    abortAll(reason) {
      for (const id of held.keys()) abortJob(id, reason);
    },
    close: stopChecking,
  };
}

export const isTimeout = (signal: AbortSignal): boolean => signal.reason instanceof JobTimeoutError;
