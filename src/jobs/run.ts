import type { Deps } from '../core/context.ts';
import { withCorrelationId } from '../core/correlation.ts';
import { isWorkAllowed } from '../core/disk-reserve.ts';
import type { Lane } from '../core/lanes.ts';
import { getErrorMessage } from '../core/log.ts';
import { findStoreFault, joinStores } from '../storage/stores.ts';
import { createAsyncEvent } from './async-event.ts';
import { type ClaimedJob, claimJobs, releaseJobs } from './claims.ts';
import type { AnyJob, LaneHandlers } from './define.ts';
import { createExecute, type Handler } from './execute.ts';
import { endFault, retryFaulted, saveFault } from './faults.store.ts';
import { keepLeases } from './leases.ts';
import type { QueueLimits } from './limits.ts';
import { createFaultPauses } from './machine-faults.ts';
import { createSlots } from './slots.ts';

export type LaneOptions<J extends AnyJob, L extends Lane> = {
  readonly deps: Deps;
  readonly lane: L;
  /** Unique per life of a thread: the fence against results of an earlier one. */
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
const MAX_RETRY_MS = 5000;

/** Their jobs write files and rows. The background lane also frees space, so it never waits. */
const NEEDS_SPACE: ReadonlySet<Lane> = new Set(['metadata', 'image', 'video', 'inference']);
const SPACE_CHECK_MS = 2000;

/** Runs the jobs of a lane: claims, runs, completes them and renews their leases. One per thread. */
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
    onFault,
    onNoFault,
  });
  const pauses = createFaultPauses();
  const changed = createAsyncEvent();
  const settled = createAsyncEvent();

  let waiting: ClaimedJob[] = [];
  let isStopping = false;
  let failedClaims = 0;
  let isShort = false;

  /** A slow database must not pile up finished work: results count until they are settled. */
  const hasRoom = () =>
    slots.countTaken() < slots.countAll() && leases.count() - waiting.length < slots.countAll() * 2;
  const findNext = () => waiting.findIndex(({ name }) => slots.isOpen(name));

  /** Without the folders of the library, or space in them, jobs wait, which does not count as a failure. */
  async function hasStorage(): Promise<boolean> {
    const reason = (await findStoreFault(deps)) ?? findShortage();
    if (reason && !isShort) log.warn('jobs paused', { reason });
    if (!reason && isShort) log.info('jobs resumed: the storage is available again');
    isShort = reason !== undefined;
    return !isShort;
  }

  const findShortage = (): string | undefined =>
    NEEDS_SPACE.has(lane) && !isWorkAllowed(deps.paths.root, deps.settings.reserveBytes)
      ? 'low disk space or the data folder cannot be reached'
      : undefined;

  /** Returns whether there were any. */
  async function claimMore(): Promise<boolean> {
    const open = jobs.flatMap(({ name }) => (slots.isOpen(name) ? [name] : []));
    if (open.length === 0) return false;
    const claim = async (names: readonly string[], limit: number) => {
      if (names.length === 0) return 0;
      const claimed = await claimJobs(deps.db, { lane, worker, names, limit, leaseMs });
      leases.add(claimed);
      waiting.push(...claimed);
      return claimed.length;
    };
    try {
      if (!(await hasStorage())) return false;
      const names = open.filter((name) => !pauses.isPaused(name));
      let count = await claim(names, slots.countAll() * batch);
      for (const name of pauses.listDue()) {
        const claimed = await claim([name], 1);
        pauses.setTried(name, claimed > 0);
        count += claimed;
      }
      failedClaims = 0;
      return count > 0;
    } catch (error) {
      failedClaims += 1;
      log.error('jobs cannot be claimed', { error });
      return false;
    }
  }

  /** Nothing is claimed before it is known whether the folders are those of the library. */
  async function openStorage(): Promise<void> {
    while (!isStopping) {
      try {
        return void (await joinStores(deps));
      } catch (error) {
        log.error('the storage cannot be checked', { error });
        await changed.wait(MAX_RETRY_MS);
      }
    }
  }

  /** Faults that were there when this thread started: perhaps they are over. */
  async function tryFaultsAgain(): Promise<void> {
    const names = await retryFaulted(deps.db, lane).catch(() => []);
    for (const name of names) pauses.begin(name, 0);
  }

  async function loop(): Promise<void> {
    await openStorage();
    await tryFaultsAgain();
    while (!isStopping) {
      const hasClaimed = hasRoom() && findNext() < 0 && (await claimMore());
      startWaiting();
      // Queues at their limit keep these waiting: others may have work.
      if (hasClaimed && waiting.length > 0) continue;
      if (failedClaims > 0) await changed.wait(Math.min(MAX_RETRY_MS, 500 * 2 ** failedClaims));
      else if (isShort && leases.count() === 0) await changed.wait(SPACE_CHECK_MS);
      else if (waiting.length === 0 && leases.count() === 0) await sleep();
      else await changed.wait();
    }
  }

  function startWaiting(): void {
    for (let next = findNext(); !isStopping && hasRoom() && next >= 0; next = findNext()) {
      const [job] = waiting.splice(next, 1);
      start(job!);
    }
  }

  async function sleep(): Promise<void> {
    // A job that ended while there was nothing to claim may have enqueued another.
    if (!changed.isNotified()) options.onIdle?.();
    await changed.wait(pauses.getNextMs());
  }

  let saving: Promise<unknown> = Promise.resolve();
  /** Saves in order, so that the end of a fault comes after its beginning. */
  const save = (work: () => Promise<unknown>) => {
    saving = saving.then(work).catch((error: unknown) => {
      log.warn('a fault of the machine cannot be saved', { error });
    });
  };

  function onFault({ name }: ClaimedJob, error: unknown): void {
    if (pauses.begin(name)) log.warn('jobs paused: the machine is at fault', { job: name, error });
    // They would meet the same fault.
    void releaseWaiting((job) => job.name === name);
    const reason = error instanceof Error ? getErrorMessage(error) : String(error);
    save(() => saveFault(deps.db, { name, lane, error: reason }));
  }

  function onNoFault({ name, faults }: ClaimedJob): void {
    // Another job may not need what is missing: it tells only that others can be tried.
    if (pauses.end(name)) log.info('jobs resumed', { job: name });
    if (faults > 0) save(() => endFault(deps.db, name).then(() => changed.notify()));
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

  /** If the database is down, the jobs are released when their leases expire. */
  const release = (options?: { ids: string[] }) =>
    releaseJobs(deps.db, worker, options).catch((error: unknown) =>
      log.error('jobs cannot be released and wait for their leases to expire', { error }),
    );

  /** Gives back jobs that were claimed and not started. */
  async function releaseWaiting(isReleased: (job: ClaimedJob) => boolean): Promise<void> {
    const ids = waiting.filter(isReleased).map(({ id }) => id);
    for (const id of ids) leases.remove(id);
    waiting = waiting.filter((job) => !isReleased(job));
    if (ids.length > 0) await release({ ids });
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
      await releaseWaiting(() => true);
      await whenSettled(graceMs);
      leases.abortAll('The server is stopping');
      await whenSettled(STOP_GRACE_MS);
      leases.close();
      await saving;
      await release();
    },
  };
}
