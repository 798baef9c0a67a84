import { expect, test } from 'bun:test';
import { findCurrent, toEntries, findNearestFrame } from './entries.ts';
import type { Moments } from '../../data/moments/moment-data.ts';

const frame = (id: string, timeMs: number) => ({
  id,
  timeMs,
  rank: 1,
  score: 1,
  isOutdated: false,
});
const moment = (id: string, over: object) => ({
  id,
  kind: 'generated',
  startMs: 0,
  endMs: 0,
  title: null,
  caption: null,
  frameId: null,
  isOutdated: false,
  ...over,
});
const video = (frames: object[], moments: object[]) => ({ frames, moments }) as unknown as Moments;

test('moments and the frames that none is about, in the order of the film', () => {
  const entries = toEntries(
    video(
      [frame('f1', 1500), frame('f2', 500), frame('f3', 2500)],
      [
        moment('m1', { startMs: 1000, frameId: 'f1', caption: 'A dog' }),
        moment('m2', { kind: 'manual', startMs: 2000, frameId: 'f1', title: 'The ball' }),
      ],
    ),
  );
  expect(entries.map(({ key, timeMs, text }) => [key, timeMs, text])).toEqual([
    ['f2', 500, ''],
    ['m1', 1500, 'A dog'],
    ['m2', 2000, 'The ball'],
    ['f3', 2500, ''],
  ]);
  expect(entries.map(({ manual }) => manual?.id)).toEqual([undefined, undefined, 'm2', undefined]);
});

test('the current one is the last that has begun, or the pressed one of two', () => {
  const entries = toEntries(
    video(
      [frame('f1', 0), frame('f2', 1000)],
      [moment('m1', { kind: 'manual', startMs: 1000, title: 'x' })],
    ),
  );
  const keyAt = (timeMs: number, pressed?: string) => findCurrent(entries, timeMs, pressed)?.key;
  expect(keyAt(0)).toBe('f1');
  expect(keyAt(800)).toBe('f1');
  expect(keyAt(900)).toBe('m1');
  expect(keyAt(1000, 'f2')).toBe('f2');
  expect(keyAt(1000, 'f1')).toBe('m1');
  expect(findCurrent([], 0, undefined)).toBeUndefined();
});

test('the picture of a time is the nearest one', () => {
  const film = video([frame('f1', 0), frame('f2', 1000)], []);
  expect([0, 499, 501, 9000].map((at) => findNearestFrame(film, at))).toEqual([
    'f1',
    'f1',
    'f2',
    'f2',
  ]);
  expect(findNearestFrame(video([], []), 0)).toBeUndefined();
});
