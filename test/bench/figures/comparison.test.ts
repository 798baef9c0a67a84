import { expect, test } from 'bun:test';
import { compareRows, formatComparison, listUnmatched } from './comparison.ts';
import type { MeasureName, Row } from './measures.ts';

/** A run for each value. */
const createRuns = (measure: MeasureName, ...values: number[]): Row[] =>
  values.map((value) => ({ table: 'Reads', name: 'explore', values: { [measure]: value } }));

const compare = (measure: MeasureName, before: number[], after: number[]) =>
  compareRows(createRuns(measure, ...before), createRuns(measure, ...after));

test('reports a value that is worse by 10 % or more, with the medians of the runs', () => {
  expect(compare('blocks', [100, 101, 99], [120, 121, 130])).toEqual([
    {
      table: 'Reads',
      name: 'explore',
      measure: 'blocks',
      before: 100,
      after: 121,
      change: expect.closeTo(0.21),
      isWorse: true,
    },
  ]);
});

test('reports nothing below 10 %', () => {
  expect(compare('blocks', [100], [109])).toEqual([]);
});

test('reports nothing while a run before was as bad as one now', () => {
  expect(compare('serverCpuMs', [1, 1, 1.3], [1.2, 1.3, 1.3])).toEqual([]);
});

test('reports nothing while the runs of one program differ as much as the two programs', () => {
  expect(compare('serverCpuMs', [0.8, 0.83, 0.9], [1, 1.31, 1.5])).toEqual([]);
});

test('reports nothing below the least difference of the measure, whatever its share', () => {
  expect(compare('serverCpuMs', [0.05], [0.06])).toEqual([]);
});

test('calls more requests per second better, and fewer worse', () => {
  expect(compare('perSecond', [100, 102], [150, 151])[0]!.isWorse).toBe(false);
  expect(compare('perSecond', [100, 102], [50, 51])[0]!.isWorse).toBe(true);
});

test('reports times and rates only when there are runs to know their chance from', () => {
  expect(compare('ms', [100], [300])).toEqual([]);
  expect(compare('ms', [100, 110], [300, 310])).toHaveLength(1);
});

test('reports what was 0 before', () => {
  expect(compare('statements', [0], [3])[0]).toMatchObject({ before: 0, after: 3, isWorse: true });
});

test('names portable measures first, and larger changes before smaller ones', () => {
  const before = [
    ...createRuns('ms', 100, 101),
    ...createRuns('blocks', 100),
    ...createRuns('bytes', 900),
  ];
  const after = [
    ...createRuns('ms', 900, 901),
    ...createRuns('blocks', 120),
    ...createRuns('bytes', 1800),
  ];
  expect(compareRows(before, after).map(({ measure }) => measure)).toEqual([
    'bytes',
    'blocks',
    'ms',
  ]);
});

test('lists rows that one program lacks, and those that fail with one only', () => {
  const toRow = (name: string, note?: string): Row => ({
    table: 'Reads',
    name,
    values: note === undefined ? { blocks: 1 } : {},
    ...(note !== undefined && { note }),
  });
  const before = [toRow('tags'), toRow('pets', 'none'), toRow('jobs')];
  const after = [toRow('tags'), toRow('pets'), toRow('jobs', 'failed with 500'), toRow('map')];
  expect(listUnmatched(before, after)).toEqual([
    'Reads: pets: none before, measured now',
    'Reads: jobs: measured before, failed with 500 now',
    'Reads: map: none before, measured now',
  ]);
});

test('prints what is worse, then what is better', () => {
  const before = [...createRuns('blocks', 10), ...createRuns('statements', 4)];
  const after = [...createRuns('blocks', 40), ...createRuns('statements', 2)];
  expect(formatComparison(before, after)).toBe(`## Worse by 10 % or more

|                | measure | before | now | change |
| -------------- | ------: | -----: | --: | -----: |
| Reads: explore |  blocks |     10 |  40 | +300 % |

## Better by 10 % or more

|                |    measure | before | now | change |
| -------------- | ---------: | -----: | --: | -----: |
| Reads: explore | statements |    4.0 | 2.0 |  −50 % |`);
});

test('says so when nothing differs', () => {
  const runs = createRuns('blocks', 10);
  expect(formatComparison(runs, runs)).toContain('## Worse by 10 % or more\n\nNothing.');
});
