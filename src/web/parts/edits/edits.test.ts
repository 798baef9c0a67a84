import { expect, test } from 'bun:test';
import { UNADJUSTED } from '../../../media/adjustments.ts';
import { getShownSize } from './draw.ts';
import { toEdits, NO_EDITS, toSteps } from '../../data/edits/edit-data.ts';
import { centerCut, dragCut, stepInPicture, WHOLE } from './geometry.ts';
import { applyPreset, hasPreset, PRESETS } from './presets.ts';

const SIZE = { width: 4000, height: 3000 };

test('what is saved is read back the same', () => {
  for (const angle of [0, 90, 180, 270] as const) {
    for (const isMirrored of [false, true]) {
      const edits = { cut: { x: 0.25, y: 0.1, width: 0.5, height: 0.4 }, angle, isMirrored };
      expect(toEdits(toSteps(edits, SIZE), SIZE)).toEqual(edits);
    }
  }
  expect(toSteps(NO_EDITS, SIZE)).toEqual([]);
});

test('a cut is in whole pixels and never outside', () => {
  const cut = { x: 0.9999, y: 0, width: 0.5, height: 1 };
  expect(toSteps({ ...NO_EDITS, cut }, SIZE)[0]!.parameters).toEqual({
    x: 3999,
    y: 0,
    width: 1,
    height: 3000,
  });
});

test('steps of other programs come to one turn and one mirror', () => {
  const mirror = (axis: 'horizontal' | 'vertical') =>
    ({ action: 'mirror', parameters: { axis } }) as const;
  const rotate = { action: 'rotate', parameters: { angle: 90 } } as const;
  expect(toEdits([mirror('vertical')], SIZE)).toMatchObject({ angle: 180, isMirrored: true });
  expect(toEdits([mirror('horizontal'), rotate], SIZE)).toMatchObject({
    angle: 270,
    isMirrored: true,
  });
  expect(toEdits([mirror('horizontal'), mirror('vertical')], SIZE)).toMatchObject({
    angle: 180,
    isMirrored: false,
  });
});

test('a finger moves what it sees, however the picture is turned', () => {
  expect(stepInPicture(1, 0, { angle: 0, isMirrored: false })).toEqual([1, 0]);
  // Turned to the right, what is right on the screen was up in the picture.
  expect(stepInPicture(1, 0, { angle: 90, isMirrored: false })).toEqual([0, -1]);
  expect(stepInPicture(1, 0, { angle: 90, isMirrored: true })).toEqual([0, 1]);
  expect(stepInPicture(0, 1, { angle: 270, isMirrored: false })).toEqual([-1, 0]);
});

test('a cut stays inside and never vanishes', () => {
  expect(dragCut(WHOLE, 'move', 0.3, 0.3)).toEqual(WHOLE);
  const small = dragCut(WHOLE, 'nw', 2, 2);
  expect(small.width).toBeCloseTo(0.04);
  expect(small.x).toBeCloseTo(0.96);
  expect(dragCut(small, 'nw', -9, -9)).toEqual(WHOLE);
});

test('a shape is cut out of the middle as it is seen', () => {
  expect(centerCut(1, 2, 0)).toEqual({ x: 0.25, y: 0, width: 0.5, height: 1 });
  // Seen upright after a turn, a wide shape is a high one in the picture.
  expect(centerCut(2, 1, 90)).toEqual({ x: 0.25, y: 0, width: 0.5, height: 1 });
});

test('what is shown has the size of the crop, turned and then straightened', () => {
  const cut = { x: 0, y: 0, width: 0.5, height: 0.5 };
  const edits = { ...NO_EDITS, cut, angle: 90 } as const;
  expect(getShownSize({ edits, straighten: 0 }, SIZE)).toEqual({ width: 1500, height: 2000 });
  const { width, height } = getShownSize({ edits, straighten: 10 }, SIZE);
  expect(width).toBeLessThan(1500);
  expect(width / height).toBeCloseTo(0.75, 2);
});

test('a filter replaces light and colour and leaves the angle', () => {
  const before = { ...UNADJUSTED, straighten: 3, tint: 20 };
  for (const preset of PRESETS) {
    const after = applyPreset(before, preset);
    expect([after.straighten, after.tint]).toEqual([3, 0]);
    expect(PRESETS.filter((other) => hasPreset(after, other))).toEqual([preset]);
  }
});
