import { toSeconds } from '../../core/rational.ts';
import {
  type Cut,
  type FrameTimes,
  getSeekSeconds,
  isIndexed,
  type VideoIndex,
} from '../../media/frame-times.ts';

/** A part of a video that a player fetches by itself; it begins with a key frame. */
export type Segment = {
  /** When its first frame is shown, in seconds of the clock of the file. */
  readonly start: number;
  /** In seconds. */
  readonly duration: number;
  /** Where ffmpeg seeks to, in seconds after the start of the file: before its first frame is decoded. */
  readonly seekSeconds: number;
  /** The fragments that it is written in: one for each key frame. */
  readonly fragments: number;
  /** For how long its first frame is shown before its time, in seconds, since the sound begins before the pictures. */
  readonly heldSeconds?: number;
};

/** Short, since a segment is encoded while somebody waits, and the first one while nothing is shown. */
const SEGMENT_SECONDS = 2;
const FIRST_SEGMENT_SECONDS = 1;
/** A video of four hours has so many. ffmpeg is told the time of each, in an argument of 128 KiB at most. */
const MOST_SEGMENTS = 7200;
/** A segment that begins at a key frame, so much earlier or later, needs no frame before it. */
const KEY_FRAME_SECONDS = 0.5;
/** A player that seeks reads a whole segment first. */
const LONGEST_SEGMENT_SECONDS = 10;
/** The last frame is shown for as long as the one before, but a slide show ends sometime. */
const LONGEST_FRAME_SECONDS = 10;
const ONLY_FRAME_SECONDS = 0.04;
/** Half a frame of the fastest videos. */
const ROUNDING_SECONDS = 0.004;
/** A seek must not lose its frame to rounding; frames are further apart. */
export const BEFORE_SECONDS = 0.0005;

/** ffmpeg counts seeks from the start of a file, and what it copies from zero: further apart, it begins too early. */
const MAX_START_SECONDS = 0.1;
/** Nobody misses less of a sound that begins before the pictures, or ends behind them. */
const LEAST_SOUND_SECONDS = 1;

/**
 * Sound before the pictures is heard beside the first frame, and sound behind them is in the last segment. Not of a file
 * whose times begin late: whether its length counts from there, containers tell differently.
 */
function withSound(segments: Segment[], { startSeconds }: FrameTimes, seconds?: number): Segment[] {
  const [first, last] = [segments[0], segments.at(-1)];
  if (seconds === undefined || startSeconds > MAX_START_SECONDS) return segments;
  if (!first || !last) return segments;
  const behind = startSeconds + seconds - last.start - last.duration;
  const longer = { ...last, duration: last.duration + behind };
  const all = behind > LEAST_SOUND_SECONDS ? segments.with(-1, longer) : segments;
  const heldSeconds = first.start - startSeconds;
  if (heldSeconds < LEAST_SOUND_SECONDS) return all;
  const duration = heldSeconds + (all[0]?.duration ?? 0);
  return all.with(0, { ...first, start: startSeconds, duration, heldSeconds });
}

/**
 * Returns the segments of a video that is encoded, ascending. Each begins at a frame, and ends where the next one
 * begins, so that their durations add up to that of the video. `soundSeconds`: the length of a file with sound.
 */
export function listSegments(index: VideoIndex, soundSeconds?: number): Segment[] {
  const { timeBase, times, keyTimes } = index;
  const unit = toSeconds(timeBase);
  const aim = isIndexed(index) ? 'frame' : 'key';
  const starts = listStarts(times, keyTimes, unit);
  const segments = starts.map((time, at) => ({
    start: time * unit,
    duration: getStart(starts, at + 1, times, unit) - time * unit,
    seekSeconds: getSeekSeconds(index, time, aim),
    fragments: 1,
  }));
  return withSound(segments, index, soundSeconds);
}

/** The segments of a video whose pictures are passed through as they are. */
export type CutVideo = {
  readonly segments: readonly Segment[];
  /** The largest bit rate of the pictures in a segment, in bits per second. */
  readonly maxBitrate: number;
};

