import { afterAll, beforeEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { dataPaths } from '../core/paths.ts';
import { evictCopies } from './copies.ts';

const paths = dataPaths(await mkdtemp(join(tmpdir(), 'eviction-')));
beforeEach(() => rm(paths.cache, { recursive: true, force: true }));
afterAll(() => rm(paths.root, { recursive: true, force: true }));

/** Adds a copy of 100 bytes that was used some minutes ago. */
async function addCopy(store: string, name: string, minutes: number): Promise<void> {
  const path = join(paths.cache, store, 'ab', name);
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, new Uint8Array(100));
  const at = new Date(Date.now() - minutes * 60_000);
  await utimes(path, at, at);
}
const list = async () =>
  (await readdir(paths.cache, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted();

test('the least recently used copies go, of originals and of other files', async () => {
  await addCopy('originals', 'old', 90);
  await addCopy('derived', 'older', 100);
  await addCopy('derived', 'new', 40);
  expect(await evictCopies(paths, 300)).toBe(0);
  expect(await evictCopies(paths, 250, 150)).toBe(2);
  expect(await list()).toEqual(['new']);
});

test('a thumbnail that was used a moment ago stays, and counts', async () => {
  await addCopy('derived', 'used', 1);
  await addCopy('originals', 'original', 2);
  await addCopy('profiles', 'unused', 60);
  expect(await evictCopies(paths, 0)).toBe(2);
  expect(await list()).toEqual(['used']);
});
