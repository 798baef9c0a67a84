import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { ChildOptions, FromChild, ToChild } from './messages.ts';

export type ChildEvents = {
  readonly onMessage: (message: FromChild) => void;
  /** It is gone, whatever the reason. */
  readonly onExit: (how: string) => void;
};

export type InferenceChild = {
  send(message: ToChild): void;
  /** Resident bytes; 0 once it is gone. */
  memory(): number;
  /** Whether it keeps this process from ending. */
  hold(isHeld: boolean): void;
  kill(): void;
  readonly exited: Promise<unknown>;
};

/** Behind everything that somebody waits for; the search box of the main thread is waited for. */
const LOW_PRIORITY = 10;

/** Its own program again, in another role. It is told what to do once it is ready. */
export function spawnChild(options: ChildOptions, events: ChildEvents): InferenceChild {
  const child = Bun.spawn(['setpriv', '--no-new-privs', '--pdeathsig', 'KILL', '--', ...SELF], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: environment(),
    serialization: 'advanced',
    ipc(message: FromChild) {
      if (message.type === 'ready') send({ type: 'start', options });
      events.onMessage(message);
    },
    onExit: (_, code, signal) => events.onExit(signal ? `signal ${signal}` : `code ${code}`),
  });
  const send = (message: ToChild) => child.send(message);
  if (!isMainThread) lowerPriority(child.pid);
  return {
    send,
    memory: () => residentBytes(child.pid),
    hold: (isHeld) => (isHeld ? child.ref() : child.unref()),
    kill: () => child.kill('SIGKILL'),
    exited: child.exited,
  };
}

const SELF = Bun.isStandaloneExecutable
  ? [process.execPath, 'inference']
  : [process.execPath, join(import.meta.dir, '../main.ts'), 'inference'];

/** What native libraries and their unpacking need; no address of a database, no key. */
const INHERITED = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LD_LIBRARY_PATH',
  'CACHE_DIRECTORY',
  'STATE_DIRECTORY',
  'XDG_CACHE_HOME',
  'SAFELIGHT_NATIVE_DIR',
  'CUDA_VISIBLE_DEVICES',
  'VK_ICD_FILENAMES',
];

function environment(): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C.UTF-8',
    MALLOC_ARENA_MAX: '2',
    ORT_DISABLE_TELEMETRY: '1',
  };
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {
    // It is gone already, or the system does not let us: it runs as it is.
  }
}

const PAGE_BYTES = 4096;

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
