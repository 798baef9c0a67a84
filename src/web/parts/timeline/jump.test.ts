import { expect, test } from 'bun:test';
import type { MonthColumns } from '../../data/types.ts';
import { findMonthOfDay, findPlaceOfDay, getDayRange } from './jump.ts';
import { planSections } from '../../data/timeline/sections.ts';

const month = (key: string, days: readonly number[]) => ({
  key: `${key}-01`,
  count: days.length,
  columns: {
    id: days.map((day, item) => `${day} ${item}`),
    ratio: days.map(() => 1.5),
    fileCreatedAt: days.map((day) => `${key}-${String(day).padStart(2, '0')}T12:00:00.000Z`),
    localOffsetHours: days.map(() => 0),
  } as unknown as MonthColumns,
});
const plan = planSections([month('2024-08', [12, 12, 5]), month('2023-02', [9])], 1200, {
  rowHeight: 200,
  gap: 4,
});

test('a day leads to its first photo, else to the newest one before it', () => {
  expect(findMonthOfDay(plan, '2024-08-12')).toBe(0);
  expect(findPlaceOfDay(plan, 0, '2024-08-12')).toEqual({ section: 0, item: 0 });
  expect(findPlaceOfDay(plan, 0, '2024-08-11')).toEqual({ section: 0, item: 2 });
  expect(findMonthOfDay(plan, '2024-03-01')).toBe(1);
  expect(findPlaceOfDay(plan, 1, '2024-03-01')).toEqual({ section: 1, item: 0 });
});

test('with the oldest first, a day leads to the same place', () => {
  const shape = { rowHeight: 200, gap: 4 };
  const months = [month('2023-02', [9]), month('2024-08', [5, 12, 12])];
  const rising = planSections(months, 1200, shape);
  const filter = { order: 'asc' } as const;
  expect(findMonthOfDay(rising, '2024-08-12', filter)).toBe(1);
  expect(findMonthOfDay(rising, '2024-03-01', filter)).toBe(0);
  expect(findMonthOfDay(rising, '1999-01-01', filter)).toBe(0);
  expect(findPlaceOfDay(rising, 1, '2024-08-12', filter)).toEqual({ section: 1, item: 1 });
  expect(findPlaceOfDay(rising, 1, '2024-08-11', filter)).toEqual({ section: 1, item: 0 });
  expect(findPlaceOfDay(rising, 1, '2024-08-01', filter)).toEqual({ section: 1, item: 0 });
  expect(getDayRange(rising)).toEqual({ first: '2023-02-01', last: '2024-08-31' });
});

test('a day before all photos leads to the oldest one', () => {
  expect(findMonthOfDay(plan, '1999-01-01')).toBe(1);
  expect(findPlaceOfDay(plan, 0, '2024-08-01')).toEqual({ section: 0, item: 2 });
});

test('the calendar goes from the oldest month to the end of the newest', () => {
  expect(getDayRange(plan)).toEqual({ first: '2023-02-01', last: '2024-08-31' });
});
