import { expect, test } from 'bun:test';
import { rational } from '../../core/rational.ts';
import type { VideoIndex } from '../../media/frame-times.ts';
import { findSegment, listSegments } from './segments.ts';

/** An index in milliseconds. */
function createIndex(times: readonly number[], keyTimes: readonly number[]): VideoIndex {
  const keys = Float64Array.from(keyTimes);
  return {
    video: { index: 0 } as VideoIndex['video'],
    format: 'mov,mp4',
    timeBase: rational(1n, 1000n),
    startSeconds: 0,
    times: Float64Array.from(times),
    keyTimes: keys,
    keyDecodeTimes: keys,
    cuts: [],
    isTimed: true,
  };
}

const every = (ms: number, seconds: number) =>
  Array.from({ length: Math.ceil((seconds * 1000) / ms) }, (_, frame) => frame * ms);
const toStarts = (index: VideoIndex) => listSegments(index).map(({ start }) => start);

test('segments begin at key frames where they are near, and never between frames', () => {
  const times = every(40, 10);
  expect(toStarts(createIndex(times, [0]))).toEqual([0, 1, 3, 5, 7, 9]);
  expect(toStarts(createIndex(times, [0, 1200, 2400, 3600, 4800, 6000, 7200]))).toEqual([
    0, 1.2, 3.6, 6, 8,
  ]);
  expect(toStarts(createIndex(every(800, 10), [0]))).toEqual([0, 1.6, 4, 6.4, 8.8]);
  expect(toStarts(createIndex([0, 9000], [0, 9000]))).toEqual([0, 9]);
  expect(toStarts(createIndex([5], [5]))).toEqual([0.005]);
});

test('a segment that begins at a key frame is sought there, another one at its own frame', () => {
  const [first, second, third] = listSegments(createIndex(every(40, 5), [0, 1200]));
  expect(first!.seekSeconds).toBeWithin(0, 0.001);
  expect(second!.seekSeconds).toBeWithin(1.2, 1.201);
  expect(third!.seekSeconds).toBeWithin(3.2, 3.201);
});

test('a video of a day has no more segments than the arguments of ffmpeg hold', () => {
  const segments = listSegments(createIndex(every(1000, 86_400), every(2000, 86_400)));
  expect(segments.length).toBeWithin(6000, 7300);
  const keys = segments.map(({ start }) => start.toFixed(6)).join(',');
  expect(keys.length).toBeLessThan(128 * 1024);
  expect(findSegment(segments, 86_399)).toBe(segments.length - 1);
});
