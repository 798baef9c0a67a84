import { toSeconds } from '../../core/rational.ts';
import type { Cut, FrameTimes } from '../../media/frame-times.ts';

/** A part of a video that a player fetches by itself; it begins with a key frame. */
export type Segment = {
  /** When its first frame is shown, in seconds of the clock of the file. */
  readonly start: number;
  /** In seconds. */
  readonly duration: number;
  /** When its first frame is decoded, in seconds; not after it is shown. */
  readonly decodeStart: number;
  /** The fragments that it is written in: one for each key frame. */
  readonly fragments: number;
};

/** Short, since the first one is encoded while somebody waits. */
const SEGMENT_SECONDS = 2;
/** A player that seeks reads a whole segment first. */
const LONGEST_SEGMENT_SECONDS = 10;
/** The last frame is shown for as long as the one before, but a slide show ends sometime. */
const LONGEST_FRAME_SECONDS = 10;
const ONLY_FRAME_SECONDS = 0.04;
/** Half a frame of the fastest videos. */
const ROUNDING_SECONDS = 0.004;

/**
 * Returns the segments of a video that is encoded, ascending. Each begins at a frame, and ends where the next one
 * begins, so that their durations add up to that of the video. Sound that goes on behind it is in the last one.
 */
export function listSegments({ timeBase, times }: FrameTimes): Segment[] {
  const unit = toSeconds(timeBase);
  const isStart = createSplitter();
  const starts = [...times].map((time) => time * unit).filter(isStart);
  return starts.map((start, at) => ({
    start,
    duration: (starts[at + 1] ?? getEnd(times, unit)) - start,
    decodeStart: start,
    fragments: 1,
  }));
}

/** The segments of a video whose pictures are passed through as they are. */
export type CutVideo = {
  readonly segments: readonly Segment[];
  /** The largest bit rate of the pictures in a segment, in bits per second. */
  readonly maxBitrate: number;
};

/** ffmpeg counts seeks from the start of a file, and what it copies from zero: further apart, it begins too early. */
const MAX_START_SECONDS = 0.1;

/**
 * Returns the segments of a video that is cut at its key frames; undefined where frames would be lost, or where key
 * frames are too far apart.
 */
export function cutSegments({ timeBase, times, cuts, startSeconds }: FrameTimes) {
  const isCut = cuts[0]?.time === times[0] && startSeconds >= 0;
  if (!isCut || startSeconds > MAX_START_SECONDS) return undefined;
  const unit = toSeconds(timeBase);
  const groups = groupCuts(cuts, unit);
  const segments = groups.map(({ first, fragments }, at) => {
    const start = first.time * unit;
    const next = groups[at + 1]?.first.time;
    const end = next === undefined ? getEnd(times, unit) : next * unit;
    return { start, duration: end - start, decodeStart: first.decodeTime * unit, fragments };
  });
  if (segments.some(({ duration }) => duration > LONGEST_SEGMENT_SECONDS)) return undefined;
  const rates = groups.map(
    // A last picture by itself would count as many.
    ({ bytes }, at) => (bytes * 8) / Math.max(1, segments[at]?.duration ?? 1),
  );
  return { segments, maxBitrate: Math.ceil(Math.max(...rates)) } satisfies CutVideo;
}

type Group = { readonly first: Cut; fragments: number; bytes: number };

function groupCuts(cuts: readonly Cut[], unit: number): Group[] {
  const isStart = createSplitter();
  const groups: Group[] = [];
  for (const cut of cuts) {
    const group = groups.at(-1);
    if (isStart(cut.time * unit) || !group) {
      groups.push({ first: cut, fragments: cut.keys, bytes: cut.bytes });
    } else {
      group.fragments += cut.keys;
      group.bytes += cut.bytes;
    }
  }
  return groups;
}

/** Returns a filter of ascending times in seconds, which leaves those at which a segment begins. */
function createSplitter(): (seconds: number) => boolean {
  let first: number | undefined;
  let next = -Infinity;
  return (seconds) => {
    if (seconds < next - ROUNDING_SECONDS) return false;
    first ??= seconds;
    const done = Math.floor((seconds - first + ROUNDING_SECONDS) / SEGMENT_SECONDS);
    next = first + (done + 1) * SEGMENT_SECONDS;
    return true;
  };
}

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
