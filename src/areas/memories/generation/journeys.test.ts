import { expect, test } from 'bun:test';
import { addDays } from './days.ts';
import { type DayPlace, findJourneys } from './journeys.ts';

const HOME = { latitude: 52.55, longitude: 13.45 };
const ROME = { latitude: 41.95, longitude: 12.45 };
const NEAR = { latitude: 52.45, longitude: 13.05 };
const stay = (
  place: Pick<DayPlace, 'latitude' | 'longitude'>,
  from: string,
  days: number,
  count = 5,
) => Array.from({ length: days }, (_, n): DayPlace => ({ day: addDays(from, n), ...place, count }));

test('days far from home in a row are a journey; a day without pictures does not end it', () => {
  const days = [
    ...stay(HOME, '2024-03-01', 30),
    ...stay(ROME, '2024-04-01', 3),
    ...stay(ROME, '2024-04-05', 2),
    ...stay(HOME, '2024-04-07', 30),
  ];
  expect(findJourneys(days)).toEqual([
    { id: '2024-04-01', from: '2024-04-01', to: '2024-04-06', ...HOME },
  ]);
});

test('a day at home, or a longer gap, is between two journeys', () => {
  const days = [
    ...stay(HOME, '2024-03-01', 30),
    ...stay(ROME, '2024-04-01', 3),
    ...stay(HOME, '2024-04-04', 1),
    ...stay(ROME, '2024-04-05', 3),
    ...stay(ROME, '2024-04-12', 3),
  ];
  expect(findJourneys(days).map(({ from, to }) => [from, to])).toEqual([
    ['2024-04-01', '2024-04-03'],
    ['2024-04-05', '2024-04-07'],
    ['2024-04-12', '2024-04-14'],
  ]);
});

test('no journey: near home, a single day, few pictures, and where home is not known', () => {
  const at = (place: typeof HOME, days: number, count?: number) => [
    ...stay(HOME, '2024-03-01', 30),
    ...stay(place, '2024-04-01', days, count),
  ];
  expect(findJourneys(at(NEAR, 5))).toEqual([]);
  expect(findJourneys(at(ROME, 1, 50))).toEqual([]);
  expect(findJourneys(at(ROME, 3, 1))).toEqual([]);
  expect(findJourneys(stay(ROME, '2024-04-01', 5))).toEqual([]);
  expect(findJourneys([])).toEqual([]);
});

test('home is where the account lived at the time', () => {
  const days = [...stay(HOME, '2020-01-01', 300), ...stay(ROME, '2022-01-01', 300)];
  expect(findJourneys(days)).toEqual([]);
});
