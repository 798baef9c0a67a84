import { expect, test } from 'bun:test';
import { getLabel, listMarks, getMonthTop, toScrollTop, toTrackY } from './scrubber.ts';
import { planSections } from '../../data/timeline/sections.ts';

const months = (years: number, perMonth: number) =>
  Array.from({ length: years * 12 }, (_, i) => ({
    key: `${2024 - Math.floor(i / 12)}-${String(12 - (i % 12)).padStart(2, '0')}-01`,
    count: perMonth,
    columns: undefined,
  }));
const plan = (years: number, perMonth = 100) =>
  planSections(months(years, perMonth), 1200, { rowHeight: 200, gap: 4 });

test('every year that has room gets its number once, newest first', () => {
  const years = listMarks(plan(8), 800).filter((mark) => mark.isYear);
  expect(years.map((mark) => mark.year)).toEqual(
    Array.from({ length: 8 }, (_, i) => String(2024 - i)),
  );
});

test('numbers of many years never lie on each other', () => {
  const years = listMarks(plan(90), 700).filter((mark) => mark.isYear);
  expect(years.length).toBeGreaterThan(10);
  for (let i = 1; i < years.length; i++) {
    expect(years[i]!.y - years[i - 1]!.y).toBeGreaterThanOrEqual(22);
  }
});

test('no mark leaves the track', () => {
  for (const mark of listMarks(plan(30), 500)) {
    expect(mark.y).toBeGreaterThanOrEqual(0);
    expect(mark.y).toBeLessThan(500);
  }
});

test('a height on the track and a height in the timeline say the same', () => {
  const p = plan(5);
  for (const y of [0, 1, 250, 499, 500]) {
    expect(toTrackY(p, 500, toScrollTop(p, 500, y))).toBeCloseTo(y);
  }
  expect(toScrollTop(p, 500, -20)).toBe(0);
  expect(toScrollTop(p, 500, 900)).toBe(p.height);
});

test('the label names the month at that height', () => {
  const p = plan(2);
  expect(getLabel(p, 0)).toContain('2024');
  expect(getLabel(p, p.height - 1)).toContain('2023');
  expect(getLabel(planSections([], 1000, { rowHeight: 200, gap: 4 }), 0)).toBe('');
});

test('monthTop moves by months and stops at the ends', () => {
  const p = plan(1);
  expect(getMonthTop(p, 0, 1)).toBe(p.sections[1]!.top);
  expect(getMonthTop(p, p.sections[3]!.top, -1)).toBe(p.sections[2]!.top);
  expect(getMonthTop(p, 0, -12)).toBe(0);
  expect(getMonthTop(p, 0, 99)).toBe(p.sections.at(-1)!.top);
});
