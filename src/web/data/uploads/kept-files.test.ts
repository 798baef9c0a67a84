import { beforeEach, afterAll, expect, test } from 'bun:test';
import {
  deleteKeptFile,
  deleteKeptFilesOfOthers,
  isPausedQueue,
  keepFile,
  type KeptFile,
  listKeptFiles,
  noteArrival,
  parseKeptUrl,
  readKeptFile,
  readState,
  setPaused,
  takeArrivals,
  toKeptUrl,
  writeState,
} from './kept-files.ts';
import { MemoryCaches } from '../../../../test/support/memory-caches.ts';

beforeEach(() => {
  globalThis.caches = new MemoryCaches() as unknown as CacheStorage;
});
afterAll(() => Reflect.deleteProperty(globalThis, 'caches'));

const kept = (more: Partial<KeptFile> = {}): KeptFile => ({
  userId: 'ada',
  queue: 'tab',
  item: 'one',
  part: 0,
  name: 'Größe & Ziel? #1.jpg',
  size: 5,
  lastModified: 1_720_000_000_000,
  mediaType: 'image/jpeg',
  folder: 'Italy/2023',
  album: { id: 'album', albumName: 'Best' },
  ...more,
});

test('the address of a file tells all about it', () => {
  const file = kept();
  expect(parseKeptUrl(`https://photos.example${toKeptUrl(file)}`)).toEqual(file);
  const alone = kept({ album: undefined });
  expect(toKeptUrl(parseKeptUrl(toKeptUrl(alone))!)).toBe(toKeptUrl(alone));
  expect(parseKeptUrl('/kept-uploads/ada/tab/one/0/state')).toBeUndefined();
});

test('a file is read as it was kept', async () => {
  await keepFile(kept(), new Blob(['bytes']));
  expect(await listKeptFiles()).toEqual([kept()]);
  const file = (await readKeptFile(kept()))!;
  expect([file.name, file.lastModified, file.type, await file.text()]).toEqual([
    'Größe & Ziel? #1.jpg',
    1_720_000_000_000,
    'image/jpeg',
    'bytes',
  ]);
  await deleteKeptFile(kept());
  expect(await listKeptFiles()).toEqual([]);
  expect(await readKeptFile(kept())).toBeUndefined();
});

test('a state is of one file, goes with it, and none is written of a file that is gone', async () => {
  const [photo, video] = [kept(), kept({ part: 1 })];
  await keepFile(photo, new Blob(['bytes']));
  await writeState(photo, { refusal: { status: 413, text: '' } });
  await writeState(video, { begun: { id: 'x', sha256: 'y' } });
  expect(await readState(photo)).toEqual({ refusal: { status: 413, text: '' } });
  expect(await readState(video)).toEqual({});
  await deleteKeptFile(photo);
  expect(await readState(photo)).toEqual({});
});

test('an arrival is noted once, for the account whose file it was', async () => {
  await keepFile(kept(), new Blob(['bytes']));
  await keepFile(kept({ item: 'two' }), new Blob(['bytes']));
  await writeState(kept({ item: 'two' }), { begun: { id: 'x', sha256: 'y' } });
  await noteArrival(kept(), 'digest=');
  expect((await listKeptFiles()).map(({ item }) => item)).toEqual(['two']);
  expect(await takeArrivals('bob')).toEqual([]);
  expect(await takeArrivals('ada')).toEqual(['digest=']);
  expect(await takeArrivals('ada')).toEqual([]);
  expect(await readState(kept({ item: 'two' }))).toEqual({ begun: { id: 'x', sha256: 'y' } });
});

test('nothing of another account stays', async () => {
  await keepFile(kept(), new Blob(['bytes']));
  await writeState(kept(), { begun: { id: 'x', sha256: 'y' } });
  await setPaused('ada', 'tab', true);
  await keepFile(kept({ userId: 'bob' }), new Blob(['bytes']));
  await deleteKeptFilesOfOthers('bob');
  expect((await listKeptFiles()).map(({ userId }) => userId)).toEqual(['bob']);
  expect(await readState(kept())).toEqual({});
  expect(await isPausedQueue('ada', 'tab')).toBe(false);
});

test('a queue is paused until it is resumed', async () => {
  await setPaused('ada', 'tab', true);
  expect(await isPausedQueue('ada', 'tab')).toBe(true);
  expect(await isPausedQueue('ada', 'other')).toBe(false);
  await setPaused('ada', 'tab', false);
  expect(await isPausedQueue('ada', 'tab')).toBe(false);
});
