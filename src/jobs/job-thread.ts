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
  readonly ended: PromiseWithResolvers<void>;
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
export const createJobThread = (options: JobThreadOptions): JobThread => new ManagedThread(options);

const [BACKOFF_MS, STOP_TIMEOUT_MS, REPLACE_GRACE_MS] = [500, 5000, 10_000];

class ManagedThread implements JobThread {
  readonly #options: JobThreadOptions;
  /** Names of the lanes in the log. */
  readonly #names: string;
  readonly #member: number;
  readonly #deaths: ReturnType<typeof createDeathCount>;
  readonly #watch: (life: Life) => void;
  readonly #stopTimeoutMs: number;
  readonly #replaceGraceMs: number;
  /** Lanes for which work arrived that the current life may not see any more. */
  readonly #wanted = new Set<Lane>();
  #life: Life | undefined;
  #isStopping = false;
  #config: ThreadConfig = { limits: {}, logThreshold: 'info' };
  #timer: Timer | undefined;

  constructor(options: JobThreadOptions) {
    this.#options = options;
    this.#names = options.lanes.join('+');
    this.#member = LANES.indexOf(getFirst(options.lanes)) + 1;
    this.#deaths = createDeathCount(options.backoffMs ?? BACKOFF_MS);
    this.#watch = createSilenceWatch(options, (life, reason) => this.#end(life, reason));
    this.#stopTimeoutMs = options.stopTimeoutMs ?? STOP_TIMEOUT_MS;
    this.#replaceGraceMs = options.replaceGraceMs ?? REPLACE_GRACE_MS;
  }

  wake(lane: Lane): void {
    if (this.#isStopping) return;
    const life = this.#life;
    if (!life) {
      this.#wanted.add(lane);
      // After a death the timer begins the next life, not sooner.
      if (this.#deaths.isDelayed()) return;
      clearTimeout(this.#timer);
      return this.#begin();
    }
    if (life.isEnding) return void this.#wanted.add(lane);
    clearTimeout(this.#timer);
    send(life, { type: 'wake', lane });
    this.#watch(life);
  }

  configure(config: ThreadConfig): void {
    this.#config = config;
    if (this.#life) send(this.#life, { type: 'configure', config });
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const life = this.#life;
    if (!life) return;
    askToEnd(life, graceMs);
    if (await waitForEnd(life, graceMs + this.#stopTimeoutMs)) return;
    this.#options.log.warn('job thread did not stop in time', { lanes: this.#names });
    this.#reportDeath(life);
    this.#end(life);
  }

  #begin(): void {
    const { lanes, createWorkerName, script = SCRIPT, databaseUrl, settings } = this.#options;
    const workers = new Map(lanes.map((lane) => [lane, createWorkerName(lane)]));
    const thread = new Worker(script, { smol: true });
    const ended = Promise.withResolvers<void>();
    const unknown = { watch: undefined, threadId: undefined };
    const life: Life = { workers, thread, ended, isEnding: false, ...unknown };
    this.#life = life;
    thread.addEventListener('error', (event) => this.#end(life, event.message));
    thread.addEventListener('close', () =>
      this.#end(life, life.isEnding ? undefined : 'the thread ended'),
    );
    thread.addEventListener('message', ({ data }: MessageEvent<FromThread>) =>
      this.#receive(life, data),
    );
    const decodeMemory = { account: getDecodeMemoryAccount(), member: this.#member };
    const config = this.#config;
    send(life, { type: 'start', workers, databaseUrl, settings, config, decodeMemory });
    for (const lane of this.#wanted) send(life, { type: 'wake', lane });
    this.#wanted.clear();
    this.#watch(life);
  }

  /** With a reason: the thread did not end because it was told to. */
  #end(life: Life, reason?: string): void {
    if (this.#life !== life) return;
    this.#life = undefined;
    clearTimeout(this.#timer);
    unwatch(life);
    life.thread.terminate();
    releaseDecodeMemory(this.#member);
    life.ended.resolve();
    if (reason !== undefined) return this.#die(life, reason);
    this.#options.onEnd();
    if (this.#wanted.size > 0 && !this.#isStopping) this.#begin();
  }

  #receive(life: Life, message: FromThread): void {
    if (message.type === 'broken') this.#end(life, message.reason);
    else if (message.type === 'started') life.threadId = message.threadId;
    else if (message.type === 'logged') remember(message.line);
    else if (message.type === 'stopped') this.#end(life);
    else if (this.#life !== life || life.isEnding) return;
    else if (message.type === 'idle') this.#rest(life);
    else if (message.type === 'stuck') this.#replace(life, message.reason);
    else {
      clearTimeout(this.#timer);
      unwatch(life);
      this.#watch(life);
    }
  }

  /** The thread has nothing to do. */
  #rest(life: Life): void {
    unwatch(life);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => askToEnd(life, 0), this.#options.idleMs);
  }

  /** The stuck job may also keep the thread from stopping. */
  #replace(life: Life, reason: string): void {
    this.#options.log.error('job is stuck, replacing its thread', { lanes: this.#names, reason });
    this.#wantAll();
    askToEnd(life, this.#replaceGraceMs);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#reportDeath(life);
      this.#end(life);
    }, this.#replaceGraceMs + this.#stopTimeoutMs);
  }

  #die(life: Life, reason: string): void {
    this.#deaths.add();
    this.#options.log.error('job thread died', { lanes: this.#names, reason });
    this.#reportDeath(life);
    if (this.#isStopping) return;
    if (this.#deaths.isRepeated()) {
      return this.#options.onRepeatedDeath(`the thread of ${this.#names} keeps dying: ${reason}`);
    }
    this.#wantAll();
    this.#timer = setTimeout(() => this.#begin(), this.#deaths.getDelayMs());
  }

  #reportDeath({ workers }: Life): void {
    for (const worker of workers.values()) this.#options.onDeath(worker);
  }

  /** Any of them may have left jobs. */
  #wantAll(): void {
    for (const lane of this.#options.lanes) this.#wanted.add(lane);
  }
}

/**
 * Returns a function that ends a thread unless it is heard of in time. A wake-up alone is no sign of life. It is judged by its
 * processor time: on a machine that is overloaded or was suspended, silence means nothing.
 */
function createSilenceWatch(
  options: Pick<JobThreadOptions, 'silenceMs' | 'stallMs'>,
  end: (life: Life, reason: string) => void,
) {
  const { silenceMs = 60_000, stallMs = 10 * silenceMs } = options;
  return (life: Life): void => {
    const watched = (life.watch ??= watchProcess(
      () => (life.threadId === undefined ? NOT_STARTED : readThreadStat(life.threadId)),
      // A message of it may be waiting to be read.
      () => setTimeout(() => life.watch === watched && end(life, 'the thread is blocked'), READ_MS),
      { limitMs: silenceMs, share: BLOCKED_SHARE, stallMs, starvedMs: Infinity },
    ));
  };
}

function unwatch(life: Life): void {
  life.watch?.stop();
  life.watch = undefined;
}

function askToEnd(life: Life, graceMs: number): void {
  life.isEnding = true;
  unwatch(life);
  send(life, { type: 'stop', graceMs });
}

/** Returns whether the thread has ended within `ms`. */
const waitForEnd = ({ ended }: Life, ms: number): Promise<boolean> =>
  Promise.race([ended.promise.then(() => true), Bun.sleep(ms).then(() => false)]);

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
