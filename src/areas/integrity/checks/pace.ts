import type { JobCtx } from '../../../jobs/define.ts';
import type { Pace } from '../verification.domain.ts';

/** Reads no faster than the limit, so that people who look at their photos have the disk. */
export function createPace({ settings, signal, restartTimeLimit }: JobCtx): Pace {
  let due = performance.now();
  return async (bytes) => {
    signal.throwIfAborted();
    restartTimeLimit();
    const now = performance.now();
    due = Math.max(due, now - 100) + (bytes / settings.integrityRate) * 1000;
    // Also without a debt: the thread has other work.
    await Bun.sleep(Math.max(0, due - now));
  };
}
