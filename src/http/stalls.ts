/** Measures how long one transfer waits for its peer. */
export type StallTimer = {
  /** Starts the time: the peer has to send or take bytes. */
  begin(): void;
  end(): void;
};

/** Watches all transfers with one interval, which is cheaper than a timer per chunk. */
export type StallWatch = { watch(giveUp: () => void): StallTimer; close(): void };

export function watchStalls(limitMs: number): StallWatch {
  const waiting = new Map<StallTimer, { since: number; giveUp: () => void }>();
  const timer = setInterval(
    () => {
      const before = performance.now() - limitMs;
      for (const [wait, { since, giveUp }] of waiting) {
        if (since > before) continue;
        waiting.delete(wait);
        giveUp();
      }
    },
    Math.max(50, limitMs / 4),
  );
  timer.unref();
  return {
    watch(giveUp) {
      const wait: StallTimer = {
        begin: () => void waiting.set(wait, { since: performance.now(), giveUp }),
        end: () => void waiting.delete(wait),
      };
      return wait;
    },
    close: () => clearInterval(timer),
  };
}
