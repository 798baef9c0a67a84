import { expect, test } from 'bun:test';
import {
  countChosen,
  toFilter,
  getMarkerPosition,
  readChosen,
  writeChosen,
  zoomFor,
} from './map-data.ts';

test('what is chosen is in the address, and only what differs', () => {
  const params = new URLSearchParams('at=1,2,3');
  const chosen = readChosen(params);
  expect(countChosen(chosen)).toBe(0);
  expect(toFilter(chosen)).toEqual({ withPartners: true });
  const next = { ...chosen, favorites: true, partners: false, from: '2024-01-02' };
  writeChosen(params, next);
  expect(String(params)).toBe('at=1%2C2%2C3&favorites=1&mine=1&from=2024-01-02');
  expect(readChosen(params)).toEqual(next);
  expect(countChosen(next)).toBe(3);
  expect(toFilter(next)).toEqual({
    isFavorite: true,
    fileCreatedAfter: new Date('2024-01-02T00:00:00').toISOString(),
  });
  expect(readChosen(new URLSearchParams('from=yesterday')).from).toBe('');
});

test('an album in the address is kept, and leaves only the filters that apply to it', () => {
  const params = new URLSearchParams('album=a1&mine=1&archived=1&favorites=1');
  const chosen = readChosen(params);
  expect(countChosen(chosen)).toBe(1);
  expect(toFilter(chosen)).toEqual({ isFavorite: true, albumId: 'a1' });
  writeChosen(params, { ...chosen, favorites: false });
  expect(params.get('album')).toBe('a1');
  expect(toFilter(readChosen(params))).toEqual({ albumId: 'a1' });
});

test('a marker stays inside its cell, so that none covers another', () => {
  const view = { x: 0.5, y: 0.5, zoom: 3 };
  expect(zoomFor(view)).toBe(2);
  const cluster = { cell: '4/8/8', count: 2, id: null, lat: -0.01, lon: 0.01, thumbhash: null };
  const { x, y } = getMarkerPosition(cluster, view);
  const pixels = 256 * 2 ** 3;
  expect((x - 0.5) * pixels).toBeCloseTo(33, 6);
  expect((y - 0.5) * pixels).toBeCloseTo(33, 6);
  const middle = getMarkerPosition({ ...cluster, lat: -11, lon: 11 }, view);
  expect(middle.x).toBeCloseTo(191 / 360, 9);
});
