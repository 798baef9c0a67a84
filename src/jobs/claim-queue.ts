import type { Lane } from '../core/lanes.ts';
import type { Log } from '../core/log.ts';
import type { Db } from '../db/client.ts';
import { type ClaimedJob, claimJobs, releaseJobs } from './claims.ts';
import type { AnyJob } from './define.ts';
import type { keepLeases } from './leases.ts';
import type { createFaultPauses } from './machine-faults.ts';
import type { createSlots } from './slots.ts';
import type { createStorageCheck } from './storage-check.ts';

const MAX_PAUSE_MS = 5000;

type ClaimQueueOptions = {
  readonly db: Db;
  readonly log: Log;
  readonly lane: Lane;
  readonly worker: string;
  /** The jobs of the lane. */
  readonly jobs: readonly AnyJob[];
  /** Jobs claimed at once for each slot. */
  readonly batch: number;
  readonly leaseMs: number;
  readonly slots: ReturnType<typeof createSlots>;
  readonly leases: ReturnType<typeof keepLeases>;
  readonly pauses: ReturnType<typeof createFaultPauses>;
  readonly storage: ReturnType<typeof createStorageCheck>;
};

/** Holds the jobs that this thread has claimed and not started. */
export function createClaimQueue(options: ClaimQueueOptions) {
  const { db, log, lane, worker, jobs, batch, leaseMs, slots, leases, pauses, storage } = options;
  let waiting: ClaimedJob[] = [];
  let failures = 0;

  const findNext = () => waiting.findIndex(({ name }) => slots.isOpen(name));

  async function claim(names: readonly string[], limit: number): Promise<number> {
    if (names.length === 0) return 0;
    const claimed = await claimJobs(db, { lane, worker, names, limit, leaseMs });
    leases.add(claimed);
    waiting.push(...claimed);
    return claimed.length;
  }

  /** If the database is down, the jobs are released when their leases expire. */
  const release = (only?: { ids: string[] }) =>
    releaseJobs(db, worker, only).catch((error: unknown) =>
      log.error('jobs cannot be released and wait for their leases to expire', { error }),
    );

  return {
    count: () => waiting.length,
    /** Returns how many attempts to claim have failed since the last that did not. */
    countFailures: () => failures,
    /** Returns the pause before the next attempt, in ms. */
    getPauseMs: () => Math.min(MAX_PAUSE_MS, 500 * 2 ** failures),
    /** Returns whether a job waits whose queue is not at its limit. */
    hasNext: () => findNext() >= 0,
    takeNext(): ClaimedJob | undefined {
      const next = findNext();
      return next < 0 ? undefined : waiting.splice(next, 1)[0];
    },
    /** Returns whether there were any. */
    async claimMore(): Promise<boolean> {
      const open = jobs.flatMap(({ name }) => (slots.isOpen(name) ? [name] : []));
      if (open.length === 0) return false;
      try {
        if (!(await storage.isAvailable())) return false;
        const names = open.filter((name) => !pauses.isPaused(name));
        let count = await claim(names, slots.countAll() * batch);
        for (const name of pauses.listDue()) {
          const claimed = await claim([name], 1);
          pauses.setTried(name, claimed > 0);
          count += claimed;
        }
        failures = 0;
        return count > 0;
      } catch (error) {
        failures += 1;
        log.error('jobs cannot be claimed', { error });
        return false;
      }
    },
    /** Gives back jobs that were claimed and not started. */
    async releaseWaiting(isReleased: (job: ClaimedJob) => boolean): Promise<void> {
      const ids = waiting.filter(isReleased).map(({ id }) => id);
      for (const id of ids) leases.remove(id);
      waiting = waiting.filter((job) => !isReleased(job));
      if (ids.length > 0) await release({ ids });
    },
    /** Gives back all jobs of the thread. */
    releaseAll: () => release(),
  };
}
