import { InferenceCrashed, ModelMissing, ModelUnprepared, PictureUnreadable } from './errors.ts';
import { type InferenceChild, spawnChild } from './child-process.ts';
import type { CallResults, Call, ChildOptions, FromChild } from './messages.ts';
import { type ProcessWatch, STALL_MS, type WatchEnd } from '../media/process-stat.ts';
import type { ProviderName } from './types.ts';
import type { Log } from '../core/log.ts';
import { killed, ToolBroken } from '../media/errors.ts';

export type CallerOptions = {
  readonly log: Log;
  /** Called before each start of the child. */
  readonly configure: () => Omit<ChildOptions, 'providers'>;
  readonly memoryBytes: number;
  readonly idleMs?: number;
  /** The child is killed after this time without a message: see watchProcess. */
  readonly silenceMs?: number;
  /** The child is killed after this time without processor time during a call. */
  readonly stallMs?: number;
};

export type Caller = {
  readonly call: <C extends Call>(call: C, signal?: AbortSignal) => Promise<CallResults[C['kind']]>;
  readonly memory: () => number;
  readonly close: () => Promise<void>;
};

type Pending = {
  readonly id: number;
  readonly call: Call;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  /** It was running when the child died: it is retried once, alone. */
  isSuspect: boolean;
};

type ChildState = {
  readonly child: InferenceChild;
  /** Configuration of the child; it is replaced when the configuration changes. */
  readonly configuration: string;
  /** Receives no more calls. */
  isRetired: boolean;
  /** It has loaded its libraries: what ends it afterwards may be a call. */
  isStarted: boolean;
  /** Set while a provider is tried that may crash. */
  trying: ProviderName | undefined;
  /** It was killed because it got too little processor time. */
  isStarved: boolean;
};

const IDLE_MS = 60_000;
const SILENCE_MS = 180_000;
/** Calls in flight: the next picture is decoded while the models run on this one. */
const WINDOW = 4;
const MEMORY_CHECK_MS = 1000;
/** Factor on the memory limit during a call. */
const PEAK = 1.5;
const PROVIDERS: readonly ProviderName[] = ['cuda', 'webgpu', 'cpu'];

/**
 * Calls a child process that is started on demand. After a crash each call in flight is retried
 * alone: the one that crashes the child again fails with InferenceCrashed.
 */
export function openCaller(options: CallerOptions): Caller {
  const { log, memoryBytes } = options;
  const waiting: Pending[] = [];
  const running = new Map<number, Pending>();
  const brokenProviders = new Set<ProviderName>();
  let current: ChildState | undefined;
  let nextId = 1;
  let isClosed = false;
  const timers = createTimers(options);

  function pump(): void {
    if (isClosed) return;
    while (
      waiting.length > 0 &&
      running.size < getWindow([...waiting.slice(0, 1), ...running.values()])
    ) {
      const configuration = options.configure();
      if (current && current.configuration !== JSON.stringify(configuration))
        current.isRetired = true;
      if (current?.isRetired) {
        if (running.size === 0) retire(current);
        return;
      }
      const next = waiting.shift();
      if (!next) break;
      try {
        current ??= startChild(configuration, {
          log,
          providers: PROVIDERS.filter((name) => !brokenProviders.has(name)),
          onReply: receive,
          onExit: handleExit,
        });
      } catch (error) {
        // Not retryable: a tool is missing.
        next.reject(error);
        continue;
      }
      running.set(next.id, next);
      current.child.send({ type: 'call', id: next.id, call: next.call });
    }
    updateTimers();
  }

  const updateTimers = () => timers.update(current, running.size);

  function receive(mine: ChildState, message: Reply): void {
    const done = running.get(message.id);
    running.delete(message.id);
    if (message.type === 'answer') done?.resolve(message.value as never);
    else done?.reject(toError(message));
    if (message.memory > memoryBytes) mine.isRetired = true;
    if (mine.isRetired && running.size === 0) retire(mine);
    pump();
    updateTimers();
  }

  function handleExit(mine: ChildState, how: string, failure: Error | undefined): void {
    if (current !== mine) return;
    current = undefined;
    const lost = [...running.values()].toSorted((a, b) => a.id - b.id);
    running.clear();
    const { trying } = mine;
    const isProvider = !failure && trying !== undefined && trying !== 'cpu';
    if (isProvider) brokenProviders.add(trying);
    if (lost.length > 0 && !failure && !isClosed) {
      log.warn('inference child exited during calls, retrying', { how, calls: lost.length });
    }
    waiting.unshift(...settleLost(lost, { failure, isProvider, isStarted: mine.isStarted, how }));
    updateTimers();
    pump();
  }

  return {
    call: (call, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (isClosed) throw new Error('Inference is closed');
        const pending: Pending = { id: nextId++, call, resolve, reject, isSuspect: false };
        // A running call cannot be stopped; its result is dropped.
        signal?.addEventListener('abort', () => {
          const at = waiting.indexOf(pending);
          if (at >= 0) waiting.splice(at, 1);
          reject(signal.reason as Error);
        });
        waiting.push(pending);
        pump();
      }),
    memory: () => current?.child.memory() ?? 0,
    async close() {
      isClosed = true;
      const calls = [...waiting.splice(0), ...running.values()];
      for (const { reject } of calls) reject(new Error('Inference is closed'));
      running.clear();
      const mine = current;
      if (mine) retire(mine);
      await mine?.child.exited;
      updateTimers();
    },
  };
}

