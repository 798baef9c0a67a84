import { expect, test } from 'bun:test';
import { reorder } from './reorder.ts';

const IDS = ['a', 'b', 'c', 'd'];

test.each([
  [['d'], 'before', 'a', 'dabc'],
  [['a'], 'after', 'd', 'bcda'],
  [['c', 'a'], 'after', 'b', 'bcad'],
  [['b'], 'before', 'c', 'abcd'],
  [['a'], 'after', 'x', 'abcd'],
] as const)('%p %s %s', (ids, side, target, result) => {
  expect(reorder(IDS, { ids, side, target }).join('')).toBe(result);
});
