import { dlopen, FFIType } from 'bun:ffi';

/** Returns the id by which the system knows the calling thread; undefined where the C library does not tell. */
export function getThreadId(): number | undefined {
  try {
    const symbols = { gettid: { args: [], returns: FFIType.i32 } } as const;
    return dlopen('libc.so.6', symbols).symbols.gettid();
  } catch {
    return undefined;
  }
}
