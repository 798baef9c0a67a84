import { afterEach, expect, mock, test } from 'bun:test';
import { createStore } from '../../base/store.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import {
  countPhotos,
  getLoadedPhoto,
  getPhotoAt,
  getWindowAround,
  REACH,
  toSinglePhotoWindow,
} from './photo-window.ts';

const { fetch } = globalThis;
afterEach(() => void (globalThis.fetch = fetch));

/** A timeline of these photos by month, the newest first, of which no month is loaded. */
function createTimeline(library: Readonly<Record<string, readonly string[]>>) {
  const loaded: string[] = [];
  const months = Object.entries(library).map(([key, ids]) => ({
    key,
    count: ids.length,
    columns: undefined as { id: readonly string[] } | undefined,
  }));
  const state = createStore({ status: 'ready', months });
  const loadMonth = async (key: string) => {
    if (state.get().months.some((month) => month.key === key && !month.columns)) loaded.push(key);
    state.set((old) => ({
      ...old,
      months: old.months.map((month) =>
        month.key === key ? { ...month, columns: toColumns(library[key]!) } : month,
      ),
    }));
  };
  return { timeline: { state, loadMonth, refresh: async () => {} } as unknown as Timeline, loaded };
}

const toColumns = (id: readonly string[]) => ({
  id,
  ratio: id.map(() => 1.5),
  isImage: id.map(() => true),
  thumbhash: id.map(() => null),
  livePhotoVideoId: id.map(() => null),
});

const asset = (id: string, month: string) =>
  ({ id, type: 'IMAGE', localDateTime: `${month.slice(0, 8)}15T12:00:00.000Z` }) as never;
const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}${at}`);
const listIds = ({ items }: Awaited<ReturnType<typeof getWindowAround>>) =>
  items.map(({ id }) => id);

test('neighbours come from the months beside it, over one without photos, and the ends are known', async () => {
  const { timeline } = createTimeline({
    '2024-07-01': ['a', 'b'],
    '2024-06-01': [],
    '2024-05-01': ['c', 'd'],
  });
  const around = await getWindowAround(timeline, 'c', Promise.resolve(asset('c', '2024-05-01')));
  expect(listIds(around)).toEqual(['a', 'b', 'c', 'd']);
  expect(around).toMatchObject({ isStart: true, isEnd: true });
});

test('no more months are loaded than the neighbours need', async () => {
  const { timeline, loaded } = createTimeline({
    '2024-08-01': numbered('aug', 30),
    '2024-07-01': numbered('jul', 5),
    '2024-06-01': numbered('jun', 30),
    '2024-05-01': numbered('may', 30),
  });
  const jun = Promise.resolve(asset('jun3', '2024-06-01'));
  const around = await getWindowAround(timeline, 'jun3', jun);
  expect(listIds(around)).toHaveLength(2 * REACH + 1);
  expect(listIds(around)[0]).toBe('aug18');
  expect(listIds(around).at(-1)).toBe(`jun${3 + REACH}`);
  expect(around).toMatchObject({ isStart: false, isEnd: false });
  expect(loaded).toEqual(['2024-06-01', '2024-07-01', '2024-08-01']);
});

test('a photo that is not on this timeline is alone, and asked for once', async () => {
  const { timeline } = createTimeline({ '2024-07-01': ['a'] });
  const answer = Response.json({ id: 'x', type: 'IMAGE', localDateTime: '2024-07-03T00:00:00Z' });
  const ask = mock(() => Promise.resolve(answer));
  globalThis.fetch = ask as unknown as typeof fetch;
  const around = await getWindowAround(timeline, 'x');
  expect(listIds(around)).toEqual(['x']);
  expect(around).toMatchObject({ isStart: true, isEnd: true });
  expect(ask).toHaveBeenCalledTimes(1);
});

test('a photo is found by its position from the newest', async () => {
  const { timeline, loaded } = createTimeline({
    '2024-07-01': ['a', 'b'],
    '2024-06-01': ['c'],
  });
  expect((await getPhotoAt(timeline, 2))?.id).toBe('c');
  expect(loaded).toEqual(['2024-06-01']);
  expect((await getPhotoAt(timeline, 1))?.id).toBe('b');
  expect(await getPhotoAt(timeline, 3)).toBeUndefined();
});

test('a photo of a loaded month is known before its neighbours are; of another month nothing is', async () => {
  const { timeline, loaded } = createTimeline({
    '2024-07-01': ['a', 'b', 'c'],
    '2024-06-01': ['d'],
  });
  expect(getLoadedPhoto(timeline, 'b')).toBeUndefined();
  await timeline.loadMonth('2024-07-01');
  const found = getLoadedPhoto(timeline, 'b')!;
  expect(listIds(found)).toEqual(['b']);
  expect(found).toMatchObject({ isStart: false, isEnd: false });
  expect(getLoadedPhoto(timeline, 'd')).toBeUndefined();
  expect(loaded).toEqual(['2024-07-01']);
});

test('a photo that is asked for by itself has the ratio of its sides, or that of most photos', () => {
  const photo = { id: 'x', type: 'IMAGE', thumbhash: 'h', width: 300, height: 400 } as never;
  expect(toSinglePhotoWindow(photo)).toEqual({
    items: [{ id: 'x', ratio: 0.75, isImage: true, isAudio: false, hash: 'h', liveVideoId: null }],
    isStart: false,
    isEnd: false,
  });
  const sound = { id: 'y', type: 'AUDIO', thumbhash: null, width: null, height: null } as never;
  expect(toSinglePhotoWindow(sound).items).toMatchObject([
    { ratio: 1.5, isImage: false, isAudio: true, hash: null },
  ]);
});

test('photos are counted without loading their months', () => {
  const { timeline, loaded } = createTimeline({ '2024-07-01': ['a', 'b'], '2024-06-01': ['c'] });
  expect(countPhotos(timeline)).toBe(3);
  expect(loaded).toEqual([]);
});
