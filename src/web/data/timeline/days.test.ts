import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { MonthColumns } from '../types.ts';
import { findDays, toDate } from './days.ts';

type Item = { at: string; offset?: number; city?: string | null; country?: string | null };
const columns = (items: readonly Item[]): MonthColumns =>
  ({
    id: items.map((_, item) => String(item)),
    fileCreatedAt: items.map(({ at }) => at),
    createdAt: items.map(({ at }) => at),
    localOffsetHours: items.map(({ offset = 0 }) => offset),
    city: items.map(({ city = null }) => city),
    country: items.map(({ country = null }) => country),
  }) as MonthColumns;
const listDates = ({ numbers }: ReturnType<typeof findDays>) =>
  [...numbers].map((day) => toDate(day).toISOString().slice(0, 10));

test('the day is that of the clock where the photo was taken', () => {
  const days = findDays(
    columns([
      { at: '2024-08-12T23:30:00.000Z', offset: 2 },
      { at: '2024-08-12T12:00:00.000Z', offset: 2 },
      { at: '2024-08-12T02:00:00.000Z', offset: -7 },
      { at: '2024-08-11T20:00:00.000Z', offset: 5.5 },
    ]),
  );
  expect(listDates(days)).toEqual(['2024-08-13', '2024-08-12', '2024-08-11', '2024-08-12']);
  expect([...days.starts]).toEqual([0, 1, 2, 3, 4]);
});

test('days before 1970 are days, too', () => {
  const days = findDays(columns([{ at: '1931-03-04T05:00:00.000Z' }]));
  expect(listDates(days)).toEqual(['1931-03-04']);
});

test('the place is the most frequent town of the day, else the country, else none', () => {
  const at = (day: number) => `2024-08-${day}T12:00:00.000Z`;
  const days = findDays(
    columns([
      { at: at(14), city: 'Málaga', country: 'Spain' },
      { at: at(14), city: 'Benalmádena', country: 'Spain' },
      { at: at(14), city: 'Benalmádena', country: 'Spain' },
      { at: at(13), country: 'Spain' },
      { at: at(12) },
    ]),
  );
  expect(days.places).toEqual(['Benalmádena', 'Spain', undefined]);
});

test('a listing without places has days without places', () => {
  const { city: _city, country: _country, ...rest } = columns([{ at: '2024-08-12T12:00:00.000Z' }]);
  expect(findDays(rest).places).toEqual([undefined]);
});

test('no item is lost, each day has an item, and no day follows itself', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          at: fc
            .date({ min: new Date(0), max: new Date(30 * 86_400_000), noInvalidDate: true })
            .map((date) => date.toISOString()),
          offset: fc.integer({ min: -12, max: 14 }),
        }),
      ),
      (items) => {
        const { starts, numbers } = findDays(columns(items));
        expect(starts[0]).toBe(0);
        expect(starts.at(-1)).toBe(items.length);
        for (let day = 0; day < numbers.length; day++) {
          expect(starts[day + 1]!).toBeGreaterThan(starts[day]!);
          if (day > 0) expect(numbers[day]).not.toBe(numbers[day - 1]);
        }
      },
    ),
  );
});
