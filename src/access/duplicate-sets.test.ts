import { expect, test } from 'bun:test';
import { fingerprintOf, setsOf } from './duplicate-sets.ts';

const member = (id: string, itemId = id) => ({
  assetId: id,
  itemId,
  sha256: `${id}${id}`,
  takenMs: id.charCodeAt(0),
  bytes: 10 * id.charCodeAt(0),
});
const pair = (first: string, second: string) => ({ first: member(first), second: member(second) });

test('what is alike through others is one set; sets that do not touch are two', () => {
  const sets = setsOf([pair('a', 'b'), pair('d', 'e'), pair('b', 'c')]);
  expect(sets.map(({ itemIds }) => itemIds)).toEqual([
    ['a', 'b', 'c'],
    ['d', 'e'],
  ]);
});

test('the id follows from the contents, in whatever order they were found', () => {
  const [one] = setsOf([pair('a', 'b'), pair('b', 'c')]);
  const [other] = setsOf([pair('c', 'b'), pair('c', 'a')]);
  expect(other!.id).toBe(one!.id);
  expect(one!.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(fingerprintOf(['x', 'y'])).not.toBe(fingerprintOf(['x', 'z']));
});

test('a set knows its newest picture, and what all but the largest take up', () => {
  const [set] = setsOf([pair('a', 'b'), pair('b', 'c'), pair('a', 'c')]);
  expect(set).toMatchObject({ newestMs: 99, spareBytes: 970 + 980 });
});

test('a stack is one item', () => {
  const sets = setsOf([
    { first: member('a1', 'a'), second: member('b') },
    { first: member('a2', 'a'), second: member('b') },
  ]);
  expect(sets.map(({ itemIds }) => itemIds)).toEqual([['a', 'b']]);
});
