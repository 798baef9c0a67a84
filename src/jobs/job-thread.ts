import { join } from 'node:path';
import { type Lane, LANES } from '../core/lanes.ts';
import { remember } from '../core/recent-log.ts';
import { getFirst } from '../core/required.ts';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';
import { type ProcessWatch, readThreadStat, watchProcess } from '../media/process-stat.ts';
import { getDecodeMemoryAccount, releaseDecodeMemory } from '../media/decode-memory.ts';
import type { FromThread, ThreadConfig, ToThread, WorkerNames } from './messages.ts';

export type JobThreadOptions = {
  /** Not empty. */
  readonly lanes: readonly Lane[];
  readonly log: Log;
  readonly databaseUrl: string;
  readonly settings: Settings;
  /** Returns a new name for each lane and life of the thread: see LaneOptions.worker. */
  readonly createWorkerName: (lane: Lane) => string;
  /** A thread without work ends after this, which frees its memory. */
  readonly idleMs: number;
  /** The thread died with the jobs of this worker. */
  readonly onDeath: (worker: string) => void;
  /** The thread ended as it was told to. */
  readonly onEnd: () => void;
  /** The thread keeps dying: the process should end, and its supervisor start it again. */
  readonly onRepeatedDeath: (reason: string) => void;
  /** Before the first restart; doubles with each further one. */
  readonly backoffMs?: number;
  /** For a thread to end after its grace; then it is terminated. */
  readonly stopTimeoutMs?: number;
  /** A working thread that uses so much processor time and sends nothing is blocked. */
  readonly silenceMs?: number;
  /** A working thread that uses none and sends nothing for so long is blocked, too. */
  readonly stallMs?: number;
  /** For the other jobs of a thread to end when one of them is stuck. */
  readonly replaceGraceMs?: number;
  readonly script?: string;
};

export type JobThread = {
  /** There may be work for this lane. */
  wake(lane: Lane): void;
  configure(config: ThreadConfig): void;
  stop(graceMs: number): Promise<void>;
};

const MAX_DEATHS = 5;
const READ_MS = 100;
const DEATH_WINDOW_MS = 5 * 60_000;

/** A loop without end takes all of a processor, as far as it gets one. */
const BLOCKED_SHARE = 0.9;
/** A thread that has not said its id cannot be told from one that sleeps. */
const NOT_STARTED = { state: 'S', cpuTicks: 0, startTime: '' };

type Life = {
  readonly workers: WorkerNames;
  readonly thread: Worker;
  readonly ended: Promise<void>;
  /** With a reason: the thread did not end because it was told to. */
  readonly end: (reason?: string) => void;
  /** It was told to stop. */
  isEnding: boolean;
  /** Runs while it has work and is silent. */
  watch: ProcessWatch | undefined;
  threadId: number | undefined;
};

/**
 * Manages the thread of some lanes: the first job of one starts it and it ends after a while in which none has jobs. It
 * is replaced when it dies, when it is blocked, and when one of its jobs ignores its time limit.
 */
