/** One transfer that may come to wait for its peer. */
export type PeerWait = {
  /** From now on it is the peer's turn to send or to take bytes. */
  begin(): void;
  end(): void;
};

/** Transfers that wait for their peer. Looking now and then is cheaper than a timer per chunk. */
export type StallWatch = { watch(giveUp: () => void): PeerWait; close(): void };

export function watchStalls(limitMs: number): StallWatch {
  const waiting = new Map<PeerWait, { since: number; giveUp: () => void }>();
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
      const wait: PeerWait = {
        begin: () => void waiting.set(wait, { since: performance.now(), giveUp }),
        end: () => void waiting.delete(wait),
      };
      return wait;
    },
    close: () => clearInterval(timer),
  };
}
