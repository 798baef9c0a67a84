import { expect, test } from 'bun:test';
import { findDateInFolder, findDateInName, findDateOfNeighbours } from './dates.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const inName = (name: string, zone: string | null = null) => {
  const found = findDateInName(name, zone, NOW);
  return found && `${found.day} ${found.time}`;
};

test('names of cameras, messengers and screenshots have dates', () => {
  expect(inName('IMG_20190812_101530.jpg')).toBe('2019-08-12 10:15:30');
  expect(inName('IMG-20190812-WA0001.jpg')).toBe('2019-08-12 12:00:00');
  expect(inName('IMG_20190812.jpg')).toBe('2019-08-12 12:00:00');
  expect(inName('Screenshot 2019-08-12 at 3.04.05 PM.png')).toBe('2019-08-12 15:04:05');
  expect(inName('scan_2019_08_12.tif')).toBe('2019-08-12 12:00:00');
  expect(inName('Oma 12.08.2019.jpg')).toBe('2019-08-12 12:00:00');
  expect(inName('PXL_20190812_221530123.jpg', 'Europe/Berlin')).toBe('2019-08-13 00:15:30');
});

test('numbers that are no dates, and dates that cannot be, propose nothing', () => {
  for (const name of ['IMG_1234.jpg', 'a20190812345.jpg', '20191399.jpg', '20300101.jpg', '']) {
    expect(inName(name)).toBeUndefined();
  }
});

test('the nearest folder with a date counts', () => {
  expect(findDateInFolder('/photos/2018-01-01 Trip/2019-08-12', NOW)?.day).toBe('2019-08-12');
  expect(findDateInFolder('/photos/2018-01-01 Trip/day one', NOW)?.day).toBe('2018-01-01');
  expect(findDateInFolder('/photos/2019', NOW)).toBeUndefined();
});

test('neighbours count when at least two are of one day', () => {
  const at = (local: string) => ({ local, timeZone: null });
  const day = [at('2019-08-12T10:00:00'), at('2019-08-12T18:00:00')];
  expect(findDateOfNeighbours(day)).toEqual({ day: '2019-08-12', time: '10:00:00' });
  expect(findDateOfNeighbours(day.slice(1))).toBeUndefined();
  expect(findDateOfNeighbours([...day, at('2019-08-13T01:00:00')])).toBeUndefined();
});
