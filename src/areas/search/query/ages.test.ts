import { expect, test } from 'bun:test';
import { DateTime } from 'luxon';
import { interpret } from './interpretation.ts';
import { createLexicon } from './lexicon.ts';

const lexicon = createLexicon({
  people: [
    { id: 'mia', name: 'Mia', birthDate: '2018-03-04' },
    { id: 'tom', name: 'Tom' },
    { id: 'max1', name: 'Max Huber', birthDate: '2018-03-04' },
    { id: 'max2', name: 'Max Mayer', birthDate: '1960-03-04' },
  ],
  pets: [],
  places: [],
  cameras: [],
  tags: [],
});
const now = DateTime.fromISO('2026-05-15T12:00:00', { zone: 'utc' });
const read = (query: string) => {
  const { chips, text } = interpret(query, lexicon, { now, isSouthern: false });
  return [chips.map(({ label }) => label), text];
};

test.each([
  'Mia when she was three',
  'Mia at age 3',
  'Mia mit 3 Jahren',
  'Mia, als sie drei war',
  'Mia à 3 ans',
  'Mia quand elle avait trois ans',
  'Mia con tres años',
  'Mia a 3 anni',
  'Mia toen ze drie was',
  'Mia gdy miała 3 lata',
  'Mia com 3 anos',
  'Miaが3歳の時',
  'Mia三岁的时候',
  'Mia в 3 года',
])('%p is a year of a life', (query) => {
  expect(read(query)).toEqual([['Mia', '2021-03-04 – 2022-03-03'], null]);
});

test.each([
  'Mia as a baby',
  'Mia als Baby',
  'Mia bébé',
  'Mia jako niemowlę',
  'Mia toen ze nog geen jaar was',
])('%p is the first year', (query) => {
  expect(read(query)).toEqual([['Mia', '2018-03-04 – 2019-03-03'], null]);
});

test('is known of one person with a birth date only', () => {
  expect(read('Tom when he was three')).toEqual([['Tom'], 'three']);
  expect(read('Max mit 3 Jahren')[0]).toEqual(['Max Huber, Max Mayer']);
});

test('is no number of things', () => {
  expect(read('Mia mit 3 Luftballons')).toEqual([['Mia'], '3 Luftballons']);
  expect(read('Mia at 10 Downing Street')).toEqual([['Mia'], '10 Downing Street']);
});
