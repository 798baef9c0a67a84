import { describe, expect, test } from 'bun:test';
import { DateTime } from 'luxon';
import { findDates } from './date-parser.ts';
import { isRecurring } from './date-terms.ts';
import { foldInPlace } from '../match/words.ts';

/** A Wednesday. */
const NOW = DateTime.fromISO('2024-05-15T12:00:00', { zone: 'Europe/Berlin' });

const read = (text: string, over: { now?: DateTime; isSouthern?: boolean } = {}) =>
  findDates(foldInPlace(text), { now: NOW, isSouthern: false, ...over }).map(
    ({ days, start, end }) => [
      isRecurring(days)
        ? `any ${days.month}${days.day === undefined ? '' : `-${days.day}`}`
        : `${days.from?.toISODate() ?? ''}..${days.to?.toISODate() ?? ''}`,
      text.slice(start, end),
    ],
  );

const CASES: Record<string, [string, string][]> = {
  years: [
    ['2019', '2019-01-01..2019-12-31'],
    ['cats in 2019', '2019-01-01..2019-12-31'],
    ['from 2019 to 2021', '2019-01-01..2021-12-31'],
    ['2019-2021', '2019-01-01..2021-12-31'],
    ['zwischen 2019 und 2021', '2019-01-01..2021-12-31'],
    ['since 2020', '2020-01-01..'],
    ['seit 2020', '2020-01-01..'],
    ['before 2015', '..2014-12-31'],
    ['vor 2015', '..2014-12-31'],
    ['after 2015', '2016-01-01..'],
  ],
  decades: [
    ['the 90s', '1990-01-01..1999-12-31'],
    ['in the 1980s', '1980-01-01..1989-12-31'],
    ["the '70s", '1970-01-01..1979-12-31'],
    ['die 90er Jahre', '1990-01-01..1999-12-31'],
    ['in den 2010ern', '2010-01-01..2019-12-31'],
    ['the eighties', '1980-01-01..1989-12-31'],
    ['Neunziger', '1990-01-01..1999-12-31'],
    ['the 20s', '2020-01-01..2029-12-31'],
  ],
  months: [
    ['in march', 'any 3'],
    ['im März', 'any 3'],
    ['in july', 'any 7'],
    ['in May', 'any 5'],
    ['December', 'any 12'],
    ['every August', 'any 8'],
    ['jeden August', 'any 8'],
    ['last august', '2023-08-01..2023-08-31'],
    ['this march', '2024-03-01..2024-03-31'],
    ['July 2023', '2023-07-01..2023-07-31'],
    ['Juli 2023', '2023-07-01..2023-07-31'],
    ['march of 2019', '2019-03-01..2019-03-31'],
    ['2022-12', '2022-12-01..2022-12-31'],
    ['12/2022', '2022-12-01..2022-12-31'],
    ['letzten Dezember', '2023-12-01..2023-12-31'],
  ],
  days: [
    ['24 December 2022', '2022-12-24..2022-12-24'],
    ['24. Dezember 2022', '2022-12-24..2022-12-24'],
    ['December 24, 2022', '2022-12-24..2022-12-24'],
    ['on the 3rd of june', 'any 6-3'],
    ['24. Dezember', 'any 12-24'],
    ['February 29', 'any 2-29'],
    ['between 3 May 2020 and 7 May 2020', '2020-05-03..2020-05-07'],
    ['between 3 May and 7 May 2020', '2020-05-03..2020-05-07'],
    ['from 3 May to 7 May', '2024-05-03..2024-05-07'],
    ['between 24 December and 6 January', '2023-12-24..2024-01-06'],
    ['2022-12-24', '2022-12-24..2022-12-24'],
    ['24.12.2022', '2022-12-24..2022-12-24'],
    ['12/24/2022', '2022-12-24..2022-12-24'],
    ['last monday', '2024-05-13..2024-05-13'],
  ],
  seasons: [
    ['last summer', '2023-06-01..2023-08-31'],
    ['letzten Sommer', '2023-06-01..2023-08-31'],
    ['summer 2020', '2020-06-01..2020-08-31'],
    ['Sommer 2020', '2020-06-01..2020-08-31'],
    ['winter 2020', '2020-12-01..2021-02-28'],
    ['winter 2020/21', '2020-12-01..2021-02-28'],
    ['last winter', '2023-12-01..2024-02-29'],
    ['this spring', '2024-03-01..2024-05-31'],
    ['fall of 2021', '2021-09-01..2021-11-30'],
  ],
  holidays: [
    ['christmas 2022', '2022-12-24..2022-12-26'],
    ['Weihnachten 2022', '2022-12-24..2022-12-26'],
    ['last christmas', '2023-12-24..2023-12-26'],
    ['Heiligabend', '2023-12-24..2023-12-24'],
    ['new years eve 2019', '2019-12-31..2020-01-01'],
    ['Silvester', '2023-12-31..2024-01-01'],
    ['easter 2024', '2024-03-29..2024-04-01'],
    ['Ostern 2019', '2019-04-19..2019-04-22'],
    ['halloween 2021', '2021-10-31..2021-10-31'],
    ['thanksgiving 2023', '2023-11-23..2023-11-23'],
  ],
  'from today': [
    ['yesterday', '2024-05-14..2024-05-14'],
    ['gestern', '2024-05-14..2024-05-14'],
    ['heute', '2024-05-15..2024-05-15'],
    ['last week', '2024-05-06..2024-05-12'],
    ['letzte Woche', '2024-05-06..2024-05-12'],
    ['last weekend', '2024-05-11..2024-05-12'],
    ['last month', '2024-04-01..2024-04-30'],
    ['letztes Jahr', '2023-01-01..2023-12-31'],
    ['this year', '2024-01-01..2024-12-31'],
    ['3 days ago', '2024-05-12..2024-05-12'],
    ['two years ago', '2022-01-01..2022-12-31'],
    ['vor zwei Jahren', '2022-01-01..2022-12-31'],
    ['vor einem Monat', '2024-04-01..2024-04-30'],
    ['the last 3 months', '2024-02-15..'],
    ['in den letzten zwei Wochen', '2024-05-01..'],
  ],
};

