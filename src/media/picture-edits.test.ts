import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { UNADJUSTED } from './adjustments.ts';
import type { Edit } from './edits.ts';
import {
  computePictureSize,
  moveBox,
  movePoint,
  type PictureEdits,
  UNEDITED,
} from './picture-edits.ts';
import { computeStraightenedSize, computeStraightenScale } from './straighten.ts';

const SOURCE = { width: 400, height: 200 };
const CROP: Edit = { action: 'crop', parameters: { x: 100, y: 50, width: 200, height: 100 } };
const TURN: Edit = { action: 'rotate', parameters: { angle: 90 } };
const FLOP: Edit = { action: 'mirror', parameters: { axis: 'horizontal' } };
const edited = (straighten: number, ...edits: Edit[]): PictureEdits => ({
  edits,
  adjustments: { ...UNADJUSTED, straighten },
});

const angle = fc.integer({ min: -450, max: 450 }).map((tenths) => tenths / 10);
const pictureEdits = fc
  .tuple(angle, fc.subarray([CROP, TURN, FLOP]))
  .map(([straighten, edits]) => edited(straighten, ...edits));
const part = fc.double({ min: 0, max: 1, noNaN: true });

test('a straightened picture keeps its ratio, and its corners lie inside of the turned one', () => {
  fc.assert(
    fc.property(angle, fc.integer({ min: 200, max: 6000 }), (degrees, width) => {
      const size = { width, height: 1000 };
      const scale = computeStraightenScale(size, degrees);
      const radians = (Math.abs(degrees) * Math.PI) / 180;
      const [x, y] = [(scale * width) / 2, (scale * 1000) / 2];
      // The corner that reaches farthest, turned back.
      const reach = [
        x * Math.cos(radians) + y * Math.sin(radians),
        x * Math.sin(radians) + y * Math.cos(radians),
      ] as const;
      expect(reach[0]).toBeLessThanOrEqual(width / 2 + 1e-6);
      expect(reach[1]).toBeLessThanOrEqual(500 + 1e-6);
      // None larger would fit.
      expect(Math.max(reach[0] / (width / 2), reach[1] / 500)).toBeCloseTo(1, 9);
    }),
  );
  expect(computeStraightenedSize(SOURCE, 0)).toEqual(SOURCE);
  expect(computeStraightenedSize({ width: 100, height: 100 }, 45)).toEqual({
    width: 71,
    height: 71,
  });
  expect(computePictureSize(SOURCE, edited(0, CROP, TURN))).toEqual({ width: 100, height: 200 });
});

test('the middle stays where it is, and a point above it goes to the right when the picture turns clockwise', () => {
  const moved = (y: number) =>
    movePoint({ x: 0.5, y }, { source: SOURCE, from: UNEDITED, to: edited(10) });
  expect(moved(0.5).x).toBeCloseTo(0.5, 9);
  expect(moved(0.2).x).toBeGreaterThan(0.52);
});

test('points and boxes are mapped back through any edits', () => {
  fc.assert(
    fc.property(part, part, pictureEdits, pictureEdits, (x, y, from, to) => {
      const there = movePoint({ x, y }, { source: SOURCE, from, to });
      const back = movePoint(there, { source: SOURCE, from: to, to: from });
      expect([back.x - x, back.y - y].every((off) => Math.abs(off) < 1e-9)).toBe(true);

      const box = { x1: x * 0.8, y1: y * 0.8, x2: x * 0.8 + 0.1, y2: y * 0.8 + 0.2 };
      const moved = moveBox(box, { source: SOURCE, from, to });
      const returned = moveBox(moved, { source: SOURCE, from: to, to: from });
      for (const side of ['x1', 'y1', 'x2', 'y2'] as const) {
        expect(returned[side]).toBeCloseTo(box[side], 9);
      }
    }),
  );
});

test('a free angle keeps the size of a box in pixels', () => {
  const box = { x1: 0.4, y1: 0.4, x2: 0.5, y2: 0.6 };
  const to = edited(12, TURN);
  const moved = moveBox(box, { source: SOURCE, from: UNEDITED, to });
  const size = computePictureSize(SOURCE, to);
  expect((moved.x2 - moved.x1) * size.width).toBeCloseTo(0.2 * SOURCE.height, 6);
  expect((moved.y2 - moved.y1) * size.height).toBeCloseTo(0.1 * SOURCE.width, 6);
});
