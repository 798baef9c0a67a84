const MIB = 1024 ** 2;

/** Largest estimated memory of one picture while it is decoded; others are too large. */
export const MAX_DECODE_BYTES = 400 * MIB;
/** Memory limit of a decoder: estimates are inexact, and it has a heap of its own. */
export const CHILD_MEMORY_BYTES = MAX_DECODE_BYTES + 150 * MIB;
/** Pictures below this size are decoded without accounting. */
const UNCOUNTED_BYTES = 64 * MIB;
const RETRY_MS = 50;

// All threads share one account: a spinlock, then the MiB that each thread holds. The entry of a
// dead thread is reset by whoever notices.

const LOCK = 0;
let account = newAccount();
let ownIndex = 1;

function newAccount(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(64 * Int32Array.BYTES_PER_ELEMENT));
}

/** Returns the account for threads that this one starts. */
export const getDecodeMemoryAccount = (): SharedArrayBuffer => account.buffer as SharedArrayBuffer;

/** Joins the account of another thread; `member` counts from 1 and is unique. */
export function joinDecodeMemory(buffer: SharedArrayBuffer, member: number): void {
  account = new Int32Array(buffer);
  ownIndex = member + 1;
}

/** Releases the memory of a dead thread. */
export function releaseDecodeMemory(member: number): void {
  Atomics.store(account, member + 1, 0);
}

/**
 * Runs work once its memory fits beside all other decoding. Throws the abort reason of `signal`.
 */
export async function withDecodeMemory<T>(
  bytes: number,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (bytes < UNCOUNTED_BYTES) return work();
  const size = Math.ceil(Math.min(bytes, MAX_DECODE_BYTES) / MIB);
  while (!tryAcquire(size)) {
    signal?.throwIfAborted();
    // Threads cannot wake each other without blocking; large pictures take seconds.
    await Bun.sleep(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    Atomics.sub(account, ownIndex, size);
  }
}

function tryAcquire(size: number): boolean {
  if (Atomics.compareExchange(account, LOCK, 0, 1) !== 0) return false;
  let held = 0;
  for (let member = 1; member < account.length; member++) held += Atomics.load(account, member);
  const fits = (held + size) * MIB <= MAX_DECODE_BYTES;
  if (fits) Atomics.add(account, ownIndex, size);
  Atomics.store(account, LOCK, 0);
  return fits;
}
