import { expect, test } from 'bun:test';
import { createLimiter } from './limiter.ts';

/** Work that ends when it is told to. */
function createWork() {
  const ended = Promise.withResolvers<void>();
  const work = {
    hasBegun: false,
    end: ended.resolve,
    fail: ended.reject,
    run: () => {
      work.hasBegun = true;
      return ended.promise;
    },
  };
  return work;
}
const createWorks = (count: number) => Array.from({ length: count }, createWork);

test('so many run at once, and the others begin in their order, also after one that failed', async () => {
  const limit = createLimiter(2);
  const works = createWorks(4);
  const runs = works.map((work) => limit(work.run).catch((error: unknown) => error));
  const listBegun = async () => {
    await Bun.sleep(0);
    return works.map(({ hasBegun }) => hasBegun);
  };
  expect(await listBegun()).toEqual([true, true, false, false]);
  works[1]!.fail(new Error('no'));
  expect(await runs[1]).toMatchObject({ message: 'no' });
  expect(await listBegun()).toEqual([true, true, true, false]);
  for (const work of works) work.end();
  await Promise.all(runs);
  expect(await listBegun()).toEqual([true, true, true, true]);
});

test('one that waits for too long is refused with 503, never begins, and takes no slot', async () => {
  const limit = createLimiter(1);
  const [first, late, last] = createWorks(3);
  const running = limit(first!.run);
  const refused = await limit(late!.run, 1).catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  const next = limit(last!.run, 60_000);
  first!.end();
  last!.end();
  await Promise.all([running, next]);
  expect([late!.hasBegun, last!.hasBegun]).toEqual([false, true]);
});
