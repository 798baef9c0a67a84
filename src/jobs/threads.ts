import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Deps } from '../core/context.ts';
import { setConfiguredThreshold } from '../core/log.ts';
import { limitMallocArenas, shrinkHeap } from '../core/malloc.ts';
import type { Db } from '../db/client.ts';
import { releaseJobs } from './claims.ts';
import { groupByThread, type Lane } from '../core/lanes.ts';
import { countCores } from '../core/setting-table.ts';
import type { AnyJob } from './define.ts';
import { type ProcessConfig, startDispatcher } from './dispatch.ts';
import type { ThreadConfig } from './messages.ts';
import { createJobThread } from './job-thread.ts';
import { NODE_ID } from './node-id.ts';

export type ThreadsOptions = {
  /** The pool of the main thread; the threads open their own. */
  readonly deps: Deps;
  readonly databaseUrl: string;
  /** All jobs: those of the schedule are enqueued here. */
  readonly jobs: readonly AnyJob[];
  /** By default the lanes of the settings. */
  readonly lanes?: readonly Lane[];
  /** By default those of this machine: on few cores lanes share a thread. */
  readonly cores?: number;
  /** By default there are no limits, and jobs with an interval only. */
  readonly readConfig?: (db: Db) => Promise<ProcessConfig>;
  readonly pollMs?: number;
  readonly idleMs?: number;
  /** A thread keeps dying. By default the process ends, and its supervisor starts a new one. */
  readonly onRepeatedDeath?: (reason: string) => void;
};

export type Threads = {
  /** Running jobs get the grace to end; then all are released. */
  stop(graceMs?: number): Promise<void>;
};

/** A thread holds some 25 MiB, and its start takes 150 ms of processor time. */
const IDLE_MS = 10_000;
const GRACE_MS = 10_000;

/** Runs the jobs of these lanes in threads: see groupByThread. A thread runs while one of its lanes has work. */
export function startThreads(options: ThreadsOptions): Threads {
  const { deps, databaseUrl, lanes = deps.settings.lanes } = options;
  const { log, db, settings } = deps;
  limitMallocArenas();
  const { onRepeatedDeath = (reason) => endProcess('job threads keep dying', { reason }) } =
    options;
  /** Its supervisor starts a new one. */
  const endProcess = (message: string, fields: { readonly reason?: string } = {}) => {
    log.error(`${message}, ending the process`, fields);
    process.exit(1);
  };

  const createThread = (lanes: readonly Lane[]) =>
    createJobThread({
      lanes,
      log,
      databaseUrl,
      settings,
      createWorkerName: (lane) => `${NODE_ID}:${lane}:${randomUUID().slice(0, 8)}`,
      idleMs: options.idleMs ?? IDLE_MS,
      onDeath: (worker) =>
        void releaseJobs(db, worker, { isCrash: true }).catch((error: unknown) =>
          log.error(
            'jobs of a dead thread cannot be released and wait for their leases to expire',
            { error },
          ),
        ),
      onRepeatedDeath,
      onEnd: shrinkHeap,
    });
  let known: ThreadConfig | undefined;
  const groups = groupByThread(lanes, options.cores ?? countCores());
  const threads = groups.map((group) => ({ lanes: group, thread: createThread(group) }));
  const applyConfig = ({ limits, logThreshold }: ProcessConfig) => {
    if (isDeepStrictEqual({ limits, logThreshold }, known)) return;
    known = { limits, logThreshold };
    setConfiguredThreshold(logThreshold);
    for (const { thread } of threads) thread.configure(known);
  };
  const { readConfig } = options;
  // Much of the code runs at the start only.
  const shrinking = setTimeout(shrinkHeap, IDLE_MS);
  const dispatch = startDispatcher({
    deps,
    lanes,
    jobs: options.jobs,
    wake: (lane) => threads.find(({ lanes }) => lanes.includes(lane))?.thread.wake(lane),
    applyConfig,
    onOtherSchema: () => endProcess('the database has the schema of another version'),
    ...(readConfig && { readConfig: () => readConfig(db) }),
    ...(options.pollMs !== undefined && { pollMs: options.pollMs }),
  });

  return {
    async stop(graceMs = GRACE_MS) {
      clearTimeout(shrinking);
      await dispatch.stop();
      await Promise.all(threads.map(({ thread }) => thread.stop(graceMs)));
    },
  };
}
