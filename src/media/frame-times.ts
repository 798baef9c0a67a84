import { writeJson } from '../core/json-file.ts';
import { type Rational, rational, toRational, toSeconds, toWire } from '../core/rational.ts';
import { requireValue } from '../core/required.ts';
import { broken, unsupported } from './errors.ts';
import {
  buildDecodeArguments,
  type MediaProbe,
  probe,
  SAFE_INPUT,
  type VideoStream,
} from './probe.ts';
import { getLastLine, runTool, type ToolOptions } from './tool-process.ts';

const MIB = 1024 ** 2;
const LIMITS = {
  timeoutMs: 120_000,
  cpuSeconds: 60,
  memoryBytes: 2048 * MIB,
  dataBytes: 400 * MIB,
};
/** The packets of a film of four hours at 60 frames per second. */
const MAX_INDEX_BYTES = 40 * MIB;
/** To decode a video from its start to its end. */
const DECODE_SECONDS = 600;

/** When the pictures of a video stream are shown. */
export type FrameTimes = {
  /** Seconds of one unit. */
  readonly timeBase: Rational;
  /** The start of the file in seconds; a seek counts from here. */
  readonly startSeconds: number;
  /** Presentation times in units, ascending, at least one. */
  readonly times: Float64Array;
  /** The times of key frames. */
  readonly keyTimes: Float64Array;
  /** When each key frame is decoded: before it is shown where frames are stored in another order. */
  readonly keyDecodeTimes: Float64Array;
  /** Empty where a cut would show hidden frames or hide shown ones. */
  readonly cuts: readonly Cut[];
  /** Whether the file tells the time of each frame. Otherwise ffmpeg works it out with TIMES_INPUT. */
  readonly isTimed: boolean;
};

/** A key frame at which a video can be cut without encoding: what is decoded later is shown later. */
export type Cut = {
  /** When it is shown, in units. */
  readonly time: number;
  /** When it is decoded, in units; not after it is shown. */
  readonly decodeTime: number;
  /** Key frames from here to the next cut, with this one. */
  readonly keys: number;
  /** The size of the pictures from here to the next cut. */
  readonly bytes: number;
};

/** Options of ffprobe and ffmpeg before a file that does not tell the times of all frames, as AVI and MPEG. */
export const TIMES_INPUT: readonly string[] = ['-fflags', '+genpts'];

/** Reads the times of all frames from the packets, if they tell them without decoding. Throws MediaError. */
async function readFrameTimes(
  path: string,
  video: VideoStream,
  options: { readonly signal: AbortSignal | undefined },
): Promise<FrameTimes> {
  const fields = 'packet=pts,dts,size,flags:stream=time_base:format=start_time';
  const stdout = await listEntries(path, video, fields, options);
  const [, over = '', under = ''] = /^stream,(\d+)\/(\d+)/m.exec(stdout) ?? [];
  const packets = [...stdout.matchAll(/^packet,([^,]*),([^,]*),([^,]*),([^,\n]*)/gm)].map(
    ([, pts, dts, size, flags = '']): Packet => ({
      pts: Number(pts),
      dts: Number(dts),
      size: Number(size),
      flags,
    }),
  );
  // A packet whose flags have a D is decoded and not shown.
  const shown = packets.filter(({ flags }) => !flags.includes('D'));
  if (shown.length === 0 || !Number(over) || !Number(under))
    throw broken('The video has no frames with times');
  const isTimed = shown.every(({ pts }) => Number.isFinite(pts));
  return {
    timeBase: rational(BigInt(over), BigInt(under)),
    startSeconds: Number(/^format,(-?[\d.]+)/m.exec(stdout)?.[1] ?? 0),
    isTimed,
    cuts: isTimed && shown.length === packets.length ? findCuts(packets) : [],
    ...(isTimed ? collectTimes(shown) : await decodeFrameTimes(path, video, options)),
  };
}

