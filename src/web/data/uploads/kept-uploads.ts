import { whenIdle } from '../../ui/lazy.tsx';
import { createStore } from '../../base/store.ts';
import type { KeptFile } from './kept-files.ts';

/** The files of an item of the queue that the browser keeps. */
export type Kept = {
  readonly files: readonly KeptFile[];
  /** The server has refused them while the page was closed: they stay until the person has seen it. */
  readonly isReported?: boolean;
};

export type KeptUploads = {
  /** All that is left of the queue is sent when the page is closed, too. */
  readonly isSafe: boolean;
  /** The number of items that there was no room for. */
  readonly unkept: number;
};

export const NOTHING_KEPT: KeptUploads = { isSafe: false, unkept: 0 };

/** Tells whether the browser keeps the files of the queue. */
export const keptUploads = createStore(NOTHING_KEPT);

/**
 * Keeps the files of the queue while somebody is signed in, and goes on with those that were left, in browsers that
 * upload them when the page is closed. Returns what ends it.
 */
export function watchKeptUploads(userId: string): () => void {
  if (!('SyncManager' in window) || !('serviceWorker' in navigator)) return () => {};
  let isOver = false;
  let stop = () => {};
  whenIdle(() => {
    const load = async () => {
      const { startKeeper } = await import('./keeper.ts');
      if (!isOver) stop = startKeeper(userId);
    };
    void load().catch(() => undefined);
  });
  return () => {
    isOver = true;
    stop();
  };
}
