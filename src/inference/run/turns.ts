/** Runs work that needs a family of models, one at a time. */
export type Turns = {
  take<T>(family: string, work: () => Promise<T>): Promise<T>;
};

/**
 * First come, first served. Where only one family fits into memory, whatever waits for the family
 * that is loaded goes first, and the family is released when others have their turn.
 */
export function newTurns(isOneAtATime: boolean, release: (family: string) => Promise<void>): Turns {
  const waiting: { readonly family: string; readonly start: () => Promise<void> }[] = [];
  let loaded: string | undefined;
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const same = isOneAtATime ? waiting.findIndex(({ family }) => family === loaded) : 0;
      const [next] = waiting.splice(Math.max(0, same), 1);
      if (isOneAtATime && loaded !== undefined && loaded !== next!.family) await release(loaded);
      loaded = next!.family;
      await next!.start();
      // Others who want the same family are heard before it is released.
      if (isOneAtATime) await new Promise(setImmediate);
    }
    isRunning = false;
  }

  return {
    take: (family, work) =>
      new Promise((resolve, reject) => {
        waiting.push({ family, start: () => work().then(resolve, reject) });
        if (!isRunning) void run();
      }),
  };
}
