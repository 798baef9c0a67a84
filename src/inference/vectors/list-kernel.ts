import { type dlopen, ptr } from 'bun:ffi';
import type { Rows } from './kernel.ts';
import { getAddressAt, type Memory } from './mapped-memory.ts';

// Native calls on inverted files (see inverted-file.ts).

export const LIST_FUNCTIONS = {
  vectors_near_lists: {
    args: ['i32', 'ptr', 'ptr', 'u32', 'u32', 'ptr', 'u32', 'ptr'],
    returns: 'u32',
  },
  vectors_rank_lists: {
    args: [
      'i32',
      'ptr',
      'ptr',
      'ptr',
      'ptr',
      'u32',
      'ptr',
      'ptr',
      'ptr',
      'ptr',
      'u32',
      'ptr',
      'ptr',
      'u32',
      'u32',
      'ptr',
      'ptr',
      'u32',
      'u32',
      'u32',
      'u32',
      'u32',
      'ptr',
    ],
    returns: 'u32',
  },
  vectors_allow: { args: ['ptr', 'u32', 'u32', 'ptr'], returns: 'void' },
  vectors_assign: {
    args: [
      'i32',
      'ptr',
      'u32',
      'u32',
      'u32',
      'ptr',
      'ptr',
      'u32',
      'ptr',
      'ptr',
      'ptr',
      'u32',
      'ptr',
    ],
    returns: 'void',
  },
  vectors_sum: { args: ['ptr', 'ptr', 'u32', 'u32', 'ptr', 'ptr'], returns: 'void' },
  vectors_copy: { args: ['ptr', 'ptr', 'u32', 'ptr', 'u32'], returns: 'void' },
} as const;

type Symbols = ReturnType<typeof dlopen<typeof LIST_FUNCTIONS>>['symbols'];

/** Rows as bytes, whose greatest value is 127, and the value of one. */
export type Quantised = { readonly bytes: Memory; readonly scales: Float32Array };

/** Centroids in groups of near ones: those of a group are `starts[group]` to `starts[group + 1]`. */
export type Centroids = Quantised & { readonly groups: Quantised; readonly starts: Uint32Array };

/** Entries of an inverted file: lists are chains of blocks (see inverted-storage.ts). */
export type Lists = {
  readonly entries: Quantised;
  /** The slot of each entry. */
  readonly slots: Uint32Array;
  /** The block after each. */
  readonly next: Uint32Array;
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  readonly used: Uint32Array;
};

/** Numbers of entries that are compared. */
export type Effort = {
  readonly least: number;
  /** More are compared until none of so many is among the best any more … */
  readonly patience: number;
  /** … but no more than so many, and the rest of their list. */
  readonly most: number;
};

export type ListRanking = {
  readonly query8: Int8Array;
  readonly query: Float32Array;
  /** Hits of `findLists`, the nearest list first. */
  readonly near: Uint8Array;
  readonly nearCount: number;
  /** A bit for each slot, of `allow`; undefined: all are compared. */
  readonly allowed: Uint8Array | undefined;
  readonly effort: Effort;
  /** Number of hits that are ranked again by exact scores, for which `heap` has room. */
  readonly wide: number;
  readonly most: number;
  readonly heap: Uint8Array;
};

export type ListKernel = {
  /** Writes the nearest `most` lists by their centroids into `near`; returns how many. */
  findLists(
    centroids: Quantised,
    dimension: number,
    query8: Int8Array,
    most: number,
    near: Uint8Array,
  ): number;
  /** Ranks entries of an inverted file; returns the number of hits at the start of the heap. */
  rankLists(rows: Rows, lists: Lists, ranking: ListRanking): number;
  /** Returns a bit for each of `count` slots, set for those of `packed` (big-endian, four bytes each). */
  allow(packed: Uint8Array, count: number): Uint8Array;
  /** Returns the nearest centroid of each of the rows `from` to `to`. */
  assign(
    rows: Memory,
    dimension: number,
    range: { readonly from: number; readonly to: number },
    centroids: Centroids,
  ): Uint32Array;
  /** Adds each of the rows `from` to `to` to the sum of its centroid; `nearest` tells it for all rows. */
  sum(
    rows: Quantised,
    dimension: number,
    range: { readonly from: number; readonly to: number },
    nearest: Uint32Array,
    sums: Float32Array,
  ): void;
  /** Copies rows, by pairs of numbers. */
  copy(from: Memory, to: Memory, dimension: number, pairs: Uint32Array): void;
};

/** Groups whose centroids are compared with a row: it is seldom near one of another group. */
const BREADTH = 4;

export const nativeListKernel = (symbols: Symbols, level: number): ListKernel => ({
  findLists: ({ bytes, scales }, dimension, query8, most, near) =>
    symbols.vectors_near_lists(
      level,
      bytes.address,
      ptr(scales),
      scales.length,
      dimension,
      ptr(query8),
      most,
      ptr(near),
    ),
  rankLists: (rows, { entries, slots, next, first, last, used }, ranking) =>
    symbols.vectors_rank_lists(
      level,
      entries.bytes.address,
      ptr(entries.scales),
      ptr(slots),
      ptr(next),
      next.length,
      ptr(first),
      ptr(last),
      ptr(used),
      ptr(ranking.near),
      ranking.nearCount,
      ranking.allowed ? ptr(ranking.allowed) : null,
      rows.halves.address,
      rows.scales.length,
      rows.dimension,
      ptr(ranking.query8),
      ptr(ranking.query),
      ranking.effort.least,
      ranking.effort.patience,
      ranking.effort.most,
      ranking.wide,
      ranking.most,
      ptr(ranking.heap),
    ),
  allow(packed, count) {
    const allowed = new Uint8Array(Math.ceil(count / 8));
    if (packed.length > 0)
      symbols.vectors_allow(ptr(packed), packed.length / 4, count, ptr(allowed));
    return allowed;
  },
  assign(rows, dimension, { from, to }, { bytes, scales, groups, starts }) {
    const nearest = new Uint32Array(to - from);
    symbols.vectors_assign(
      level,
      rows.address,
      dimension,
      from,
      to,
      groups.bytes.address,
      ptr(groups.scales),
      groups.scales.length,
      ptr(starts),
      bytes.address,
      ptr(scales),
      BREADTH,
      ptr(nearest),
    );
    return nearest;
  },
  sum: ({ bytes, scales }, dimension, { from, to }, nearest, sums) =>
    symbols.vectors_sum(
      getAddressAt(bytes, from * dimension),
      ptr(scales, from * 4),
      dimension,
      to - from,
      ptr(nearest, from * 4),
      ptr(sums),
    ),
  copy: (from, to, dimension, pairs) =>
    symbols.vectors_copy(from.address, to.address, dimension, ptr(pairs), pairs.length / 2),
});
