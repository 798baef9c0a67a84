import { expect, test } from 'bun:test';
import { isMeasuring, isOutdated, sumBytes, sumKinds } from './storage-data.ts';

test('the kinds of all accounts and of the server are added up, the largest first, without empty ones', () => {
  const uses = [{ kind: 'photo', files: 2, bytes: 10 } as const];
  const sums = sumKinds({
    server: [
      { kind: 'database', files: 1, bytes: 15 },
      { kind: 'backup', files: 0, bytes: 0 },
    ],
    accounts: [
      { userId: 'a', userName: 'A', uses },
      { userId: 'b', userName: 'B', uses: [...uses, { kind: 'trash', files: 1, bytes: 30 }] },
    ],
  });
  expect(sums).toEqual([
    { kind: 'trash', files: 1, bytes: 30 },
    { kind: 'photo', files: 4, bytes: 20 },
    { kind: 'database', files: 1, bytes: 15 },
  ]);
  expect(sumBytes(sums)).toBe(65);
  expect(sumBytes([])).toBe(0);
});

test('a measurement that began before it was asked for is awaited no longer than the next', () => {
  const [before, asked, after] = [
    '2026-01-01T00:00:00.001Z',
    '2026-01-01T00:00:00.002Z',
    '2026-01-01T00:00:00.003Z',
  ];
  expect(isMeasuring(before, asked)).toBe(true);
  expect(isMeasuring(null, asked)).toBe(true);
  expect(isMeasuring(asked, asked)).toBe(false);
  expect(isMeasuring(after, asked)).toBe(false);
  expect(isMeasuring(null, '')).toBe(false);
});

test('a measurement is made again after some minutes', () => {
  const now = Date.parse('2026-01-01T02:00:00.000Z');
  expect(isOutdated('2026-01-01T01:58:00.000Z', now)).toBe(false);
  expect(isOutdated('2026-01-01T00:30:00.000Z', now)).toBe(true);
  expect(isOutdated(null, now)).toBe(true);
});
