import { expect, test } from 'bun:test';
import { ApiError } from '../../base/api.ts';
import { endAllPauses, isFinal, sleep } from './retry.ts';

test.each([0, 401, 429, 500, 502, 503, 507])('%p may succeed when it is tried again', (status) => {
  expect(isFinal(new ApiError(status, 'No'))).toBe(false);
});

test.each([400, 403, 404, 413, 415])('%p is final', (status) => {
  expect(isFinal(new ApiError(status, 'No'))).toBe(true);
});

test('a request that another one is in the way of is tried again', () => {
  expect(isFinal(new ApiError(409, 'No', {}, 'concurrent_request'))).toBe(false);
  expect(isFinal(new ApiError(409, 'No', {}, 'stale_revision'))).toBe(true);
});

test('a fault of the page itself is final', () => {
  expect(isFinal(new TypeError('x is not a function'))).toBe(true);
});

test('a pause ends by itself, or all of them at once', async () => {
  await sleep(1);
  let woken = 0;
  const pauses = [sleep(600_000), sleep(600_000)].map((pause) => pause.then(() => woken++));
  endAllPauses();
  await Promise.all(pauses);
  expect(woken).toBe(2);
});
