import { describe, expect, test } from 'bun:test';
import { DateTime } from 'luxon';
import { interpret } from './interpretation.ts';
import { createLexicon } from './lexicon.ts';
import { listOtherNames } from './place-names.ts';

const otherNames = await listOtherNames([
  ['Germany', 'Bavaria', 'München'],
  ['Portugal', 'Lisboa', 'Lisbon'],
  ['United States of America', 'New York', 'New York'],
]);
const lexicon = createLexicon({
  people: [
    { id: 'ann', name: 'Ann Smith', birthDate: '2020-02-29', relation: 'daughter' },
    { id: 'bob', name: 'Bob', birthDate: '1960-07-01', relation: 'father' },
    // Not yet born in the zone of the owner.
    { id: 'max1', name: 'Max Huber', birthDate: '2026-05-16' },
    { id: 'max2', name: 'Max Mayer' },
    { id: 'jorg', name: 'Jörg', relation: 'self' },
    { id: 'mueller', name: 'Eva Müller' },
    { id: 'lake', name: 'Tom Lake' },
  ],
  pets: [
    { id: 'rex', name: 'Rex' },
    { id: 'mia1', name: 'Mia' },
    { id: 'mia2', name: 'Mia' },
  ],
  places: [
    ['Portugal', 'Lisboa', 'Lisbon'],
    ['Germany', 'Bavaria', 'München'],
    ['Germany', 'Baden-Württemberg', 'Baden-Baden'],
    ['France', "Provence-Alpes-Côte d'Azur", 'Nice'],
    ['United States of America', 'New York', 'New York'],
  ],
  cameras: [
    ['Canon', 'EOS R6'],
    ['Apple', 'iPhone 15 Pro'],
    ['Sony', '7'],
  ],
  albums: [
    { id: 'a1', name: 'Summer 2020' },
    { id: 'a2', name: 'Lisbon' },
    { id: 'a3', name: 'Lisbon' },
  ],
  tags: [
    { id: 't1', name: 'Road trip', value: 'Travel/Road trip' },
    { id: 't2', name: 'garden', value: 'garden' },
  ],
  otherNames,
});
const context = {
  now: DateTime.fromISO('2026-05-15T12:00:00', { zone: 'utc' }),
  isSouthern: false,
};
const read = (query: string) => {
  const { text, filter, chips } = interpret(query, lexicon, context);
  for (const { source, start, end } of chips) expect(query.slice(start, end)).toBe(source);
  return { text, filter, chips: chips.map(({ field, source }) => [field, source]) };
};
const on = (...names: string[]) => ({ takenOn: { in: names } });
const days = (from: string, to: string) => ({
  filter: { takenAt: { gte: `${from}T00:00:00.000`, lte: `${to}T23:59:59.999` } },
});
const year = (number: number) => days(`${number}-01-01`, `${number}-12-31`);

const types = (...any: string[]) => ({ filter: { captureTypes: { any } } });
const length = (duration: object) => ({ filter: { duration } });
const birthdays = (...list: string[]) => ({
  filter: { or: list.map((day) => days(day, day).filter) },
});
const annsBirthdays = birthdays(
  '2020-02-29',
  '2021-02-28',
  '2022-02-28',
  '2023-02-28',
  '2024-02-29',
  '2025-02-28',
  '2026-02-28',
);

