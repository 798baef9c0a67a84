import { expect, test } from 'bun:test';
import { computeTotals, countBytes, type Item, type Status } from './items.ts';

let nextId = 0;
const item = (status: Status, size: number, sent = 0): Item => ({
  id: nextId++,
  name: `${nextId}.jpg`,
  size,
  isLive: false,
  status,
  sent,
  error: undefined,
  isRefused: false,
  assetId: undefined,
  folder: '',
  album: undefined,
});

const ITEMS = [
  item('done', 100, 100),
  // The library has these: nothing of them was sent.
  item('duplicate', 1000),
  item('restored', 2000),
  item('failed', 400, 50),
  item('sending', 80, 20),
  item('retrying', 40, 10),
  item('waiting', 60),
];

test('bytes of files that the library had, or that failed, are neither sent nor left', () => {
  expect(countBytes(ITEMS)).toEqual({ sent: 100 + 20 + 10, left: 60 + 30 + 60 });
});

test('the share of what is through counts every file that is settled as whole', () => {
  const { part, ...totals } = computeTotals(ITEMS);
  expect(totals).toEqual({
    files: 7,
    settled: 4,
    created: 1,
    duplicates: 1,
    restored: 1,
    failed: 1,
    retryable: 1,
    size: 3680,
  });
  expect(part).toBeCloseTo((100 + 1000 + 2000 + 400 + 20 + 10) / 3680);
});

test('nothing to send, or only empty files, is all through', () => {
  expect(computeTotals([])).toMatchObject({ files: 0, size: 0, part: 1 });
  expect(computeTotals([item('waiting', 0)])).toMatchObject({ files: 1, settled: 0, part: 1 });
  expect(countBytes([])).toEqual({ sent: 0, left: 0 });
});
