/** Items that are taken in at once: each waits for a disk or a network most of the time. */
const CONCURRENCY = 4;

/** Stops at the first error, and throws it when the work that has begun is done. */
export async function runConcurrently<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const runLane = async () => {
    for (const item of left) {
      try {
        await work(item);
      } catch (error) {
        // The other lanes find nothing left.
        left.return?.();
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: CONCURRENCY }, runLane));
  const failed = lanes.find((lane) => lane.status === 'rejected');
  if (failed) throw failed.reason;
}
