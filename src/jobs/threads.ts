import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Deps } from '../core/context.ts';
import { keepHeapsSmall, releaseFreeMemory } from '../core/malloc.ts';
import { releaseJobs } from './claims.ts';
import type { Lane } from './define.ts';
import { startDispatch } from './dispatch.ts';
import { createLaneThread } from './lane-thread.ts';

export type ThreadsOptions = {
  /** Of the main thread; the threads open their own. */
  readonly deps: Deps;
  readonly databaseUrl: string;
  /** Those of the settings unless said otherwise. */
  readonly lanes?: readonly Lane[];
  readonly pollMs?: number;
  readonly idleMs?: number;
  /** A lane cannot be kept alive. By default the process ends: its supervisor starts a fresh one. */
  readonly onHopeless?: (reason: string) => void;
};

export type Threads = {
  /** Running jobs get the grace to end; then all are given back. */
  stop(graceMs?: number): Promise<void>;
};

const IDLE_MS = 60_000;
const GRACE_MS = 10_000;

/** Runs the jobs of these lanes, a thread for each lane that has any. */
export function startThreads(options: ThreadsOptions): Threads {
  const { deps, databaseUrl, lanes = deps.settings.lanes } = options;
  const { log, sql, settings } = deps;
  keepHeapsSmall();
  const onHopeless =
    options.onHopeless ??
    ((reason) => {
      log.error('the job queue cannot go on', { reason });
      process.exit(1);
    });

  const threadOf = (lane: Lane) =>
    createLaneThread({
      lane,
      log,
      databaseUrl,
      settings,
      nameWorker: () => `${hostname()}:${process.pid}:${lane}:${randomUUID().slice(0, 8)}`,
      idleMs: options.idleMs ?? IDLE_MS,
      onDeath: (worker) =>
        void releaseJobs(sql, worker, { isCrash: true }).catch((error: unknown) =>
          log.error('the jobs of a dead thread wait for their leases to end', { error }),
        ),
      onHopeless,
      onEnd: () => releaseFreeMemory(),
    });
  const threads = new Map(lanes.map((lane) => [lane, threadOf(lane)]));
  const dispatch = startDispatch({
    deps,
    lanes,
    wake: (lane) => threads.get(lane)?.wake(),
    ...(options.pollMs !== undefined && { pollMs: options.pollMs }),
  });

  return {
    async stop(graceMs = GRACE_MS) {
      await dispatch.stop();
      await Promise.all([...threads.values()].map((thread) => thread.stop(graceMs)));
    },
  };
}