describe('the interpretation of a question', () => {
  const cases: [string, string | null, object][] = [
    [
      'photos of Ann in Lisbon 2024 at the beach',
      'beach',
      { personIds: ['ann'], city: 'Lisbon', ...year(2024) },
    ],
    ['dog on the sofa', 'dog on the sofa', {}],
    ['photos', null, {}],
    ['2019', null, year(2019)],
    ["'19", null, year(2019)],
    ['Ann and Bob', null, { personIds: ['ann', 'bob'] }],
    ["Bob's garden party", 'garden party', { personIds: ['bob'] }],
    ['jorg', null, { personIds: ['jorg'] }],
    ['Jörg in Baden-Baden', null, { personIds: ['jorg'], city: 'Baden-Baden' }],
    ['Max', null, { filter: { personIds: { any: ['max1', 'max2'] } } }],
    ['Max Huber', null, { personIds: ['max1'] }],
    ['munchen', null, { city: 'München' }],
    ['Schnee in Deutschland', 'Schnee', { country: 'Germany' }],
    ['Norwegen', 'Norwegen', {}],
    ['skyline of new york', 'skyline', { city: 'New York' }],
    ['Lisbon or München', null, { filter: { city: { in: ['Lisbon', 'München'] } } }],
    ['a nice day', 'nice day', {}],
    ['beach in nice', 'beach', { city: 'Nice' }],
    ['videos from 2021', null, { type: 'VIDEO', ...year(2021) }],
    ['nur Fotos aus Portugal', null, { type: 'IMAGE', country: 'Portugal' }],
    ['my favourite pictures', null, { isFavorite: true }],
    ['Lieblingsfotos von Bob', null, { isFavorite: true, personIds: ['bob'] }],
    ['5 stars sunset', 'sunset', { rating: 5 }],
    ['mit 4 Sternen', null, { rating: 4 }],
    ['taken with the iPhone 15 Pro', null, { model: 'iPhone 15 Pro' }],
    ['canon eos r6', null, { model: 'EOS R6' }],
    ['shot with my Canon', null, { make: 'Canon' }],
    ['an apple on a table', 'apple on a table', {}],
    ['7 cats', '7 cats', {}],
    ['road trip', 'road trip', {}],
    ['live photos', null, { isMotion: true }],
    ['not in any album', null, { isNotInAlbum: true }],
    [
      'Lisbon 2019 and 2021',
      null,
      {
        city: 'Lisbon',
        filter: {
          or: [{ takenAt: year(2019).filter.takenAt }, { takenAt: year(2021).filter.takenAt }],
        },
      },
    ],
    ['seit 2020', null, { filter: { takenAt: { gte: '2020-01-01T00:00:00.000' } } }],
    ['東京の夜景', '東京の夜景', {}],
    ['not Bob', null, { filter: { personIds: { none: ['bob'] } } }],
    [
      'Ann without Bob 2019',
      null,
      {
        personIds: ['ann'],
        filter: { personIds: { none: ['bob'] }, takenAt: year(2019).filter.takenAt },
      },
    ],
    ['ohne Ann und Bob', null, { filter: { personIds: { none: ['ann', 'bob'] } } }],
    ['beach, not in Lisbon', 'beach', { filter: { city: { notIn: ['Lisbon'] } } }],
    ['dog without garden', 'dog', { filter: { tagIds: { none: ['t2'] } } }],
    ['Bob without a hat', 'without a hat', { personIds: ['bob'] }],
    ['Müller', null, { personIds: ['mueller'] }],
    ['Smith in Lisbon', null, { personIds: ['ann'], city: 'Lisbon' }],
    ['grandma at the lake', 'grandma at the lake', {}],
    ['Tom or Lake', null, { personIds: ['lake'] }],
    ['Rex in Lisbon', null, { city: 'Lisbon', filter: { petIds: { all: ['rex'] } } }],
    ['Mia', null, { filter: { petIds: { any: ['mia1', 'mia2'] } } }],
    ['without Rex', null, { filter: { petIds: { none: ['rex'] } } }],
    ['2026-02-30', '2026-02-30', {}],
    ['30 February 2026', '30 February 2026', {}],
    ['30.02.2026', '30.02.2026', {}],
    ['christmas eve 2099', null, days('2099-12-24', '2099-12-24')],
    ['Portugal in August', null, { country: 'Portugal', filter: on('08') }],
    ['August 2023', null, days('2023-08-01', '2023-08-31')],
    ['last August', null, days('2025-08-01', '2025-08-31')],
    ['in July or August', null, { filter: on('07', '08') }],
    ['24 December', null, { filter: on('12-24') }],
    ['30 February', '30 February', {}],
    // Months narrow the dates that they are in, and are alternatives to others.
    [
      'last year in December',
      null,
      { filter: { ...days('2025-01-01', '2025-12-31').filter, ...on('12') } },
    ],
    [
      'since 2020 in May',
      null,
      { filter: { takenAt: { gte: '2020-01-01T00:00:00.000' }, ...on('05') } },
    ],
    [
      'August 2019 and December',
      null,
      { filter: { or: [days('2019-08-01', '2019-08-31').filter, on('12')] } },
    ],
    ['december 2099', null, days('2099-12-01', '2099-12-31')],
    ['christmas 2099', null, days('2099-12-24', '2099-12-26')],
    ['between christmas and new year 2022', null, days('2022-12-24', '2023-01-01')],
    [
      'zwischen Weihnachten und Neujahr',
      null,
      {
        filter: {
          takenOn: {
            in: ['12-24', '12-25', '12-26', '12-27', '12-28', '12-29', '12-30', '12-31', '01-01'],
          },
        },
      },
    ],
    ['Ann at Christmas', null, { personIds: ['ann'], filter: on('12-24', '12-25', '12-26') }],
    ['Christmas tree', 'Christmas tree', {}],
    ['between July and September', null, { filter: on('07', '08', '09') }],
    ['Christmas or August', null, { filter: on('12-24', '12-25', '12-26', '08') }],
    [
      'Christmas since 2020',
      null,
      {
        filter: {
          takenAt: { gte: '2020-01-01T00:00:00.000' },
          ...on('12-24', '12-25', '12-26'),
        },
      },
    ],
    ['from july to september 2019', null, days('2019-07-01', '2019-09-30')],
    ['between november and january 2020', null, days('2019-11-01', '2020-01-31')],
    ['from november 2019 to january', null, days('2019-11-01', '2020-01-31')],
    ['between 3 May 2020 and 7 May 2020', null, days('2020-05-03', '2020-05-07')],
    ['weekend', null, days('2026-05-09', '2026-05-10')],
    ['this weekend', null, days('2026-05-09', '2026-05-10')],
    ['weekends', 'weekends', {}],
    ['👩‍👩‍👧', '👩‍👩‍👧', {}],
    ['🐶 in Lisbon', '🐶', { city: 'Lisbon' }],
    ['%', '%', {}],
    ['Ann?', null, { personIds: ['ann'] }],
    ['screenshots', null, types('screenshot')],
    [
      'screenshots from 2021',
      null,
      { filter: { ...types('screenshot').filter, ...year(2021).filter } },
    ],
    ['selfies with Ann', null, { personIds: ['ann'], ...types('selfie') }],
    ['Selfies und Panoramen', null, types('selfie', 'panorama')],
    ['panoramas of the mountains', 'mountains', types('panorama')],
    ['bursts', null, types('burst')],
    ['raw fish', 'raw fish', {}],
    ['raw photos', null, types('raw')],
    ['burst pipe', 'burst pipe', {}],
    ['slow-motion videos', null, { type: 'VIDEO', ...types('slowMotion') }],
    ['screen recordings', null, types('screenRecording')],
    ['zrzuty ekranu', null, types('screenshot')],
    ['captures d’écran', null, types('screenshot')],
    ['自拍', null, types('selfie')],
    ['スクリーンショット', null, types('screenshot')],
    ['beach without screenshots', 'beach', { filter: { captureTypes: { none: ['screenshot'] } } }],
    ['edited', null, { filter: { isEdited: { eq: true } } }],
    ['unedited selfies', null, { filter: { isEdited: { eq: false }, ...types('selfie').filter } }],
    ['not edited', null, { filter: { isEdited: { eq: false } } }],
    ['no favourites', null, { isFavorite: false }],
    ['videos longer than a minute', null, { type: 'VIDEO', ...length({ gt: 60_000 }) }],
    ['videos länger als 2 Minuten', null, { type: 'VIDEO', ...length({ gt: 120_000 }) }],
    ['clips under 1.5 min', null, { type: 'VIDEO', ...length({ lt: 90_000 }) }],
    [
      'videos of at least 10 seconds, shorter than half an hour',
      null,
      { type: 'VIDEO', ...length({ gte: 10_000, lt: 1_800_000 }) },
    ],
    ['over 2 minutes ago', null, days('2026-05-15', '2026-05-15')],
    ['longer than a bus', 'longer than a bus', {}],
    ['photos I took in Lisbon', null, { city: 'Lisbon', filter: { isOwn: { eq: true } } }],
    [
      'Fotos, die ich in Lisbon aufgenommen habe',
      null,
      { city: 'Lisbon', filter: { isOwn: { eq: true } } },
    ],
    ['same day last year', null, days('2025-05-15', '2025-05-15')],
    ['heute vor zwei Jahren', null, days('2024-05-15', '2024-05-15')],
    ['3 years ago today', null, days('2023-05-15', '2023-05-15')],
    ['in album Summer 2020', null, { filter: { albumIds: { any: ['a1'] } } }],
    [
      'Ann in my album “Summer 2020”',
      null,
      { personIds: ['ann'], filter: { albumIds: { any: ['a1'] } } },
    ],
    ['the Lisbon album', null, { filter: { albumIds: { any: ['a2', 'a3'] } } }],
    ['not in album Lisbon', null, { filter: { albumIds: { none: ['a2', 'a3'] } } }],
    ['album cover', 'album cover', {}],
    ['my daughter at the beach', 'beach', { personIds: ['ann'] }],
    ['daughter of the king', 'daughter of the king', {}],
    ['Papa in Lisbon', null, { personIds: ['bob'], city: 'Lisbon' }],
    ['my parents', null, { personIds: ['bob'] }],
    ['photos of me', null, { personIds: ['jorg'] }],
    ['show me the beach', 'beach', {}],
    ["my daughter's 5th birthday", null, birthdays('2025-02-28')],
    ["Ann's birthday in 2024", null, birthdays('2024-02-29')],
    ["Ann's birthday 2019", null, { filter: { ...year(2019).filter, ...annsBirthdays.filter } }],
    ['Geburtstag von Ann', null, annsBirthdays],
    ["my daughter's birthday at the beach", 'beach', annsBirthdays],
    ['anniversaire de ma fille', null, annsBirthdays],
    ['cumpleaños de mi hija', null, annsBirthdays],
    ['urodziny mojej córki', null, annsBirthdays],
    ['我的女儿', null, { personIds: ['ann'] }],
    ['une fille sur la plage', 'fille sur la plage', {}],
    ["Max Huber's birthday", 'birthday', { personIds: ['max1'] }],
    ['birthday cake', 'birthday cake', {}],
  ];
  for (const [query, text, filter] of cases) {
    test(query, () => expect(read(query)).toMatchObject({ text, filter }));
    test(`${query}: nothing besides`, () => expect(read(query).filter).toEqual(filter));
  }
});

