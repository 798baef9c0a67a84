import { expect, test } from 'bun:test';
import {
  toBbox,
  fitView,
  minZoom,
  readView,
  scaleBar,
  clampView,
  toDegrees,
  toScreen,
  toWorld,
  writeView,
  zoomViewAt,
} from './projection.ts';

const size = { width: 1000, height: 600 };

test('degrees become world and come back; the poles are at the edge', () => {
  for (const place of [
    { lat: 0, lon: 0 },
    { lat: 48.8566, lon: 2.3522 },
    { lat: -33.9, lon: -179.5 },
  ]) {
    const back = toDegrees(toWorld(place));
    expect(back.lat).toBeCloseTo(place.lat, 9);
    expect(back.lon).toBeCloseTo(place.lon, 9);
  }
  expect(toWorld({ lat: 90, lon: 0 }).y).toBeCloseTo(0, 9);
  expect(toWorld({ lat: -90, lon: 0 }).y).toBeCloseTo(1, 9);
});

test('the place under the pointer stays there while zooming', () => {
  const view = { x: 0.5, y: 0.4, zoom: 5 };
  const before = { x: 0.51, y: 0.405 };
  const at = toScreen(before, view, size);
  const next = zoomViewAt(view, 1.7, at.left - 500, at.top - 300, size);
  const after = toScreen(before, next, size);
  expect(after.left).toBeCloseTo(at.left, 6);
  expect(after.top).toBeCloseTo(at.top, 6);
});

test('the view keeps on the world, and goes around it', () => {
  expect(clampView({ x: 1.25, y: 0, zoom: 30 }, size)).toMatchObject({ x: 0.25, zoom: 19 });
  const whole = clampView({ x: -0.1, y: 0, zoom: 0 }, size);
  expect(whole.x).toBeCloseTo(0.9, 9);
  expect(whole.zoom).toBe(minZoom(size));
  expect(whole.y).toBeCloseTo(0.3, 9);
  const seen = toScreen({ x: 0.99, y: 0.5 }, { x: 0.01, y: 0.5, zoom: 4 }, size);
  expect(seen.left).toBeCloseTo(500 - 0.02 * 4096, 6);
});

test('the box crosses the date line, and is the world where all of it is seen', () => {
  const [west, , east] = toBbox({ x: 0.999, y: 0.5, zoom: 8 }, size).split(',').map(Number);
  expect(west!).toBeGreaterThan(170);
  expect(east!).toBeLessThan(-170);
  expect(toBbox({ x: 0.3, y: 0.5, zoom: 1 }, size)).toBe(
    '-180.000000,-90.000000,180.000000,90.000000',
  );
});

test('all places are fitted the short way around the world', () => {
  const view = fitView(
    [
      { lat: -17, lon: 178 },
      { lat: -14, lon: -172 },
    ],
    size,
  );
  expect(toDegrees(view).lon).toBeCloseTo(-177, 6);
  expect(view.zoom).toBeGreaterThan(4);
  expect(fitView([{ lat: 1, lon: 2 }], size).zoom).toBe(12);
  expect(fitView([], size).zoom).toBe(minZoom(size));
});

test('an address holds a view, and nonsense is none', () => {
  const view = { ...toWorld({ lat: 48.8566, lon: 2.3522 }), zoom: 12.3 };
  const back = readView(writeView(view))!;
  expect(toDegrees(back).lat).toBeCloseTo(48.8566, 4);
  expect(back.zoom).toBe(12.3);
  for (const text of [null, '', 'a,b,c', '1,2']) expect(readView(text)).toBeUndefined();
});

test('the scale is a round length', () => {
  expect(scaleBar({ x: 0.5, y: 0.5, zoom: 3 }).label).toBe('2000 km');
  expect(scaleBar({ x: 0.5, y: 0.5, zoom: 17 }).label).toBe('100 m');
});
