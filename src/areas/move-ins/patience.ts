import { setTimeout as delay } from 'node:timers/promises';
import type { ImmichUnavailable } from '../imports/index.ts';

/** Milliseconds. */
export const pauses = {
  first: 5000,
  most: 5 * 60_000,
  /** A move whose server has been away for so long gives its slot to others, and goes on later. */
  hold: 60_000,
  /** The move is paused when the other server has been away for so long. */
  giveUp: 24 * 60 * 60_000,
};

/**
 * Waits for a server that is away, longer each time; in the end throws the fault. Requests that fail at once wait together.
 */
export function createPatience(signal: AbortSignal) {
  let since: number | undefined;
  let failures = 0;
  let waiting: Promise<void> | undefined;

  async function wait(): Promise<void> {
    const ms = Math.min(pauses.most, pauses.first * 2 ** failures);
    failures += 1;
    // The reason is thrown by the request that is repeated.
    await delay(ms, undefined, { signal }).catch(() => {});
  }

  return {
    async whenAway(fault: ImmichUnavailable): Promise<void> {
      since ??= performance.now();
      if (performance.now() - since > pauses.hold) throw fault;
      waiting ??= wait().finally(() => (waiting = undefined));
      await waiting;
      signal.throwIfAborted();
    },
    end(): void {
      since = undefined;
      failures = 0;
    },
  };
}
