import { expect, test } from 'bun:test';
import { moveItem } from './pin-data.ts';

const list = ['a', 'b', 'c'].map((id) => ({ id }));
const names = (by: number, id: string) =>
  moveItem(list, id, by)
    .map((item) => item.id)
    .join('');

test('a pin moves up and down, not over the ends', () => {
  expect(names(1, 'a')).toBe('bac');
  expect(names(-1, 'c')).toBe('acb');
  expect(names(-1, 'a')).toBe('abc');
  expect(names(5, 'a')).toBe('bca');
  expect(names(1, 'unknown')).toBe('abc');
});
