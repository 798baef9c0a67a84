import type { Lane } from '../core/lanes.ts';
import type { QueueLimits } from './limits.ts';
import type { LogThreshold } from '../core/log.ts';
import type { RememberedLine } from '../core/recent-log.ts';
import type { Settings } from '../core/settings.ts';

export const HEARTBEAT_MS = 5000;

/** The part of the configuration that threads follow while they run. */
export type ThreadConfig = { readonly limits: QueueLimits; readonly logThreshold: LogThreshold };

/** The names under which the lanes of a thread claim jobs: one for each, so that each releases its own. */
export type WorkerNames = ReadonlyMap<Lane, string>;

/** From the main thread to a job thread. */
export type ToThread =
  | {
      readonly type: 'start';
      readonly workers: WorkerNames;
      readonly databaseUrl: string;
      readonly settings: Settings;
      readonly config: ThreadConfig;
      /** The shared account of decode memory, and the place of this thread in it. */
      readonly decodeMemory: { readonly account: SharedArrayBuffer; readonly member: number };
    }
  /** There may be work for this lane. */
  | { readonly type: 'wake'; readonly lane: Lane }
  | { readonly type: 'configure'; readonly config: ThreadConfig }
  | { readonly type: 'stop'; readonly graceMs: number };

/** From a job thread to the main thread. */
export type FromThread =
  /** Sent first: the id by which the system knows the thread. */
  | { readonly type: 'started'; readonly threadId: number }
  /** All its lanes are. */
  | { readonly type: 'idle' }
  /** Sent when there is work again, and every few seconds meanwhile: a thread that sends nothing is blocked. */
  | { readonly type: 'alive' }
  | { readonly type: 'stopped' }
  /** A line of its log, which the main thread remembers. */
  | { readonly type: 'logged'; readonly line: RememberedLine }
  /** A handler ignores its time limit: the thread should finish its other jobs, of all lanes, and be replaced. */
  | { readonly type: 'stuck'; readonly reason: string }
  /** It cannot continue; the main thread starts another. */
  | { readonly type: 'broken'; readonly reason: string };
