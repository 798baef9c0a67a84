import { afterAll, beforeEach, expect, test } from 'bun:test';
import { MemoryCaches } from '../../../../test/support/memory-caches.ts';
import { MemoryLocks } from '../../../../test/support/memory-locks.ts';
import { MemoryStorage } from '../../../../test/support/memory-storage.ts';
import { changeItem, uploads } from './items.ts';
import { remember } from './interrupted-uploads.ts';
import { isPausedQueue, listKeptFiles, readState, toQueueLock } from './kept-files.ts';
import { createKeptItems, type KeptItems } from './kept-items.ts';
import { addItems, listParts } from './works.ts';

let kept: KeptItems;
let locks: MemoryLocks;
let quota: number;
const always = () => true;

beforeEach(() => {
  globalThis.caches = new MemoryCaches() as unknown as CacheStorage;
  globalThis.localStorage = new MemoryStorage();
  locks = new MemoryLocks();
  quota = 1000;
  const storage = { estimate: async () => ({ quota, usage: 0 }) };
  Object.defineProperty(navigator, 'locks', { value: locks, configurable: true });
  Object.defineProperty(navigator, 'storage', { value: storage, configurable: true });
  uploads.set((old) => ({ ...old, items: [], isRunning: true, isPaused: false }));
  kept = createKeptItems();
});
afterAll(() => {
  for (const name of ['locks', 'storage']) Reflect.deleteProperty(navigator, name);
  for (const name of ['caches', 'localStorage']) Reflect.deleteProperty(globalThis, name);
  uploads.set((old) => ({ ...old, items: [], isRunning: false }));
});

/** Adds files of ten bytes, a live photo from two names. Returns the id of the item. */
function add(...names: string[]): number {
  const files = names.map((name) => new File(['0123456789'], name));
  const [id] = addItems([{ files, folder: 'Italy', album: undefined }]);
  for (const part of listParts(id!)) part.mediaType = 'image/jpeg';
  return id!;
}
const listNames = async () => (await listKeptFiles()).map(({ name }) => name).toSorted();

test('the files of what is left are kept under the lock of the queue, once', async () => {
  add('a.jpg');
  add('b.heic', 'b.mov');
  expect(await kept.update('ada', always)).toBe(true);
  expect(await listNames()).toEqual(['a.jpg', 'b.heic', 'b.mov']);
  expect(await listKeptFiles()).toMatchObject([
    { userId: 'ada', folder: 'Italy', size: 10 },
    {},
    {},
  ]);
  expect(locks.isHeld(toQueueLock(kept.queue))).toBe(true);
  expect(await kept.update('ada', always)).toBe(false);
  expect(kept.summarize(true)).toEqual({ isSafe: true, unkept: 0 });
  expect(kept.summarize(false).isSafe).toBe(false);
});

test('a file with a sidecar is not kept, as the worker would send it without', async () => {
  const file = new File(['0123456789'], 'a.jpg');
  const sidecars = new Map([[file, new File(['x'], 'a.xmp')]]);
  addItems([{ files: [file], sidecars, folder: '', album: undefined }]);
  add('b.jpg');
  expect(await kept.update('ada', always)).toBe(true);
  expect(await listNames()).toEqual(['b.jpg']);
  expect(kept.summarize(true)).toEqual({ isSafe: false, unkept: 0 });
});

test('nothing is kept before it is wanted', async () => {
  add('a.jpg');
  expect(await kept.update('ada', () => false)).toBe(false);
  expect(await listNames()).toEqual([]);
  expect(kept.summarize(true)).toEqual({ isSafe: false, unkept: 0 });
});

test('files go when they have arrived, were refused or given up, and stay for another try', async () => {
  const [done, refused, tried] = [add('done.jpg'), add('refused.jpg'), add('tried.jpg')];
  add('gone.jpg');
  await kept.update('ada', always);
  changeItem(done, { status: 'done' });
  changeItem(refused, { status: 'failed', isRefused: true });
  changeItem(tried, { status: 'failed', isRefused: false });
  uploads.set((old) => ({ ...old, items: old.items.filter(({ name }) => name !== 'gone.jpg') }));
  await kept.update('ada', always);
  expect(await listNames()).toEqual(['tried.jpg']);
  expect(kept.isEmpty()).toBe(false);
});

test('a refusal that the person has not seen yet stays until it is put away', async () => {
  const id = add('refused.jpg');
  await kept.update('ada', always);
  const files = await listKeptFiles();
  kept.adopter.onItem(id, { files, isReported: true });
  changeItem(id, { status: 'failed', isRefused: true });
  await kept.update('ada', always);
  expect(await listNames()).toEqual(['refused.jpg']);
  uploads.set((old) => ({ ...old, items: [] }));
  await kept.update('ada', always);
  expect(await listNames()).toEqual([]);
});

test('where there is no room, the rest is counted, and kept when there is room again', async () => {
  // Eight of ten parts may be filled.
  quota = 10;
  add('a.jpg');
  add('b.heic', 'b.mov');
  expect(await kept.update('ada', always)).toBe(false);
  expect(kept.summarize(true)).toEqual({ isSafe: false, unkept: 2 });
  expect(await listNames()).toEqual([]);
  quota = 1000;
  expect(await kept.update('ada', always)).toBe(true);
  expect(kept.summarize(true)).toEqual({ isSafe: true, unkept: 0 });
});

test('the worker learns what the page has begun to send, and nothing of halves of a live photo', async () => {
  const [id, pair] = [add('a.jpg'), add('b.heic', 'b.mov')];
  await kept.update('ada', always);
  const begun = { userId: 'ada', name: 'a.jpg', size: 10, at: Date.now() };
  remember({ ...begun, id: 'whole', sha256: 'a=' });
  remember({ ...begun, id: 'half', sha256: 'b=', isHalf: true });
  for (const { part, sha256 } of [
    { part: listParts(id)[0]!, sha256: 'a=' },
    { part: listParts(pair)[0]!, sha256: 'b=' },
  ]) {
    part.digests = { sha1: '', sha256 };
  }
  for (const item of [id, pair]) changeItem(item, { status: 'sending' });
  await kept.update('ada', always);
  const states = await Promise.all((await listKeptFiles()).map(readState));
  expect(states.filter(({ begun: found }) => found)).toEqual([
    { begun: { id: 'whole', sha256: 'a=' } },
  ]);
});

test('a pause is noted for all queues of the page, and its end', async () => {
  add('a.jpg');
  await kept.update('ada', always);
  kept.adopter.onAdopt('before');
  uploads.set((old) => ({ ...old, isPaused: true }));
  await kept.update('ada', always);
  const isPaused = () =>
    Promise.all([kept.queue, 'before'].map((name) => isPausedQueue('ada', name)));
  expect(await isPaused()).toEqual([true, true]);
  uploads.set((old) => ({ ...old, isPaused: false }));
  await kept.update('ada', always);
  expect(await isPaused()).toEqual([false, false]);
});
