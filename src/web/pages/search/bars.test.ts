import { expect, test } from 'bun:test';
import { barAt, toBars } from './bars.ts';

const months = (...dates: string[]) => ({
  granularity: 'month' as const,
  total: dates.length,
  buckets: dates.map((date) => ({ date, count: 1 })),
});

test('months without pictures are bars, too', () => {
  expect(toBars(months('2023-11', '2024-02'))).toEqual([
    { from: '2023-11-01', to: '2023-11-30', count: 1 },
    { from: '2023-12-01', to: '2023-12-31', count: 0 },
    { from: '2024-01-01', to: '2024-01-31', count: 0 },
    { from: '2024-02-01', to: '2024-02-29', count: 1 },
  ]);
});

test('the latest may come first', () => {
  expect(toBars(months('2024-02', '2024-01')).map(({ from }) => from)).toEqual([
    '2024-01-01',
    '2024-02-01',
  ]);
});

test('many months become years', () => {
  const bars = toBars(months('1999-05', '1999-07', '2024-01'));
  expect(bars).toHaveLength(26);
  expect(bars[0]).toEqual({ from: '1999-01-01', to: '1999-12-31', count: 2 });
});

test('days go over the end of a month', () => {
  const buckets = [
    { date: '2024-02-28', count: 2 },
    { date: '2024-03-01', count: 3 },
  ];
  expect(toBars({ granularity: 'day', total: 5, buckets }).map(({ count }) => count)).toEqual([
    2, 0, 3,
  ]);
});

test('a position is in one bar, also at the very ends', () => {
  const bars = toBars(months('2024-01', '2024-04'));
  expect([-0.1, 0, 0.49, 0.5, 1].map((part) => barAt(bars, part))).toEqual([0, 0, 1, 2, 3]);
});
