/** Runs work of model families: each family does one thing at a time. */
export type FamilyScheduler = {
  run<T>(family: string, work: () => Promise<T>): Promise<T>;
};

/** Work of one group in a row before another group gets its turn. */
const MAX_CONSECUTIVE = 50;

/**
 * Schedules first come, first served, for at most `concurrency` families at once. Families of one group share the
 * memory, different groups never do: work for the loaded group goes first, and the group is released when another gets
 * its turn.
 */
export function createFamilyScheduler(
  getGroup: (family: string) => string,
  release: (family: string) => Promise<void>,
  concurrency = 1,
): FamilyScheduler {
  const waiting: { readonly family: string; readonly start: () => Promise<void> }[] = [];
  const loaded = new Set<string>();
  const running = new Set<string>();
  let group: string | undefined;
  let inARow = 0;
  let isReleasing = false;

  const isLoadedGroup = ({ family }: { readonly family: string }) => getGroup(family) === group;

  /** Returns the place of what may start now; -1 while there is nothing. */
  function findNext(): number {
    const other = waiting.findIndex((one) => !isLoadedGroup(one));
    const isTurnOfOther = inARow >= MAX_CONSECUTIVE || !waiting.some(isLoadedGroup);
    if (other >= 0 && isTurnOfOther) return running.size === 0 ? other : -1;
    return waiting.findIndex((one) => isLoadedGroup(one) && !running.has(one.family));
  }

  function startNext(): void {
    while (!isReleasing && running.size < concurrency) {
      const at = findNext();
      const [next] = at < 0 ? [] : waiting.splice(at, 1);
      if (!next) return;
      running.add(next.family);
      void runOne(next);
    }
  }

  async function runOne(next: (typeof waiting)[number]): Promise<void> {
    if (!isLoadedGroup(next)) await switchGroup(getGroup(next.family));
    inARow += 1;
    loaded.add(next.family);
    await next.start();
    // New work for the same group is queued before it is released.
    await new Promise(setImmediate);
    running.delete(next.family);
    startNext();
  }

  async function switchGroup(to: string): Promise<void> {
    isReleasing = true;
    for (const family of loaded) await release(family);
    loaded.clear();
    group = to;
    inARow = 0;
    isReleasing = false;
    startNext();
  }

  return {
    run: (family, work) =>
      new Promise((resolve, reject) => {
        waiting.push({ family, start: () => work().then(resolve, reject) });
        startNext();
      }),
  };
}
