import { dlopen } from 'bun:ffi';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getFirst } from '../../core/required.ts';
import type { Kernel, Rows } from './kernel.ts';
import {
  addSlack,
  growFile,
  mapFile,
  mapFloats,
  type MappedMemory,
  toMemory,
} from './mapped-memory.ts';

// Vectors of one model in memory-mapped files, shared by all threads and processes of this machine.
// A cache of the database: rebuilt on any doubt, a million vectors in seconds.

export type Sidecar = {
  /**
   * Returns the current mapping. Another process may have grown the files: call before each use, and
   * keep it for no later one.
   */
  rows(): Rows;
  /** Returns the number of slots that may hold a vector. */
  count(): number;
  /**
   * Runs `work` under an exclusive lock. An interrupted update is rebuilt from the start.
   * `state.watermark` is undefined when everything must be read.
   */
  update(work: (state: SidecarState) => Promise<bigint>): Promise<void>;
  /** Forces the next update to rebuild everything. */
  forget(): void;
  /** Returns the number of the inverted file that is in service; 0: none. */
  generation(): number;
};

export type SidecarState = {
  readonly watermark: bigint | undefined;
  /** Number of times that everything was read anew: slots that were read before may have other vectors since. */
  readonly resets: number;
  /** The inverted file that is in service, into which what is written must be put; 0: none. */
  readonly generation: number;
  /** Puts an inverted file into service, which holds all vectors; 0: none. */
  publish(generation: number): void;
  /** Grows the files to this number of slots. */
  grow(slots: number): void;
  /** Little-endian halves, of the model's own dimension; in the order of their slots. */
  write(vectors: readonly { readonly slot: number; readonly vector: Uint8Array }[]): void;
  /** Empties slots whose vectors are deleted. */
  clear(slots: readonly { readonly slot: number }[]): void;
};

const GRANULE = 128;
const HEAD_BYTES = 4096;
const MIN_CAPACITY = 1024;
/** Most slots that have room but no vector: 200 MB, of 512 numbers. */
const MOST_SLACK = 131_072;
const MAGIC = 0x53_4c_56_31;
const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;

/** Byte offsets in the header. */
const HEAD_OFFSETS = {
  magic: 0,
  isClean: 4,
  capacity: 8,
  count: 12,
  watermark: 16,
  identity: 24,
  generation: 32,
  resets: 36,
} as const;

/** `identity`: of the cluster and of this boot. Mapped pages may be lost with the power. */
export function openSidecar(
  folder: string,
  options: { readonly dimension: number; readonly identity: string; readonly kernel: Kernel },
): Sidecar {
  mkdirSync(folder, { recursive: true });
  const dimension = Math.ceil(options.dimension / GRANULE) * GRANULE;
  const path = (name: string) => join(folder, name);
  const head = openHead(path('head'), Bun.hash(`${options.identity} ${dimension}`));
  const files = openRowFiles(path, dimension);
  const map = () => files.map(head.isKnown() ? head.read('capacity') : 0);

  function grow(slots: number): void {
    if (slots > head.read('capacity')) {
      const capacity = Math.max(MIN_CAPACITY, addSlack(slots, MOST_SLACK));
      files.grow(capacity);
      head.write('capacity', capacity);
    }
    head.write('count', Math.max(slots, head.read('count')));
    map();
  }

  const write: SidecarState['write'] = (vectors) => {
    const rows = map();
    for (const run of listRuns(vectors)) {
      const { slot } = getFirst(run);
      const written = rows.halves.view(slot * dimension * 2, run.length * dimension * 2);
      for (const [at, { vector }] of run.entries()) written.set(vector, at * dimension * 2);
      options.kernel.quantise(rows, slot, run.length);
    }
  };

  return {
    rows: map,
    forget: () => head.write('isClean', 0),
    generation: () => (head.isOwn() ? head.read('generation') : 0),
    count: () => (head.isOwn() ? Math.min(head.read('count'), map().scales.length) : 0),
    async update(work) {
      const unlock = lock(path('lock'));
      try {
        const watermark = head.readWatermark();
        if (watermark === undefined) {
          head.reset();
          map().scales.fill(0);
        }
        map();
        let isTouched = watermark === undefined;
        const touch = () => {
          if (!isTouched) head.write('isClean', 0);
          isTouched = true;
        };
        const next = await work({
          watermark,
          resets: head.read('resets'),
          get generation() {
            return head.read('generation');
          },
          publish: (generation) => head.write('generation', generation),
          grow(slots) {
            touch();
            grow(slots);
          },
          write(vectors) {
            touch();
            write(vectors);
          },
          clear(slots) {
            touch();
            const { scales } = map();
            for (const { slot } of slots) scales[slot] = 0;
          },
        });
        head.finish(next);
      } finally {
        unlock();
      }
    },
  };
}

