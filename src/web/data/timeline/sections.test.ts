import { describe, expect, test } from 'bun:test';
import type { MonthColumns } from '../types.ts';
import {
  findAnchor,
  findBand,
  findInBand,
  type Month,
  findPlace,
  planSections,
  getRowSpan,
  getScrollTop,
  stepBy,
  rememberRows,
  type Section,
} from './sections.ts';

const SHAPE = { rowHeight: 200, gap: 4 };
const columns = (month: string, count: number, ratio = 1.5): MonthColumns => {
  const fill = <T>(value: T) => Array.from({ length: count }, () => value);
  return {
    id: Array.from({ length: count }, (_, item) => `${month}/${item}`),
    ratio: fill(ratio),
    ownerId: fill('u'),
    isFavorite: fill(false),
    isImage: fill(true),
    thumbhash: fill(null),
    fileCreatedAt: fill('2024-01-01T00:00:00.000Z'),
    localOffsetHours: fill(0),
    duration: fill(null),
    livePhotoVideoId: fill(null),
    visibility: fill('timeline' as const),
    isTrashed: fill(false),
    createdAt: fill('2024-01-01T00:00:00.000Z'),
    projectionType: fill(null),
  };
};
const month = (key: string, count: number, loaded?: MonthColumns): Month => ({
  key,
  count,
  columns: loaded,
});
const plan = (months: Month[]) => planSections(months, 1200, SHAPE);

test('months follow each other without a hole', () => {
  const { sections, height } = plan([
    month('c', 40),
    month('b', 7, columns('b', 7)),
    month('a', 90),
  ]);
  expect(sections[1]!.top).toBe(sections[0]!.height);
  expect(sections[2]!.top).toBe(sections[1]!.top + sections[1]!.height);
  expect(height).toBe(sections[2]!.top + sections[2]!.height);
});

test('a picture stays where it is when a month above it turns out higher', () => {
  const b = columns('b', 60);
  const before = plan([month('c', 100), month('b', 60, b)]);
  const scrollTop = before.sections[1]!.top + 700;
  const anchor = findAnchor(before, scrollTop)!;
  const after = plan([month('c', 100, columns('c', 100, 2.9)), month('b', 60, b)]);
  expect(after.sections[0]!.height).not.toBe(before.sections[0]!.height);
  const moved = getScrollTop(after, anchor)!;
  expect(moved - after.sections[1]!.top).toBeCloseTo(700);
});

test('a picture stays where it is when newer ones join its own month', () => {
  const old = columns('b', 40);
  const before = plan([month('b', 40, old)]);
  const anchor = findAnchor(before, 800)!;
  const ids = [...columns('new', 8).id, ...old.id];
  const after = plan([month('b', 48, { ...columns('x', 48), id: ids })]);
  const y = getScrollTop(after, anchor)!;
  expect(findAnchor(after, y)!.id).toBeDefined();
  expect(ids.indexOf(anchor.id!)).toBe(old.id.indexOf(anchor.id!) + 8);
  expect(y).toBeGreaterThan(800);
});

test('in a month that is not loaded the share of the way down is kept', () => {
  const before = plan([month('b', 1000)]);
  const anchor = findAnchor(before, before.height / 2)!;
  const after = plan([month('b', 1000, columns('b', 1000, 0.7))]);
  expect(getScrollTop(after, anchor)! / after.height).toBeCloseTo(0.5);
});

test('at the top there is no anchor, so that new pictures are seen', () => {
  expect(findAnchor(plan([month('b', 10)]), 0)).toBeUndefined();
});

test('a month that went away has no place to return to', () => {
  const anchor = findAnchor(plan([month('b', 1000)]), 3000)!;
  expect(getScrollTop(plan([month('a', 10)]), anchor)).toBeUndefined();
});

test('steps go over the ends of months, and stop at the ends of the timeline', () => {
  const p = plan([month('c', 3), month('b', 2), month('a', 4)]);
  expect(stepBy(p, { section: 0, item: 2 }, 1)).toEqual({ section: 1, item: 0 });
  expect(stepBy(p, { section: 2, item: 0 }, -3)).toEqual({ section: 0, item: 2 });
  expect(stepBy(p, { section: 0, item: 0 }, -1)).toBeUndefined();
  expect(stepBy(p, { section: 2, item: 3 }, 1)).toBeUndefined();
});

