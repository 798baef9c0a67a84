import { spyOn } from 'bun:test';

/**
 * Lets `performance.now()` stand still, so many ms ahead, so that no interval that it measures ends meanwhile. It goes on
 * with the returned call.
 */
export function stopClock(aheadMs = 0): () => void {
  const clock = spyOn(performance, 'now').mockReturnValue(performance.now() + aheadMs);
  return () => clock.mockRestore();
}
