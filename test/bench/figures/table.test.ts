import { expect, test } from 'bun:test';
import { parseWanted } from './arguments.ts';
import { median } from './measures.ts';
import { parseCpuName } from './provenance.ts';
import { formatTables, formatValue } from './table.ts';

test('writes a table for each subject, with the caption and the columns that it has', () => {
  const text = formatTables(
    [
      {
        table: 'Reads',
        name: 'tags',
        values: { serverCpuMs: 0.314, statements: 2, perSecond: 1234.5 },
      },
      { table: 'Reads', name: 'pets', values: {}, note: 'none' },
      { table: 'Start', name: 'new folder', values: { cpuMs: 1500 } },
    ],
    'Commit abc.',
  );
  expect(text).toBe(`## Reads

Commit abc.

|            | server CPU, ms | statements | per second |
| ---------- | -------------: | ---------: | ---------: |
| tags       |           0.31 |        2.0 |    1,234.5 |
| pets: none |                |            |            |

## Start

Commit abc.

|            | CPU, ms |
| ---------- | ------: |
| new folder |   1,500 |`);
});

test('writes portable measures before times and rates, in whichever order they were measured', () => {
  const text = formatTables([{ table: 'Reads', name: 'tags', values: { ms: 3, blocks: 12 } }], '');
  expect(text).toContain('|      | blocks |  ms |');
});

test('rounds a value to the digits of its measure', () => {
  expect(formatValue('blocks', 1234.6)).toBe('1,235');
  expect(formatValue('serverCpuMs', 0.006)).toBe('0.01');
});

test('takes the lower of two middle values', () => {
  expect(median([4, 1, 3, 2])).toBe(2);
  expect(median([9, 1, 5])).toBe(5);
  expect(() => median([])).toThrow('no values');
});

const GROUPS = ['start', 'reads'];

test('tells sizes, groups and a commit apart', () => {
  expect(parseWanted(['reads', '2000', 'bbe3f0e'], GROUPS)).toEqual({
    sizes: [2000],
    groups: ['reads'],
    commit: 'bbe3f0e',
  });
  expect(parseWanted(['1000000'], GROUPS)).toEqual({
    sizes: [1_000_000],
    groups: [],
    commit: undefined,
  });
  expect(parseWanted([], GROUPS)).toEqual({ sizes: [], groups: [], commit: undefined });
});

test('refuses a second word that is no group', () => {
  expect(() => parseWanted(['HEAD~1', 'reeds'], GROUPS)).toThrow(
    "'reeds' is neither a size nor one of start, reads",
  );
});

test('reads the name of the processor where there is one', () => {
  const text = 'processor\t: 0\nmodel name\t: Intel(R) N100\ncache size\t: 6144 KB\n';
  expect(parseCpuName(text)).toBe('Intel(R) N100');
  expect(parseCpuName('processor\t: 0\n')).toBe(process.arch);
});
