import { expect, test } from 'bun:test';
import type { MonthColumns } from '../../data/types.ts';
import { move, settle } from './keyboard.ts';
import { planSections } from '../../data/timeline/sections.ts';

const month = (key: string, count: number, isLoaded = true) => ({
  key,
  count,
  columns: isLoaded
    ? ({
        id: Array.from({ length: count }, (_, item) => `${key}${item}`),
        ratio: Array.from({ length: count }, () => 1),
      } as unknown as MonthColumns)
    : undefined,
});
// Five square pictures of 200 fill a row of 1016.
const plan = planSections([month('c', 12), month('b', 3), month('a', 10)], 1016, {
  rowHeight: 200,
  gap: 4,
});

test('left and right follow time, over the ends of months', () => {
  expect(move(plan, { section: 0, item: 11 }, 'right', 800)).toEqual({ section: 1, item: 0 });
  expect(move(plan, { section: 1, item: 0 }, 'left', 800)).toEqual({ section: 0, item: 11 });
  expect(move(plan, { section: 0, item: 0 }, 'left', 800)).toEqual({ section: 0, item: 0 });
});

test('up and down keep the column, also into the next month', () => {
  expect(move(plan, { section: 0, item: 2 }, 'down', 800)).toEqual({ section: 0, item: 7 });
  expect(move(plan, { section: 0, item: 11 }, 'down', 800)).toEqual({ section: 1, item: 1 });
  expect(move(plan, { section: 2, item: 4 }, 'up', 800)).toEqual({ section: 1, item: 2 });
});

test('home and end go to the ends of the timeline', () => {
  expect(move(plan, { section: 1, item: 1 }, 'first', 800)).toEqual({ section: 0, item: 0 });
  expect(move(plan, { section: 1, item: 1 }, 'last', 800)).toEqual({ section: 2, item: 9 });
});

test('a page is as many rows as are seen, less one, and stops at the ends', () => {
  expect(move(plan, { section: 0, item: 0 }, 'page-down', 820)).toEqual({ section: 1, item: 0 });
  expect(move(plan, { section: 2, item: 9 }, 'page-down', 820)).toEqual({ section: 2, item: 9 });
  expect(move(plan, { section: 0, item: 6 }, 'page-up', 820)).toEqual({ section: 0, item: 0 });
});

test('a month that is not loaded is entered at its near end', () => {
  const half = planSections([month('c', 5), month('b', 40, false)], 1016, {
    rowHeight: 200,
    gap: 4,
  });
  expect(move(half, { section: 0, item: 3 }, 'down', 800)).toEqual({ section: 1, item: 0 });
  expect(settle(half, { section: 1, item: 99 })).toEqual({ section: 1, item: 39 });
});

test('up and down leave months that stand beside each other, and enter the one at the column', () => {
  const sparse = planSections(
    [month('d', 10), month('c', 1), month('b', 1), month('a', 10)],
    1016,
    {
      rowHeight: 200,
      gap: 4,
    },
  );
  expect(sparse.sections[2]?.band).toBe(1);
  expect(move(sparse, { section: 0, item: 5 }, 'down', 800)).toEqual({ section: 1, item: 0 });
  expect(move(sparse, { section: 0, item: 7 }, 'down', 800)).toEqual({ section: 2, item: 0 });
  expect(move(sparse, { section: 2, item: 0 }, 'down', 800)).toEqual({ section: 3, item: 2 });
  expect(move(sparse, { section: 3, item: 0 }, 'up', 800)).toEqual({ section: 1, item: 0 });
  expect(move(sparse, { section: 1, item: 0 }, 'up', 800)).toEqual({ section: 0, item: 5 });
});
