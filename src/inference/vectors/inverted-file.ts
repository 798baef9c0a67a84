import type { TrainedCentroids } from './centroids.ts';
import {
  BLOCK,
  createInvertedStorage,
  type InvertedStorage,
  openInvertedStorage,
} from './inverted-storage.ts';
import { HIT_BYTES, type Kernel, packQueries, readHits, type Rows } from './kernel.ts';
import type { ListKernel } from './list-kernel.ts';
import type { Hit } from './types.ts';

// Vectors of one model by their nearest centroid: a query is compared with the lists of the nearest
// centroids only (IVF; Jégou et al. 2011). New vectors are appended to their list. A vector that has changed
// is appended again, and its old entry is empty. Writers hold the lock of the sidecar; readers see an entry
// once its scale is written.

export type InvertedFile = {
  /** Returns the best `k` of about `budget` vectors; undefined when fewer than `k` were found. */
  rank(rows: Rows, query: Float32Array, limits: Limits): Hit[] | undefined;
  /** Adds the vectors of the slots `from` to `to`, or replaces them. */
  put(rows: Rows, from: number, to: number): void;
  /** Says that it holds all vectors: what comes now makes it grow. */
  complete(): void;
  /** Returns whether it has grown so much that it needs other centroids. */
  isOutgrown(): boolean;
  /** Frees its memory. */
  close(): void;
};

export type InvertedFileOptions = {
  readonly kernel: Kernel;
  readonly lists: ListKernel;
  /** A multiple of 128. */
  readonly dimension: number;
};

type Limits = { readonly k: number; readonly budget: number };

/** It needs other centroids with so many times the entries. */
const MOST_GROWTH = 2;
/** Lists differ in length: so many more are looked up than the budget takes on average. */
const MORE_LISTS = 1.5;
const MIN_LISTS = 8;
/** Hits that are ranked again by exact scores: bytes tell less well which of vectors far away are near. */
const MIN_WIDE = 400;

/** Creates the files in a new folder. */
export function createInvertedFile(
  folder: string,
  centroids: TrainedCentroids,
  options: InvertedFileOptions,
): InvertedFile {
  createInvertedStorage(folder, centroids);
  return openInvertedFile(folder, options);
}

/** Opens the files; throws when there are none. */
export function openInvertedFile(
  folder: string,
  { kernel, lists, dimension }: InvertedFileOptions,
): InvertedFile {
  const storage = openInvertedStorage(folder, dimension);
  const { centroids, first } = storage;

  return {
    rank(rows, query, { k, budget }) {
      const share = (budget * first.length) / Math.max(1, storage.count().added);
      const most = Math.min(first.length, Math.ceil(share * MORE_LISTS) + MIN_LISTS);
      const [near = []] = kernel.rank(centroids.rows, {
        queries: [query],
        slots: undefined,
        total: first.length,
        k: most,
      });
      const { next, ...entries } = storage.entries();
      const runs = collectRuns(storage, next, near, budget);
      const { floats, bytes } = packQueries([query], dimension);
      const wide = Math.max(MIN_WIDE, 2 * k);
      const heap = new Uint8Array(wide * HIT_BYTES);
      const found = lists.rankRuns({
        entries,
        slots: entries.slots,
        halves: rows.halves,
        dimension,
        query8: bytes,
        query: floats,
        runs,
        runCount: runs.length / 2,
        wide,
        most: k,
        heap,
      });
      const hits = withoutRepeats(readHits(heap, 0, found));
      return hits.length < k ? undefined : hits;
    },
    put(rows, from, to) {
      const nearest = lists.assign(rows.bytes, dimension, { from, to }, centroids);
      storage.reserve(to - from, to);
      const { bytes, scales, slots, places } = storage.entries();
      const pairs: number[] = [];
      for (let slot = from; slot < to; slot++) {
        scales[places[slot] ?? 0] = 0;
        places[slot] = 0;
        if (rows.scales[slot] !== 0) pairs.push(slot, storage.append(nearest[slot - from] ?? 0));
      }
      if (pairs.length === 0) return;
      lists.copy(rows.bytes, bytes, dimension, Uint32Array.from(pairs));
      for (let at = 0; at < pairs.length; at += 2) {
        const [slot = 0, entry = 0] = pairs.slice(at, at + 2);
        slots[entry] = slot;
        places[slot] = entry;
        scales[entry] = rows.scales[slot] ?? 0;
      }
    },
    complete: () => storage.complete(),
    isOutgrown() {
      const { added, completed } = storage.count();
      return added > completed * MOST_GROWTH;
    },
    close: () => storage.close(),
  };
}

/** Returns pairs of entries, between which are those of the nearest lists: about as many as the budget. */
function collectRuns(
  { first, last, used }: InvertedStorage,
  next: Uint32Array,
  near: readonly Hit[],
  budget: number,
): Uint32Array {
  const runs: number[] = [];
  let left = budget;
  for (const { slot: list } of near) {
    const end = last[list];
    // A block that another process has just added may be beyond the mapping.
    for (let block = first[list] ?? 0; block > 0 && block < next.length; block = next[block] ?? 0) {
      const count = block === end ? (used[list] ?? 0) : BLOCK;
      runs.push(block * BLOCK, block * BLOCK + count);
      left -= count;
      if (block === end) break;
    }
    if (left <= 0) break;
  }
  return Uint32Array.from(runs);
}

/** A vector that another process replaces meanwhile may be found twice. */
function withoutRepeats(hits: readonly Hit[]): Hit[] {
  const seen = new Set<number>();
  return hits.filter(({ slot }) => !seen.has(slot) && seen.add(slot));
}
