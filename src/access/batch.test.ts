import { expect, test } from 'bun:test';
import type { Db } from '../db/client.ts';
import { shareReads } from './batch.ts';

const pool = () => ({ db: {} as Db, sql: (() => {}) as never });

test('requests that come while a read runs share the next one, which begins after them', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const read = shareReads(async () => {
    const number = runs.push(Promise.withResolvers());
    await runs[number - 1]!.promise;
    return number;
  });
  const reader = pool();
  const first = [read(reader), read(reader)];
  await Bun.sleep(1);
  const second = [read(reader), read(reader), read(reader)];
  expect(runs).toHaveLength(1);
  runs[0]!.resolve();
  expect(await Promise.all(first)).toEqual([1, 1]);
  await Bun.sleep(1);
  runs[1]!.resolve();
  expect(await Promise.all(second)).toEqual([2, 2, 2]);
  expect(runs).toHaveLength(2);
});

test('requests of another database share nothing; a failure reaches those who share it alone', async () => {
  let runs = 0;
  const read = shareReads(async () => {
    runs += 1;
    if (runs === 3) throw new Error('lost');
    return runs;
  });
  const [one, other] = [pool(), pool()];
  expect(new Set(await Promise.all([read(one), read(other)]))).toEqual(new Set([1, 2]));
  const failed = await Promise.allSettled([read(one), read(one)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await read(one)).toBe(4);
});
