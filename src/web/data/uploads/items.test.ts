import { expect, test } from 'bun:test';
import { computeTotals, countBytes, getNextBatch, type Item, type Status } from './items.ts';

let nextId = 0;
const item = (status: Status, size: number, sent = 0): Item => ({
  id: nextId++,
  batch: 1,
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

test('each batch is counted for itself, while failed files of earlier ones stay in sight', () => {
  const before = [item('done', 100, 100), item('failed', 50)].map((one) => ({ ...one, batch: 1 }));
  expect(getNextBatch([])).toBe(1);
  expect(getNextBatch(before)).toBe(2);
  const now = [item('done', 10, 10), item('waiting', 30)].map((one) => ({ ...one, batch: 2 }));
  expect(getNextBatch([...before, ...now])).toBe(2);
  expect(computeTotals([...before, ...now])).toMatchObject({
    files: 2,
    settled: 1,
    created: 1,
    failed: 1,
    size: 40,
    part: 0.25,
  });
});

test('files that were refused are not counted among those to try again', () => {
  const refused = { ...item('failed', 1), isRefused: true };
  expect(computeTotals([refused, item('failed', 1)])).toMatchObject({ failed: 2, retryable: 1 });
});
