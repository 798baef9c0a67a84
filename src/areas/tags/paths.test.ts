import { expect, test } from 'bun:test';
import { getParentPath, joinPath, listPathPrefixes } from './paths.ts';

test('listPathPrefixes lists every step of the path', () => {
  expect(listPathPrefixes('Travel/Japan/Kyoto')).toEqual([
    'Travel',
    'Travel/Japan',
    'Travel/Japan/Kyoto',
  ]);
  expect(listPathPrefixes(' Travel //Japan/ ')).toEqual(['Travel', 'Travel/Japan']);
  expect(listPathPrefixes(' / ')).toEqual([]);
});

test('with another separator a slash is a letter', () => {
  expect(listPathPrefixes('Music | AC/DC', '|')).toEqual(['Music', 'Music/AC/DC']);
});

test('the parent is what is before the name', () => {
  expect(joinPath('Music', 'AC/DC')).toBe('Music/AC/DC');
  expect(getParentPath({ name: 'AC/DC', value: 'Music/AC/DC' })).toBe('Music');
  expect(getParentPath({ name: 'AC/DC', value: 'AC/DC' })).toBeUndefined();
});
