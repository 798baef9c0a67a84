import { expect, test } from 'bun:test';
import type { MonthColumns } from '../../data/types.ts';
import { planSections } from '../../data/timeline/sections.ts';
import {
  extendSelection,
  listIdsBetween,
  listMonthsBetween,
  EMPTY_SELECTION,
  toggleSelected,
  toggleAllSelected,
} from './selection.ts';

const month = (key: string, count: number) => ({
  key,
  count,
  columns: {
    id: Array.from({ length: count }, (_, item) => `${key}${item}`),
    ratio: Array.from({ length: count }, () => 1),
  } as unknown as MonthColumns,
});
const plan = planSections([month('c', 2), month('b', 3), month('a', 2)], 1000, {
  rowHeight: 200,
  gap: 4,
});

test('a second click takes the choice back', () => {
  const once = toggleSelected(EMPTY_SELECTION, 'b1');
  expect([...once.ids]).toEqual(['b1']);
  expect([...toggleSelected(once, 'b1').ids]).toEqual([]);
});

test('shift goes over month ends, in both directions, and leaves the rest alone', () => {
  const down = extendSelection(toggleSelected(EMPTY_SELECTION, 'c1'), plan, {
    section: 2,
    item: 0,
  });
  expect([...down.ids].toSorted()).toEqual(['a0', 'b0', 'b1', 'b2', 'c1']);
  const up = extendSelection(toggleSelected(EMPTY_SELECTION, 'a0'), plan, { section: 0, item: 1 });
  expect([...up.ids].toSorted()).toEqual(['a0', 'b0', 'b1', 'b2', 'c1']);
  expect(up.ids.has('c0')).toBe(false);
  expect(up.ids.has('a1')).toBe(false);
});

test('shift without a choice before chooses one', () => {
  expect([...extendSelection(EMPTY_SELECTION, plan, { section: 1, item: 1 }).ids]).toEqual(['b1']);
});

test('choosing a month twice chooses nothing', () => {
  const all = ['b0', 'b1', 'b2'];
  const some = toggleSelected(EMPTY_SELECTION, 'b1');
  const chosen = toggleAllSelected(some, all);
  expect([...chosen.ids].toSorted()).toEqual(all);
  expect([...toggleAllSelected(chosen, all).ids]).toEqual([]);
});

test('the months of a range are named so that they can be loaded', () => {
  const [from, to] = [
    { section: 2, item: 1 },
    { section: 1, item: 0 },
  ];
  expect(listMonthsBetween(plan, from, to)).toEqual(['b', 'a']);
  expect(listIdsBetween(plan, from, to)).toEqual(['b0', 'b1', 'b2', 'a0', 'a1']);
});
