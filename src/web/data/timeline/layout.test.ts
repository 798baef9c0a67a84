import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { justifyRows } from './fill-rows.ts';
import { groupRows } from './group-rows.ts';
import {
  estimateHeight,
  GROUP_GAP,
  GROUPINGS,
  HEAD_HEIGHT,
  findLastAtOrBefore,
  nearestInRow,
  findRow,
  findRowsBetween,
  chooseShape,
} from './layout.ts';

const SHAPE = { rowHeight: 200, gap: 4 };
const ratios = fc.array(fc.double({ min: 0.05, max: 20, noNaN: true }), { maxLength: 400 });
const widths = fc.integer({ min: 320, max: 3840 });

describe('justified rows', () => {
  test('every picture is placed once, in order, without overlap and inside the width', () => {
    fc.assert(
      fc.property(ratios, widths, (values, width) => {
        const rows = justifyRows(values, width, SHAPE);
        expect(rows.first[0]).toBe(0);
        expect(rows.first.at(-1)).toBe(values.length);
        for (let row = 0; row < rows.top.length; row++) {
          let edge = 0;
          for (let item = rows.first[row]!; item < rows.first[row + 1]!; item++) {
            expect(rows.left[item]).toBe(edge);
            expect(rows.width[item]).toBeGreaterThan(0);
            edge = rows.left[item]! + rows.width[item]! + SHAPE.gap;
          }
          expect(edge - SHAPE.gap).toBeLessThanOrEqual(Math.max(width, 3 * SHAPE.rowHeight));
        }
      }),
    );
  });

  test('all rows but the last reach the right edge exactly', () => {
    fc.assert(
      fc.property(ratios, widths, (values, width) => {
        const rows = justifyRows(values, width, SHAPE);
        for (let row = 0; row + 1 < rows.top.length; row++) {
          const last = rows.first[row + 1]! - 1;
          expect(rows.left[last]! + rows.width[last]!).toBe(width);
        }
      }),
    );
  });

  test('rows follow each other with one gap, and the total ends with the last', () => {
    const rows = justifyRows(
      Array.from({ length: 50 }, (_, i) => 0.6 + (i % 7) / 5),
      1200,
      SHAPE,
    );
    for (let row = 1; row < rows.top.length; row++) {
      expect(rows.top[row]).toBe(rows.top[row - 1]! + rows.height[row - 1]! + SHAPE.gap);
    }
    expect(rows.total).toBe(rows.top.at(-1)! + rows.height.at(-1)!);
  });

  test('a lone picture keeps the wanted height instead of filling the screen', () => {
    const rows = justifyRows([1.5], 1600, SHAPE);
    expect(rows.height[0]).toBe(200);
    expect(rows.width[0]).toBe(300);
  });

  test('no pictures need no room', () => {
    expect(justifyRows([], 1000, SHAPE).total).toBe(0);
    expect(estimateHeight(0, 1000, SHAPE)).toBe(0);
  });

  test('the estimate for ordinary photos is within a third of the truth', () => {
    const values = Array.from({ length: 1000 }, (_, i) => (i % 4 === 0 ? 0.75 : 1.333));
    for (const width of [390, 820, 1440, 2560]) {
      const shape = chooseShape(width, 1000);
      const truth = justifyRows(values, width, shape).total;
      expect(Math.abs(estimateHeight(1000, width, shape) / truth - 1)).toBeLessThan(0.34);
    }
  });

  test('a million pictures stay below the height that browsers can scroll', () => {
    for (const width of [320, 390, 820, 1440, 3840]) {
      const shape = chooseShape(width, 1_000_000);
      expect(estimateHeight(1_000_000, width, shape)).toBeLessThan(30_000_000);
    }
  });
});

/** Groups of one to some pictures, as where each begins and where the last one ends. */
const grouped = fc
  .array(
    fc.array(fc.double({ min: 0.05, max: 20, noNaN: true }), { minLength: 1, maxLength: 25 }),
    {
      maxLength: 40,
    },
  )
  .map((groups) => {
    const starts = [0];
    for (const group of groups) starts.push(starts.at(-1)! + group.length);
    return { values: groups.flat(), starts };
  });

