import { expect, test } from 'bun:test';
import { listPathPrefixes, joinPath, getName, findParentPath } from './paths.ts';

test('listPathPrefixes lists every step of the path', () => {
  expect(listPathPrefixes('Travel/Japan/Kyoto')).toEqual([
    'Travel',
    'Travel/Japan',
    'Travel/Japan/Kyoto',
  ]);
  expect(listPathPrefixes(' Travel //Japan/ ')).toEqual(['Travel', 'Travel/Japan']);
  expect(listPathPrefixes(' / ')).toEqual([]);
});

test('a name is the last part, and the rest is the parent', () => {
  expect(getName(joinPath('Travel', 'Japan'))).toBe('Japan');
  expect(findParentPath('a/b/c')).toBe('a/b');
  expect(findParentPath('a')).toBeUndefined();
});
