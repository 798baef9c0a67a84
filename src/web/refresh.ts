export type Refresh = {
  readonly refresh: () => Promise<void>;
  /** Until nothing that was asked for is under way. */
  readonly rest: () => Promise<unknown>;
};

/** Reads one at a time, and once more for all who ask meanwhile. */
export function createRefresh(read: () => Promise<void>): Refresh {
  let reading: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  function refresh(): Promise<void> {
    if (reading) {
      // What is under way may have been read before the change that this is about.
      again ??= reading.then(() => {
        again = undefined;
        return refresh();
      });
      return again;
    }
    reading = read().finally(() => (reading = undefined));
    return reading;
  }
  return { refresh, rest: () => Promise.allSettled([reading, again]) };
}
