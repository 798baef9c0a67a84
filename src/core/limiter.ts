import { unavailable } from './errors.ts';

export type Limiter = <T>(work: () => Promise<T>, waitMs?: number) => Promise<T>;

const RETRY_SECONDS = 5;

/**
 * Returns a function that runs work, at most `max` pieces at once; the others wait for their turns. It throws 503 when one
 * has waited for longer than `waitMs`, and has not begun.
 */
export function createLimiter(max: number): Limiter {
  /** In the order of their turns. */
  const waiting = new Set<() => void>();
  let running = 0;

  async function acquire(waitMs: number | undefined): Promise<void> {
    if (running < max) return void (running += 1);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add(resolve);
    const giveUp = () => {
      waiting.delete(resolve);
      reject(unavailable('The server is busy: try again in a moment', RETRY_SECONDS));
    };
    const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
    await promise.finally(() => clearTimeout(timer));
  }

  function release(): void {
    const [next] = waiting;
    if (!next) return void (running -= 1);
    // The slot passes to the next one, so the count stays.
    waiting.delete(next);
    next();
  }

  return async (work, waitMs) => {
    await acquire(waitMs);
    try {
      return await work();
    } finally {
      release();
    }
  };
}