export function createJobThread(options: JobThreadOptions): JobThread {
  const { lanes, log, backoffMs = 500, stopTimeoutMs = 5000 } = options;
  const { replaceGraceMs = 10_000, script = SCRIPT } = options;
  const names = lanes.join('+');
  let life: Life | undefined;
  /** Lanes for which work arrived that the current life may not see any more. */
  const wanted = new Set<Lane>();
  let isStopping = false;
  let config: ThreadConfig = { limits: {}, logThreshold: 'info' };
  const deaths = createDeathCount(backoffMs);
  let timer: Timer | undefined;
  const member = LANES.indexOf(getFirst(lanes)) + 1;
  const watch = createSilenceWatch(options);

  function begin(): void {
    const workers = new Map(lanes.map((lane) => [lane, options.createWorkerName(lane)]));
    const thread = new Worker(script, { smol: true });
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const end = (reason?: string) => {
      if (life !== mine) return;
      life = undefined;
      clearTimeout(timer);
      unwatch(mine);
      thread.terminate();
      releaseDecodeMemory(member);
      resolve();
      if (reason !== undefined) return die(mine, reason);
      options.onEnd();
      if (wanted.size > 0 && !isStopping) begin();
    };
    const unknown = { watch: undefined, threadId: undefined };
    const mine: Life = { workers, thread, ended, end, isEnding: false, ...unknown };
    life = mine;
    thread.addEventListener('error', (event) => end(event.message));
    thread.addEventListener('close', () => end(mine.isEnding ? undefined : 'the thread ended'));
    thread.addEventListener('message', ({ data }: MessageEvent<FromThread>) => receive(mine, data));
    const { databaseUrl, settings } = options;
    const decodeMemory = { account: getDecodeMemoryAccount(), member };
    send(mine, { type: 'start', workers, databaseUrl, settings, config, decodeMemory });
    for (const lane of wanted) send(mine, { type: 'wake', lane });
    wanted.clear();
    watch(mine);
  }

  function receive(mine: Life, message: FromThread): void {
    if (message.type === 'broken') mine.end(message.reason);
    else if (message.type === 'started') mine.threadId = message.threadId;
    else if (message.type === 'logged') remember(message.line);
    else if (message.type === 'stopped') mine.end();
    else if (life !== mine || mine.isEnding) return;
    else if (message.type === 'idle') rest(mine);
    else if (message.type === 'stuck') replace(mine, message.reason);
    else {
      clearTimeout(timer);
      unwatch(mine);
      watch(mine);
    }
  }

  /** The thread has nothing to do. */
  function rest(mine: Life): void {
    unwatch(mine);
    clearTimeout(timer);
    timer = setTimeout(() => askToEnd(mine, 0), options.idleMs);
  }

  /** The stuck job may also keep the thread from stopping. */
  function replace(mine: Life, reason: string): void {
    log.error('job is stuck, replacing its thread', { lanes: names, reason });
    wantAll();
    askToEnd(mine, replaceGraceMs);
    clearTimeout(timer);
    timer = setTimeout(() => {
      reportDeath(mine);
      mine.end();
    }, replaceGraceMs + stopTimeoutMs);
  }

  function die(mine: Life, reason: string): void {
    deaths.add();
    log.error('job thread died', { lanes: names, reason });
    reportDeath(mine);
    if (isStopping) return;
    if (deaths.isRepeated()) {
      return options.onRepeatedDeath(`the thread of ${names} keeps dying: ${reason}`);
    }
    wantAll();
    timer = setTimeout(begin, deaths.getDelayMs());
  }

  function reportDeath({ workers }: Life): void {
    for (const worker of workers.values()) options.onDeath(worker);
  }

  /** Any of them may have left jobs. */
  function wantAll(): void {
    for (const lane of lanes) wanted.add(lane);
  }

  function wake(lane: Lane): void {
    if (isStopping) return;
    if (!life) {
      wanted.add(lane);
      // After a death the timer begins the next life, not sooner.
      if (deaths.isDelayed()) return;
      clearTimeout(timer);
      return begin();
    }
    if (life.isEnding) return void wanted.add(lane);
    clearTimeout(timer);
    send(life, { type: 'wake', lane });
    watch(life);
  }

  return {
    wake,
    configure(changed) {
      config = changed;
      if (life) send(life, { type: 'configure', config });
    },
    async stop(graceMs) {
      isStopping = true;
      clearTimeout(timer);
      const mine = life;
      if (!mine) return;
      askToEnd(mine, graceMs);
      if (await waitForEnd(mine, graceMs + stopTimeoutMs)) return;
      log.warn('job thread did not stop in time', { lanes: names });
      reportDeath(mine);
      mine.end();
    },
  };
}

/**
 * Returns a function that ends a thread unless it is heard of in time. A wake-up alone is no sign of life. It is judged by its
 * processor time: on a machine that is overloaded or was suspended, silence means nothing.
 */
function createSilenceWatch(options: Pick<JobThreadOptions, 'silenceMs' | 'stallMs'>) {
  const { silenceMs = 60_000, stallMs = 10 * silenceMs } = options;
  return (mine: Life): void => {
    const watched = (mine.watch ??= watchProcess(
      () => (mine.threadId === undefined ? NOT_STARTED : readThreadStat(mine.threadId)),
      // A message of it may be waiting to be read.
      () => setTimeout(() => mine.watch === watched && mine.end('the thread is blocked'), READ_MS),
      { limitMs: silenceMs, share: BLOCKED_SHARE, stallMs, starvedMs: Infinity },
    ));
  };
}

function unwatch(mine: Life): void {
  mine.watch?.stop();
  mine.watch = undefined;
}

function askToEnd(mine: Life, graceMs: number): void {
  mine.isEnding = true;
  unwatch(mine);
  send(mine, { type: 'stop', graceMs });
}

/** Returns whether the thread has ended within `ms`. */
const waitForEnd = (mine: Life, ms: number): Promise<boolean> =>
  Promise.race([mine.ended.then(() => true), Bun.sleep(ms).then(() => false)]);

/** Counts the deaths of a thread within a while, and how long its next life waits. */
function createDeathCount(backoffMs: number) {
  let deaths: number[] = [];
  const getDelayMs = () => backoffMs * 2 ** Math.max(0, deaths.length - 1);
  return {
    add(): void {
      const now = performance.now();
      deaths = [...deaths.filter((at) => now - at < DEATH_WINDOW_MS), now];
    },
    isRepeated: () => deaths.length > MAX_DEATHS,
    getDelayMs,
    /** Returns whether the delay after the last death is not over. */
    isDelayed(): boolean {
      const died = deaths.at(-1);
      return died !== undefined && performance.now() - died < getDelayMs();
    },
  };
}

const send = (life: Life, message: ToThread) => life.thread.postMessage(message);

/** In the binary a thread is found by its place below the project root, elsewhere by its own path. */
const SCRIPT = Bun.isStandaloneExecutable
  ? './workers/jobs.ts'
  : join(import.meta.dir, '../../workers/jobs.ts');
