import { expect, test } from 'bun:test';
import { FIT, MAX_SCALE, panBy, zoomAt } from './pan-zoom.ts';

test('zooming keeps the point under the pointer where it is', () => {
  const corner = { x: 0.5, y: -0.5 };
  expect(zoomAt(FIT, 2, corner)).toEqual({ scale: 2, x: -0.5, y: 0.5 });
  // The picture point at 0.25 is seen at 0.25 · 2 - 0.25, where it was.
  expect(zoomAt(FIT, 2, { x: 0.25, y: 0 })).toEqual({ scale: 2, x: -0.25, y: 0 });
});

test('zooming out again ends at the whole picture', () => {
  const near = zoomAt(FIT, 100, { x: 0.4, y: 0.4 });
  expect(near.scale).toBe(MAX_SCALE);
  expect(zoomAt(near, 0.001, { x: -0.5, y: 0.1 })).toEqual(FIT);
});

test('the picture cannot be moved out of its pane', () => {
  expect(panBy(FIT, 0.3, -0.3)).toEqual(FIT);
  expect(panBy({ scale: 3, x: 0, y: 0 }, 5, -0.25)).toEqual({ scale: 3, x: 1, y: -0.25 });
});
