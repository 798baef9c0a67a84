import type { Settings } from '../core/settings.ts';

/** What the main thread tells a lane's thread … */
export type ToThread =
  | {
      readonly type: 'start';
      readonly worker: string;
      readonly databaseUrl: string;
      readonly settings: Settings;
      /** What all threads may use to decode large pictures, and which of them this one is. */
      readonly decodeMemory: { readonly account: SharedArrayBuffer; readonly member: number };
    }
  | { readonly type: 'wake' }
  | { readonly type: 'stop'; readonly graceMs: number };

/** … and what that says. */
export type FromThread =
  | { readonly type: 'idle' }
  | { readonly type: 'stopped' }
  /** It cannot go on; the main thread starts another. */
  | { readonly type: 'broken'; readonly reason: string };
