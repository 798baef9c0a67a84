import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { compareSizes, measureSizes, parseSizes } from './support/sizes.ts';

// A table in TSV has a line for each row: a diff shows one row for one change, and no formatter aligns the others.

test('the product and its tests are no larger than test/size.tsv allows, and hardly smaller', async () => {
  const allowed = parseSizes(await Bun.file(join(import.meta.dir, 'size.tsv')).text());
  const faults = compareSizes(allowed, measureSizes());
  const advice =
    'Look for what can go first. `make size` writes all rows as they are; the text of the commit says why one grows.';
  expect(faults.length > 0 ? [...faults, advice] : []).toEqual([]);
});

test('a row fails by one line more, by more than one in a hundred less, and when it is missing or idle', () => {
  const allowed = new Map([['src/areas', [1000, 10]]]);
  const compare = (lines: number, files: number) =>
    compareSizes(allowed, new Map([['src/areas', [lines, files]]]));
  expect(compare(1000, 10)).toEqual([]);
  expect(compare(990, 10)).toEqual([]);
  expect(compare(1001, 10)).toEqual(['src/areas: 1001 lines, 1 more than allowed: take them away']);
  expect(compare(989, 9)).toEqual([
    String.raw`src/areas: 989 lines, 11 fewer than allowed: write "src/areas\t989\t9"`,
    String.raw`src/areas: 9 files, 1 fewer than allowed: write "src/areas\t989\t9"`,
  ]);
  expect(compareSizes(allowed, new Map([['background jobs', [2]]]))).toEqual([
    String.raw`background jobs has no row: write "background jobs\t2"`,
    'src/areas is no more: remove its row',
  ]);
});
