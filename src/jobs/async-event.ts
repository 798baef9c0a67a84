export type AsyncEvent = {
  /** Resolves the current wait, or the next one if nobody waits. */
  notify(): void;
  /** Whether the next wait resolves at once. */
  isNotified(): boolean;
  /** Resolves at the next notification, or after `ms`. */
  wait(ms?: number): Promise<void>;
};

/** Returns an event for one waiter. A notification while nobody waits is not lost. */
export function createAsyncEvent(): AsyncEvent {
  let isNotified = false;
  let waiter: (() => void) | undefined;
  return {
    notify() {
      isNotified = true;
      waiter?.();
    },
    isNotified: () => isNotified,
    async wait(ms) {
      if (!isNotified) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiter = resolve;
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        await promise;
        clearTimeout(timer);
        waiter = undefined;
      }
      isNotified = false;
    },
  };
}
