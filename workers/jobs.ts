import { mkdirSync } from 'node:fs';
import type { Deps } from '../src/core/context.ts';
import { getJobSpaceFloor } from '../src/core/disk-reserve.ts';
import type { Lane } from '../src/core/lanes.ts';
import { createLog, setConfiguredThreshold } from '../src/core/log.ts';
import { trimHeap } from '../src/core/malloc.ts';
import { forwardLines } from '../src/core/recent-log.ts';
import { requireValue } from '../src/core/required.ts';
import { getThreadId } from '../src/core/thread-id.ts';
import { dataPaths } from '../src/core/paths.ts';
import { JOB_DEADLINES, openDatabase } from '../src/db/client.ts';
import { getLaneConcurrency, selectLimits } from '../src/jobs/limits.ts';
import {
  type FromThread,
  HEARTBEAT_MS,
  type ThreadConfig,
  type ToThread,
} from '../src/jobs/messages.ts';
import type { LaneRun } from '../src/jobs/run.ts';
import { joinDecodeMemory } from '../src/media/decode-memory.ts';
import { confineImageChildren } from '../src/media/image-children.ts';
import { setDiskReserve, setMediaHost } from '../src/media/tool-process.ts';
import { setSampleFolder } from '../src/media/tool-samples.ts';
import { getScratchFolder } from '../src/storage/index.ts';
import type { Closer, LaneCode } from './lanes/lane.ts';

// Body of every job thread: a small pool of its own, and lanes, each from when it is first woken until the main thread
// says stop.

declare const self: Worker;

/** Loaded when the lane is first woken. */
const CODE: Readonly<Record<Lane, () => Promise<LaneCode>>> = {
  background: async () => (await import('./lanes/background.ts')).background,
  metadata: async () => (await import('./lanes/metadata.ts')).metadata,
  image: async () => (await import('./lanes/image.ts')).image,
  video: async () => (await import('./lanes/video.ts')).video,
  inference: async () => (await import('./lanes/inference.ts')).inference,
};

/** Jobs claimed at once, per slot: short ones share a round trip. */
const BATCHES: Readonly<Record<Lane, number>> = {
  background: 4,
  metadata: 4,
  image: 4,
  video: 1,
  inference: 4,
};

/**
 * The lanes share them: one claims and renews while the other commits. A job uses no second connection inside a
 * transaction, so jobs cannot deadlock on the pool.
 */
const CONNECTIONS = 2;
const IDLE_SECONDS = 5;
/** Free memory is returned to the system when all lanes have been idle for so long. */
const REST_MS = 1000;

type Start = Extract<ToThread, { type: 'start' }>;

const runs = new Map<Lane, Promise<LaneRun>>();
const busy = new Set<Lane>();
const closers = new Set<Closer>();
let beginLane: (lane: Lane) => Promise<LaneRun>;
let closeDatabase: () => Promise<void>;
let config: ThreadConfig;
let resting: Timer | undefined;
let beating: Timer | undefined;

function start({ workers, databaseUrl, settings, decodeMemory, ...message }: Start): void {
  joinDecodeMemory(decodeMemory.account, decodeMemory.member);
  const { db, sql, ...database } = openDatabase(databaseUrl, {
    max: CONNECTIONS,
    name: [...workers.keys()].join('+'),
    idleSeconds: IDLE_SECONDS,
    deadlines: JOB_DEADLINES,
  });
  configure(message.config);
  forwardLines((line) => tell({ type: 'logged', line }));
  const log = createLog({ level: settings.logLevel, format: settings.logFormat });
  const paths = dataPaths(settings.dataDir);
  setMediaHost(settings);
  setSampleFolder(getScratchFolder(paths));
  setDiskReserve(getJobSpaceFloor(settings.reserveBytes));
  mkdirSync(paths.cache, { recursive: true });
  confineImageChildren([paths.originals, paths.derived, paths.cache]);
  const deps: Deps = { db, sql, now: () => new Date(), paths, settings, log };
  beginLane = async (lane) => {
    const code = await CODE[lane]();
    for (const closer of code.closers) closers.add(closer);
    return code.run({
      deps,
      worker: requireValue(workers.get(lane), 'lane of this thread'),
      concurrency: getLaneConcurrency(lane, settings),
      batch: BATCHES[lane],
      limits: selectLimits(lane, config.limits),
      onIdle: () => rest(lane),
      onBusy: () => work(lane),
      onStuck: (reason) => tell({ type: 'stuck', reason }),
    });
  };
  closeDatabase = () => database.close();
}

function work(lane: Lane): void {
  const wasIdle = busy.size === 0;
  busy.add(lane);
  if (!wasIdle) return;
  clearTimeout(resting);
  const beat = () => tell({ type: 'alive' });
  beating = setInterval(beat, HEARTBEAT_MS);
  beat();
}

function rest(lane: Lane): void {
  busy.delete(lane);
  if (busy.size > 0) return;
  clearInterval(beating);
  resting = setTimeout(trimHeap, REST_MS);
  tell({ type: 'idle' });
}

function wake(lane: Lane): void {
  work(lane);
  const run = runs.get(lane);
  if (run) return void run.then((begun) => begun.wake(), broken);
  const beginning = beginLane(lane);
  runs.set(lane, beginning);
  beginning.catch(broken);
}

function configure(changed: ThreadConfig): void {
  config = changed;
  setConfiguredThreshold(config.logThreshold);
  for (const [lane, run] of runs) {
    void run.then((begun) => begun.setLimits(selectLimits(lane, config.limits)), broken);
  }
}

async function stop(graceMs: number): Promise<void> {
  clearTimeout(resting);
  await Promise.all([...runs.values()].map(async (run) => (await run).stop(graceMs)));
  await Promise.all([...closers].map((close) => close()));
  await closeDatabase();
  clearInterval(beating);
  tell({ type: 'stopped' });
}

function tell(message: FromThread): void {
  postMessage(message);
}

function broken(error: unknown): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  tell({ type: 'broken', reason });
}

const threadId = getThreadId();
if (threadId !== undefined) tell({ type: 'started', threadId });
self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.type === 'start') start(data);
  else if (data.type === 'wake') wake(data.lane);
  else if (data.type === 'configure') configure(data.config);
  else stop(data.graceMs).catch(broken);
};
// A promise that nobody awaits must not leave a thread that looks alive.
self.addEventListener('unhandledrejection', (event) => {
  broken((event as PromiseRejectionEvent).reason);
});
