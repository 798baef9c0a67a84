import type { ReadLine } from '../../src/areas/documents/suggest/rows.ts';
import { suggestFields } from '../../src/areas/documents/suggest/suggest.ts';

/** A page of rows; '|' stands between parts that are read as lines of their own, `step` apart. */
export function createPage(text: string, { tilt = 0, step = 0.5 } = {}): ReadLine[] {
  let line = 0;
  return text
    .trim()
    .split('\n')
    .flatMap((row, index) =>
      row.split('|').map((part, column) => {
        const [x, y] = [0.05 + column * step, 0.02 + index * 0.03];
        const right = Math.min(1, x + 0.3);
        const [left, far] = [y + tilt * x, y + tilt * right];
        return {
          line: line++,
          text: part.trim(),
          score: 0.98,
          quad: [x, left, right, far, right, far + 0.02, x, left + 0.02],
        };
      }),
    );
}

/** Returns the suggested values by field. */
export const suggestForPage = (text: string, options?: { tilt?: number; step?: number }) =>
  Object.fromEntries(
    [...suggestFields(createPage(text, options))].map(([field, { value }]) => [field, value]),
  );
