import { expect, test } from 'bun:test';
import {
  countYears,
  isPlaying,
  type PlayerEvent,
  readGesture,
  reducePlayer,
  START,
} from './player-state.ts';
import { getToday } from '../../data/memories/queries.ts';

const run = (count: number, ...events: PlayerEvent[]) =>
  events.reduce((state, event) => reducePlayer(state, event, count), START);

test('items follow each other; after the last one the player has ended and stands still', () => {
  expect(run(3, 'next').item).toBe(1);
  const end = run(3, 'next', 'next', 'next');
  expect(end).toMatchObject({ item: 2, isEnded: true });
  expect(isPlaying(end)).toBe(false);
});

test('going back begins the item before, and the first one anew', () => {
  expect(run(3, 'next', 'next', 'previous').item).toBe(1);
  const again = run(3, 'previous');
  expect([again.item, again.turn]).toEqual([0, 1]);
  expect(run(3, 'next', 'next', 'next', 'previous')).toMatchObject({ item: 1, isEnded: false });
});

test('pausing after the end plays from the start', () => {
  expect(run(2, 'next', 'next', 'toggle')).toMatchObject({
    item: 0,
    isEnded: false,
    isPaused: false,
  });
  expect(isPlaying(run(2, 'toggle'))).toBe(false);
  expect(isPlaying(run(2, 'toggle', 'toggle'))).toBe(true);
});

test('holding stops the player until it is released, unless it was paused before', () => {
  expect(isPlaying(run(2, 'hold'))).toBe(false);
  expect(isPlaying(run(2, 'hold', 'release'))).toBe(true);
  expect(isPlaying(run(2, 'pause', 'hold', 'release'))).toBe(false);
});

test('an item beyond the end, since pictures were removed, counts as the last one', () => {
  const last = run(3, 'next', 'next');
  expect(reducePlayer(last, 'previous', 2).item).toBe(0);
  expect(reducePlayer(last, 'next', 2).isEnded).toBe(true);
});

test.each([
  ['a tap at the left', { at: 0.2 }, 'previous'],
  ['a tap elsewhere', { at: 0.5 }, 'next'],
  ['a long press', { at: 0.5, isLong: true }, undefined],
  ['a swipe to the left', { dx: -80, dy: 20, at: 0.1 }, 'next'],
  ['a slow swipe to the right', { dx: 80, at: 0.9, isLong: true }, 'previous'],
  ['a swipe down', { dx: 20, dy: 120 }, 'close'],
  ['a movement too small for a swipe', { dx: 30 }, undefined],
] as const)('%s is understood', (_, values, wanted) => {
  expect(readGesture({ dx: 0, dy: 0, isLong: false, at: 0.5, ...values })).toBe(wanted);
});

test('years are those of the calendar where the picture was taken', () => {
  expect(countYears('2019-12-31T23:59:00.000Z', new Date(2026, 0, 1))).toBe(7);
});

test('today is a date of the calendar of the viewer', () => {
  expect(getToday(new Date(2026, 2, 5, 0, 30))).toBe('2026-03-05');
});
