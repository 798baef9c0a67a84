import { expect, test } from 'bun:test';
import {
  findFolder,
  listAncestors,
  listOnlyFolders,
  listVisible,
  sumCounts,
  toTree,
} from './tree.ts';

const tree = toTree(['/mnt/photos/2024/Italy', '/mnt/photos/10', '/mnt/photos/9']);

test('folders without items stand above those with items, by number and name', () => {
  expect(tree.map(({ path }) => path)).toEqual(['/mnt']);
  const photos = findFolder(tree, '/mnt/photos');
  expect(photos?.children.map(({ name }) => name)).toEqual(['9', '10', '2024']);
  expect(findFolder(tree, '/mnt/photos/2024/Italy')?.children).toEqual([]);
  expect(findFolder(tree, '/mnt/photos/2025')).toBeUndefined();
  expect(findFolder(tree, '/other/photos')).toBeUndefined();
  expect(toTree([])).toEqual([]);
});

test('only folders below expanded ones are visible', () => {
  const listPaths = (...expanded: string[]) =>
    listVisible(tree, new Set(expanded)).map(({ folder, level }) => [folder.path, level]);
  expect(listPaths()).toEqual([['/mnt', 1]]);
  expect(listPaths('/mnt/photos')).toEqual([['/mnt', 1]]);
  expect(listPaths('/mnt')).toEqual([
    ['/mnt', 1],
    ['/mnt/photos', 2],
  ]);
});

test('a folder counts what is below it', () => {
  const sums = sumCounts([
    { path: '/a/b', count: 2 },
    { path: '/a/c', count: 3 },
    { path: '/a', count: 1 },
  ]);
  expect(Object.fromEntries(sums)).toEqual({ '/a': 6, '/a/b': 2, '/a/c': 3 });
});

test('folders that stand alone end at the first choice', () => {
  expect(listOnlyFolders(tree)).toEqual(['/mnt', '/mnt/photos']);
  expect(listOnlyFolders(toTree(['/a', '/b']))).toEqual([]);
  expect(listAncestors('/a/b')).toEqual(['/a', '/a/b']);
});
