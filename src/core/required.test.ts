import { expect, test } from 'bun:test';
import { getFirst, requireValue } from './required.ts';

test('a value that is there is returned, also one that is falsy', () => {
  expect([requireValue(0, 'count'), requireValue('', 'name'), requireValue(false, 'flag')]).toEqual(
    [0, '', false],
  );
  expect(getFirst([0, 1])).toBe(0);
});

test('a missing value throws an error that names it', () => {
  expect(() => requireValue(undefined, 'month of this name')).toThrow(
    'There is no month of this name',
  );
  expect(() => requireValue(null, 'id of a tag')).toThrow('There is no id of a tag');
  expect(() => getFirst([])).toThrow('A list that always has an item is empty');
});
