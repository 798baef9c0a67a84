import { dlopen, FFIType } from 'bun:ffi';

// Decoders of pictures take and free big blocks in many threads. As it comes, the C library keeps a
// heap per thread and hands little back: 300 MiB after a few photos, of which 60 are in use.

const M_TRIM_THRESHOLD = -1;
const M_MMAP_THRESHOLD = -3;
const M_ARENA_MAX = -8;
const MIB = 1024 ** 2;

type Malloc = {
  mallopt(parameter: number, value: number): number;
  malloc_trim(keep: number): number;
};

let opened: Malloc | undefined;

/** Undefined where the C library is another than glibc. */
function malloc(): Malloc | undefined {
  try {
    opened ??= dlopen('libc.so.6', {
      mallopt: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
      malloc_trim: { args: [FFIType.u64], returns: FFIType.i32 },
    }).symbols;
    return opened;
  } catch {
    return undefined;
  }
}

/** Few heaps, and pictures in blocks of their own, which go back when they are freed. Before threads start. */
export function limitMallocArenas(heaps = 2): void {
  malloc()?.mallopt(M_ARENA_MAX, heaps);
  malloc()?.mallopt(M_MMAP_THRESHOLD, MIB);
}

/** The largest blocks that the C library lets a heap have. */
const LARGEST_BLOCK = 32 * MIB;

/**
 * Large blocks too are taken again from what was freed, until `trimHeap`: work that takes the same hundreds of
 * megabytes for every picture spends half of its time on pages asked for anew. More than `mostFreeBytes` at the end of
 * a heap is not kept.
 */
export function keepFreeMemory(mostFreeBytes = 16 * MIB): void {
  malloc()?.mallopt(M_MMAP_THRESHOLD, LARGEST_BLOCK);
  malloc()?.mallopt(M_TRIM_THRESHOLD, mostFreeBytes);
}

/** Gives what is free in the heaps of all threads back to the system: some milliseconds. */
export function trimHeap(): void {
  malloc()?.malloc_trim(0);
}

/** The same for what only garbage still holds; some tens of milliseconds. */
export function releaseGarbage(): void {
  Bun.gc(true);
  trimHeap();
}

/** Less growth is not worth the collection: 60 ms of processor time. */
const SHRUNK_GROWTH = 8 * MIB;
/** For the collection, which runs aside. */
const SHRINK_MS = 1000;
let shrunkBytes = 0;

/**
 * Gives back compiled code and garbage, 10 to 20 MiB after work, if the process has grown. Code that is called again
 * is compiled again: the next requests take some milliseconds more.
 */
export function shrinkHeap(): void {
  if (process.memoryUsage.rss() < shrunkBytes + SHRUNK_GROWTH) return trimHeap();
  Bun.shrink();
  const settle = () => {
    trimHeap();
    shrunkBytes = process.memoryUsage.rss();
  };
  setTimeout(settle, SHRINK_MS).unref();
}
