import { writeJson } from '../core/json-file.ts';
import { type Rational, rational, toRational, toSeconds, toWire } from '../core/rational.ts';
import { broken, unsupported } from './errors.ts';
import { probe, SAFE_INPUT, type VideoStream } from './probe.ts';
import { getLastLine, runTool } from './tool-process.ts';

const MIB = 1024 ** 2;
const LIMITS = {
  timeoutMs: 120_000,
  cpuSeconds: 60,
  memoryBytes: 2048 * MIB,
  dataBytes: 400 * MIB,
};

/** When the pictures of a video stream are shown. */
export type FrameTimes = {
  /** Seconds of one unit. */
  readonly timeBase: Rational;
  /** Of the file in seconds; a seek counts from here. */
  readonly startSeconds: number;
  /** Presentation times in units, ascending, at least one. */
  readonly times: Float64Array;
  /** The times of key frames. */
  readonly keyTimes: Float64Array;
};

/** Reads the times of all frames from the packets, without decoding. Throws MediaError. */
async function readFrameTimes(
  path: string,
  stream: number,
  options: { readonly signal: AbortSignal | undefined },
): Promise<FrameTimes> {
  const fields = 'packet=pts,flags:stream=time_base:format=start_time';
  const asking = ['-select_streams', String(stream), '-show_entries', fields, '-of', 'csv'];
  const { code, stdout, stderr } = await runTool(
    ['ffprobe', '-v', 'error', ...SAFE_INPUT, ...asking, `file:${path}`],
    { ...LIMITS, signal: options.signal },
  );
  if (code !== 0) throw broken(`ffprobe: ${getLastLine(stderr) || `exit ${code}`}`);
  const [, over, under] = /^stream,(\d+)\/(\d+)/m.exec(stdout) ?? [];
  // A packet whose flags have a D is decoded and not shown.
  const packets = [...stdout.matchAll(/^packet,(-?\d+),([^D,\n]*)(?:,|$)/gm)];
  const times = toTimes(packets);
  if (times.length === 0 || !Number(over) || !Number(under))
    throw broken('The video has no frames with times');
  return {
    timeBase: rational(BigInt(over!), BigInt(under!)),
    startSeconds: Number(/^format,(-?[\d.]+)/m.exec(stdout)?.[1] ?? 0),
    times,
    keyTimes: toTimes(packets.filter(([, , flags]) => flags!.includes('K'))),
  };
}

const toTimes = (packets: readonly RegExpExecArray[]): Float64Array =>
  Float64Array.from(new Set(packets.map(([, pts]) => Number(pts)))).sort();

/** All that is read from a video file before one of its frames is decoded. */
export type VideoIndex = { readonly video: VideoStream; readonly format: string } & FrameTimes;

/**
 * Reads the index of a file, remembered in the file `memory`: the content never changes. Throws MediaError,
 * 'unsupported' for a file without pictures.
 */
export async function loadVideoIndex(
  path: string,
  { memory, signal }: { readonly memory: string; readonly signal?: AbortSignal | undefined },
): Promise<VideoIndex> {
  const known = Bun.file(memory);
  if (await known.exists()) return toIndex(await known.json());
  const { video, format } = await probe(path, { signal });
  if (!video) throw unsupported('There is no picture in this file');
  const index = { video, format, ...(await readFrameTimes(path, video.index, { signal })) };
  await writeJson(memory, toStored(index));
  return index;
}

type StoredIndex = ReturnType<typeof toStored>;

const toStored = ({ timeBase, times, keyTimes, ...rest }: VideoIndex) => ({
  ...rest,
  timeBase: toWire(timeBase),
  times: [...times],
  keyTimes: [...keyTimes],
});

const toIndex = ({ timeBase, times, keyTimes, ...rest }: StoredIndex): VideoIndex => ({
  ...rest,
  timeBase: toRational(timeBase),
  times: Float64Array.from(times),
  keyTimes: Float64Array.from(keyTimes),
});

/** Returns the time in units of the frame shown at `time` after the first one; the last one stays. */
export function findFrame({ timeBase, times }: FrameTimes, time: Rational): number {
  const limit = time.numerator * timeBase.denominator;
  const unit = timeBase.numerator * time.denominator;
  return findLast(times, (pts) => BigInt(pts - times[0]!) * unit <= limit);
}

/** Returns the last of ascending numbers for which the condition holds; the first one if there is none. */
function findLast(numbers: Float64Array, holds: (number: number) => boolean): number {
  let [low, high] = [0, numbers.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (holds(numbers[middle]!)) low = middle;
    else high = middle;
  }
  return numbers[low]!;
}

/** Half a millisecond: a seek must not land before the frame because of rounding. */
const AFTER_SECONDS = 0.0005;
/** Where a file has no index, a seek lands somewhere near. */
const NEAR_SECONDS = 0.7;

/** 'key': of a file without an index, before the key frame that the frame depends on. */
export type SeekAim = 'frame' | 'key' | 'start';

/** Returns where a seek must go in seconds, so that decoding begins at or before the frame. */
export function getSeekSeconds(
  { timeBase, startSeconds, keyTimes }: FrameTimes,
  frame: number,
  aim: SeekAim,
): number {
  if (aim === 'start' || keyTimes.length === 0) return 0;
  const isKey = aim === 'key';
  const units = isKey ? findLast(keyTimes, (time) => time <= frame) : frame;
  const seconds = units * toSeconds(timeBase) - startSeconds;
  return Math.max(0, seconds + (isKey ? -NEAR_SECONDS : AFTER_SECONDS));
}
