/** Runs work that needs a family of models, one at a time. */
export type FamilyScheduler = {
  run<T>(family: string, work: () => Promise<T>): Promise<T>;
};

/** Then it is somebody else's turn, even though that costs loading all of it again. */
const MAX_CONSECUTIVE = 50;

/**
 * First come, first served. Families of one group (by `getGroup`) are in memory together, those of
 * different groups never: whatever waits for the group that is loaded goes first, and all of that is
 * released when others have their turn.
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
      if (getGroup(next!.family) !== group) {
        for (const family of loaded) await release(family);
        loaded.clear();
        group = getGroup(next!.family);
        inARow = 0;
      }
      inARow += 1;
      loaded.add(next!.family);
      await next!.start();
      // Others who want the same group are heard before it is released.
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
