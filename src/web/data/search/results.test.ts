import { expect, test } from 'bun:test';
import type { Exif } from '../types.ts';
import { findDays, toDate } from '../timeline/days.ts';
import { createResults, type Found, joinColumns, PAGE_SIZE, getPageAfter } from './results.ts';

const found = (n: number): Found => ({
  id: String(n),
  ownerId: 'me',
  width: 3,
  height: 2,
  isFavorite: false,
  visibility: 'timeline',
  isTrashed: false,
  type: 'IMAGE',
  thumbhash: null,
  fileCreatedAt: '2024-05-01T12:00:00.000Z',
  createdAt: '2024-05-01T12:00:00.000Z',
  localDateTime: '2024-05-01T14:00:00.000Z',
  duration: null,
});

test('numbered pages go on where they were after all that is shown was asked for again', async () => {
  const all = Array.from({ length: 2.5 * PAGE_SIZE }, (_, n) => found(n));
  const results = createResults(['numbered'], (page, size) => {
    const first = ((page ? Number(page) : 1) - 1) * PAGE_SIZE;
    const items = all.slice(first, first + size);
    return Promise.resolve({
      items,
      next: first + size < all.length ? getPageAfter(page, size) : undefined,
    });
  });
  const shown = () => results.state.get().months.flatMap(({ columns }) => columns?.id ?? []);
  const more = () => results.loadMonth(results.state.get().months.at(-1)!.key);
  await results.refresh();
  await more();
  expect(shown()).toHaveLength(2 * PAGE_SIZE);
  await results.refresh();
  expect(shown()).toHaveLength(2 * PAGE_SIZE);
  await more();
  expect(shown()).toEqual(all.map(({ id }) => id));
  await results.refresh();
  expect(shown()).toHaveLength(all.length);
});

test('results are of the local day of the place, and of its town', async () => {
  const at = (n: number, fileCreatedAt: string, localDateTime: string, exif: Partial<Exif>) => ({
    ...found(n),
    fileCreatedAt,
    localDateTime,
    exifInfo: exif as Exif,
  });
  const items = [
    at(1, '2024-05-01T15:30:00.000Z', '2024-05-02T00:30:00.000Z', { city: 'Tokyo' }),
    at(2, '2024-05-01T14:00:00.000Z', '2024-05-01T23:00:00.000Z', { city: 'Tokyo' }),
    at(3, '2024-05-01T20:00:00.000Z', '2024-05-01T22:00:00.000Z', { country: 'Spain' }),
    at(4, '2024-04-30T20:00:00.000Z', '2024-04-30T22:00:00.000Z', {}),
  ];
  const results = createResults(['days'], () => Promise.resolve({ items, next: undefined }));
  await results.refresh();
  const { numbers, places } = findDays(joinColumns(results.state.get().months)!);
  const days = [...numbers].map((day) => toDate(day).toISOString().slice(0, 10));
  expect(days).toEqual(['2024-05-02', '2024-05-01', '2024-04-30']);
  expect(places).toEqual(['Tokyo', 'Tokyo', undefined]);
});

test('a favourite that was marked stays one when an older answer comes', async () => {
  const answers: ((page: { items: Found[]; next: undefined }) => void)[] = [];
  const results = createResults(
    ['marked'],
    () => new Promise((resolve) => void answers.push(resolve)),
  );
  const answer = () => answers.shift()!({ items: [found(1), found(2)], next: undefined });
  const marks = () => results.state.get().months.flatMap(({ columns }) => columns?.isFavorite);
  const first = results.refresh();
  answer();
  await first;
  const second = results.refresh();
  expect(results.markFavorites(new Set(['2']), true)).toEqual(new Set(['2']));
  expect(marks()).toEqual([false, true]);
  answer();
  await second;
  expect(marks()).toEqual([false, true]);
});
