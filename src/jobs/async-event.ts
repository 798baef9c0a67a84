export type AsyncEvent = {
  /** Wakes who waits, or the next who will. */
  notify(): void;
  /** Until rung, or for `ms`. */
  wait(ms?: number): Promise<void>;
};

/** Something changed; a ring while nobody waits is not lost. */
export function createAsyncEvent(): AsyncEvent {
  let isRung = false;
  let waiter: (() => void) | undefined;
  return {
    notify() {
      isRung = true;
      waiter?.();
    },
    async wait(ms) {
      if (!isRung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiter = resolve;
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        await promise;
        clearTimeout(timer);
        waiter = undefined;
      }
      isRung = false;
    },
  };
}
