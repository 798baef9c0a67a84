import { dlopen } from 'bun:ffi';
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kernel, Rows } from './kernel.ts';

// Vectors of one model in memory-mapped files, shared by all threads and processes of this machine.
// A cache of the database: rebuilt on any doubt, a million vectors in seconds.

export type Sidecar = {
  /**
   * Returns the current mapping. Another process may have grown the files: call before each use.
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
};

export type SidecarState = {
  readonly watermark: bigint | undefined;
  /** Grows the files to this number of slots. */
  grow(slots: number): void;
  /** Little-endian halves, of the model's own dimension; in the order of their slots. */
  write(vectors: readonly { readonly slot: number; readonly vector: Uint8Array }[]): void;
};

const GRANULE = 128;
const HEAD_BYTES = 4096;
const MIN_CAPACITY = 1024;
const MAGIC = 0x53_4c_56_31;
const LOCK_EX = 2;
const LOCK_UN = 8;

/** Byte offsets in the header. */
const HEAD_OFFSETS = {
  magic: 0,
  isClean: 4,
  capacity: 8,
  count: 12,
  watermark: 16,
  identity: 24,
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
  resize(path('head'), HEAD_BYTES);
  const mapped = Bun.mmap(path('head'), { shared: true });
  const head = new DataView(mapped.buffer, mapped.byteOffset, mapped.byteLength);
  let capacity = -1;
  let rows: Rows = emptyRows(dimension);

  const isSound = () =>
    head.getUint32(HEAD_OFFSETS.magic, true) === MAGIC &&
    head.getUint32(HEAD_OFFSETS.isClean, true) === 1 &&
    head.getBigUint64(HEAD_OFFSETS.identity, true) === identity;

  function map(): Rows {
    const wanted =
      head.getUint32(HEAD_OFFSETS.magic, true) === MAGIC
        ? head.getUint32(HEAD_OFFSETS.capacity, true)
        : 0;
    if (wanted === capacity) return rows;
    capacity = wanted;
    if (wanted === 0) return (rows = emptyRows(dimension));
    const of = (name: string) => Bun.mmap(path(name), { shared: true });
    const [bytes, scales, halves] = [of('bytes'), of('scales'), of('halves')];
    rows = {
      dimension,
      bytes,
      scales: new Float32Array(scales.buffer, scales.byteOffset, wanted),
      halves: new Uint16Array(halves.buffer, halves.byteOffset, wanted * dimension),
    };
    return rows;
  }

  /** Files only grow while others have them mapped: truncation would crash them. */
  function grow(slots: number): void {
    const present = head.getUint32(HEAD_OFFSETS.capacity, true);
    if (slots > present) {
      const next = Math.max(MIN_CAPACITY, Math.ceil(slots * 1.25));
      resize(path('bytes'), next * dimension);
      resize(path('halves'), next * dimension * 2);
      resize(path('scales'), next * 4);
      head.setUint32(HEAD_OFFSETS.capacity, next, true);
    }
    head.setUint32(
      HEAD_OFFSETS.count,
      Math.max(slots, head.getUint32(HEAD_OFFSETS.count, true)),
      true,
    );
    map();
  }

  function reset(): void {
    const known = head.getUint32(HEAD_OFFSETS.magic, true) === MAGIC;
    if (!known) head.setUint32(HEAD_OFFSETS.capacity, 0, true);
    head.setUint32(HEAD_OFFSETS.magic, MAGIC, true);
    head.setUint32(HEAD_OFFSETS.count, 0, true);
    head.setBigUint64(HEAD_OFFSETS.identity, identity, true);
    map().scales.fill(0);
  }

  const write: SidecarState['write'] = (vectors) => {
    const { halves } = rows;
    const all = new Uint8Array(halves.buffer, halves.byteOffset, halves.byteLength);
    // Slots mostly follow each other: one call for each run of them.
    let [from, next] = [-1, -1];
    for (const { slot, vector } of vectors) {
      if (slot !== next) {
        if (from >= 0) options.kernel.quantise(rows, from, next - from);
        from = slot;
      }
      all.set(vector, slot * dimension * 2);
      next = slot + 1;
    }
    if (from >= 0) options.kernel.quantise(rows, from, next - from);
  };

  return {
    rows: map,
    forget: () => head.setUint32(HEAD_OFFSETS.isClean, 0, true),
    count: () =>
      isSound() ? Math.min(head.getUint32(HEAD_OFFSETS.count, true), map().scales.length) : 0,
    async update(work) {
      const unlock = lock(path('lock'));
      try {
        const watermark = isSound() ? head.getBigUint64(HEAD_OFFSETS.watermark, true) : undefined;
        if (watermark === undefined) reset();
        map();
        let isTouched = watermark === undefined;
        const touch = () => {
          if (!isTouched) head.setUint32(HEAD_OFFSETS.isClean, 0, true);
          isTouched = true;
        };
        const next = await work({
          watermark,
          grow(slots) {
            touch();
            grow(slots);
          },
          write(vectors) {
            touch();
            write(vectors);
          },
        });
        head.setBigUint64(HEAD_OFFSETS.watermark, next, true);
        head.setUint32(HEAD_OFFSETS.isClean, 1, true);
      } finally {
        unlock();
      }
    },
  };
}

const emptyRows = (dimension: number): Rows => ({
  dimension,
  bytes: new Uint8Array(0),
  scales: new Float32Array(0),
  halves: new Uint16Array(0),
});

function resize(path: string, bytes: number): void {
  const file = openSync(path, 'a+');
  try {
    if (Bun.file(path).size < bytes) ftruncateSync(file, bytes);
  } finally {
    closeSync(file);
  }
}

const libc = dlopen('libc.so.6', { flock: { args: ['i32', 'i32'], returns: 'i32' } });

/** Waits for the lock, which the kernel releases when its holder dies. */
function lock(path: string): () => void {
  const file = openSync(path, 'a');
  if (libc.symbols.flock(file, LOCK_EX) !== 0) {
    closeSync(file);
    throw new Error(`${path} cannot be locked with flock(2)`);
  }
  return () => {
    libc.symbols.flock(file, LOCK_UN);
    closeSync(file);
  };
}

/** Returns an id that changes with every boot. */
export const readBootId = (): string =>
  readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
