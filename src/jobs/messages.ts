import type { QueueLimits } from './limits.ts';
import type { LogThreshold } from '../core/log.ts';
import type { RememberedLine } from '../core/recent-log.ts';
import type { Settings } from '../core/settings.ts';

export const HEARTBEAT_MS = 5000;

/** The part of the configuration that threads follow while they run. */
export type LaneConfig = { readonly limits: QueueLimits; readonly logThreshold: LogThreshold };

/** From the main thread to the thread of a lane. */
export type ToThread =
  | {
      readonly type: 'start';
      readonly worker: string;
      readonly databaseUrl: string;
      readonly settings: Settings;
      readonly config: LaneConfig;
      /** The shared account of decode memory, and the place of this thread in it. */
      readonly decodeMemory: { readonly account: SharedArrayBuffer; readonly member: number };
    }
  | { readonly type: 'wake' }
  | { readonly type: 'configure'; readonly config: LaneConfig }
  | { readonly type: 'stop'; readonly graceMs: number };

/** From the thread of a lane to the main thread. */
export type FromThread =
  /** Sent first: the id by which the system knows the thread. */
  | { readonly type: 'started'; readonly threadId: number }
  | { readonly type: 'idle' }
  /** Sent every few seconds while there is work: a thread that sends nothing is blocked. */
  | { readonly type: 'alive' }
  | { readonly type: 'stopped' }
  /** A line of its log, which the main thread remembers. */
  | { readonly type: 'logged'; readonly line: RememberedLine }
  /** A handler ignores its time limit: the thread should finish its other jobs and be replaced. */
  | { readonly type: 'stuck'; readonly reason: string }
  /** It cannot continue; the main thread starts another. */
  | { readonly type: 'broken'; readonly reason: string };
