import { createInvertedStorage, openInvertedStorage } from './inverted-storage.ts';
import { HIT_BYTES, type Kernel, packQueries, readHits, type Rows } from './kernel.ts';
import type { Centroids, Effort, ListKernel } from './list-kernel.ts';
import type { Hit } from './types.ts';

// Vectors of one model by their nearest centroid: a query is compared with the lists of the nearest
// centroids only (IVF; Jégou et al. 2011). New vectors are appended to their list. A vector that has changed
// is appended again, and its old entry is empty. Writers hold the lock of the sidecar; readers see an entry
// once its scale is written.

export type InvertedFile = {
  /**
   * Returns the best `k` of those vectors that the effort allows, or of those `allowed`; undefined when fewer than `k`
   * were found.
   */
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

type Limits = {
  readonly k: number;
  readonly effort: Effort;
  readonly allowed?: { readonly bits: Uint8Array; readonly count: number } | undefined;
};

/** It needs other centroids with so many times the entries. */
const MOST_GROWTH = 2;
/** Lists differ in length: so many more are looked up than the effort takes on average. */
const MORE_LISTS = 1.5;
const MIN_LISTS = 8;
/** Hits that are ranked again by exact scores: bytes tell less well which of vectors far away are near. */
const MIN_WIDE = 400;

/** Creates the files in a new folder. */
export function createInvertedFile(
  folder: string,
  centroids: Centroids,
  options: InvertedFileOptions,
): InvertedFile {
  createInvertedStorage(folder, options.dimension, centroids);
  return openInvertedFile(folder, options);
}

/** Opens the files; throws when there are none. */
export function openInvertedFile(
  folder: string,
  { lists, dimension }: InvertedFileOptions,
): InvertedFile {
  const storage = openInvertedStorage(folder, dimension);
  const { centroids, first, last, used } = storage;

  return {
    rank(rows, query, { k, effort, allowed }) {
      const total = allowed?.count ?? storage.count().added;
      const share = (effort.most * first.length) / Math.max(1, total);
      // Candidates may be far from the query: all lists are looked up.
      const most = allowed
        ? first.length
        : Math.min(first.length, Math.ceil(share * MORE_LISTS) + MIN_LISTS);
      const { floats, bytes } = packQueries([query], dimension);
      const near = new Uint8Array(most * HIT_BYTES);
      const nearCount = lists.findLists(centroids, dimension, bytes, most, near);
      const { next, slots, ...entries } = storage.entries();
      const wide = Math.max(MIN_WIDE, 2 * k);
      const heap = new Uint8Array(wide * HIT_BYTES);
      const found = lists.rankLists(
        rows,
        { entries, slots, next, first, last, used },
        {
          query8: bytes,
          query: floats,
          near,
          nearCount,
          allowed: allowed?.bits,
          effort,
          wide,
          most: k,
          heap,
        },
      );
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

/** A vector that another process replaces meanwhile may be found twice. */
function withoutRepeats(hits: readonly Hit[]): Hit[] {
  const seen = new Set<number>();
  return hits.filter(({ slot }) => !seen.has(slot) && seen.add(slot));
}
