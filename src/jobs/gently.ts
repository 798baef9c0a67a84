/** Of the time that a step took. */
const REST = 0.25;

/**
 * Takes one step after the other until there is none left. It rests in between, for longer when the
 * machine is busy: whoever uses the library meanwhile should not notice.
 */
export async function gently(signal: AbortSignal, step: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const from = performance.now();
    if (!(await step())) return;
    signal.throwIfAborted();
    await Bun.sleep((performance.now() - from) * REST);
  }
}
