/** Requests for the same work come in bursts: all of one burst cause one run. */
const DEBOUNCE_MS = 250;

/**
 * Returns a function that runs `work` soon, but never twice at a time. Calls during a run cause one
 * more run, because what it reads may be older than their cause. `work` must not reject.
 */
export function coalesce(work: () => Promise<unknown>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isWanted = false;

  async function run(): Promise<void> {
    timer = undefined;
    isRunning = true;
    isWanted = false;
    await work();
    isRunning = false;
    if (isWanted) runSoon();
  }

  function runSoon(): void {
    isWanted = true;
    if (!isRunning) timer ??= setTimeout(() => void run(), DEBOUNCE_MS);
  }
  return runSoon;
}
