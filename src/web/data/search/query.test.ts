import { expect, test } from 'bun:test';
import { getLabel } from '../../pages/search/chip-labels.ts';
import {
  getSort,
  isOfAnyYear,
  NO_WORDS,
  readQuery,
  searchPath,
  type Sort,
  toChip,
  toFilter,
  toYearChip,
} from './query.ts';

test('a rejected picture has no stars below nothing', () => {
  const chips = ['5', '-1'].map((value) => toChip('rating', { value, label: value, count: 1 }));
  expect(chips).toEqual([
    { field: 'rating', label: '★ 5', value: 5 },
    { field: 'rating', label: 'Rejected', value: -1 },
  ]);
});

test('each kind of file has a word of its own', () => {
  const kinds = ['IMAGE', 'VIDEO', 'AUDIO', 'OTHER'].map((value) =>
    getLabel(toChip('type', { value, label: value, count: 1 })),
  );
  expect(kinds).toEqual(['Photos', 'Videos', 'Audio', 'Other']);
});

test('the order is in the address, and the best matches are of a text only', () => {
  const query = readQuery('?q=Paris&sort=oldest');
  expect(query.sort).toBe('oldest');
  expect(searchPath(query)).toBe('/search?q=Paris&sort=oldest');
  expect(readQuery('?q=Paris&sort=size').sort).toBeUndefined();
  const [plain, ranked] = [NO_WORDS, { ...NO_WORDS, text: 'a dog' }];
  expect([undefined, 'best', 'oldest'].map((sort) => getSort(plain, sort as Sort))).toEqual([
    'newest',
    'newest',
    'oldest',
  ]);
  expect([undefined, 'best', 'oldest'].map((sort) => getSort(ranked, sort as Sort))).toEqual([
    'best',
    'best',
    'oldest',
  ]);
});

test('a month of any year is named, and becomes one of a year by a chip of it', () => {
  const named = (label: string) => getLabel({ field: 'takenOn', label, value: label });
  expect(['08', '08-24', '07 – 09', '12-24 – 12-26', 'Easter'].map(named)).toEqual([
    'August',
    'August 24',
    'July – September',
    'December 24 – December 26',
    'Easter',
  ]);
  const chip = { field: 'takenOn', label: '08', value: '08', source: 'August', start: 0, end: 6 };
  const filter = { filter: { takenOn: { in: ['08'] } } };
  const read = { ...NO_WORDS, chips: [chip], filter };
  expect(isOfAnyYear(read, [])).toBe(true);
  const year = toYearChip('2023');
  expect(isOfAnyYear(read, [year])).toBe(false);
  expect(getLabel(year)).toBe('2023');
  expect(toFilter(read, [year])).toEqual({
    filter: {
      takenOn: { in: ['08'] },
      takenAt: { gte: '2023-01-01T00:00:00.000', lte: '2023-12-31T23:59:59.999' },
    },
  });
  expect(isOfAnyYear(NO_WORDS, [])).toBe(false);
  // An album may be called like the days, and a year narrows both.
  const or = [{ takenOn: { in: ['12-24'] } }, { albumIds: { any: ['a'] } }];
  expect(toFilter({ ...read, filter: { filter: { or } } }, [year])).toMatchObject({
    filter: { or, takenAt: { gte: '2023-01-01T00:00:00.000' } },
  });
});