/** Slots mostly follow each other: one call for each run of them. */
export function listRuns<T extends { readonly slot: number }>(vectors: readonly T[]): T[][] {
  const runs: T[][] = [];
  for (const vector of vectors) {
    const run = runs.at(-1);
    if (run?.at(-1)?.slot === vector.slot - 1) run.push(vector);
    else runs.push([vector]);
  }
  return runs;
}

/** Opens the header, which all threads and processes share. */
function openHead(path: string, identity: bigint) {
  growFile(path, HEAD_BYTES);
  const mapped = Bun.mmap(path, { shared: true });
  const view = new DataView(mapped.buffer, mapped.byteOffset, mapped.byteLength);
  const read = (name: keyof typeof HEAD_OFFSETS): number =>
    view.getUint32(HEAD_OFFSETS[name], true);
  const write = (name: keyof typeof HEAD_OFFSETS, value: number): void =>
    view.setUint32(HEAD_OFFSETS[name], value, true);
  const isKnown = () => read('magic') === MAGIC;
  /** Whether what lies there may be read, even while somebody writes it: a row is there once it has a scale. */
  const isOwn = () => isKnown() && view.getBigUint64(HEAD_OFFSETS.identity, true) === identity;

  return {
    read,
    write,
    isKnown,
    isOwn,
    /** Returns up to where everything was read; undefined when the files are in doubt. */
    readWatermark: (): bigint | undefined =>
      isOwn() && read('isClean') === 1
        ? view.getBigUint64(HEAD_OFFSETS.watermark, true)
        : undefined,
    reset(): void {
      if (!isKnown()) write('capacity', 0);
      write('magic', MAGIC);
      write('count', 0);
      write('generation', 0);
      write('resets', read('resets') + 1);
      view.setBigUint64(HEAD_OFFSETS.identity, identity, true);
    },
    /** Ends an update. */
    finish(watermark: bigint): void {
      view.setBigUint64(HEAD_OFFSETS.watermark, watermark, true);
      write('isClean', 1);
    },
  };
}

/** Opens the files of the rows, which only grow while others have them mapped: truncation would crash them. */
function openRowFiles(path: (name: string) => string, dimension: number) {
  let capacity = 0;
  let mappings: readonly MappedMemory[] = [];
  let rows: Rows = emptyRows(dimension);

  return {
    grow(slots: number): void {
      growFile(path('bytes'), slots * dimension);
      growFile(path('halves'), slots * dimension * 2);
      growFile(path('scales'), slots * 4);
    },
    /** Returns a mapping of this number of slots. */
    map(wanted: number): Rows {
      if (wanted === capacity) return rows;
      for (const mapping of mappings) mapping.unmap();
      mappings = [];
      capacity = 0;
      rows = emptyRows(dimension);
      if (wanted === 0) return rows;
      const bytes = mapFile(path('bytes'), wanted * dimension);
      const halves = mapFile(path('halves'), wanted * dimension * 2);
      halves.adviseRandom();
      const scales = mapFile(path('scales'), wanted * 4);
      mappings = [bytes, halves, scales];
      capacity = wanted;
      rows = { dimension, bytes, halves, scales: mapFloats(scales, wanted) };
      return rows;
    },
  };
}

const emptyRows = (dimension: number): Rows => ({
  dimension,
  bytes: toMemory(new Uint8Array(0)),
  scales: new Float32Array(0),
  halves: toMemory(new Uint8Array(0)),
});

const libc = dlopen('libc.so.6', { flock: { args: ['i32', 'i32'], returns: 'i32' } });

/** Waits for the lock, which the kernel releases when its holder dies. */
function lock(path: string): () => void {
  const unlock = acquireLock(path, LOCK_EX);
  if (!unlock) throw new Error(`${path} cannot be locked with flock(2)`);
  return unlock;
}

/** Returns a function that releases the lock; undefined when somebody has it. */
export const tryLock = (path: string): (() => void) | undefined =>
  acquireLock(path, LOCK_EX | LOCK_NB);

function acquireLock(path: string, operation: number): (() => void) | undefined {
  const file = openSync(path, 'a');
  if (libc.symbols.flock(file, operation) !== 0) {
    closeSync(file);
    return undefined;
  }
  return () => {
    libc.symbols.flock(file, LOCK_UN);
    closeSync(file);
  };
}

/** Returns an id that changes with every boot. */
export const readBootId = (): string =>
  readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