for (const [name, cases] of Object.entries(CASES)) {
  describe(`a text names ${name}`, () => {
    for (const [text, expected] of cases) {
      test(text, () => expect(read(text).map(([days]) => days)).toEqual([expected]));
    }
  });
}

test('ignores numbers that only look like dates', () => {
  for (const text of [
    'may I see the march of the penguins',
    'Nikon Z 50 at f/2.8',
    '1920x1080',
    'room 2134',
    'summer dress',
    'next year 2031',
    'a fall from a horse',
    '10 cats',
    'sun',
    'pôr do sol',
    'bicchiere di vino',
    'mi gato',
    'buty do biegania',
    'IMG_2019',
    '32 December 2022 was no day'.slice(0, 2),
  ]) {
    expect([text, read(text)]).toEqual([text, []]);
  }
});

test('two dates in one text are both found, each with its words', () => {
  expect(read('Oslo in 2019 and 2021')).toEqual([
    ['2019-01-01..2019-12-31', '2019'],
    ['2021-01-01..2021-12-31', '2021'],
  ]);
  expect(read('snow, Weihnachten 2022')).toEqual([['2022-12-24..2022-12-26', 'Weihnachten 2022']]);
});

test('summer in the southern hemisphere is around the turn of the year', () => {
  const [days] = read('last summer', { isSouthern: true })[0]!;
  expect(days).toBe('2023-12-01..2024-02-29');
});

test("on a weekend 'last weekend' is the previous one", () => {
  const now = DateTime.fromISO('2024-05-18T12:00:00', { zone: 'Europe/Berlin' });
  expect(read('last weekend', { now })[0]![0]).toBe('2024-05-11..2024-05-12');
});
