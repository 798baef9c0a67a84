import type { Deps } from '../core/context.ts';
import { isDiskFull } from '../core/disk-errors.ts';
import { isWorkAllowed } from '../core/disk-reserve.ts';
import { createAsyncEvent } from './async-event.ts';
import { type ClaimedJob, claimJobs, releaseJobs } from './claims.ts';
import type { Effect, JobCtx, Lane } from './define.ts';
import { keepLeases } from './leases.ts';
import { type HandlersOf, jobs } from './registry.ts';
import { completeWithEffect, createFinisher, recordFailure } from './settle.ts';

export type LaneOptions<L extends Lane> = {
  readonly deps: Deps;
  readonly lane: L;
  /** Unique per life of a thread: the fence against results of an earlier one. */
  readonly worker: string;
  readonly handlers: HandlersOf<L>;
  /** Jobs worked on at once. */
  readonly concurrency: number;
  /** Jobs claimed at once; those over `concurrency` wait here, which saves round trips. */
  readonly batch?: number;
  readonly leaseMs?: number;
  readonly checkMs?: number;
  /** Called when there is nothing left to do; the lane then sleeps until `wake`. */
  readonly onIdle?: () => void;
};

export type LaneRun = {
  /** There may be work. */
  wake(): void;
  /** No more claims; running jobs get `graceMs`, then their signal; what is left is given back. */
  stop(graceMs: number): Promise<void>;
};

/** What a handler that ignores its signal gets before its job is given back under it. */
const ABORT_GRACE_MS = 1000;
const MAX_RETRY_MS = 5000;

/** Their jobs write files and rows; the background lane makes room too, and never waits. */
const NEEDS_SPACE: ReadonlySet<Lane> = new Set(['metadata', 'image', 'video', 'inference']);
const SPACE_CHECK_MS = 2000;

/** Works through a lane: claims, runs, completes, renews leases. One per thread. */
export function runLane<L extends Lane>(options: LaneOptions<L>): LaneRun {
  const { deps, lane, worker, concurrency, leaseMs = 30_000, checkMs = 500 } = options;
  const log = deps.log.with({ lane });
  const names = jobs.filter((job) => job.lane === lane).map((job) => job.name);
  const limit = Math.max(options.batch ?? concurrency, concurrency);
  const leases = keepLeases({ sql: deps.sql, log, worker, leaseMs, checkMs });
  const execute = createExecute(options, leases.signalOf);
  const bell = createAsyncEvent();
  const settled = createAsyncEvent();

  const waiting: ClaimedJob[] = [];
  let working = 0;
  let isStopping = false;
  let failedClaims = 0;
  let isShort = false;

  /** A slow database must not pile up finished work: results count until they are settled. */
  const hasRoom = () => working < concurrency && leases.count() - waiting.length < concurrency * 2;

  /** At the floor jobs wait, which counts as no failure of theirs. */
  function hasSpace(): boolean {
    if (!NEEDS_SPACE.has(lane)) return true;
    const allowed = isWorkAllowed(deps.paths.root, deps.settings.reserveBytes);
    if (!allowed && !isShort) {
      log.warn('jobs wait: too little disk space, or the data folder cannot be reached');
    }
    if (allowed && isShort) log.info('jobs go on: there is disk space again');
    isShort = !allowed;
    return allowed;
  }

  async function claimMore(): Promise<void> {
    if (!hasSpace()) return;
    try {
      const claimed = await claimJobs(deps.sql, { lane, worker, names, limit, leaseMs });
      failedClaims = 0;
      leases.add(claimed);
      waiting.push(...claimed);
    } catch (error) {
      failedClaims += 1;
      log.error('jobs cannot be claimed', { error });
    }
  }

  async function loop(): Promise<void> {
    while (!isStopping) {
      if (waiting.length === 0 && hasRoom()) await claimMore();
      while (!isStopping && waiting.length > 0 && hasRoom()) start(waiting.shift()!);
      if (failedClaims > 0) await bell.wait(Math.min(MAX_RETRY_MS, 500 * 2 ** failedClaims));
      else if (isShort && leases.count() === 0) await bell.wait(SPACE_CHECK_MS);
      else if (waiting.length === 0 && leases.count() === 0) await sleep();
      else await bell.wait();
    }
  }

  async function sleep(): Promise<void> {
    options.onIdle?.();
    await bell.wait();
  }

  function start(job: ClaimedJob): void {
    working += 1;
    const freeSlot = () => {
      working -= 1;
      bell.notify();
    };
    void execute(job, freeSlot).finally(() => {
      leases.remove(job.id);
      bell.notify();
      settled.notify();
    });
  }

  async function whenSettled(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (leases.count() > 0 && performance.now() < end) {
      await settled.wait(end - performance.now());
    }
  }

  /** A database that is away takes them back itself when the leases end. */
  const release = (options?: { ids: string[] }) =>
    releaseJobs(deps.sql, worker, options).catch((error: unknown) =>
      log.error('jobs cannot be given back and wait for their leases to end', { error }),
    );

  const looping = loop();
  return {
    wake: () => bell.notify(),
    async stop(graceMs) {
      isStopping = true;
      bell.notify();
      await looping;
      const ids = waiting.splice(0).map((job) => job.id);
      for (const id of ids) leases.remove(id);
      if (ids.length > 0) await release({ ids });
      await whenSettled(graceMs);
      leases.abortAll('The server is stopping');
      await whenSettled(ABORT_GRACE_MS);
      leases.close();
      await release();
    },
  };
}

/** One job from its claim to its end. The slot is free when the handler is done: the next one runs
 * while this one commits. */
function createExecute<L extends Lane>(
  { deps, lane, worker, handlers }: LaneOptions<L>,
  signalOf: (id: string) => AbortSignal | undefined,
) {
  const finish = createFinisher(deps.sql, worker, deps.log);
  const defs = new Map<string, (typeof jobs)[number]>(jobs.map((job) => [job.name, job]));

  return async (job: ClaimedJob, freeSlot: () => void): Promise<void> => {
    const def = defs.get(job.name);
    const signal = signalOf(job.id);
    if (!def || !signal) throw new Error(`Unknown job ${job.name}`);
    const log = deps.log.with({ lane, job: job.name });
    const isLastAttempt = job.failures + 1 >= def.attempts;
    // Safe: HandlersOf has a handler for every job of the lane, and `parse` checks the payload.
    const handle = handlers[job.name as keyof HandlersOf<L>] as unknown as (
      ctx: JobCtx,
      payload: unknown,
    ) => Promise<Effect | void>;

    const fail = async (error: unknown) => {
      // Cancelled, lost, or given back at the end: what becomes of it is not ours to say.
      if (!signal.aborted) {
        // Tried again for as long as it takes: a full disk says nothing about the job.
        const attempts = isDiskFull(error) ? Infinity : def.attempts;
        await recordFailure({ sql: deps.sql, worker, log }, job, attempts, error);
      }
    };
    const run = async () => {
      signal.throwIfAborted();
      return handle({ ...deps, log, signal, isLastAttempt }, def.parse(job.payload));
    };

    let effect: Effect | void;
    try {
      effect = await run();
    } catch (error) {
      freeSlot();
      return fail(error);
    }
    freeSlot();
    if (!effect) return finish(job);
    try {
      const isOurs = await completeWithEffect(deps.db, worker, job, effect);
      if (!isOurs) log.debug('job was taken away before it completed');
    } catch (error) {
      await fail(error);
    }
  };
}
