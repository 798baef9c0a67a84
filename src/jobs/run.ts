import type { Deps } from '../core/context.ts';
import { withCorrelationId } from '../core/correlation.ts';
import type { Lane } from '../core/lanes.ts';
import { createAsyncEvent } from './async-event.ts';
import { createClaimQueue } from './claim-queue.ts';
import type { ClaimedJob } from './claims.ts';
import type { AnyJob, LaneHandlers } from './define.ts';
import { createExecute, type Handler } from './execute.ts';
import { createFaultRecords } from './fault-records.ts';
import { listRetried } from './given-up.ts';
import { keepLeases } from './leases.ts';
import type { QueueLimits } from './limits.ts';
import { createFaultPauses } from './machine-faults.ts';
import { createSlots } from './slots.ts';
import { createStorageCheck } from './storage-check.ts';

export type LaneOptions<J extends AnyJob, L extends Lane> = {
  readonly deps: Deps;
  readonly lane: L;
  /** Unique per lane and life of its thread: the fence against results of an earlier one. */
  readonly worker: string;
  /** All jobs, also those of other lanes. */
  readonly jobs: readonly J[];
  readonly handlers: LaneHandlers<J, L>;
  /** Jobs worked on at once, as long as no limit is set. */
  readonly concurrency: number;
  /** Jobs claimed at once for each that is worked on; the others wait here, which saves round trips. */
  readonly batch?: number;
  readonly limits?: QueueLimits;
  readonly leaseMs?: number;
  readonly checkMs?: number;
  readonly abortGraceMs?: number;
  /** Called when there is nothing left to do; the lane then sleeps until `wake`. */
  readonly onIdle?: () => void;
  /** Called when it looks for work again, woken or after a pause. */
  readonly onBusy?: () => void;
  /** A handler ignores its time limit: the thread should be replaced. Its failure is recorded. */
  readonly onStuck?: (reason: string) => void;
};

export type LaneRun = {
  /** There may be work. */
  wake(): void;
  /** Running jobs go on, also those over a lower limit. */
  setLimits(limits: QueueLimits): void;
  /** Claims no more; running jobs get `graceMs`, then their signal is aborted; the rest is released. */
  stop(graceMs: number): Promise<void>;
};

/** For a handler to end when we stop, after its signal was aborted. */
const STOP_GRACE_MS = 1000;
/** The same after its time limit; shorter than what is left of a lease. */
const ABORT_GRACE_MS = 10_000;
const SPACE_CHECK_MS = 2000;

/** Runs the jobs of a lane: claims, runs, completes them and renews their leases. One per lane of a thread. */
export function runLane<J extends AnyJob, L extends Lane>(options: LaneOptions<J, L>): LaneRun {
  const { deps, lane, worker, batch = 1, leaseMs = 30_000, checkMs = 500 } = options;
  const log = deps.log.with({ lane: lane as Lane });
  const jobs = options.jobs.filter((job) => job.lane === lane);
  const slots = createSlots(jobs, options.concurrency);
  slots.setLimits(options.limits ?? {});
  const leases = keepLeases({ db: deps.db, log, worker, leaseMs, checkMs });
  const execute = createExecute({
    deps,
    lane,
    worker,
    jobs: options.jobs,
    // Safe: LaneHandlers has the handler of each job, by name.
    handlers: options.handlers as unknown as Readonly<Record<string, Handler>>,
    leases,
    abortGraceMs: options.abortGraceMs ?? ABORT_GRACE_MS,
    onStuck: (reason) => options.onStuck?.(reason),
    onFault: (job, error) => {
      faults.record(job, error);
      // They would meet the same fault.
      void claims.releaseWaiting(({ name }) => name === job.name);
    },
    onNoFault: (job) => faults.end(job),
  });
  const pauses = createFaultPauses();
  const changed = createAsyncEvent();
  const retried = listRetried(jobs);
  const faults = createFaultRecords({ db: deps.db, log, lane, pauses, retried, changed });
  const storage = createStorageCheck({ deps, log, lane, changed });
  const source = { db: deps.db, log, lane, worker, jobs, batch, leaseMs };
  const claims = createClaimQueue({ ...source, slots, leases, pauses, storage });
  const settled = createAsyncEvent();

  let isStopping = false;

  /** A slow database must not pile up finished work: results count until they are settled. */
  const hasRoom = () =>
    slots.countTaken() < slots.countAll() && leases.count() - claims.count() < slots.countAll() * 2;

  async function loop(): Promise<void> {
    await storage.open(() => isStopping);
    await faults.retry();
    while (!isStopping) {
      const hasClaimed = hasRoom() && !claims.hasNext() && (await claims.claimMore());
      startWaiting();
      // Queues at their limit keep these waiting: others may have work.
      if (hasClaimed && claims.count() > 0) continue;
      if (claims.countFailures() > 0) await changed.wait(claims.getPauseMs());
      else if (storage.isShort() && leases.count() === 0) await changed.wait(SPACE_CHECK_MS);
      else if (claims.count() === 0 && leases.count() === 0) await sleep();
      else await changed.wait();
    }
  }

  function startWaiting(): void {
    while (!isStopping && hasRoom()) {
      const job = claims.takeNext();
      if (!job) return;
      start(job);
    }
  }

  async function sleep(): Promise<void> {
    // A job that ended while there was nothing to claim may have enqueued another.
    if (!changed.isNotified()) options.onIdle?.();
    await changed.wait(pauses.getNextMs());
    options.onBusy?.();
  }

  function start(job: ClaimedJob): void {
    slots.take(job.name);
    let isWorking = true;
    const freeSlot = () => {
      if (!isWorking) return;
      isWorking = false;
      slots.free(job.name);
      changed.notify();
    };
    const { correlationId } = job;
    void withCorrelationId(correlationId ?? undefined, () => execute(job, freeSlot)).finally(() => {
      leases.remove(job.id);
      changed.notify();
      settled.notify();
    });
  }

  async function whenSettled(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (leases.count() > 0 && performance.now() < end) {
      await settled.wait(end - performance.now());
    }
  }

  const looping = loop();
  return {
    wake: () => changed.notify(),
    setLimits(limits) {
      slots.setLimits(limits);
      changed.notify();
    },
    async stop(graceMs) {
      isStopping = true;
      changed.notify();
      await looping;
      await claims.releaseWaiting(() => true);
      await whenSettled(graceMs);
      leases.abortAll('The server is stopping');
      await whenSettled(STOP_GRACE_MS);
      leases.close();
      await faults.whenSaved();
      await claims.releaseAll();
    },
  };
}
