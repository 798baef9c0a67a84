import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { getRoleCommand, buildChildEnvironment, listOwnFiles } from '../core/own-program.ts';
import { type StallWatch, residentBytes, watchForStall } from '../media/process-stat.ts';
import { killTool, withLimits } from '../media/tool-process.ts';
import type { InstalledModels } from './models/installed.ts';
import type { ChildOptions, FromChild, ToChild } from './messages.ts';

export type ChildEvents = {
  readonly onMessage: (message: FromChild) => void;
  /** The child has exited, for whatever reason. */
  readonly onExit: (how: string) => void;
};

export type InferenceChild = {
  send(message: ToChild): void;
  /** Resident bytes; 0 once it is gone. */
  memory(): number;
  /** Calls `onStall` when the child hangs, until the watch is stopped. */
  watch(onStall: () => void, stallMs: number): StallWatch;
  /** Whether the child keeps this process alive. */
  hold(isHeld: boolean): void;
  kill(): void;
  readonly exited: Promise<unknown>;
};

/**
 * Niceness of background inference; the main thread's child serves searches and keeps its priority.
 */
const LOW_PRIORITY = 10;

/** Starts this program as an inference child. It is configured once it reports that it is ready. */
export function spawnChild(options: ChildOptions, events: ChildEvents): InferenceChild {
  const run = listOwnFiles(['sharp', 'onnxruntime-node']);
  const read = [...options.folders, ...linkedFiles(options.models)];
  const limits = { usesGpu: true, files: { run, read } };
  const child = Bun.spawn(withLimits(getRoleCommand('inference'), limits), {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
    env: buildChildEnvironment(GPU),
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

/** Returns the targets of links in the model folders, as caches of model hubs have them. */
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
    // It has exited, or the system forbids it: it runs as it is.
  }
}
