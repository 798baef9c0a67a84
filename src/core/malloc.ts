import { dlopen, FFIType } from 'bun:ffi';

// Decoders of pictures take and free big blocks in many threads. As it comes, the C library keeps a
// heap per thread and hands little back: 300 MiB after a few photos, of which 60 are in use.

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
export function keepHeapsSmall(): void {
  malloc()?.mallopt(M_ARENA_MAX, 2);
  malloc()?.mallopt(M_MMAP_THRESHOLD, MIB);
}

/** Gives what is free in the heaps of all threads back to the system: some milliseconds. */
export function releaseFreeMemory(): void {
  malloc()?.malloc_trim(0);
}
