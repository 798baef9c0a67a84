import { expect, test } from 'bun:test';
import { ancestorsOf, joinPath, nameOf, parentOf } from './paths.ts';

test('ancestorsOf lists every step of the path', () => {
  expect(ancestorsOf('Travel/Japan/Kyoto')).toEqual([
    'Travel',
    'Travel/Japan',
    'Travel/Japan/Kyoto',
  ]);
  expect(ancestorsOf(' Travel //Japan/ ')).toEqual(['Travel', 'Travel/Japan']);
  expect(ancestorsOf(' / ')).toEqual([]);
});

test('a name is the last part, and the rest is the parent', () => {
  expect(nameOf(joinPath('Travel', 'Japan'))).toBe('Japan');
  expect(parentOf('a/b/c')).toBe('a/b');
  expect(parentOf('a')).toBeUndefined();
});