describe('grouped rows', () => {
  test('every picture is placed once and in order, and nothing overlaps', () => {
    fc.assert(
      fc.property(grouped, widths, ({ values, starts }, width) => {
        const rows = groupRows(values, starts, width, SHAPE);
        expect([rows.first[0], rows.first.at(-1)]).toEqual([0, values.length]);
        let bottom = 0;
        for (let row = 0; row < rows.top.length; row++) {
          expect(rows.top[row]!).toBeGreaterThanOrEqual(bottom);
          bottom = rows.top[row]! + rows.height[row]!;
          let edge = 0;
          for (let item = rows.first[row]!; item < rows.first[row + 1]!; item++) {
            expect(rows.left[item]!).toBeGreaterThanOrEqual(edge);
            edge = rows.left[item]! + rows.width[item]!;
          }
          expect(edge).toBeLessThanOrEqual(width);
        }
        expect(rows.total).toBe(Math.max(0, bottom));
      }),
    );
  });

  test('each group begins below its heading, and headings cover no picture and no other heading', () => {
    fc.assert(
      fc.property(grouped, widths, ({ values, starts }, width) => {
        const rows = groupRows(values, starts, width, SHAPE);
        expect(rows.heads).toHaveLength(starts.length - 1);
        for (const [group, head] of rows.heads.entries()) {
          const item = starts[group]!;
          const row = findRow(rows, item);
          expect(rows.left[item]).toBe(head.left);
          expect(rows.top[row]).toBe(head.top + HEAD_HEIGHT);
          expect(head.left + head.width).toBeLessThanOrEqual(width);
          const next = rows.heads[group + 1];
          if (next?.top === head.top) {
            expect(next.left).toBe(head.left + head.width + GROUP_GAP);
          }
          if (row > 0) expect(head.top).toBeGreaterThan(rows.top[row - 1]! + rows.height[row - 1]!);
        }
      }),
    );
  });

  test('short groups share a row, and a group of more than a row has its rows for itself', () => {
    const pair = [1.5, 1.5];
    const values = [...pair, ...pair, ...Array.from({ length: 9 }, () => 1.5), 1.5];
    const rows = groupRows(values, [0, 2, 4, 13, 14], 1400, SHAPE);
    expect(rows.heads.map(({ top }) => top > 0)).toEqual([false, false, true, true]);
    expect(rows.heads[1]!.left).toBe(2 * 300 + 4 + GROUP_GAP);
    expect(rows.heads[3]!.top).toBeGreaterThan(rows.heads[2]!.top);
    expect([...rows.first]).toEqual([0, 4, 9, 13, 14]);
  });

  test('a month of one photo a day needs few rows, which end at the right edge', () => {
    for (const [width, ratio, most] of [
      [390, 1.5, 15],
      [390, 16 / 9, 15],
      [390, 0.75, 15],
      [1200, 1.5, 8],
      [1200, 0.75, 5],
    ] as const) {
      const shape = chooseShape(width, 1000);
      const starts = Array.from({ length: 31 }, (_, day) => day);
      const rows = groupRows(Array<number>(30).fill(ratio), starts, width, shape);
      expect(rows.top.length).toBeLessThanOrEqual(most);
      for (const height of rows.height) {
        expect(height / shape.rowHeight).toBeWithin(0.79, 1.27);
      }
      const ends = Map.groupBy(rows.heads, ({ top }) => top);
      for (const [, heads] of [...ends].slice(0, -1)) {
        const { left, width: room } = heads.at(-1)!;
        const isFull = ratio > 1;
        if (isFull) expect(left + room).toBe(width);
      }
    }
  });

  test('a row of short groups ends at the right edge with its last picture', () => {
    const rows = groupRows([1.5, 1.4, 1.6, 1.3, 1.5], [0, 1, 2, 3, 4, 5], 1200, SHAPE);
    const last = rows.first[1]! - 1;
    expect(rows.left[last]! + rows.width[last]!).toBe(1200);
  });

  test('a heading has room above a single narrow picture', () => {
    const rows = groupRows([0.5, 0.5], [0, 1, 2], 1200, SHAPE);
    expect(rows.heads[0]!.width).toBeGreaterThan(rows.width[0]!);
    expect(rows.left[1]).toBe(rows.heads[1]!.left);
  });

  test('larger groups have smaller pictures at every width', () => {
    for (const width of [320, 390, 820, 1440, 2560]) {
      const heights = GROUPINGS.map((grouping) => chooseShape(width, 1000, grouping).rowHeight);
      expect(heights).toEqual(heights.toSorted((a, b) => b - a));
    }
  });

  test('the estimate with headings is within a third of the truth, for busy and for quiet months', () => {
    for (const [count, perDay] of [
      [400, 15],
      [120, 4],
      [30, 2],
    ] as const) {
      const values = Array.from({ length: count }, (_, i) => (i % 4 === 0 ? 0.75 : 1.333));
      const days = Math.ceil(count / perDay);
      const starts = Array.from({ length: days + 1 }, (_, i) => Math.min(count, i * perDay));
      for (const width of [390, 820, 1440]) {
        const shape = chooseShape(width, 1000);
        const truth = groupRows(values, starts, width, shape).total;
        const ratio = estimateHeight(count, width, shape, true) / truth;
        expect(Math.abs(ratio - 1)).toBeLessThan(0.34);
      }
    }
  });
});

describe('finding rows', () => {
  const rows = justifyRows(
    Array.from({ length: 100 }, () => 1.5),
    1200,
    SHAPE,
  );

  test('the rows between two heights are exactly those that touch them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -500, max: 7000 }),
        fc.integer({ min: 0, max: 1500 }),
        (from, span) => {
          const [start, end] = findRowsBetween(rows, from, from + span);
          const expected = [...rows.top.keys()].filter(
            (row) => rows.top[row]! <= from + span && rows.top[row]! + rows.height[row]! >= from,
          );
          expect([...rows.top.keys()].slice(start, end)).toEqual(expected);
        },
      ),
    );
  });

  test('rowOf gives the row that holds the item', () => {
    for (let item = 0; item < 100; item++) {
      const row = findRow(rows, item);
      expect(rows.first[row]!).toBeLessThanOrEqual(item);
      expect(rows.first[row + 1]!).toBeGreaterThan(item);
    }
  });

  test('nearestInRow picks by the centre', () => {
    expect(nearestInRow(rows, 0, 0)).toBe(0);
    expect(nearestInRow(rows, 0, 1200)).toBe(rows.first[1]! - 1);
    expect(nearestInRow(rows, 1, rows.left[rows.first[1]!]! + 5)).toBe(rows.first[1]!);
  });

  test('lastAtOrBefore agrees with a plain search', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), (values, value) => {
        const sorted = values.toSorted((a, b) => a - b);
        expect(findLastAtOrBefore(sorted, value)).toBe(
          sorted.findLastIndex((entry) => entry <= value),
        );
      }),
    );
  });
});
