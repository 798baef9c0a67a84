import { expect, test } from 'bun:test';
import { withinLoopTime } from './loop-deadline.ts';

test('returns what has come, also while the process got no processor for longer than the deadline', async () => {
  const answer = Promise.withResolvers<string>();
  const waiting = withinLoopTime(answer.promise, 300, 'late');
  await Bun.sleep(10);
  const end = performance.now() + 1000;
  while (performance.now() < end);
  setTimeout(() => answer.resolve('answer'), 1);
  expect(await waiting).toBe('answer');
});

test('returns the other value of work that hangs while the process runs', async () => {
  expect(await withinLoopTime(new Promise<string>(() => {}), 300, 'late')).toBe('late');
});

test('rejects as the work does', async () => {
  const failing = withinLoopTime(Promise.reject(new Error('gone')), 300, undefined);
  await expect(failing).rejects.toThrow('gone');
});