/**
 * Returns the segments of a video that is cut at its key frames; undefined where frames would be lost, a picture is held,
 * or cuts are too far apart: such a video is transcoded. The key frame of an open group is no cut, since frames that refer
 * to those before it are shown before it (`findCuts` in media/frame-times.ts).
 */
export function cutSegments(index: FrameTimes, soundSeconds?: number) {
  const { timeBase, times, cuts, startSeconds } = index;
  const isCut = cuts[0]?.time === times[0] && startSeconds >= 0;
  if (!isCut || startSeconds > MAX_START_SECONDS) return undefined;
  const unit = toSeconds(timeBase);
  const groups = groupCuts(cuts, unit);
  const starts = groups.map(({ first }) => first.time);
  const segments = groups.map(({ first, fragments }, at) => ({
    start: first.time * unit,
    duration: getStart(starts, at + 1, times, unit) - first.time * unit,
    // Copying drops frames before this time: rounding must lose none.
    seekSeconds: first.decodeTime * unit - startSeconds - BEFORE_SECONDS,
    fragments,
  }));
  if (segments.some(({ duration }) => duration > LONGEST_SEGMENT_SECONDS)) return undefined;
  const rates = groups.map(
    // A last picture by itself would count as many.
    ({ bytes }, at) => (bytes * 8) / Math.max(1, segments[at]?.duration ?? 1),
  );
  const played = withSound(segments, index, soundSeconds);
  if (played[0]?.heldSeconds) return undefined;
  return { segments: played, maxBitrate: Math.ceil(Math.max(...rates)) } satisfies CutVideo;
}

type Group = { readonly first: Cut; fragments: number; bytes: number };

function groupCuts(cuts: readonly Cut[], unit: number): Group[] {
  const times = cuts.map(({ time }) => time);
  const starts = new Set(listStarts(times, times, unit));
  const groups: Group[] = [];
  for (const cut of cuts) {
    const group = groups.at(-1);
    if (starts.has(cut.time) || !group) {
      groups.push({ first: cut, fragments: cut.keys, bytes: cut.bytes });
    } else {
      group.fragments += cut.keys;
      group.bytes += cut.bytes;
    }
  }
  return groups;
}

/** Returns which of ascending times begin a segment: the first one, and of `keys` where one is near. In units. */
function listStarts(times: ArrayLike<number>, keys: ArrayLike<number>, unit: number): number[] {
  const starts: number[] = [];
  const total = ((times[times.length - 1] ?? 0) - (times[0] ?? 0)) * unit;
  const longest = Math.max(SEGMENT_SECONDS, total / MOST_SEGMENTS);
  let [at, key] = [0, 0];
  for (let start = times[0]; start !== undefined;) {
    const seconds = starts.length === 0 ? FIRST_SEGMENT_SECONDS : longest;
    starts.push(start);
    const next = start + seconds / unit;
    const isCloser = (other: number | undefined, than = -Infinity) =>
      other !== undefined && Math.abs(other - next) <= Math.abs(than - next);
    while (isCloser(keys[key + 1], keys[key])) key += 1;
    while ((times[at] ?? Infinity) < next - ROUNDING_SECONDS / unit) at += 1;
    const near = keys[key] ?? -Infinity;
    start = Math.abs(near - next) * unit <= KEY_FRAME_SECONDS ? near : times[at];
  }
  return starts;
}

/** Returns when the segment at a position begins, in seconds; behind the last one when the video ends. */
const getStart = (
  starts: readonly number[],
  at: number,
  times: Float64Array,
  unit: number,
): number => {
  const start = starts[at];
  return start === undefined ? getEnd(times, unit) : start * unit;
};

/** Returns when the last frame ends, in seconds. */
function getEnd(times: Float64Array, unit: number): number {
  const [before, last = 0] = [times.at(-2), times.at(-1)];
  const shown = before === undefined ? ONLY_FRAME_SECONDS : (last - before) * unit;
  return last * unit + Math.min(shown, LONGEST_FRAME_SECONDS);
}

/** Returns the number of the segment that is shown at this position, in seconds after the first frame. */
export function findSegment(segments: readonly Segment[], position: number): number {
  const first = segments[0]?.start ?? 0;
  const next = segments.findIndex(({ start }) => start - first > position);
  return Math.max(0, (next === -1 ? segments.length : next) - 1);
}