test('the birthdays of several people are as many as a filter may have, the latest ones', () => {
  const { filter } = read("Bob's birthday and Ann's birthday").filter;
  expect(filter?.or).toHaveLength(50);
  expect(filter?.or?.slice(-2)).toEqual(birthdays('2025-07-01', '2026-02-28').filter.or as never);
});

test('each chip names its words', () => {
  expect(read('Ann in Lisbon last summer, favorites').chips).toEqual([
    ['personIds', 'Ann'],
    ['city', 'Lisbon'],
    ['takenAt', 'last summer'],
    ['isFavorite', 'favorites'],
  ]);
});

test('a label is as short as the days allow', () => {
  const label = (query: string) => interpret(query, lexicon, context).chips[0]!.label;
  expect(label('2019')).toBe('2019');
  expect(label('july 2019')).toBe('2019-07');
  expect(label('yesterday')).toBe('2026-05-14');
  expect(label('the 90s')).toBe('1990 – 1999');
  expect(label('summer 2020')).toBe('2020-06-01 – 2020-08-31');
  expect(label('since 2020')).toBe('2020-01-01 –');
});

test.each(['camera', 'câmera', 'fur coat', 'mes', 'das', 'see'])(
  'the thing %p is searched for: it is no request for everything',
  (query) => {
    expect(read(query).chips).toEqual([]);
    expect(read(query).text).not.toBeNull();
  },
);

test('the word camera beside the name of one says nothing more', () => {
  expect(read('photos taken with my Canon camera').text).toBeNull();
  expect(read('photos').text).toBeNull();
  expect(read('show me all pictures').text).toBeNull();
});
