import { expect, test } from 'bun:test';
import { getLabel } from './chip-labels.ts';
import { getSort, NO_WORDS, readQuery, searchPath, type Sort, toChip } from './query.ts';

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
