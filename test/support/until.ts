/** Resolves when the condition holds; fails the test after `ms`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  ms = 120_000,
): Promise<void> {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('never became true');
    await Bun.sleep(5);
  }
}
