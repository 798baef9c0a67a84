import { dlopen, ptr } from 'bun:ffi';
import { join } from 'node:path';
import { type ListKernel, LIST_FUNCTIONS, nativeListKernel } from './list-kernel.ts';
import { getAddressAt, type Memory } from './mapped-memory.ts';
import type { Hit } from './types.ts';

/** Vectors by slot, as they lie in memory. `dimension` is a multiple of 128, filled up with zeros. */
export type Rows = {
  readonly dimension: number;
  readonly bytes: Memory;
  /** 0: no vector in this slot. */
  readonly scales: Float32Array;
  readonly halves: Memory;
};

export type Ranking = {
  /** Each of `dimension` numbers. */
  readonly queries: readonly Float32Array[];
  /** Undefined: the first `total` slots. */
  readonly slots: Uint32Array | undefined;
  readonly total: number;
  /** Best first. */
  readonly k: number;
};

export type Kernel = {
  readonly name: string;
  rank(rows: Rows, ranking: Ranking): Hit[][];
  /** Makes bytes and scales of `count` rows of halves. */
  quantise(rows: Rows, from: number, count: number): void;
  /** Functions for inverted files; undefined: this kernel compares all vectors. */
  readonly lists: ListKernel | undefined;
};

const LIBRARY = {
  ...LIST_FUNCTIONS,
  vectors_level: { args: [], returns: 'i32' },
  vectors_rank: {
    args: [
      'i32',
      'ptr',
      'ptr',
      'ptr',
      'u32',
      'u32',
      'ptr',
      'ptr',
      'u32',
      'ptr',
      'u32',
      'u32',
      'u32',
      'ptr',
      'ptr',
    ],
    returns: 'void',
  },
  vectors_quantise: { args: ['i32', 'ptr', 'ptr', 'ptr', 'u32', 'u32'], returns: 'void' },
} as const;

/** Minimum number of candidates ranked by bytes before exact scores decide. */
const MIN_CANDIDATES = 100;
export const HIT_BYTES = 8;
const LEVELS: Readonly<Record<number, string>> = {
  1: 'NEON',
  2: 'SSE4.2',
  3: 'AVX2',
  4: 'AVX-512',
};

/**
 * Opens the compiled kernel (SIMD, our own: it ranks a million vectors exactly in milliseconds
 * without an index); falls back to plain JavaScript, 20 times slower.
 */
export async function openKernel(level?: number): Promise<Kernel> {
  const { plainKernel } = await import('./plain-kernel.ts');
  try {
    return nativeKernel(await openLibrary(), level);
  } catch {
    return plainKernel;
  }
}

type Library = ReturnType<typeof open>;
const open = (path: string) => dlopen(path, LIBRARY);

async function openLibrary(): Promise<Library> {
  if (Bun.isStandaloneExecutable) {
    const { loadLibrary } = await import('../../../native/load.ts');
    return loadLibrary('vectors', open);
  }
  return open(join(import.meta.dir, `../../../native/vectors.linux-${process.arch}.so`));
}

/** `level`: less than the processor can, to test what older ones do. */
function nativeKernel({ symbols }: Library, level = symbols.vectors_level()): Kernel {
  return {
    name: LEVELS[level] ?? 'unknown',
    rank(rows, { queries, slots, total, k }) {
      const { dimension } = rows;
      const wide = Math.min(total, Math.max(MIN_CANDIDATES, 2 * k));
      const most = Math.min(k, wide);
      if (most === 0 || queries.length === 0) return queries.map(() => []);
      const { floats, bytes } = packQueries(queries, dimension);
      const heaps = new Uint8Array(queries.length * wide * HIT_BYTES);
      const counts = new Uint32Array(queries.length);
      symbols.vectors_rank(
        level,
        rows.bytes.address,
        ptr(rows.scales),
        rows.halves.address,
        rows.scales.length,
        dimension,
        ptr(bytes),
        ptr(floats),
        queries.length,
        slots ? ptr(slots) : null,
        total,
        wide,
        most,
        ptr(heaps),
        ptr(counts),
      );
      return Array.from(counts, (length, query) => readHits(heaps, query * wide, length));
    },
    quantise({ dimension, halves, bytes, scales }, from, count) {
      symbols.vectors_quantise(
        level,
        getAddressAt(halves, from * dimension * 2),
        getAddressAt(bytes, from * dimension),
        ptr(scales, from * 4),
        dimension,
        count,
      );
    },
    lists: nativeListKernel(symbols, level),
  };
}

/** Reads `length` hits of a heap, from the one with this number. */
export function readHits(heaps: Uint8Array, from: number, length: number): Hit[] {
  const view = new DataView(heaps.buffer);
  return Array.from({ length }, (_, at) => {
    const place = (from + at) * HIT_BYTES;
    return { score: view.getFloat32(place, true), slot: view.getUint32(place + 4, true) };
  });
}

/** Returns the queries in sequence as floats, and as bytes scaled to ±127. */
export function packQueries(queries: readonly Float32Array[], dimension: number) {
  const floats = new Float32Array(queries.length * dimension);
  const bytes = new Int8Array(queries.length * dimension);
  for (const [index, query] of queries.entries()) {
    const greatest = query.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const by = greatest > 0 ? 127 / greatest : 0;
    floats.set(query, index * dimension);
    bytes.set(
      query.map((value) => Math.round(value * by)),
      index * dimension,
    );
  }
  return { floats, bytes };
}
