import { getMessage, parseError } from '../../base/api.ts';
import { forget, listBegun, remember } from './interrupted-uploads.ts';
import { uploads } from './items.ts';
import {
  deleteKeptFile,
  deleteKeptFilesOfOthers,
  isPausedQueue,
  type KeptFile,
  type KeptState,
  listKeptFiles,
  readKeptFile,
  readState,
  type Refusal,
  takeArrivals,
  toQueueLock,
  UNSUPPORTED_STATUS,
} from './kept-files.ts';
import type { Kept } from './kept-uploads.ts';
import { UNSUPPORTED } from './media-types.ts';
import { startUploads } from './queue.ts';
import { addItems } from './works.ts';

// The page goes on with files that a closed page has left, and shows those that the server has refused since.

export type Adopter = {
  isOver: () => boolean;
  /** Whether this page has the queue already. */
  isOwn: (queue: string) => boolean;
  onAdopt: (queue: string) => void;
  onItem: (id: number, kept: Kept) => void;
};

/** Takes over the queues of this account as soon as nobody else holds them. Files of other accounts are deleted. */
export async function adoptKeptFiles(userId: string, adopter: Adopter): Promise<void> {
  await deleteKeptFilesOfOthers(userId);
  forgetArrived(userId, await takeArrivals(userId));
  const queues = new Set((await listKeptFiles()).map(({ queue }) => queue));
  for (const queue of queues) {
    if (adopter.isOwn(queue)) continue;
    void navigator.locks.request(toQueueLock(queue), async () => {
      // The worker may have sent them meanwhile.
      if (adopter.isOver() || adopter.isOwn(queue)) return undefined;
      adopter.onAdopt(queue);
      await adoptQueue(userId, queue, adopter);
      return new Promise<never>(() => {});
    });
  }
}

/** Files that the worker has sent are not interrupted any more. */
function forgetArrived(userId: string, arrived: readonly string[]): void {
  for (const sha256 of arrived) listBegun({ userId, sha256 }).forEach(forget);
}

async function adoptQueue(userId: string, queue: string, { onItem }: Adopter): Promise<void> {
  const files = (await listKeptFiles()).filter((file) => file.queue === queue);
  const isPaused = files.length > 0 && (await isPausedQueue(userId, queue));
  for (const parts of Map.groupBy(files, ({ item }) => item).values()) {
    const left = await readParts(parts.toSorted((a, b) => a.part - b.part));
    const [first] = left;
    if (!first) continue;
    const refusal = left.find(({ state }) => state.refusal)?.state.refusal;
    const error = refusal && describe(refusal);
    for (const { kept, state } of left) rememberBegun(kept, state);
    const { folder, album } = first.kept;
    const [id] = addItems([{ files: left.map(({ file }) => file), folder, album, error }]);
    if (id === undefined) continue;
    onItem(id, { files: left.map(({ kept }) => kept), isReported: error !== undefined });
  }
  if (isPaused) uploads.set((old) => ({ ...old, isPaused }));
  startUploads();
}

const describe = ({ status, text }: Refusal): string =>
  status === UNSUPPORTED_STATUS ? UNSUPPORTED : getMessage(parseError(status, text));

type Part = { kept: KeptFile; state: KeptState; file: File };

async function readParts(files: readonly KeptFile[]): Promise<Part[]> {
  const parts: Part[] = [];
  for (const kept of files) {
    const [state, file] = [await readState(kept), await readKeptFile(kept)];
    if (state.arrived || !file) await deleteKeptFile(kept);
    else parts.push({ kept, state, file });
  }
  return parts;
}

/** The page continues what the worker has begun. */
function rememberBegun({ userId, name, size }: KeptFile, { begun }: KeptState): void {
  if (begun) remember({ ...begun, userId, name, size, at: Date.now() });
}
