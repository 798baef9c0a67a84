import { mkdirSync } from 'node:fs';
import type { Deps } from '../src/core/context.ts';
import { getJobSpaceFloor } from '../src/core/disk-reserve.ts';
import type { Lane } from '../src/core/lanes.ts';
import { createLog, setConfiguredThreshold } from '../src/core/log.ts';
import { trimHeap } from '../src/core/malloc.ts';
import { forwardLines } from '../src/core/recent-log.ts';
import { getThreadId } from '../src/core/thread-id.ts';
import { dataPaths } from '../src/core/paths.ts';
import { JOB_DEADLINES, openDatabase } from '../src/db/client.ts';
import { getLaneConcurrency } from '../src/jobs/limits.ts';
import {
  type FromThread,
  HEARTBEAT_MS,
  type LaneConfig,
  type ToThread,
} from '../src/jobs/messages.ts';
import { type HandlersByLane, jobs } from '../src/job-registry.ts';
import { type LaneRun, runLane } from '../src/jobs/run.ts';
import { joinDecodeMemory } from '../src/media/decode-memory.ts';
import { confineImageChildren } from '../src/media/image-children.ts';
import { setDiskReserve, setMediaHost } from '../src/media/tool-process.ts';

declare const self: Worker;

/** Jobs claimed at once, per slot: short ones share a round trip. */
const BATCHES: Record<Lane, number> = {
  background: 4,
  metadata: 4,
  image: 4,
  video: 1,
  inference: 4,
};

/** One connection claims and renews while another commits. */
const CONNECTIONS = 2;
const IDLE_SECONDS = 5;
/** Free memory is returned to the system when the lane has been idle for so long. */
const REST_MS = 1000;

/**
 * Body of every worker thread: a small pool of its own, one lane, until the main thread says stop.
 * `close` ends what the handlers keep open.
 */
export function serveLane<L extends Lane>(
  lane: L,
  handlers: HandlersByLane<L>,
  close: () => Promise<void> = async () => {},
): void {
  let run: LaneRun | undefined;
  let end: () => Promise<void> = async () => {};
  let resting: Timer | undefined;
  let beating: Timer | undefined;
  const threadId = getThreadId();
  if (threadId !== undefined) tell({ type: 'started', threadId });

  function start(message: Extract<ToThread, { type: 'start' }>): void {
    const { worker, databaseUrl, settings, config, decodeMemory } = message;
    joinDecodeMemory(decodeMemory.account, decodeMemory.member);
    const { db, sql, ...database } = openDatabase(databaseUrl, {
      max: CONNECTIONS,
      name: lane,
      idleSeconds: IDLE_SECONDS,
      deadlines: JOB_DEADLINES,
    });
    setConfiguredThreshold(config.logThreshold);
    forwardLines((line) => tell({ type: 'logged', line }));
    const log = createLog({ level: settings.logLevel, format: settings.logFormat });
    const paths = dataPaths(settings.dataDir);
    setMediaHost(settings);
    setDiskReserve(getJobSpaceFloor(settings.reserveBytes));
    mkdirSync(paths.cache, { recursive: true });
    confineImageChildren([paths.originals, paths.derived, paths.cache]);
    const deps: Deps = { db, sql, now: () => new Date(), paths, settings, log };
    beat();
    run = runLane({
      deps,
      lane,
      worker,
      jobs,
      handlers,
      concurrency: getLaneConcurrency(lane, settings),
      batch: BATCHES[lane],
      limits: config.limits,
      onIdle() {
        clearInterval(beating);
        clearTimeout(resting);
        resting = setTimeout(trimHeap, REST_MS);
        tell({ type: 'idle' });
      },
      onStuck: (reason) => tell({ type: 'stuck', reason }),
    });
    end = async () => {
      await close();
      await database.close();
    };
  }

  function beat(): void {
    clearInterval(beating);
    beating = setInterval(() => tell({ type: 'alive' }), HEARTBEAT_MS);
  }

  function wake(): void {
    clearTimeout(resting);
    beat();
    run?.wake();
  }

  function configure({ limits, logThreshold }: LaneConfig): void {
    setConfiguredThreshold(logThreshold);
    run?.setLimits(limits);
  }

  async function stop(graceMs: number): Promise<void> {
    clearTimeout(resting);
    await run?.stop(graceMs);
    await end();
    clearInterval(beating);
    tell({ type: 'stopped' });
  }

  self.onmessage = ({ data }: MessageEvent<ToThread>) => {
    if (data.type === 'start') start(data);
    else if (data.type === 'wake') wake();
    else if (data.type === 'configure') configure(data.config);
    else stop(data.graceMs).catch(broken);
  };
  // A promise that nobody awaits must not leave a thread that looks alive.
  self.addEventListener('unhandledrejection', (event) => {
    broken((event as PromiseRejectionEvent).reason);
  });
}

const tell = (message: FromThread) => postMessage(message);

function broken(error: unknown): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  tell({ type: 'broken', reason });
}
