/** Runs work of model families, one at a time. */
export type FamilyScheduler = {
  run<T>(family: string, work: () => Promise<T>): Promise<T>;
};

/** Work of one group in a row before another group gets its turn. */
const MAX_CONSECUTIVE = 50;

/**
 * Schedules first come, first served. Families of one group share the memory, different groups
 * never do: work for the loaded group goes first, and the group is released when another gets its
 * turn.
 */
export function createFamilyScheduler(
  getGroup: (family: string) => string,
  release: (family: string) => Promise<void>,
): FamilyScheduler {
  const waiting: { readonly family: string; readonly start: () => Promise<void> }[] = [];
  const loaded = new Set<string>();
  let group: string | undefined;
  let isRunning = false;
  let inARow = 0;

  async function drain(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const same =
        inARow < MAX_CONSECUTIVE
          ? waiting.findIndex(({ family }) => getGroup(family) === group)
          : waiting.findIndex(({ family }) => getGroup(family) !== group);
      const [next] = waiting.splice(Math.max(0, same), 1);
      if (!next) break;
      if (getGroup(next.family) !== group) {
        for (const family of loaded) await release(family);
        loaded.clear();
        group = getGroup(next.family);
        inARow = 0;
      }
      inARow += 1;
      loaded.add(next.family);
      await next.start();
      // New work for the same group is queued before it is released.
      await new Promise(setImmediate);
    }
    isRunning = false;
  }

  return {
    run: (family, work) =>
      new Promise((resolve, reject) => {
        waiting.push({ family, start: () => work().then(resolve, reject) });
        if (!isRunning) void drain();
      }),
  };
}
