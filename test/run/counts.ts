/** Returns the last line of a run whose tests are of one folder: the counts at the end of the output of `bun test`. */
export function formatCounts(output: string, code: number): string {
  const count = (word: string) =>
    Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, 'gm'))].at(-1)?.[1] ?? 0);
  const [passed, failed, errors] = [count('pass'), count('fail'), count('errors?')];
  const skipped = count('skip') + count('todo');
  // A runner that broke without counting has failed, whatever it ran before.
  const broken = code !== 0 && failed + errors === 0 ? 1 : 0;
  const tail = skipped > 0 ? `, ${skipped} skipped` : '';
  return `${passed} passed, ${failed + errors + broken} failed${tail}`;
}
