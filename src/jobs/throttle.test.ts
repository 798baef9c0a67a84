import { expect, test } from 'bun:test';
import { runThrottled } from './throttle.ts';

const createContext = (signal: AbortSignal, restartTimeLimit: () => unknown = () => {}) => ({
  signal,
  restartTimeLimit: () => void restartTimeLimit(),
});
const never = createContext(new AbortController().signal);

test('throttled jobs alternate step by step, and an error ends only its own job', async () => {
  const log: string[] = [];
  let busy = 0;
  const steps = (name: string, count: number, end: () => unknown = () => false) => {
    let n = 0;
    return async () => {
      expect(++busy).toBe(1);
      await Bun.sleep(1);
      busy -= 1;
      if (n++ === count) return end();
      log.push(name);
      return true;
    };
  };
  const broken = runThrottled(
    never,
    steps('b', 1, () => {
      throw new Error('bad day');
    }),
  );
  const works = [runThrottled(never, steps('a', 3)), runThrottled(never, steps('c', 2))];
  await expect(broken).rejects.toThrow('bad day');
  await Promise.all(works);
  expect(log).toEqual(['b', 'a', 'c', 'a', 'c', 'a']);
});

test('a job that is aborted while it waits takes no further step', async () => {
  const stop = new AbortController();
  const going = Promise.withResolvers<boolean>();
  const first = runThrottled(never, () => going.promise);
  let steps = 0;
  const second = runThrottled(createContext(stop.signal), async () => ++steps);
  stop.abort(new Error('stopping'));
  going.resolve(false);
  await expect(second).rejects.toThrow('stopping');
  await first;
  expect(steps).toBe(0);
});

test('each step restarts the time limit', async () => {
  let [restarts, steps] = [0, 0];
  const context = createContext(new AbortController().signal, () => restarts++);
  await runThrottled(context, async () => ++steps < 3);
  expect(restarts).toBe(3);
});
