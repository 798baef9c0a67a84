import { expect, test } from 'bun:test';
import { createChangedFolders } from './changed-folders.ts';

const create = () => createChangedFolders('/r', { quietMs: 100, maxWaitMs: 1_000 });

test('a folder is taken once it has been quiet', () => {
  const changed = create();
  changed.add('/r/a', false, 0);
  changed.add('/r/b', false, 50);
  changed.add('/r/a', false, 60);
  expect(changed.take(90)).toEqual([]);
  expect(changed.take(150)).toEqual([{ path: '/r/b', isDeep: false }]);
  expect(changed.take(160)).toEqual([{ path: '/r/a', isDeep: false }]);
  expect(changed.take(10_000)).toEqual([]);
});

test('a folder that is never quiet is taken after the longest wait', () => {
  const changed = create();
  for (let now = 0; now < 1_000; now += 50) {
    changed.add('/r/a', false, now);
    expect(changed.take(now)).toEqual([]);
  }
  expect(changed.take(1_000)).toEqual([{ path: '/r/a', isDeep: false }]);
});

test('folders below a deep one, and very many, are one', () => {
  const changed = create();
  changed.add('/r/a', false, 0);
  changed.add('/r/a', true, 0);
  changed.add('/r/a/b', false, 0);
  changed.add('/r/ab', false, 0);
  expect(changed.take(100)).toEqual([
    { path: '/r/a', isDeep: true },
    { path: '/r/ab', isDeep: false },
  ]);
  for (let n = 0; n < 5_000; n++) changed.add(`/r/${n}`, false, 0);
  expect(changed.take(100)).toEqual([{ path: '/r', isDeep: true }]);
});
