import { expect, test } from 'bun:test';
import type { AnyJob } from './define.ts';
import { createSlots } from './slots.ts';

const job = (name: string, queue: AnyJob['queue'], ownSlots?: number): AnyJob => ({
  name,
  queue,
  lane: 'background',
  attempts: 1,
  parse: (payload) => payload,
  ...(ownSlots !== undefined && { ownSlots }),
});
const jobs = [
  job('advance', 'workflow'),
  job('fold', 'backgroundTask'),
  job('webhook', 'workflow', 3),
];

test('jobs with slots of their own take none of the others, and none of their queue', () => {
  const slots = createSlots(jobs, 2);
  slots.setLimits({ workflow: 1 });
  expect(slots.countAll()).toBe(5);
  for (let number = 0; number < 3; number++) slots.take('webhook');
  expect([slots.isOpen('webhook'), slots.isOpen('advance'), slots.isOpen('fold')]).toEqual([
    false,
    true,
    true,
  ]);
  slots.take('advance');
  expect([slots.isOpen('advance'), slots.isOpen('fold')]).toEqual([false, true]);
  slots.take('fold');
  slots.free('webhook');
  expect([slots.isOpen('webhook'), slots.isOpen('fold')]).toEqual([true, false]);
  expect(slots.countTaken()).toBe(4);
});

test('all jobs together have no more slots than the highest limit', () => {
  const slots = createSlots(jobs, 2);
  slots.take('advance');
  slots.take('fold');
  expect([slots.isOpen('advance'), slots.isOpen('fold')]).toEqual([false, false]);
  slots.setLimits({ backgroundTask: 4 });
  expect([slots.isOpen('advance'), slots.isOpen('fold')]).toEqual([true, true]);
});
