import { stat, utimes } from 'node:fs/promises';

// A player asks for parts of a file one after the other, of any process. That it was played is seen at the time of
// its last access, which is set here: file systems that are mounted with noatime or relatime do not.

/** A file that was played so short a time ago may still be played. */
const PLAYED_MS = 30 * 60_000;
/** The time is set this often. */
const STEP_MS = 60_000;
const MAX_KNOWN = 1000;

/** Files of this process, and when their time was set, by `performance.now`. */
const known = new Map<string, number>();

/** Notes that a file is being played. Costs nothing within a minute. */
export async function markPlayed(path: string): Promise<void> {
  const now = performance.now();
  if (now - (known.get(path) ?? -Infinity) < STEP_MS) return;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(path, now);
  try {
    const { mtime } = await stat(path);
    await utimes(path, new Date(), mtime);
  } catch {
    // It is gone, or the disk is read-only: then nothing can be deleted either.
  }
}

/** Returns whether a file may be being played. */
export async function isPlayed(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return false;
  // A file that was never read has the time at which it was made.
  return found.atimeMs > found.mtimeMs && Date.now() - found.atimeMs < PLAYED_MS;
}
