import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  estimateHeight,
  justifyRows,
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
