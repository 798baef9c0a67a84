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
  const pauses = createFaultPauses();
  const changed = createAsyncEvent();
  const retried = listRetried(jobs);
  const faults = createFaultRecords({ db: deps.db, log, lane, pauses, retried, changed });
  const storage = createStorageCheck({ deps, log, lane, changed });
  const source = { db: deps.db, log, lane, worker, jobs, batch, leaseMs };
  const claims = createClaimQueue({ ...source, slots, leases, pauses, storage });
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
  return new RunningLane({
    slots,
    leases,
    pauses,
    changed,
    faults,
    storage,
    claims,
    execute,
    onIdle: () => options.onIdle?.(),
    onBusy: () => options.onBusy?.(),
  });
}

type LaneParts = {
  readonly slots: ReturnType<typeof createSlots>;
  readonly leases: ReturnType<typeof keepLeases>;
  readonly pauses: ReturnType<typeof createFaultPauses>;
  /** Something may be done now: work has come, a job has ended, a limit was changed. */
  readonly changed: ReturnType<typeof createAsyncEvent>;
  readonly faults: ReturnType<typeof createFaultRecords>;
  readonly storage: ReturnType<typeof createStorageCheck>;
  readonly claims: ReturnType<typeof createClaimQueue>;
  readonly execute: ReturnType<typeof createExecute>;
  readonly onIdle: () => void;
  readonly onBusy: () => void;
};

class RunningLane implements LaneRun {
  readonly #parts: LaneParts;
  readonly #settled = createAsyncEvent();
  readonly #looping: Promise<void>;
  #isStopping = false;

  constructor(parts: LaneParts) {
    this.#parts = parts;
    this.#looping = this.#loop();
  }

  wake(): void {
    this.#parts.changed.notify();
  }

  setLimits(limits: QueueLimits): void {
    this.#parts.slots.setLimits(limits);
    this.wake();
  }

  async stop(graceMs: number): Promise<void> {
    const { claims, leases, faults } = this.#parts;
    this.#isStopping = true;
    this.wake();
    await this.#looping;
    await claims.releaseWaiting(() => true);
    await this.#whenSettled(graceMs);
    leases.abortAll('The server is stopping');
    await this.#whenSettled(STOP_GRACE_MS);
    leases.close();
    await faults.whenSaved();
    await claims.releaseAll();
  }

  async #loop(): Promise<void> {
    const { claims, leases, storage, faults, changed } = this.#parts;
    await storage.open(() => this.#isStopping);
    await faults.retry();
    while (!this.#isStopping) {
      const hasClaimed = this.#hasRoom() && !claims.hasNext() && (await claims.claimMore());
      this.#startWaiting();
      // Queues at their limit keep these waiting: others may have work.
      if (hasClaimed && claims.count() > 0) continue;
      if (claims.countFailures() > 0) await changed.wait(claims.getPauseMs());
      else if (storage.isShort() && leases.count() === 0) await changed.wait(SPACE_CHECK_MS);
      else if (claims.count() === 0 && leases.count() === 0) await this.#sleep();
      else await changed.wait();
    }
  }

  /** A slow database must not pile up finished work: results count until they are settled. */
  #hasRoom(): boolean {
    const { slots, leases, claims } = this.#parts;
    const slotCount = slots.countAll();
    return slots.countTaken() < slotCount && leases.count() - claims.count() < slotCount * 2;
  }

  #startWaiting(): void {
    while (!this.#isStopping && this.#hasRoom()) {
      const job = this.#parts.claims.takeNext();
      if (!job) return;
      this.#start(job);
    }
  }

  async #sleep(): Promise<void> {
    const { changed, pauses, onIdle, onBusy } = this.#parts;
    // A job that ended while there was nothing to claim may have enqueued another.
    if (!changed.isNotified()) onIdle();
    await changed.wait(pauses.getNextMs());
    onBusy();
  }

  #start(job: ClaimedJob): void {
    const { slots, leases, changed, execute } = this.#parts;
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
      this.#settled.notify();
    });
  }

  async #whenSettled(ms: number): Promise<void> {
    const { leases } = this.#parts;
    const end = performance.now() + ms;
    while (leases.count() > 0 && performance.now() < end) {
      await this.#settled.wait(end - performance.now());
    }
  }
}
