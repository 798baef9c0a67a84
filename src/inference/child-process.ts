import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { selfCommand, selfEnvironment, selfFiles } from '../core/self.ts';
import { type StallWatch, residentBytes, watchForStall } from '../media/process-stat.ts';
import { killTool, withLimits } from '../media/tool-process.ts';
import type { InstalledModels } from './models/installed.ts';
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
  /** Calls when it hangs, until the watch is stopped. */
  watch(onStall: () => void, stallMs: number): StallWatch;
  /** Whether it keeps this process from ending. */
  hold(isHeld: boolean): void;
  kill(): void;
  readonly exited: Promise<unknown>;
};

/** Behind everything that somebody waits for; the search box of the main thread is waited for. */
const LOW_PRIORITY = 10;

/** Its own program again, in another role. It is told what to do once it is ready. */
export function spawnChild(options: ChildOptions, events: ChildEvents): InferenceChild {
  const run = selfFiles(['sharp', 'onnxruntime-node']);
  const read = [...options.folders, ...linkedFiles(options.models)];
  const limits = { usesGpu: true, files: { run, read } };
  const child = Bun.spawn(withLimits(selfCommand('inference'), limits), {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
    env: selfEnvironment(GPU),
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
    watch: (onStall, stallMs) => watchForStall(child.pid, onStall, stallMs),
    hold: (isHeld) => (isHeld ? child.ref() : child.unref()),
    kill: () => killTool(child),
    exited: child.exited,
  };
}

/** Where links in the folders of the models lead, as those in the cache of a model hub do. */
function linkedFiles(models: InstalledModels): string[] {
  const values: unknown[] = Object.values(models).flatMap((model) => Object.values(model ?? {}));
  const named = values
    .filter((value) => typeof value === 'string')
    .filter((path) => existsSync(path));
  const folders = [...new Set(named.map((path) => dirname(path)))];
  // Weights and settings lie beside the files that are named.
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const found = [...folders, ...files].filter((path) => existsSync(path));
  return found.map((path) => realpathSync(path)).filter((target) => !found.includes(target));
}

const GPU = ['CUDA_VISIBLE_DEVICES', 'VK_ICD_FILENAMES'];

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {
    // It is gone already, or the system does not let us: it runs as it is.
  }
}
