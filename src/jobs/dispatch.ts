import { isDeepStrictEqual } from 'node:util';
import type { Deps } from '../core/context.ts';
import { createAsyncEvent } from './async-event.ts';
import { createClockWatch, pullInFarTimes } from './clock.ts';
import { hasServedSchema } from '../db/migrate.ts';
import { releaseExpired } from './claims.ts';
import { createGivenUpWatch } from './given-up.ts';
import { createTimeRecorder } from './passed-time.ts';
import { LANES, type Lane } from '../core/lanes.ts';
import type { AnyJob } from './define.ts';
import type { ThreadConfig } from './messages.ts';
import {
  enqueueDueJobs,
  filterScheduled,
  findReadyLanes,
  type IdleJobs,
  type Timetable,
  updateSchedule,
} from './schedule.ts';

export type DispatcherOptions = {
  readonly deps: Deps;
  readonly lanes: readonly Lane[];
  readonly jobs: readonly AnyJob[];
  /** There may be work for this lane. */
  readonly wake: (lane: Lane) => void;
  /** Returns what administrators have configured: at the start, after each change, and at each poll. */
  readonly readConfig?: () => Promise<ProcessConfig>;
  /** Called with it each time that it is read. */
  readonly applyConfig?: (config: ProcessConfig) => void;
  /** An update or a restore has put a database of another version in place. */
  readonly onOtherSchema?: () => void;
  readonly pollMs?: number;
};

/** The part of the configuration that every process follows while it runs. */
export type ProcessConfig = ThreadConfig & { readonly timetable: Timetable };
const NO_CONFIG: ProcessConfig = { limits: {}, logThreshold: 'info', timetable: {} };

export type Dispatcher = { stop(): Promise<void> };

/** The shortest time between two polls, even when a job is due sooner. */
const MIN_POLL_MS = 200;
/** Shorter than a lease. */
const AWAY_MS = 10_000;
/** Threads renew their leases more often. */
const RENEWAL_MS = 5000;

/**
 * Watches the queue for all lanes of this process on one connection: lanes without work have no thread
 * and no connection. A notification wakes a lane at once; polling every few seconds finds jobs whose
 * notification was lost, delayed and scheduled jobs, and jobs of processes that died.
 */
export function startDispatcher({
  deps,
  lanes,
  jobs,
  wake,
  onOtherSchema = () => {},
  readConfig = async () => NO_CONFIG,
  applyConfig = () => {},
  pollMs = 5000,
}: DispatcherOptions): Dispatcher {
  let known: Timetable | undefined;
  const wasSetBack = createClockWatch();
  const recordTime = createTimeRecorder();
  const retryGivenUp = createGivenUpWatch(jobs);
  const idle: IdleJobs = new Map();
  const changed = createAsyncEvent();
  let isStopping = false;
  let polledAt = performance.now();
  let backAt = -Infinity;

  const isOurs = (name: string): name is Lane => lanes.includes(name as Lane);
  const listening = deps.sql
    .listen(
      'job_ready',
      (lane) => {
        if (isOurs(lane)) wake(lane);
        // A delayed job may be due before the next poll, or the configuration has changed.
        else if (!LANES.includes(lane as Lane)) changed.notify();
      },
      // Also after a lost connection: notifications were missed meanwhile.
      () => changed.notify(),
    )
    .catch((error: unknown) => {
      deps.log.error('LISTEN failed, polling for jobs', { error });
      return undefined;
    });

  /** A process that was stopped cannot tell dead workers from its own threads, which renew their leases only now. */
  function maySeizeLeases(): boolean {
    const now = performance.now();
    if (now - polledAt > pollMs + AWAY_MS) backAt = now;
    polledAt = now;
    return now - backAt >= RENEWAL_MS;
  }

  async function poll(): Promise<number> {
    if (!(await hasServedSchema(deps.db))) {
      onOtherSchema();
      return pollMs;
    }
    const config = await readConfig();
    applyConfig(config);
    const { timetable } = config;
    const scheduled = filterScheduled(jobs, lanes, timetable);
    if (!isDeepStrictEqual(timetable, known)) {
      await updateSchedule(deps.db, scheduled, timetable);
      known = timetable;
    }
    if (await wasSetBack(deps.db)) await pullInFarTimes(deps.db, scheduled, timetable);
    await recordTime(deps.db);
    if (maySeizeLeases()) await releaseExpired(deps.db);
    await retryGivenUp(deps.db);
    await enqueueDueJobs(deps.db, scheduled, timetable, idle);
    const { ready, nextMs } = await findReadyLanes(deps.db, lanes);
    for (const lane of ready) wake(lane);
    return Math.min(pollMs, Math.max(MIN_POLL_MS, nextMs ?? pollMs));
  }

  async function loop(): Promise<void> {
    while (!isStopping) {
      let delay = pollMs;
      try {
        delay = await poll();
      } catch (error) {
        if (!isStopping) deps.log.error('polling for jobs failed', { error });
      }
      if (!isStopping) await changed.wait(delay);
    }
  }

  const looping = loop();
  return {
    async stop() {
      isStopping = true;
      changed.notify();
      // With a connection that is lost anyway, nobody listens any more.
      const unlistened = listening.then((listener) => listener?.unlisten()).catch(() => {});
      await Promise.all([looping, unlistened]);
    },
  };
}
