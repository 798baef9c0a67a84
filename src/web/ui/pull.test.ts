import { expect, test } from 'bun:test';
import { isArmed, isDownwards, toDistance } from './pull.ts';

const START = { x: 100, y: 100 };
const to = (x: number, y: number) => isDownwards(START, { x: 100 + x, y: 100 + y });

test('a finger has no direction before it has moved by some pixels', () => {
  expect(to(0, 9)).toBeUndefined();
  expect(to(-6, 6)).toBeUndefined();
});

test('only a finger that goes rather straight down pulls', () => {
  expect(to(0, 10)).toBe(true);
  expect(to(-8, 13)).toBe(true);
  expect(to(12, 12)).toBe(false);
  expect(to(-30, 2)).toBe(false);
  expect(to(0, -20)).toBe(false);
});

test('the content follows at a distance that has an end, and never goes up', () => {
  expect([-50, 0, 10, 50, 110, 1000].map(toDistance)).toEqual([0, 0, 0, 20, 50, 84]);
});

test('letting go refreshes only when the content was pulled far enough', () => {
  expect([0, 55, 56, 84].map(isArmed)).toEqual([false, false, true, true]);
});
