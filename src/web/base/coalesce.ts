/** Requests for the same work come in bursts: all of one burst cause one run. */
const DEBOUNCE_MS = 250;

type Pace = {
  /** How long a run waits for more calls, in ms. */
  readonly waitMs?: number;
  /** The least time from the start of one run to that of the next, in ms. */
  readonly everyMs?: number;
};

/**
 * Returns a function that runs `work` soon, but never twice at a time. Calls during a run cause one
 * more run, because what it reads may be older than their cause. `work` must not reject.
 */
export function coalesce(
  work: () => Promise<unknown>,
  { waitMs = DEBOUNCE_MS, everyMs = 0 }: Pace = {},
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isWanted = false;
  let startedAt = -Infinity;

  async function run(): Promise<void> {
    timer = undefined;
    isRunning = true;
    isWanted = false;
    startedAt = performance.now();
    await work();
    isRunning = false;
    if (isWanted) runSoon();
  }

  function runSoon(): void {
    isWanted = true;
    if (isRunning) return;
    const waitedMs = performance.now() - startedAt;
    timer ??= setTimeout(() => void run(), Math.max(waitMs, everyMs - waitedMs));
  }
  return runSoon;
}
