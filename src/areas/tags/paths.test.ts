import { expect, test } from 'bun:test';
import { ancestorsOf, joinPath, nameOf, parentOf, rename } from './paths.ts';

test('ancestorsOf lists every step of the path', () => {
  expect(ancestorsOf('Travel/Japan/Kyoto')).toEqual([
    'Travel',
    'Travel/Japan',
    'Travel/Japan/Kyoto',
  ]);
  expect(ancestorsOf(' Travel //Japan/ ')).toEqual(['Travel', 'Travel/Japan']);
  expect(ancestorsOf(' / ')).toEqual([]);
});

test('rename changes the last part only', () => {
  expect(rename('Travel/Japan', 'Nippon')).toBe('Travel/Nippon');
  expect(rename('Travel', 'Trips')).toBe('Trips');
});

test('a name is the last part, and the rest is the parent', () => {
  expect(nameOf(joinPath('Travel', 'Japan'))).toBe('Japan');
  expect(parentOf('a/b/c')).toBe('a/b');
  expect(parentOf('a')).toBeUndefined();
});
