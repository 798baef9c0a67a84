import { afterEach, beforeEach, expect, test } from 'bun:test';
import { QueryObserver } from '@tanstack/react-query';
import { startFakeClock } from '../../../test/support/fake-clock.ts';
import { coalesce } from './coalesce.ts';
import { invalidate, invalidateSoon, mutate, queryClient, updateData } from './query-client.ts';

// Data that events make out of date, by a clock of the test.

let clock: ReturnType<typeof startFakeClock>;
beforeEach(() => void (clock = startFakeClock()));
afterEach(() => {
  clock.end();
  queryClient.clear();
});

let nextKey = 0;
/** Shows data that takes `answerMs` to be fetched, and notes when it was asked for. */
async function show(answerMs: number) {
  const queryKey = ['events', String(nextKey++)];
  const begun = performance.now();
  const asked: number[] = [];
  const server = { value: 'first' };
  const observer = new QueryObserver(queryClient, {
    queryKey,
    queryFn: async () => {
      const { value } = server;
      asked.push(Math.round(performance.now() - begun));
      await new Promise((resolve) => setTimeout(resolve, answerMs));
      return value;
    },
  });
  const hide = observer.subscribe(() => {});
  await clock.advance(answerMs + 10);
  asked.length = 0;
  return { queryKey, asked, server, hide, shown: () => queryClient.getQueryData<string>(queryKey) };
}

const least = (times: readonly number[]): number =>
  Math.min(...times.slice(1).map((time, index) => time - times[index]!));

test('a stream of events asks at most once a second, and once after the last', async () => {
  const { queryKey, asked, server, hide, shown } = await show(50);
  for (let event = 0; event < 100; event++) {
    server.value = `event ${event}`;
    invalidateSoon(queryKey);
    await clock.advance(100);
  }
  await clock.advance(3000);
  expect(least(asked)).toBeGreaterThanOrEqual(1000);
  expect(asked.length).toBeGreaterThanOrEqual(9);
  expect(asked.length).toBeLessThanOrEqual(12);
  expect(shown()).toBe('event 99');
  hide();
});

test('the first event after a rest is answered within a moment', async () => {
  const { queryKey, asked, hide } = await show(50);
  await clock.advance(5000);
  invalidateSoon(queryKey);
  await clock.advance(300);
  expect(asked).toHaveLength(1);
  hide();
});

test('a fetch that is under way is used, and one more follows it', async () => {
  const { queryKey, asked, server, hide, shown } = await show(3000);
  const seen: unknown[] = [];
  const stop = queryClient.getQueryCache().subscribe(() => seen.push(shown()));
  server.value = 'second';
  invalidateSoon(queryKey);
  await clock.advance(500);
  server.value = 'third';
  for (let event = 0; event < 10; event++) {
    invalidateSoon(queryKey);
    await clock.advance(100);
  }
  expect(asked).toHaveLength(1);
  await clock.advance(2000);
  // The answer to the first is shown: it was not given up.
  expect(shown()).toBe('second');
  await clock.advance(4000);
  expect([asked.length, shown()]).toEqual([2, 'third']);
  expect(seen).toContain('second');
  stop();
  hide();
});

test('a fetch that something else has begun before the event is used, and one more follows it', async () => {
  const { queryKey, asked, server, hide, shown } = await show(3000);
  const other = queryClient.refetchQueries({ queryKey });
  await clock.advance(100);
  server.value = 'second';
  invalidateSoon(queryKey);
  await clock.advance(2950);
  await other;
  expect([asked.length, shown()]).toEqual([2, 'first']);
  await clock.advance(3100);
  expect([asked.length, shown()]).toEqual([2, 'second']);
  hide();
});

test('what nobody looks at is marked, and fetched when it is shown', async () => {
  const { queryKey, asked, server, hide, shown } = await show(50);
  hide();
  server.value = 'second';
  invalidateSoon(queryKey);
  await clock.advance(2000);
  expect([asked.length, shown()]).toEqual([0, 'first']);
  expect(queryClient.getQueryState(queryKey)?.isInvalidated).toBe(true);
});

test('a change of the person does not wait for the pace of events', async () => {
  const { queryKey, asked, server, hide, shown } = await show(50);
  invalidateSoon(queryKey);
  await clock.advance(300);
  server.value = 'second';
  const fresh = invalidate([queryKey]);
  await clock.advance(100);
  await fresh;
  expect([asked.length, shown()]).toEqual([2, 'second']);
  hide();
});

test('an event does not undo a change that is on the screen and not yet answered', async () => {
  const { queryKey, asked, hide, shown } = await show(50);
  const answer = Promise.withResolvers<void>();
  const change = mutate(() => answer.promise, {
    invalidates: [queryKey],
    apply: () => updateData<string>(queryKey, () => 'changed'),
  });
  await clock.advance(10);
  invalidateSoon(queryKey);
  await clock.advance(2000);
  expect([asked.length, shown()]).toEqual([0, 'changed']);
  answer.resolve();
  await clock.advance(100);
  await change;
  expect([asked.length, shown()]).toEqual([1, 'first']);
  hide();
});

test('runs that are paced begin at once after a rest, and keep their distance in a stream', async () => {
  const times: number[] = [];
  const begun = performance.now();
  const run = coalesce(async () => void times.push(performance.now() - begun), {
    waitMs: 0,
    everyMs: 1000,
  });
  for (let call = 0; call < 25; call++) {
    run();
    await clock.advance(100);
  }
  await clock.advance(2000);
  expect(times[0]).toBeLessThanOrEqual(10);
  expect(least(times)).toBeGreaterThanOrEqual(1000);
  expect(times).toHaveLength(4);
});
