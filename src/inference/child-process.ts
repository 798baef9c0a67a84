import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import {
  type ProcessWatch,
  type WatchEnd,
  watchProcess,
  type WatchLimits,
} from '../media/process-stat.ts';
import { spawnTool } from '../media/tool-process.ts';
import { encodeMessage, readMessages } from './message-stream.ts';
import type { ChildOptions, FromChild, ToChild } from './messages.ts';
import type { InstalledModels } from './models/installed.ts';

export type ChildEvents = {
  readonly onMessage: (message: FromChild) => void;
  /** The child has exited; `failure` says why it could not be started or was lost by no fault of its own. */
  readonly onExit: (how: string, failure: Error | undefined) => void;
};

export type InferenceChild = {
  send(message: ToChild): void;
  /** Resident bytes; 0 when they are not known. */
  memory(): number;
  /** Calls `onStall` when the child hangs, until the watch is stopped. */
  watch(onEnd: (end: WatchEnd) => void, limits: WatchLimits): ProcessWatch;
  /** Whether the child keeps this process alive. */
  hold(isHeld: boolean): void;
  kill(): void;
  readonly exited: Promise<unknown>;
};

/**
 * Niceness of background inference; the main thread's child serves searches and keeps its priority.
 */
const LOW_PRIORITY = 10;

/** Starts this program as an inference child. */
export function spawnChild(options: ChildOptions, events: ChildEvents): InferenceChild {
  const read = [...options.folders, ...linkedFiles(options.models)];
  const child = spawnTool(
    ['inference'],
    { usesGpu: true, nice: isMainThread ? undefined : LOW_PRIORITY, files: { read } },
    { stdin: 'pipe', stderr: 'inherit' },
  );
  const send = (message: ToChild) => {
    try {
      const writes = [child.stdin.write(encodeMessage(message)), child.stdin.flush()];
      for (const write of writes) Promise.resolve(write).catch(() => {});
    } catch {
      // It has exited, as `onExit` will tell.
    }
  };
  let isHeld = true;
  let held = Promise.withResolvers<void>();
  held.resolve();
  async function receive(): Promise<void> {
    for await (const message of readMessages<FromChild>(child.stdout)) {
      events.onMessage(message);
      // A pending read would keep this process alive.
      await Promise.race([held.promise, child.exited]);
    }
  }
  function hold(value: boolean): void {
    if (value === isHeld) return;
    isHeld = value;
    child.hold(isHeld);
    if (isHeld) held.resolve();
    else held = Promise.withResolvers();
  }
  const ended = receive()
    .catch(() => child.kill())
    .then(async () => {
      const code = await child.exited;
      const { signalCode, failure } = child;
      events.onExit(signalCode ? `signal ${signalCode}` : `code ${code}`, failure);
    });
  send({ type: 'start', options });
  return {
    send,
    memory: () => child.residentBytes(),
    watch: (onEnd, limits) => watchProcess(child.stat, onEnd, limits),
    hold,
    kill: () => child.kill(),
    exited: ended,
  };
}

const listTexts = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : Object.values((value ?? {}) as Readonly<Record<string, unknown>>).flatMap(listTexts);

/** Returns the targets of links in the model folders, as caches of model hubs have them. */
function linkedFiles(models: InstalledModels): string[] {
  const named = listTexts(models).filter((path) => existsSync(path));
  const folders = [...new Set(named.map((path) => dirname(path)))];
  // Weights and settings lie beside the files that are named.
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const found = [...folders, ...files].filter((path) => existsSync(path));
  return found.map((path) => realpathSync(path)).filter((target) => !found.includes(target));
}
