import { join } from 'node:path';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';
import { getDecodeMemoryAccount, releaseDecodeMemory } from '../media/decode-memory.ts';
import { type Lane, LANES } from './define.ts';
import type { FromThread, ToThread } from './messages.ts';

export type LaneThreadOptions = {
  readonly lane: Lane;
  readonly log: Log;
  readonly databaseUrl: string;
  readonly settings: Settings;
  /** A new name for every life of the thread. */
  readonly nameWorker: () => string;
  /** A thread without work ends after this, and its memory is free. */
  readonly idleMs: number;
  /** The thread died with its jobs. */
  readonly onDeath: (worker: string) => void;
  /** It ended, as asked. */
  readonly onEnd: () => void;
  /** It keeps dying: the process should end, and its supervisor start it again. */
  readonly onHopeless: (reason: string) => void;
  /** Before the first restart; each further one doubles it. */
  readonly backOffMs?: number;
  /** For a thread to end after its grace; then it is ended from outside. */
  readonly goodbyeMs?: number;
  readonly script?: string;
};

export type LaneThread = {
  wake(): void;
  stop(graceMs: number): Promise<void>;
};

const MAX_DEATHS = 5;
const FORGET_DEATHS_MS = 5 * 60_000;

type Life = {
  readonly worker: string;
  readonly thread: Worker;
  readonly ended: Promise<void>;
  /** Asked to end. */
  isEnding: boolean;
};

/** The thread of one lane: started by the first job, ended after a while without, restarted when it dies. */
export function createLaneThread(options: LaneThreadOptions): LaneThread {
  const { lane, log, backOffMs = 500, goodbyeMs = 5000 } = options;
  const { script = fileOf(lane) } = options;
  let life: Life | undefined;
  /** Work arrived that the present life may not see any more. */
  let isWanted = false;
  let isStopping = false;
  let deaths: number[] = [];
  let timer: Timer | undefined;
  const member = LANES.indexOf(lane) + 1;

  function begin(): void {
    const worker = options.nameWorker();
    const thread = new Worker(script, { smol: true });
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const mine: Life = { worker, thread, ended, isEnding: false };
    life = mine;
    isWanted = false;

    const end = (reason?: string) => {
      if (life !== mine) return;
      life = undefined;
      clearTimeout(timer);
      thread.terminate();
      releaseDecodeMemory(member);
      resolve();
      if (reason !== undefined) return die(worker, reason);
      options.onEnd();
      if (isWanted && !isStopping) begin();
    };
    thread.addEventListener('error', (event) => end(event.message));
    thread.addEventListener('close', () => end(mine.isEnding ? undefined : 'the thread ended'));
    thread.addEventListener('message', ({ data }: MessageEvent<FromThread>) => {
      if (data.type === 'broken') end(data.reason);
      else if (data.type === 'stopped') end();
      else if (life === mine) rest(mine);
    });
    const { databaseUrl, settings } = options;
    const decodeMemory = { account: getDecodeMemoryAccount(), member };
    tell(mine, { type: 'start', worker, databaseUrl, settings, decodeMemory });
  }

  /** The thread has nothing to do. */
  function rest(mine: Life): void {
    if (mine.isEnding) return;
    if (isWanted) return wake();
    clearTimeout(timer);
    timer = setTimeout(() => askToEnd(mine, 0), options.idleMs);
  }

  function askToEnd(mine: Life, graceMs: number): void {
    mine.isEnding = true;
    tell(mine, { type: 'stop', graceMs });
  }

  function die(worker: string, reason: string): void {
    const now = performance.now();
    deaths = [...deaths.filter((at) => now - at < FORGET_DEATHS_MS), now];
    log.error('a thread of the job queue died', { lane, reason });
    options.onDeath(worker);
    if (isStopping) return;
    if (deaths.length > MAX_DEATHS)
      return options.onHopeless(`lane ${lane} keeps dying: ${reason}`);
    timer = setTimeout(begin, restartDelay());
  }

  const restartDelay = () => backOffMs * 2 ** Math.max(0, deaths.length - 1);

  function wake(): void {
    if (isStopping) return;
    isWanted = true;
    if (!life) {
      // After a death the timer begins the next life; not sooner.
      const died = deaths.at(-1);
      if (died !== undefined && performance.now() - died < restartDelay()) return;
      clearTimeout(timer);
      return begin();
    }
    if (life.isEnding) return;
    isWanted = false;
    clearTimeout(timer);
    tell(life, { type: 'wake' });
  }

  return {
    wake,
    async stop(graceMs) {
      isStopping = true;
      clearTimeout(timer);
      const mine = life;
      if (!mine) return;
      askToEnd(mine, graceMs);
      const hasEnded = await Promise.race([
        mine.ended.then(() => true),
        Bun.sleep(graceMs + goodbyeMs).then(() => false),
      ]);
      if (hasEnded) return;
      log.warn('a thread of the job queue did not stop in time', { lane });
      life = undefined;
      mine.thread.terminate();
      releaseDecodeMemory(member);
      options.onDeath(mine.worker);
    },
  };
}

const tell = (life: Life, message: ToThread) => life.thread.postMessage(message);

/** In the binary a thread is found by its place below the project root, elsewhere by its own path. */
const fileOf = (lane: Lane): string =>
  Bun.isStandaloneExecutable
    ? `./workers/${lane}.ts`
    : join(import.meta.dir, `../../workers/${lane}.ts`);
