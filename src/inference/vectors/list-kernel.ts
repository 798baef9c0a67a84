import { type dlopen, ptr } from 'bun:ffi';
import type { Memory } from './mapped-memory.ts';

// Native calls on inverted files (see inverted-file.ts).

export const LIST_FUNCTIONS = {
  vectors_rank_runs: {
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
      'u32',
      'u32',
      'u32',
      'ptr',
    ],
    returns: 'u32',
  },
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

export type RunRanking = {
  readonly entries: Quantised;
  /** The slot of each entry. */
  readonly slots: Uint32Array;
  readonly halves: Memory;
  readonly dimension: number;
  readonly query8: Int8Array;
  readonly query: Float32Array;
  /** Pairs: the first entry of a run, and the one after its last. */
  readonly runs: Uint32Array;
  readonly runCount: number;
  /** Number of hits that are ranked again by exact scores, for which `heap` has room. */
  readonly wide: number;
  readonly most: number;
  readonly heap: Uint8Array;
};

export type ListKernel = {
  /** Ranks entries of an inverted file; returns the number of hits at the start of the heap. */
  rankRuns(ranking: RunRanking): number;
  /** Returns the nearest centroid of each of the rows `from` to `to`. */
  assign(
    rows: Memory,
    dimension: number,
    range: { readonly from: number; readonly to: number },
    centroids: Centroids,
  ): Uint32Array;
  /** Adds each row to the sum of its centroid. */
  sum(rows: Quantised, dimension: number, nearest: Uint32Array, sums: Float32Array): void;
  /** Copies rows, by pairs of numbers. */
  copy(from: Memory, to: Memory, dimension: number, pairs: Uint32Array): void;
};

/** Groups whose centroids are compared with a row: it is seldom near one of another group. */
const BREADTH = 4;

export const nativeListKernel = (symbols: Symbols, level: number): ListKernel => ({
  rankRuns: ({ entries, slots, halves, dimension, query8, query, ...rest }) =>
    symbols.vectors_rank_runs(
      level,
      entries.bytes.address,
      ptr(entries.scales),
      ptr(slots),
      halves.address,
      dimension,
      ptr(query8),
      ptr(query),
      ptr(rest.runs),
      rest.runCount,
      rest.wide,
      rest.most,
      ptr(rest.heap),
    ),
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
  sum: ({ bytes, scales }, dimension, nearest, sums) =>
    symbols.vectors_sum(
      bytes.address,
      ptr(scales),
      dimension,
      nearest.length,
      ptr(nearest),
      ptr(sums),
    ),
  copy: (from, to, dimension, pairs) =>
    symbols.vectors_copy(from.address, to.address, dimension, ptr(pairs), pairs.length / 2),
});
