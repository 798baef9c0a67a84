import { expect, test } from 'bun:test';
import type { Tag } from '../../data/types.ts';
import { findTags, getPath, listMoveTargets, toTree } from './tree.ts';

const tag = (id: string, value: string, parentId?: string): Tag => ({
  id,
  name: value.slice(value.lastIndexOf('/') + 1),
  value,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...(parentId && { parentId }),
});
const TAGS = [
  tag('kyoto', 'Travel/Japan/Kyoto', 'japan'),
  tag('travel', 'Travel'),
  tag('japan', 'Travel/Japan', 'travel'),
  tag('family', 'Family'),
];

test('tags hang below their parents, by name, with the counts of all below', () => {
  const counts = [{ tagId: 'travel', count: 1, totalCount: 4 }];
  const tree = toTree(TAGS, counts);
  expect(tree.map(({ tag }) => tag.id)).toEqual(['family', 'travel']);
  expect(tree[1]!.count).toBe(4);
  expect(tree[0]!.count).toBe(0);
  expect(tree[1]!.children[0]!.children[0]!.tag.id).toBe('kyoto');
});

test('the path leads from the top to the tag', () => {
  expect(getPath(TAGS, 'kyoto').map(({ id }) => id)).toEqual(['travel', 'japan', 'kyoto']);
  expect(getPath(TAGS, 'unknown')).toEqual([]);
});

test('every word must be in the path, in any case', () => {
  expect(findTags(TAGS, 'japan').map(({ id }) => id)).toEqual(['japan', 'kyoto']);
  expect(findTags(TAGS, 'KYO trav').map(({ id }) => id)).toEqual(['kyoto']);
  expect(findTags(TAGS, 'japan family')).toEqual([]);
});

test('a tag can go everywhere but below itself and where it is', () => {
  const places = (at: number) => listMoveTargets(TAGS, TAGS[at]!).map(({ id }) => id);
  expect(places(0)).toEqual(['travel', 'family']);
  expect(places(1)).toEqual(['family']);
  expect(places(3)).toEqual(['kyoto', 'travel', 'japan']);
});
