import { expect, test } from 'bun:test';
import { append, filterLines, type Line, NO_LINES } from './log-data.ts';

const line = (id: number, level: Line['level'], text: string): Line => ({
  id,
  level,
  text,
  time: '2026-01-02T03:04:05Z',
});

test('lines are filtered by least level and by text, whatever its case', () => {
  const lines = [line(1, 'info', 'served'), line(2, 'warn', 'Disk full'), line(3, 'error', 'disk')];
  const find = (level: Line['level'], text = '') =>
    filterLines(lines, { level, text }).map(({ id }) => id);
  expect(find('debug')).toEqual([1, 2, 3]);
  expect(find('warn')).toEqual([2, 3]);
  expect(find('debug', ' DISK ')).toEqual([2, 3]);
  expect(find('error', 'full')).toEqual([]);
});

test('new lines follow those that are known, also those of another run, and the oldest go', () => {
  const first = append(NO_LINES, { run: 'a', lines: [line(1, 'info', 'one')] });
  const second = append(first, { run: 'b', lines: [line(1, 'info', 'two')] });
  expect(second.run).toBe('b');
  expect(second.lines.map(({ text }) => text)).toEqual(['one', 'two']);
  const many = Array.from({ length: 2500 }, (_, at) => line(at, 'info', `${at}`));
  const full = append(second, { run: 'b', lines: many });
  expect(full.lines).toHaveLength(2000);
  expect(full.lines.at(-1)?.text).toBe('2499');
});
