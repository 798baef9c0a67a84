import { expect, test } from 'bun:test';
import { createResults, type Found, PAGE_SIZE, getPageAfter } from './results.ts';

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
