import { expect, test } from 'bun:test';
import { clip, film, seconds } from '../../../../test/support/edited-films.ts';
import { toSeconds, ZERO } from '../../../core/rational.ts';
import { listSnapTimes, snap, snapSpan } from './snap.ts';

const FILM = film(clip('a', 0, 2), clip('b', 4, 2), clip('c', 10, 2));
/** At this zoom an edge is caught from 0.08 s away. */
const ZOOM = 100;
const movement = { film: FILM, times: listSnapTimes(FILM, seconds(8)), id: 'c', zoom: ZOOM };

test('the start of a film, the playhead and the edges of all clips catch', () => {
  const caught = listSnapTimes(FILM, seconds(8)).map(({ time }) => toSeconds(time));
  expect(caught).toEqual([0, 8, 0, 2, 4, 6, 10, 12]);
});

test('the nearest edge within reach is taken, and otherwise the nearest frame', () => {
  expect(toSeconds(snap(2.07, movement))).toBe(2);
  expect(toSeconds(snap(3.95, movement))).toBe(4);
  expect(toSeconds(snap(7.93, movement))).toBe(8);
  expect(toSeconds(snap(2.095, movement))).toBeCloseTo(63 / 30);
  expect(toSeconds(snap(2.07, { ...movement, zoom: 10 * ZOOM }))).toBeCloseTo(62 / 30);
});

test('a clip is not caught by its own edges', () => {
  expect(toSeconds(snap(10.05, movement))).toBeCloseTo(302 / 30);
  expect(toSeconds(snap(10.05, { ...movement, id: 'a' }))).toBe(10);
});

test('of something long its start is caught first, then its end', () => {
  expect(toSeconds(snapSpan(2.05, 2.02, movement))).toBe(2);
  // Its end at 3.96 is caught by 4, to the nearest frame.
  expect(toSeconds(snapSpan(2.46, 1.5, movement))).toBe(2.5);
  expect(toSeconds(snapSpan(0.5, 1, movement))).toBe(0.5);
  expect(snapSpan(0.01, 1, movement)).toEqual(ZERO);
});
