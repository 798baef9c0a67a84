import { expect, test } from 'bun:test';
import { ApiError, isRetryable } from '../../base/api.ts';
import { isWorthSending } from './collect.ts';
import { isFinal } from './retry.ts';
import { listFolders } from './folder-albums.ts';
import { computeTotals, countBytes, type Item, type Status } from './items.ts';

const item = (status: Status, size: number, sent = 0): Item => ({
  id: 1,
  batch: 1,
  name: 'a.jpg',
  status,
  isLive: false,
  size,
  sent,
  error: undefined,
  isRefused: false,
  assetId: undefined,
  folder: '',
  album: undefined,
});

test('the total counts what has settled in full, and what is on the way in part', () => {
  const totals = computeTotals([
    item('done', 100),
    item('duplicate', 100),
    item('restored', 100),
    item('failed', 100),
    item('sending', 100, 50),
    item('waiting', 100),
  ]);
  expect(totals).toEqual({
    files: 6,
    settled: 4,
    created: 1,
    duplicates: 1,
    restored: 1,
    failed: 1,
    retryable: 1,
    size: 600,
    part: 0.75,
  });
});

test('nothing to do is all done', () => {
  expect(computeTotals([]).part).toBe(1);
});

test('a lost connection is tried again, a refusal is not', () => {
  for (const status of [0, 429, 500, 503]) {
    expect(isRetryable(new ApiError(status, ''))).toBe(true);
  }
  for (const status of [-1, 400, 401, 413]) {
    expect(isRetryable(new ApiError(status, ''))).toBe(false);
  }
  expect(isRetryable(new TypeError('x'))).toBe(false);
});

test('after the end of a session a file can be sent again, after a refusal it cannot', () => {
  for (const status of [0, 401, 429, 503]) expect(isFinal(new ApiError(status, ''))).toBe(false);
  for (const status of [-1, 400, 413, 415]) expect(isFinal(new ApiError(status, ''))).toBe(true);
});

test('clutter of a photo folder is left out, photos and unknown kinds are not', () => {
  const file = (name: string, bytes = 'x') =>
    Object.defineProperty(new File([bytes], name), 'webkitRelativePath', {
      value: `Trip/${name}`,
    });
  for (const name of ['.DS_Store', 'Thumbs.db', 'IMG_1.AAE', 'a.jpg.json', '._IMG_1.jpg']) {
    expect(isWorthSending(file(name))).toBe(false);
  }
  for (const name of ['IMG_1.HEIC', 'a.mov', 'x.dng', 'noext']) {
    expect(isWorthSending(file(name))).toBe(true);
  }
  expect(isWorthSending(file('empty.jpg', ''))).toBe(true);
});

test('what was chosen one by one is taken, so that its refusal is told', () => {
  const file = (name: string) =>
    Object.defineProperty(new File([], name), 'webkitRelativePath', { value: '' });
  for (const name of ['notes.txt', 'IMG_1.xmp', 'empty.jpg']) {
    expect(isWorthSending(file(name))).toBe(true);
  }
  expect(isWorthSending(file('.DS_Store'))).toBe(false);
});

test('speed and remaining time count what is sent, not what the library had', () => {
  const items = [
    item('done', 100),
    item('duplicate', 100),
    item('failed', 100),
    item('sending', 100, 40),
    item('waiting', 100),
  ];
  expect(countBytes(items)).toEqual({ sent: 140, left: 160 });
});

test('folders are listed once, without files that go into an album already', () => {
  const inFolder = (folder: string, album?: Item['album']): Item => ({
    ...item('done', 1),
    folder,
    album,
  });
  const album = { id: 'a', albumName: 'Lakes' };
  const items = [
    inFolder(''),
    inFolder('Italy/2023'),
    inFolder('Italy/2023'),
    inFolder('B', album),
  ];
  expect(listFolders(items)).toEqual(['Italy/2023']);
});
