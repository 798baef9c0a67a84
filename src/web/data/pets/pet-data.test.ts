import { expect, test } from 'bun:test';
import { getName, getCropWindow } from './pet-data.ts';

const box = (x1: number, y1: number, x2: number, y2: number) => ({ x1, y1, x2, y2 });

test('the window is a square around the animal, and never beyond the picture', () => {
  // 2:1, an animal in the middle: half as high as the picture, with some room.
  const middle = getCropWindow({ ratio: 2, box: box(0.4, 0.3, 0.6, 0.7) });
  expect(middle.width).toBeCloseTo(4, 9);
  expect(middle.left).toBeCloseTo(-1.5, 9);
  expect(middle.top).toBeCloseTo(-0.5, 9);
  const corner = getCropWindow({ ratio: 1, box: box(0, 0, 0.4, 0.4) });
  expect(corner).toMatchObject({ width: 2 });
  expect(Math.abs(corner.left)).toBe(0);
  // As large as it gets.
  const all = getCropWindow({ ratio: 1.5, box: box(0, 0, 1, 1) });
  expect(all.width).toBeCloseTo(1.5, 9);
  expect(all.left).toBeCloseTo(-0.25, 9);
});

test('without a name it is all of a species', () => {
  const pet = { id: '', name: '', isConfirmed: false, assetCount: 1, cover: null };
  expect(getName({ ...pet, species: 'dog' })).toBe('Dogs');
  expect(getName({ ...pet, species: 'other' })).toBe('Other animals');
  expect(getName({ ...pet, species: 'cat', name: 'Tom' })).toBe('Tom');
});
