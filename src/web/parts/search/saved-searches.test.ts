import { expect, test } from 'bun:test';
import { suggestName } from '../../pages/search/chip-labels.ts';
import { readQuery } from '../../data/search/query.ts';
import { findSaved, type SavedSearch, toSaved, toSavedPath } from './saved-searches.ts';

const chips = [{ field: 'rating', label: '★ 5', value: 5 }];
const saved: SavedSearch = {
  id: '1',
  name: 'Best of Spain',
  words: 'Spain',
  chips,
  sort: 'oldest',
  createdAt: '2024-05-01T12:00:00.000Z',
};

test('a saved search leads to the words, the chips and the order that it was saved with', () => {
  const query = readQuery(toSavedPath(saved).replace(/^[^?]*/, ''));
  expect(query).toEqual({ words: 'Spain', chosen: chips, sort: 'oldest' });
  expect(findSaved([saved], query)).toBe(saved);
  expect(findSaved([saved], { ...query, sort: 'newest' })).toBeUndefined();
  expect(findSaved([saved], { ...query, chosen: [] })).toBeUndefined();
  expect({ name: 'x', ...toSaved(query) }).toEqual({
    name: 'x',
    words: 'Spain',
    chips,
    sort: 'oldest',
  });
});

test('its name begins with what it searches for', () => {
  expect(suggestName({ words: 'Spain', chosen: chips })).toBe('Spain · ★ 5');
  expect(suggestName({ words: 'x'.repeat(500), chosen: [] })).toHaveLength(100);
});
