const MIB = 1024 ** 2;

/** What one picture may need at most while it is decoded; one that needs more is too large. */
export const MAX_DECODE_BYTES = 400 * MIB;
/** What a decoder really gets: estimates are no promises, and it has a heap of its own. */
export const CHILD_MEMORY_BYTES = MAX_DECODE_BYTES + 150 * MIB;
/** Pictures that need less are as many at once as there are jobs. */
const UNCOUNTED_BYTES = 64 * MIB;
const RETRY_MS = 50;

// All threads share one account: its first number is a lock, then follows what each thread holds, in
// MiB. A thread that dies takes its decoders with it, and its number is set to 0 by who notices.

const LOCK = 0;
let account = newAccount();
let ownIndex = 1;

function newAccount(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(64 * Int32Array.BYTES_PER_ELEMENT));
}

/** For the thread that starts others. */
export const getDecodeMemoryAccount = (): SharedArrayBuffer => account.buffer as SharedArrayBuffer;

/** Uses the account of another thread from now on; `member` counts from 1 and is this thread's alone. */
export function joinDecodeMemory(buffer: SharedArrayBuffer, member: number): void {
  account = new Int32Array(buffer);
  ownIndex = member + 1;
}

/** After the death of a thread. */
export function releaseDecodeMemory(member: number): void {
  Atomics.store(account, member + 1, 0);
}

/**
 * Runs work that needs so much memory, once there is room for it beside all other work of this kind.
 * Throws the abort reason of `signal`.
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
