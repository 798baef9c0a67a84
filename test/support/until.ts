const LONGEST_PAUSE_MS = 50;

/** Resolves when the condition holds; fails the test after `ms`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  ms = 120_000,
): Promise<void> {
  const end = performance.now() + ms;
  // Soon at first; asking on and on would keep a core from what it waits for.
  for (let pauseMs = 5; !(await condition()); pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    if (performance.now() > end) throw new Error('never became true');
    await Bun.sleep(pauseMs);
  }
}
