import { expect, test } from 'bun:test';
import { readVideo } from './use-video.ts';

type Video = Parameters<typeof readVideo>[0];

const ranges = (...list: readonly (readonly [number, number])[]) => ({
  length: list.length,
  start: (at: number) => list[at]![0],
  end: (at: number) => list[at]![1],
});

const VIDEO: Video = {
  paused: false,
  ended: false,
  seeking: false,
  readyState: 4,
  networkState: 1,
  error: null,
  currentTime: 5,
  duration: 200,
  volume: 0.5,
  muted: false,
  playbackRate: 1,
  buffered: ranges([0, 2], [4, 9]),
};
const read = (changed: Partial<Video>, isFullscreen = false) =>
  readVideo({ ...VIDEO, ...changed }, isFullscreen);

test('a video that plays tells its times, its sound and its speed', () => {
  expect(read({}, true)).toEqual({
    isPlaying: true,
    hasEnded: false,
    isWaiting: false,
    hasFailed: false,
    position: 5,
    duration: 200,
    buffered: 9,
    volume: 0.5,
    isMuted: false,
    rate: 1,
    isFullscreen: true,
  });
});

test('it waits while what is to be seen has not come', () => {
  expect(read({ readyState: 2 }).isWaiting).toBe(true);
  expect(read({ readyState: 1, paused: true }).isWaiting).toBe(false);
  expect(read({ readyState: 1, paused: true, seeking: true }).isWaiting).toBe(true);
  expect(read({ readyState: 2, ended: true }).isWaiting).toBe(false);
});

test('one that cannot be played has failed, and does not wait', () => {
  const noSource = read({ readyState: 0, networkState: 3 });
  expect([noSource.hasFailed, noSource.isWaiting]).toEqual([true, false]);
  const broken = read({ readyState: 0, error: {} as MediaError });
  expect([broken.hasFailed, broken.isWaiting]).toEqual([true, false]);
  // Before a stream has begun there is no source yet.
  const early = read({ readyState: 0, networkState: 0 });
  expect([early.hasFailed, early.isWaiting]).toEqual([false, true]);
});

test('at its end it does not play', () => {
  expect(read({ ended: true })).toMatchObject({ isPlaying: false, hasEnded: true });
});

test('a length is unknown until there is one', () => {
  expect(read({ duration: Number.NaN }).duration).toBeUndefined();
  expect(read({ duration: Number.POSITIVE_INFINITY }).duration).toBeUndefined();
});

test('what has come is counted from the shown time on', () => {
  expect(read({ currentTime: 1 }).buffered).toBe(2);
  expect(read({ currentTime: 3 }).buffered).toBe(3);
  expect(read({ buffered: ranges() }).buffered).toBe(5);
});
