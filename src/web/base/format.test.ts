import { expect, test } from 'bun:test';
import {
  formatBytes,
  formatDateRange,
  formatDuration,
  formatExposure,
  formatMonth,
  formatPartOfBytes,
  wallClock,
} from './format.ts';

test('bytes in the unit that reads best', () => {
  expect([0, 999, 1000, 1_550_000, 99_960_000, 123_400_000, 2e9, 3e15].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.0 KB',
    '1.6 MB',
    '100.0 MB',
    '123 MB',
    '2.0 GB',
    '3000 TB',
  ]);
});

test('a part of a size in the unit of the whole', () => {
  const parts = [0, 20_000_000, 400_000_000, 5e9].map((bytes) => formatPartOfBytes(bytes, 5e9));
  expect(parts).toEqual(['0.0 GB', '< 0.1 GB', '0.4 GB', '5.0 GB']);
  expect(formatPartOfBytes(3, 500)).toBe('3 B');
});

test('durations as players show them', () => {
  expect([0, 7400, 750_000, 3_723_000].map(formatDuration)).toEqual([
    '0:00',
    '0:07',
    '12:30',
    '1:02:03',
  ]);
});

test('a month is the same month in every time zone of the reader', () => {
  expect(formatMonth('2024-07-01')).toBe(formatMonth('2024-07-31T23:59:59.000Z'));
  expect(formatMonth('2024-07-01')).toContain('2024');
});

test('the wall clock of the place is kept, half hours too', () => {
  expect(wallClock('2024-07-14T10:00:00.000Z', 5.5).toISOString()).toBe('2024-07-14T15:30:00.000Z');
});

test('exposure names only what is known', () => {
  expect(formatExposure({ fNumber: 1.79, exposureTime: '1/120', focalLength: 5.7, iso: 64 })).toBe(
    'ƒ/1.8 · 1/120 s · 5.7 mm · ISO 64',
  );
  expect(formatExposure({ iso: 100, fNumber: null })).toBe('ISO 100');
  expect(formatExposure({})).toBe('');
});

test('one month is no range', () => {
  const [july, june] = ['2024-07-02T10:00:00.000Z', '2023-06-02T10:00:00.000Z'];
  expect(formatDateRange(july, july)).toBe(formatMonth(july, 'short'));
  expect(formatDateRange(june, july)).toContain(' – ');
  expect(formatDateRange(undefined, july)).toBe('');
});
