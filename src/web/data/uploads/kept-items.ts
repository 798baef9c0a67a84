import type { Adopter } from './adopt.ts';
import { getMediaType, guessMediaType } from './media-types.ts';
import { listBegun } from './interrupted-uploads.ts';
import { isSettled, type Item, uploads } from './items.ts';
import {
  deleteKeptFile,
  keepFile,
  type KeptFile,
  setPaused,
  toQueueLock,
  writeState,
} from './kept-files.ts';
import type { Kept, KeptUploads } from './kept-uploads.ts';
import { listParts } from './works.ts';

/** The share of the browser's storage for this site that files may fill. */
const FILLED_SHARE = 0.8;
/** The bytes that are kept ahead of what is sent: files of a whole disk are not copied at once. */
const MOST_BYTES = 4 * 1024 ** 3;

export type KeptItems = {
  /** The name of this page's own queue. */
  readonly queue: string;
  readonly adopter: Omit<Adopter, 'isOver'>;
  isEmpty: () => boolean;
  /**
   * Deletes the files of items that need none, and keeps those of others while `isWanted`. Resolves with whether it has
   * kept more. Must not run twice at a time.
   */
  update: (userId: string, isWanted: () => boolean) => Promise<boolean>;
  summarize: (canSync: boolean) => KeptUploads;
};

/** The items of the queue whose files the browser keeps. */
export function createKeptItems(): KeptItems {
  const queue = crypto.randomUUID();
  const keptByItem = new Map<number, Kept>();
  /** Items that there was no room for. */
  const unkept = new Set<number>();
  /** The queues of closed pages that this page goes on with. */
  const adopted = new Set<string>();
  /** The id of the upload that is noted beside a file. */
  const noted = new WeakMap<KeptFile, string>();
  let isLocked = false;
  let wasPaused = false;

  async function keepAll(userId: string, isWanted: () => boolean): Promise<boolean> {
    unkept.clear();
    let [bytes, isMore] = [countBytes(keptByItem.values()), false];
    for (const item of uploads.get().items.filter(isLeft)) {
      if (!isWanted() || bytes >= MOST_BYTES) break;
      if (keptByItem.has(item.id)) continue;
      if (!isLocked) await holdForever(queue);
      isLocked = true;
      // Without room for one, others are not tried.
      const files = unkept.size > 0 ? undefined : await keep(item, userId, queue);
      if (!files) unkept.add(item.id);
      else if (files.length > 0) {
        keptByItem.set(item.id, { files });
        bytes += item.size;
        isMore = true;
      }
    }
    return isMore;
  }

  /** Deletes the files of items that have arrived, were given up, or were refused before the person's eyes. */
  async function deleteNeedless(): Promise<void> {
    const items = new Map(uploads.get().items.map((item) => [item.id, item]));
    for (const [id, kept] of keptByItem) {
      const item = items.get(id);
      if (item && (isLeft(item) || (kept.isReported && item.status === 'failed'))) continue;
      keptByItem.delete(id);
      for (const file of kept.files) await deleteKeptFile(file);
    }
  }

  /** The worker continues what the page has begun to send. Halves of a live photo begin again, as files of their own. */
  async function noteBegun(userId: string): Promise<void> {
    for (const { id } of uploads.get().items.filter(isSending)) {
      for (const [part, { digests }] of listParts(id).entries()) {
        const file = keptByItem.get(id)?.files[part];
        const found = digests && listBegun({ userId, sha256: digests.sha256 });
        const begun = found?.find(({ isHalf }) => !isHalf);
        if (!file || !begun || noted.get(file) === begun.id) continue;
        await writeState(file, { begun: { id: begun.id, sha256: begun.sha256 } });
        noted.set(file, begun.id);
      }
    }
  }

  async function markPause(userId: string): Promise<void> {
    const { isPaused } = uploads.get();
    if (isPaused === wasPaused || (isPaused && keptByItem.size === 0)) return;
    wasPaused = isPaused;
    for (const name of [queue, ...adopted]) await setPaused(userId, name, isPaused);
  }

  return {
    queue,
    adopter: {
      isOwn: (name) => name === queue || adopted.has(name),
      onAdopt: (name) => void adopted.add(name),
      onItem: (id, kept) => void keptByItem.set(id, kept),
    },
    isEmpty: () => keptByItem.size === 0,
    async update(userId, isWanted) {
      await deleteNeedless();
      const isMore = await keepAll(userId, isWanted);
      await noteBegun(userId);
      await markPause(userId);
      // Some may have arrived while they were kept.
      await deleteNeedless();
      return isMore;
    },
    summarize(canSync) {
      const left = uploads.get().items.filter(isLeft);
      const isSafe = canSync && left.length > 0 && left.every(({ id }) => keptByItem.has(id));
      return { isSafe, unkept: left.filter(({ id }) => unkept.has(id)).length };
    },
  };
}

const isSending = ({ status }: Item): boolean => status === 'sending' || status === 'retrying';

/** Also one that has failed, and would not fail later. */
const isLeft = (item: Item): boolean =>
  !isSettled(item) || (item.status === 'failed' && !item.isRefused);

const countBytes = (kept: Iterable<Kept>): number =>
  [...kept].flatMap(({ files }) => files).reduce((sum, { size }) => sum + size, 0);

/**
 * Returns undefined where there is no room, and no files of an item that has arrived meanwhile, or that has a sidecar: the
 * worker would send it without.
 */
async function keep(
  { id, folder, album }: Item,
  userId: string,
  queue: string,
): Promise<KeptFile[] | undefined> {
  if (listParts(id).some(({ sidecar }) => sidecar)) return [];
  const item = crypto.randomUUID();
  const files: KeptFile[] = [];
  try {
    for (const [part, { file, mediaType }] of listParts(id).entries()) {
      const { name, size, lastModified } = file;
      if (!(await hasRoom(size))) throw new DOMException('', 'QuotaExceededError');
      const type = mediaType ?? (await getMediaType(file).catch(() => guessMediaType(file)));
      const about = { userId, queue, item, part, name, size, lastModified, folder, album };
      const kept: KeptFile = { ...about, mediaType: type };
      await keepFile(kept, file);
      files.push(kept);
    }
    return files;
  } catch {
    for (const file of files) await deleteKeptFile(file);
    return undefined;
  }
}

async function hasRoom(size: number): Promise<boolean> {
  const { quota = Infinity, usage = 0 } = await navigator.storage.estimate();
  return usage + size <= quota * FILLED_SHARE;
}

/** While this page is open, it sends its own files. */
const holdForever = (name: string): Promise<void> =>
  new Promise((resolve) => {
    void navigator.locks.request(toQueueLock(name), () => {
      resolve();
      return new Promise<never>(() => {});
    });
  });
