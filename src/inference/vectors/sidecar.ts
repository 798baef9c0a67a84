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
  const identity = Bun.hash(`${options.identity} ${dimension}`);
  const path = (name: string) => join(folder, name);
  growFile(path('head'), HEAD_BYTES);
  const mapped = Bun.mmap(path('head'), { shared: true });
  const head = new DataView(mapped.buffer, mapped.byteOffset, mapped.byteLength);
  const { readInteger, writeInteger } = toIntegers(head);
  let capacity = 0;
  let mappings: readonly MappedMemory[] = [];
  let rows: Rows = emptyRows(dimension);

  const isKnown = () => readInteger('magic') === MAGIC;
  /** Whether what lies there may be read, even while somebody writes it: a row is there once it has a scale. */
  const isOwn = () => isKnown() && head.getBigUint64(HEAD_OFFSETS.identity, true) === identity;
  const isSound = () => isOwn() && readInteger('isClean') === 1;

  function map(): Rows {
    const wanted = isKnown() ? readInteger('capacity') : 0;
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
  }

  /** Files only grow while others have them mapped: truncation would crash them. */
  function grow(slots: number): void {
    if (slots > readInteger('capacity')) {
      const next = Math.max(MIN_CAPACITY, addSlack(slots, MOST_SLACK));
      growFile(path('bytes'), next * dimension);
      growFile(path('halves'), next * dimension * 2);
      growFile(path('scales'), next * 4);
      writeInteger('capacity', next);
    }
    writeInteger('count', Math.max(slots, readInteger('count')));
    map();
  }

  function reset(): void {
    if (!isKnown()) writeInteger('capacity', 0);
    writeInteger('magic', MAGIC);
    writeInteger('count', 0);
    writeInteger('generation', 0);
    writeInteger('resets', readInteger('resets') + 1);
    head.setBigUint64(HEAD_OFFSETS.identity, identity, true);
    map().scales.fill(0);
  }

  const write: SidecarState['write'] = (vectors) => {
    for (const run of listRuns(vectors)) {
      const { slot } = getFirst(run);
      const written = rows.halves.view(slot * dimension * 2, run.length * dimension * 2);
      for (const [at, { vector }] of run.entries()) written.set(vector, at * dimension * 2);
      options.kernel.quantise(rows, slot, run.length);
    }
  };

  return {
    rows: map,
    forget: () => writeInteger('isClean', 0),
    generation: () => (isOwn() ? readInteger('generation') : 0),
    count: () => (isOwn() ? Math.min(readInteger('count'), map().scales.length) : 0),
    async update(work) {
      const unlock = lock(path('lock'));
      try {
        const watermark = isSound() ? head.getBigUint64(HEAD_OFFSETS.watermark, true) : undefined;
        if (watermark === undefined) reset();
        map();
        let isTouched = watermark === undefined;
        const touch = () => {
          if (!isTouched) writeInteger('isClean', 0);
          isTouched = true;
        };
        const next = await work({
          watermark,
          resets: readInteger('resets'),
          get generation() {
            return readInteger('generation');
          },
          publish: (generation) => writeInteger('generation', generation),
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
            for (const { slot } of slots) rows.scales[slot] = 0;
          },
        });
        head.setBigUint64(HEAD_OFFSETS.watermark, next, true);
        writeInteger('isClean', 1);
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

const toIntegers = (head: DataView) => ({
  readInteger: (name: keyof typeof HEAD_OFFSETS): number =>
    head.getUint32(HEAD_OFFSETS[name], true),
  writeInteger: (name: keyof typeof HEAD_OFFSETS, value: number): void =>
    head.setUint32(HEAD_OFFSETS[name], value, true),
});

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
