const STEP_MS = 100;

/**
 * Resolves to the result of the work, or to `late` after so many ms in which this process ran. Time in which it got no
 * processor, or was suspended, is none: the answer of a disk may have come then.
 */
export async function withinLoopTime<T>(work: Promise<T>, ms: number, late: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  let left = ms;
  // It fires once, however late it is.
  const timer = setInterval(() => {
    left -= STEP_MS;
    if (left <= 0) resolve(late);
  }, STEP_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearInterval(timer);
  }
}
