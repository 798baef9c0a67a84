import { availableParallelism } from 'node:os';

/** Of the time that a step took. A second processor is for others in any case. */
const REST = availableParallelism() > 1 ? 0.1 : 0.25;

/** Of whoever came last; over when its step and its rest are. */
let lastTurn: Promise<unknown> = Promise.resolve();

/**
 * Takes one step after the other until there is none left. It rests in between, for longer when the
 * machine is busy: whoever uses the library meanwhile should not notice. All that works like this in a
 * thread takes turns, since two at once would leave a small machine no processor for anybody else.
 */
export async function runThrottled(
  signal: AbortSignal,
  step: () => Promise<unknown>,
): Promise<void> {
  const stepAndRest = async (): Promise<boolean> => {
    signal.throwIfAborted();
    const from = performance.now();
    if (!(await step())) return false;
    signal.throwIfAborted();
    await Bun.sleep((performance.now() - from) * REST);
    return true;
  };
  while (await inTurn(stepAndRest));
}

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(work);
  // What went wrong is for the one whose turn it was.
  lastTurn = turn.catch(() => {});
  return turn;
}
