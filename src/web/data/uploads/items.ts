import { createStore } from '../../base/store.ts';
import type { UploadAlbum } from './album.ts';

export type Status =
  | 'waiting'
  | 'reading'
  | 'ready'
  | 'sending'
  | 'retrying'
  | 'done'
  | 'duplicate'
  | 'restored'
  | 'failed';
export type Item = {
  id: number;
  /** The number of what was added while it was under way, from 1. */
  batch: number;
  name: string;
  /** In bytes; of both files of a live photo. */
  size: number;
  isLive: boolean;
  status: Status;
  sent: number;
  error: string | undefined;
  /** It has failed, and sending it again will not help. */
  isRefused: boolean;
  assetId: string | undefined;
  /** The folder within what was dropped or chosen, such as 'Italy/2023'; '' for files chosen one by one. */
  folder: string;
  /** The album that the uploaded asset is added to. */
  album: UploadAlbum | undefined;
};
export type Uploads = {
  items: readonly Item[];
  isRunning: boolean;
  /** Nothing is sent until the person resumes. What the server has is kept. */
  isPaused: boolean;
  isOpen: boolean;
  /** When the last one was through, by performance.now(). */
  endedAt: number;
};

/** The queue lives outside the components: it goes on while the person looks at other pages. */
export const uploads = createStore<Uploads>({
  items: [],
  isRunning: false,
  isPaused: false,
  isOpen: false,
  endedAt: -Infinity,
});

export const isSettled = ({ status }: Item): boolean =>
  status === 'done' || status === 'duplicate' || status === 'restored' || status === 'failed';

/** Returns the bytes that were sent, and those that are left, without what the library had. */
export function countBytes(items: readonly Item[]): { sent: number; left: number } {
  let [sent, left] = [0, 0];
  for (const item of items) {
    if (item.status === 'done') sent += item.size;
    else if (!isSettled(item)) {
      sent += item.sent;
      left += item.size - item.sent;
    }
  }
  return { sent, left };
}

export const isRunning = (): boolean => uploads.get().items.some((item) => !isSettled(item));

export const findItem = (id: number): Item | undefined =>
  uploads.get().items.find((item) => item.id === id);

/** Returns the first item with a status. */
export const findNext = (status: Status): Item | undefined =>
  uploads.get().items.find((item) => item.status === status);

export const countItems = (status: Status): number =>
  uploads.get().items.filter((item) => item.status === status).length;

export function changeItem(id: number, next: Partial<Item>): void {
  uploads.set((old) => ({
    ...old,
    items: old.items.map((item) => (item.id === id ? { ...item, ...next } : item)),
  }));
}

const getBatch = (items: readonly Item[]): number =>
  items.reduce((last, { batch }) => Math.max(last, batch), 0);

/** Returns the batch of what is sent from now on: what is under way goes on, else a new one begins. */
export const getNextBatch = (items: readonly Item[]): number =>
  getBatch(items) + (items.every(isSettled) ? 1 : 0);

export type Totals = {
  files: number;
  settled: number;
  created: number;
  duplicates: number;
  restored: number;
  /** Counted over all batches: failed files stay in the list. */
  failed: number;
  /** Those of the failed that may succeed when they are sent again. */
  retryable: number;
  /** Bytes, and the share of all bytes that is through, from 0 to 1. */
  size: number;
  part: number;
};

/** Counts the last batch. */
export function computeTotals(items: readonly Item[]): Totals {
  const last = getBatch(items);
  const batch = items.filter((item) => item.batch === last);
  const failed = items.filter(({ status }) => status === 'failed');
  const count = (status: Status) => batch.filter((item) => item.status === status).length;
  const [size, through] = batch.reduce(
    ([all, sent], item) => [all + item.size, sent + (isSettled(item) ? item.size : item.sent)],
    [0, 0],
  );
  return {
    files: batch.length,
    settled: batch.filter(isSettled).length,
    created: count('done'),
    duplicates: count('duplicate'),
    restored: count('restored'),
    failed: failed.length,
    retryable: failed.filter(({ isRefused }) => !isRefused).length,
    size,
    part: size > 0 ? through / size : 1,
  };
}
