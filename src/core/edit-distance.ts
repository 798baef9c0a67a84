/** Words from this length on may differ by two edits, shorter ones by one. */
const LONG_WORD_LETTERS = 8;

/** Returns up to four of `written` within the allowed edit distance of `given`, closest first. */
export function rankCorrections(given: string, written: readonly string[]): string[] {
  const most = given.length >= LONG_WORD_LETTERS ? 2 : 1;
  return written
    .map((word) => ({ word, slips: editDistance(given, word) }))
    .filter(({ slips }) => slips > 0 && slips <= most)
    .toSorted((a, b) => a.slips - b.slips)
    .slice(0, 4)
    .map(({ word }) => word);
}

/**
 * Returns the Damerau-Levenshtein distance (optimal string alignment): insertions, deletions,
 * substitutions and transpositions of neighbours.
 */
export function editDistance(a: string, b: string): number {
  let beyond: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, x) => x);
  let distance = b.length;
  for (let y = 1; y <= a.length; y++) {
    let diagonal = y;
    const row = above.map((up, x) => {
      const cost = a[y - 1] === b[x - 1] ? 0 : 1;
      distance = x === 0 ? y : Math.min(up + 1, distance + 1, diagonal + cost);
      const isSwapped = x > 1 && a[y - 1] === b[x - 2] && a[y - 2] === b[x - 1];
      if (isSwapped) distance = Math.min(distance, (beyond[x - 2] ?? Infinity) + 1);
      diagonal = up;
      return distance;
    });
    [beyond, above] = [above, row];
  }
  return distance;
}