test('findPlace finds a picture in a loaded month only', () => {
  const p = plan([month('c', 3), month('b', 2, columns('b', 2))]);
  expect(findPlace(p, 'b/1')).toEqual({ section: 1, item: 1 });
  expect(findPlace(p, 'c/1')).toBeUndefined();
});

test('the months of a year follow its heading, and each year is counted once', () => {
  const months = [month('2024-03-01', 4), month('2024-01-01', 5), month('2023-12-01', 7)];
  const { sections, height } = planSections(months, 1200, SHAPE, undefined, 'year');
  expect(sections.map(({ yearCount }) => yearCount)).toEqual([9, undefined, 7]);
  expect(sections[0]!.head).toBeGreaterThan(sections[1]!.head);
  for (const [index, section] of sections.entries()) {
    expect(section.top + section.height).toBe(sections[index + 1]?.top ?? height);
  }
});

test('a picture stays where it is when months are grouped in another way', () => {
  const b = columns('b', 60);
  const months = [month('c', 100), month('b', 60, b)];
  const shape = { rowHeight: 120, gap: 4 };
  const byDay = planSections(months, 1200, SHAPE, rememberRows(1200, SHAPE, 'day'), 'day');
  const byMonth = planSections(months, 1200, shape, rememberRows(1200, shape), 'month');
  const anchor = findAnchor(byDay, byDay.sections[1]!.top + 900)!;
  const top = getScrollTop(byMonth, anchor)!;
  const place = findPlace(byMonth, anchor.id!)!;
  expect(getRowSpan(byMonth, place).top - top).toBeCloseTo(anchor.below);
});

test('a day without changes is not laid out again', () => {
  const layOut = rememberRows(1200, SHAPE, 'day');
  const b = columns('b', 6);
  const marked = { ...b, isFavorite: b.isFavorite.map(() => true) };
  expect(layOut(marked)).toBe(layOut(b));
});

describe('months of less than a row', () => {
  const single = (key: string, count = 1) => month(key, count, columns(key, count));

  test('stand beside each other, in their order, as long as there is room', () => {
    const { sections, height } = plan([single('d'), single('c', 2), single('b'), single('a', 20)]);
    expect(sections.map(({ band }) => band)).toEqual([0, 0, 2, 3]);
    const [d, c, b, a] = sections as [Section, Section, Section, Section];
    expect(c.top).toBe(d.top);
    expect(c.left).toBeGreaterThan(d.left + d.width);
    expect(c.left + c.width).toBeLessThanOrEqual(1200);
    expect([b.left, b.top]).toEqual([0, d.top + d.height]);
    expect(a.width).toBe(1200);
    expect(height).toBe(a.top + a.height);
  });

  test('leave the room of the tools free, and a phone shows one below the other', () => {
    const months = [single('c'), single('b'), single('a')];
    const wide = planSections(months, 1000, SHAPE).sections;
    expect(wide.map(({ band }) => band)).toEqual([0, 0, 2]);
    const phone = planSections(months, 390, { rowHeight: 92, gap: 2 }).sections;
    expect(phone.map(({ left }) => left)).toEqual([0, 0, 0]);
    expect(new Set(phone.map(({ top }) => top)).size).toBe(3);
  });

  test('of another year begin below its name', () => {
    const months = [single('2024-03-01'), single('2024-01-01'), single('2023-12-01')];
    const { sections } = planSections(months, 1200, SHAPE, undefined, 'year');
    expect(sections.map(({ band }) => band)).toEqual([0, 0, 2]);
    const ends = sections.map(({ top, height }) => top + height);
    expect(ends[1]).toBe(ends[0]);
    expect(sections[1]!.top + sections[1]!.head).toBe(sections[0]!.top + sections[0]!.head);
  });

  test('are found by their distance from the left, and seen from the first one', () => {
    const p = plan([single('c'), single('b', 2), single('a', 20)]);
    const [, b] = p.sections as [Section, Section];
    expect([findBand(p, b.top + 10), findBand(p, p.sections[2]!.top)]).toEqual([0, 2]);
    expect([0, b.left - 20, b.left, 5000].map((x) => findInBand(p, 1, x))).toEqual([0, 0, 1, 1]);
  });

  test('have the rooms of those that are not loaded', () => {
    const { sections } = plan([month('c', 1), month('b', 1), month('a', 300)]);
    expect(sections.map(({ band }) => band)).toEqual([0, 0, 2]);
  });
});
