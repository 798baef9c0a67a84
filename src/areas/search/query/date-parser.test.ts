import { describe, expect, test } from 'bun:test';
import { DateTime } from 'luxon';
import { findDates } from './date-parser.ts';
import { isAnnual } from './date-terms.ts';
import { LANGUAGES } from '../../../core/languages.ts';
import { getHolidayLabel, HOLIDAY_NAMES, type HolidayName } from './holiday-names.ts';
import { foldInPlace } from '../match/words.ts';

/** A Wednesday. */
const NOW = DateTime.fromISO('2024-05-15T12:00:00', { zone: 'Europe/Berlin' });

const read = (text: string, over: { now?: DateTime; isSouthern?: boolean } = {}) =>
  findDates(foldInPlace(text), { now: NOW, isSouthern: false, ...over }).map(
    ({ days, start, end }) => [
      isAnnual(days)
        ? `any ${days.names.length > 4 ? `${days.names[0]}..${days.names.at(-1)}` : days.names.join()}`
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
    ['until 2015', '..2015-12-31'],
    ['bis 2015', '..2015-12-31'],
    ['since 2017 until 2019', '2017-01-01..2019-12-31'],
    ['ab 2017 bis 2019', '2017-01-01..2019-12-31'],
    ['desde el 2017', '2017-01-01..'],
    ['prima del 2015', '..2014-12-31'],
    ['2017年以降', '2017-01-01..'],
    ['2017年以前', '..2016-12-31'],
    ['2017年前', '..2016-12-31'],
    ['с 2017 года', '2017-01-01..'],
    ['до 2015', '..2014-12-31'],
    ['po 2015', '2016-01-01..'],
    ['after 2015', '2016-01-01..'],
  ],
  shortYears: [
    ["summer of '19", '2019-06-01..2019-08-31'],
    ["Weihnachten '98", '1998-12-24..1998-12-26'],
    ['juillet ’21', '2021-07-01..2021-07-31'],
    ["'24", '2024-01-01..2024-12-31'],
    ["from '19 to '21", '2019-01-01..2021-12-31'],
    ["seit '20", '2020-01-01..'],
    ["gli anni '80", '1980-01-01..1989-12-31'],
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
    ['in march', 'any 03'],
    ['im März', 'any 03'],
    ['in july', 'any 07'],
    ['in May', 'any 05'],
    ['December', 'any 12'],
    ['every August', 'any 08'],
    ['jeden August', 'any 08'],
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
    ['on the 3rd of june', 'any 06-03'],
    ['24. Dezember', 'any 12-24'],
    ['February 29', 'any 02-29'],
    ['between 3 May 2020 and 7 May 2020', '2020-05-03..2020-05-07'],
    ['between 3 May and 7 May 2020', '2020-05-03..2020-05-07'],
    ['from 3 May to 7 May', 'any 05-03..05-07'],
    ['between 24 December and 6 January', 'any 12-24..01-06'],
    ['2022-12-24', '2022-12-24..2022-12-24'],
    ['24.12.2022', '2022-12-24..2022-12-24'],
    ['12/24/2022', '2022-12-24..2022-12-24'],
    ['last monday', '2024-05-13..2024-05-13'],
  ],
  'ranges of any year': [
    ['between July and September', 'any 07,08,09'],
    ['from June to August', 'any 06,07,08'],
    ['July – September', 'any 07,08,09'],
    ['July to September 2021', '2021-07-01..2021-09-30'],
    ['between November and February', 'any 11,12,01,02'],
    ['from 3 May 2020 to 7 June', '2020-05-03..2020-06-07'],
    ['from June to 7 July', 'any 06-01..07-07'],
    ['between Christmas and New Year', 'any 12-24..01-01'],
    ['from Christmas to 6 January', 'any 12-24..01-06'],
    ['zwischen Juli und September', 'any 07,08,09'],
    ['von Juni bis August', 'any 06,07,08'],
    ['entre juillet et septembre', 'any 07,08,09'],
    ['de juin à août 2021', '2021-06-01..2021-08-31'],
    ['entre julio y septiembre', 'any 07,08,09'],
    ['de junio a agosto', 'any 06,07,08'],
    ['tussen juli en september', 'any 07,08,09'],
    ['van juni tot augustus', 'any 06,07,08'],
    ['między lipcem a wrześniem', 'any 07,08,09'],
    ['od czerwca do sierpnia', 'any 06,07,08'],
    ['tra luglio e settembre', 'any 07,08,09'],
    ['da giugno a agosto', 'any 06,07,08'],
    ['entre julho e setembro de 2021', '2021-07-01..2021-09-30'],
    ['de junho a agosto', 'any 06,07,08'],
    ['从7月到9月', 'any 07,08,09'],
    ['2021年7月到9月', '2021-07-01..2021-09-30'],
    ['7月から9月まで', 'any 07,08,09'],
    ['十一月至一月', 'any 11,12,01'],
  ],
  'days and months in other languages': [
    ['24 décembre 2022', '2022-12-24..2022-12-24'],
    ['24 de dezembro de 2022', '2022-12-24..2022-12-24'],
    ['en mayo', 'any 05'],
    ['w lipcu', 'any 07'],
    ['mars 2019', '2019-03-01..2019-03-31'],
    ['8月24日', 'any 08-24'],
    ['2022年8月', '2022-08-01..2022-08-31'],
    ['2022年', '2022-01-01..2022-12-31'],
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
    ['Heiligabend', 'any 12-24'],
    ['new years eve 2019', '2019-12-31..2020-01-01'],
    ['Silvester', 'any 12-31,01-01'],
    ['easter 2024', '2024-03-29..2024-04-01'],
    ['Ostern 2019', '2019-04-19..2019-04-22'],
    ['Christmas', 'any 12-24,12-25,12-26'],
    ['Christmas Eve', 'any 12-24'],
    ["New Year's Eve", 'any 12-31,01-01'],
    ['New Year’s Day', 'any 01-01'],
    ['photos of Halloween', 'any 10-31'],
    ['Valentine’s Day', 'any 02-14'],
    ['Easter', 'any 1925-04-10..2024-04-01'],
    ['Easter 2023', '2023-04-07..2023-04-10'],
    ['Christmas with the family', 'any 12-24,12-25,12-26'],
    ['fotos de Navidad', 'any 12-24,12-25,12-26'],
    ['Noël dernier', '2023-12-24..2023-12-26'],
    ['Natale del 2022', '2022-12-24..2022-12-26'],
    ['2022年のクリスマス', '2022-12-24..2022-12-26'],
    ['クリスマスイブ', 'any 12-24'],
    ['圣诞节的照片', 'any 12-24,12-25,12-26'],
    ['クリスマスの写真', 'any 12-24,12-25,12-26'],
    ['Dia dos Namorados', 'any 06-12'],
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

test('short years are found where they stand in the text', () => {
  expect(read("Leon in summer '19 or Mia in '21 by the sea")).toEqual([
    ['2019-06-01..2019-08-31', "summer '19"],
    ['2021-01-01..2021-12-31', "'21"],
  ]);
});

test('ignores numbers that only look like dates', () => {
  for (const text of [
    'may I see the march of the penguins',
    'Nikon Z 50 at f/2.8',
    "a man of 5'10",
    "a sign '42'",
    '1920x1080',
    'room 2134',
    'summer dress',
    'Christmas tree',
    'Easter eggs on a table',
    'sapin de Noël',
    'árbol de Navidad',
    'クリスマスツリー',
    '圣诞树',
    'planet mars',
    'Marco',
    'eastern sea',
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

test.each([...LANGUAGES])(
  'what a library of %p calls its months and holidays is read',
  (language) => {
    const format = new Intl.DateTimeFormat(language, {
      month: 'long',
      year: 'numeric',
      timeZone: 'utc',
    });
    for (let month = 1; month <= 12; month++) {
      const first = DateTime.utc(2021, month, 1);
      const label = format.format(first.toJSDate());
      expect([label, read(label)]).toEqual([
        label,
        [[`${first.toISODate()}..${first.endOf('month').toISODate()}`, label]],
      ]);
    }
    for (const holiday of Object.keys(HOLIDAY_NAMES) as HolidayName[]) {
      const label = getHolidayLabel(holiday, language);
      if (label === undefined) continue;
      const [found, ...others] = read(label);
      expect([label, found?.[0]?.slice(0, 3), found?.[1], others]).toEqual([
        label,
        'any',
        label,
        [],
      ]);
    }
  },
);

test('months that are only named beside each other are no range', () => {
  const days = (text: string) => read(text).map(([one]) => one);
  expect(days('photos from July and September')).toEqual(['any 07', 'any 09']);
  expect(days('fotos de julho e setembro')).toEqual(['any 07', 'any 09']);
  expect(days('Christmas and Easter 2023')).toEqual([
    'any 12-24,12-25,12-26',
    '2023-04-07..2023-04-10',
  ]);
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