type Times = Pick<FrameTimes, 'times' | 'keyTimes' | 'keyDecodeTimes'>;
type Packet = {
  readonly pts: number;
  readonly dts: number;
  readonly size: number;
  readonly flags: string;
};

function collectTimes(packets: readonly Packet[]): Times {
  const keys = packets
    .filter(({ flags }) => flags.includes('K'))
    .toSorted((one, other) => one.pts - other.pts);
  return {
    times: Float64Array.from(new Set(packets.map(({ pts }) => pts))).sort(),
    keyTimes: Float64Array.from(keys, ({ pts }) => pts),
    keyDecodeTimes: Float64Array.from(keys, ({ pts, dts }) => (dts < pts ? dts : pts)),
  };
}

/** `packets` as they are decoded. */
function findCuts(packets: readonly Packet[]): Cut[] {
  let latest = -Infinity;
  const withBefore = packets.map((packet) => {
    const before = latest;
    latest = Math.max(latest, packet.pts);
    return { ...packet, before };
  });
  const cuts: Cut[] = [];
  let [earliest, keys, bytes] = [Infinity, 0, 0];
  for (const { pts, dts, size, flags, before } of withBefore.reverse()) {
    const isKey = flags.includes('K');
    [keys, bytes] = [keys + (isKey ? 1 : 0), bytes + size];
    if (isKey && before < pts && pts < earliest) {
      cuts.push({ time: pts, decodeTime: dts < pts ? dts : pts, keys, bytes });
      [keys, bytes] = [0, 0];
    }
    earliest = Math.min(earliest, pts);
  }
  return cuts.reverse();
}

/** Reads the times that the frames have as they are decoded. Throws MediaError, also where they go back. */
async function decodeFrameTimes(
  path: string,
  video: VideoStream,
  options: { readonly signal: AbortSignal | undefined },
): Promise<Times> {
  const { threads } = buildDecodeArguments(video);
  const stdout = await listEntries(path, video, 'frame=key_frame,best_effort_timestamp', {
    ...options,
    input: [...threads, ...TIMES_INPUT],
    timeoutMs: DECODE_SECONDS * 1000,
    cpuSeconds: DECODE_SECONDS,
  });
  const frames = [...stdout.matchAll(/^frame,(\d),([^,\n]*)/gm)].map(([, isKey, time]) => ({
    isKey: isKey === '1',
    time: Number(time),
  }));
  const goesOn = frames.every(({ time }, at) => time >= (frames[at - 1]?.time ?? -Infinity));
  if (frames.length === 0 || !goesOn)
    throw broken('The video does not tell the times of its frames');
  const collect = (some: typeof frames) => Float64Array.from(new Set(some.map(({ time }) => time)));
  const keyTimes = collect(frames.filter(({ isKey }) => isKey));
  return { times: collect(frames), keyTimes, keyDecodeTimes: keyTimes };
}

/** Returns what ffprobe tells of a stream, as CSV. `input`: options before the file. Throws MediaError. */
async function listEntries(
  path: string,
  { index }: VideoStream,
  fields: string,
  { input = [], ...limits }: Partial<ToolOptions> & { readonly input?: readonly string[] },
): Promise<string> {
  const asking = ['-select_streams', String(index), '-show_entries', fields, '-of', 'csv'];
  const command = ['ffprobe', '-v', 'error', ...SAFE_INPUT, ...input, ...asking, `file:${path}`];
  const { code, stdout, stderr } = await runTool(command, {
    ...LIMITS,
    maxOutputBytes: MAX_INDEX_BYTES,
    ...limits,
  });
  if (code !== 0) throw broken(`ffprobe: ${getLastLine(stderr) || `exit ${code}`}`);
  return stdout;
}

/** All that is read from a video file before one of its frames is decoded. */
export type VideoIndex = { readonly video: VideoStream; readonly format: string } & FrameTimes;