type Reply = FromChild & { readonly type: 'answer' | 'failure' };

type Start = {
  readonly log: Log;
  /** Best first. */
  readonly providers: readonly ProviderName[];
  readonly onReply: (mine: ChildState, message: Reply) => void;
  /** With the reason, unless a call or a provider may be at fault. */
  readonly onExit: (mine: ChildState, how: string, failure: Error | undefined) => void;
};

function startChild(
  configuration: ReturnType<CallerOptions['configure']>,
  { log, providers, onReply, onExit }: Start,
): ChildState {
  const onMessage = (message: FromChild) => {
    if (message.type === 'trying') mine.trying = message.provider;
    if (message.type === 'started') {
      mine.trying = undefined;
      mine.isStarted = true;
      log.debug('inference child started', { on: message.providers.used });
    }
    if (message.type === 'answer' || message.type === 'failure') onReply(mine, message);
  };
  const starved = () => killed('The inference child got too little processor time');
  const mine: ChildState = {
    child: spawnChild(
      { ...configuration, providers },
      {
        onMessage,
        onExit: (how, lostBy) =>
          onExit(mine, how, lostBy ?? (mine.isStarved ? starved() : undefined)),
      },
    ),
    configuration: JSON.stringify(configuration),
    isRetired: false,
    isStarted: false,
    trying: undefined,
    isStarved: false,
  };
  return mine;
}

/** Returns how many calls may be in flight: one that may have crashed the child runs alone. */
const getWindow = (calls: readonly Pending[]): number =>
  calls.some(({ isSuspect }) => isSuspect) ? 1 : WINDOW;

/** Killed without notice: it holds no state. */
const retire = (mine: ChildState) => {
  mine.isRetired = true;
  mine.child.kill();
};

/** Watches a child during calls, for silence and its memory, and ends one that has none for a while. */
function createTimers(options: CallerOptions) {
  const { memoryBytes, idleMs = IDLE_MS, silenceMs = SILENCE_MS, stallMs = STALL_MS } = options;
  let idle: Timer | undefined;
  let memoryCheck: Timer | undefined;
  let watch: ProcessWatch | undefined;
  let current: ChildState | undefined;

  const checkMemory = () => {
    if ((current?.child.memory() ?? 0) > memoryBytes * PEAK) current?.child.kill();
  };
  return {
    update(mine: ChildState | undefined, calls: number): void {
      current = mine;
      clearTimeout(idle);
      watch?.stop();
      if (!mine || calls === 0) {
        clearInterval(memoryCheck);
        memoryCheck = undefined;
      }
      if (!mine) return;
      mine.child.hold(calls > 0);
      if (calls === 0) {
        idle = setTimeout(() => retire(mine), idleMs);
        return void idle.unref();
      }
      const end = (reason: WatchEnd) => {
        mine.isStarved = reason === 'starved';
        mine.child.kill();
      };
      watch = mine.child.watch(end, { limitMs: silenceMs, stallMs });
      memoryCheck ??= setInterval(checkMemory, MEMORY_CHECK_MS);
    },
  };
}

type Loss = {
  /** The reason that is not the fault of a call. */
  readonly failure: Error | undefined;
  /** The provider that was tried is at fault. */
  readonly isProvider: boolean;
  readonly isStarted: boolean;
  readonly how: string;
};

/** Rejects the calls that the end of the child ends; returns those that are tried again, in order. */
function settleLost(
  lost: readonly Pending[],
  { failure, isProvider, isStarted, how }: Loss,
): Pending[] {
  return lost.filter((call) => {
    if (failure) call.reject(failure);
    else if (call.isSuspect && !isProvider) {
      // A child that had not loaded its libraries was not ended by what it was asked.
      const crash = () => new InferenceCrashed(`The inference child exited twice: ${how}`);
      call.reject(isStarted ? crash() : new ToolBroken('The inference child', how));
    } else {
      call.isSuspect = !isProvider;
      return true;
    }
    return false;
  });
}

function toError({ name, message, unprepared }: FromChild & { readonly type: 'failure' }): Error {
  if (unprepared) return new ModelUnprepared(unprepared.path, unprepared.machine);
  if (name === 'ModelMissing') return new ModelMissing(message);
  if (name === 'PictureUnreadable') return new PictureUnreadable(message);
  return new Error(message);
}
