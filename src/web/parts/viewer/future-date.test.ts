import { expect, test } from 'bun:test';
import type { Asset } from '../../data/types.ts';
import { findFutureDate } from './future-date.ts';

const UPLOAD = '2026-01-02T03:04:05.000Z';
const find = (fileCreatedAt: string, dateTimeOriginal: string | null) =>
  findFutureDate({
    createdAt: UPLOAD,
    fileCreatedAt,
    exifInfo: { dateTimeOriginal } as NonNullable<Asset['exifInfo']>,
  })?.toISOString();

test('a date in the future marks an asset that is sorted by its upload', () => {
  expect(find(UPLOAD, '2031-02-03T04:05:06+00:00')).toBe('2031-02-03T04:05:06.000Z');
});

test('other dates mark nothing', () => {
  // Set by the owner.
  expect(find('2031-02-03T04:05:06.000Z', '2031-02-03T04:05:06+00:00')).toBeUndefined();
  // Taken at the upload, as far as clocks agree.
  expect(find(UPLOAD, '2026-01-02T17:00:00+00:00')).toBeUndefined();
  expect(find('2013-02-03T04:05:06.000Z', '2013-02-03T04:05:06+00:00')).toBeUndefined();
  expect(find(UPLOAD, null)).toBeUndefined();
  const guest = { createdAt: UPLOAD, fileCreatedAt: UPLOAD, exifInfo: undefined };
  expect(findFutureDate(guest as never)).toBeUndefined();
});