type LoadOptions = {
  /** The file that remembers the index. */
  readonly memory: string;
  readonly signal?: AbortSignal | undefined;
  /** For a file that is probed for another purpose as well. */
  readonly getProbe?: () => Promise<MediaProbe>;
};

/**
 * Reads the index of a file, or what is remembered of it: the content never changes. Throws MediaError, 'unsupported'
 * for a file without pictures.
 */
export async function loadVideoIndex(
  path: string,
  { memory, signal, getProbe = () => probe(path, { signal }) }: LoadOptions,
): Promise<VideoIndex> {
  const known = Bun.file(memory);
  if (await known.exists()) return toIndex(await known.json());
  const { video, format } = await getProbe();
  if (!video) throw unsupported('There is no picture in this file');
  const index = { video, format, ...(await readFrameTimes(path, video, { signal })) };
  await writeJson(memory, toStored(index));
  return index;
}

type StoredIndex = ReturnType<typeof toStored>;

const toStored = ({ timeBase, times, keyTimes, keyDecodeTimes, ...rest }: VideoIndex) => ({
  ...rest,
  timeBase: toWire(timeBase),
  times: [...times],
  keyTimes: [...keyTimes],
  keyDecodeTimes: [...keyDecodeTimes],
});

const toIndex = (stored: StoredIndex): VideoIndex => ({
  ...stored,
  timeBase: toRational(stored.timeBase),
  times: Float64Array.from(stored.times),
  keyTimes: Float64Array.from(stored.keyTimes),
  keyDecodeTimes: Float64Array.from(stored.keyDecodeTimes),
});

/** Returns the time in units of the frame shown at `time` after the first one; the last one stays. */
export function findFrame({ timeBase, times }: FrameTimes, time: Rational): number {
  const limit = time.numerator * timeBase.denominator;
  const unit = timeBase.numerator * time.denominator;
  const first = requireValue(times[0], 'time of the first frame');
  const at = findLast(times, (pts) => BigInt(pts - first) * unit <= limit);
  return times[at] ?? first;
}

/** Returns where the last of ascending numbers is for which the condition holds; 0 if there is none. */
function findLast(numbers: Float64Array, holds: (number: number) => boolean): number {
  let [low, high] = [0, numbers.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const number = numbers[middle];
    if (number !== undefined && holds(number)) low = middle;
    else high = middle;
  }
  return low;
}

/** Containers whose seeks land at some packet. */
const UNINDEXED = new Set(['mpegts', 'mpeg']);

/** Returns whether a seek in the file lands at the key frame before its time. */
export const isIndexed = ({ isTimed, format }: VideoIndex): boolean =>
  isTimed && !UNINDEXED.has(format);

/** Half a millisecond: a seek must not land before the frame because of rounding. */
const AFTER_SECONDS = 0.0005;
/** Where a file has no index, a seek lands somewhere near. */
const NEAR_SECONDS = 0.7;

/** 'key': of a file without an index, before the key frame that the frame depends on. */
export type SeekAim = 'frame' | 'key' | 'start';

/** Returns where a seek must go in seconds, so that decoding begins at or before the frame. */
export function getSeekSeconds(
  { timeBase, startSeconds, keyTimes, keyDecodeTimes }: FrameTimes,
  frame: number,
  aim: SeekAim,
): number {
  if (aim === 'start' || keyTimes.length === 0) return 0;
  const key = findLast(keyTimes, (time) => time <= frame);
  const toFile = (units: number) => units * toSeconds(timeBase) - startSeconds;
  if (aim === 'key')
    return Math.max(0, toFile(requireValue(keyTimes[key], 'key frame')) - NEAR_SECONDS);
  // MP4 finds key frames by the time at which they are decoded, when frames before them are not shown yet.
  const next = toFile(keyDecodeTimes[key + 1] ?? Infinity) - AFTER_SECONDS;
  return Math.max(0, Math.min(toFile(frame) + AFTER_SECONDS, next));
}
