import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Edit, computeEditedSize, transformPoint } from './edits.ts';

const SOURCE = { width: 400, height: 200 };
const crop: Edit = { action: 'crop', parameters: { x: 100, y: 50, width: 200, height: 100 } };
const turn = (angle: number): Edit => ({ action: 'rotate', parameters: { angle } });
const mirror = (axis: 'horizontal' | 'vertical'): Edit => ({
  action: 'mirror',
  parameters: { axis },
});
const moved = (x: number, y: number, to: readonly Edit[]) =>
  transformPoint({ x, y }, { source: SOURCE, from: [], to });

test('a point is mapped through edits', () => {
  expect(moved(0.25, 0.25, [crop])).toEqual({ x: 0, y: 0 });
  expect(moved(0.5, 0.5, [crop])).toEqual({ x: 0.5, y: 0.5 });
  expect(moved(0, 0, [crop])).toEqual({ x: -0.5, y: -0.5 });
  // The left upper corner is the right upper one after a quarter turn clockwise.
  expect(moved(0, 0, [turn(90)])).toEqual({ x: 1, y: 0 });
  expect(moved(0.2, 0, [turn(90)])).toEqual({ x: 1, y: 0.2 });
  expect(moved(0.25, 0.75, [turn(180)])).toEqual({ x: 0.75, y: 0.25 });
  expect(moved(0, 0, [turn(270)])).toEqual({ x: 0, y: 1 });
  expect(moved(0.25, 0.125, [mirror('horizontal')])).toEqual({ x: 0.75, y: 0.125 });
  expect(moved(0.25, 0.125, [mirror('vertical')])).toEqual({ x: 0.25, y: 0.875 });
});

test('a point is mapped back through any edits', () => {
  const part = fc.double({ min: -1, max: 2, noNaN: true });
  const edits = fc
    .tuple(
      fc.option(fc.constant(crop)),
      fc.shuffledSubarray([turn(90), turn(180), mirror('horizontal'), mirror('vertical')]),
    )
    .map(([first, others]) => (first ? [first, ...others] : others));
  fc.assert(
    fc.property(part, part, edits, edits, (x, y, from, to) => {
      const there = transformPoint({ x, y }, { source: SOURCE, from, to });
      const back = transformPoint(there, { source: SOURCE, from: to, to: from });
      expect(back.x).toBeCloseTo(x, 9);
      expect(back.y).toBeCloseTo(y, 9);
      // The corners of the whole are the corners of the whole.
      if (from.length > 0 || to.includes(crop)) return;
      const { width, height } = computeEditedSize(SOURCE, to);
      expect(width * height).toBe(SOURCE.width * SOURCE.height);
      const corner = transformPoint({ x: 0, y: 0 }, { source: SOURCE, from, to });
      expect([0, 1]).toContain(corner.x);
      expect([0, 1]).toContain(corner.y);
    }),
  );
});
