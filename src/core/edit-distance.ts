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
  const width = b.length + 1;
  const rows = Array.from({ length: a.length + 1 }, (_, at) => new Uint16Array(width).fill(at));
  for (let x = 0; x < width; x++) rows[0]![x] = x;
  for (let y = 1; y <= a.length; y++) {
    const [row, above, beyond] = [rows[y]!, rows[y - 1]!, rows[y - 2]];
    for (let x = 1; x < width; x++) {
      const isSame = a[y - 1] === b[x - 1];
      row[x] = Math.min(above[x]! + 1, row[x - 1]! + 1, above[x - 1]! + (isSame ? 0 : 1));
      const isSwapped = beyond && x > 1 && a[y - 1] === b[x - 2] && a[y - 2] === b[x - 1];
      if (isSwapped) row[x] = Math.min(row[x]!, beyond[x - 2]! + 1);
    }
  }
  return rows[a.length]![b.length]!;
}
