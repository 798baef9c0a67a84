import { statSync } from 'node:fs';
import { chooseStreams } from './choose-streams.ts';
import { broken, MediaError, unsupported } from './errors.ts';
import { runTool, type ToolOptions } from './tool-process.ts';
import { type ColorInfo, toColorInfo, isHdrTransfer } from './tonemap.ts';
import {
  toIntegerWithin,
  toList,
  toNumber,
  toNumberWithin,
  toRecord,
  toText,
} from './tag-values.ts';

export type VideoStream = {
  readonly index: number;
  readonly codec: string;
  readonly pixelFormat: string | undefined;
  readonly bitDepth: number;
  /** As displayed: rotation and the shape of the pixels applied. */
  readonly width: number;
  readonly height: number;
  /** Clockwise degrees that a player turns the picture by: 0, 90, 180 or 270. */
  readonly rotation: number;
  readonly fps: number | undefined;
  readonly color: ColorInfo;
  readonly isHdr: boolean;
  readonly isInterlaced: boolean;
};

export type AudioStream = {
  readonly index: number;
  readonly codec: string;
  readonly channels: number;
};

export type MediaProbe = {
  /** ffmpeg's names for the container: 'mov,mp4,m4a,3gp,3g2,mj2'. */
  readonly format: string;
  readonly durationMs: number | undefined;
  /** The bit rate of all streams, in bits per second. */
  readonly bitRate?: number | undefined;
  /** Undefined for sound, and for a cover picture in a sound file. */
  readonly video: VideoStream | undefined;
  readonly audio: AudioStream | undefined;
  /** Index of the stream of the cover picture in a sound file. */
  readonly cover?: number | undefined;
  /** A stream of the same kind comes before one of these: a player may take that. */
  readonly isLater?: boolean;
};

/**
 * Containers only. Everything else that ffmpeg knows is kept out: playlists and scripts (hls, concat,
 * dash, sdp) open what they name, on this disk or in the network.
 */
const CONTAINERS =
  'mov,matroska,avi,mpegts,mpeg,mpegvideo,flv,asf,mxf,dv,ogg,' +
  'mp3,aac,flac,wav,aiff,amr,amrnb,amrwb,caf';

/** The start of an ffmpeg command that overwrites its output. */
export const FFMPEG: readonly string[] = ['ffmpeg', '-nostdin', '-y', '-v', 'error'];

/** For ffprobe and ffmpeg, before the input. */
export const SAFE_INPUT: readonly string[] = [
  '-protocol_whitelist',
  'file',
  '-format_whitelist',
  CONTAINERS,
];

/** Largest frame with an H.264 or HEVC level (6.2), a little more than 8K. */
const MAX_VIDEO_PIXELS = 35_651_584;
/** Decoders hold a dozen frames; above 4K, as many threads as usual would hold too many more. */
const LARGE_PIXELS = 9_000_000;

const MIB = 1024 ** 2;
const LIMITS = {
  timeoutMs: 60_000,
  cpuSeconds: 30,
  memoryBytes: 2048 * MIB,
  dataBytes: 200 * MIB,
};
/** A player shows one picture and one sound; a file with a million tracks is an attack. */
const MAX_STREAMS = 100;

const FIELDS =
  'format=format_name,duration,bit_rate:stream=index,codec_type,codec_name,pix_fmt,width,height,' +
  'sample_aspect_ratio,avg_frame_rate,r_frame_rate,color_range,color_space,color_transfer,' +
  'color_primaries,field_order,channels,bits_per_raw_sample,duration,nb_frames,sample_fmt:' +
  'stream_disposition=attached_pic,default,timed_thumbnails,dependent:stream_tags=rotate:stream_side_data=rotation';

/** Options of ffmpeg before the input, and what else its decoder takes for a moment, in bytes. */
export function buildDecodeArguments({ width, height }: VideoStream): {
  readonly threads: readonly string[];
  readonly memory: number;
} {
  const isLarge = width * height > LARGE_PIXELS;
  return {
    threads: ['-threads', isLarge ? '1' : '2', '-max_pixels', String(MAX_VIDEO_PIXELS)],
    memory: isLarge ? width * height * 12 : 0,
  };
}

/**
 * By path, inode, size and times: a changed file is another one, whichever process changed it. Up to six jobs probe a
 * new video within a minute, and each start of ffprobe takes 0.1 s of CPU, most of it to link 200 libraries.
 */
const recentProbes = new Map<string, MediaProbe>();
const MAX_RECENT = 32;

/**
 * Returns the streams of a video or sound file, with its length also where its header has none. Throws MediaError,
 * 'too-large' beyond `MAX_VIDEO_PIXELS`.
 */
export async function probe(
  path: string,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<MediaProbe> {
  const file = identify(path);
  const before = file && recentProbes.get(file);
  if (before) return before;
  const found = toProbe(await readStreams(path, options));
  const hasLength = found.durationMs !== undefined || !(found.video ?? found.audio);
  const durationMs = hasLength ? found.durationMs : await measureDuration(path, found, options);
  const complete = { ...found, durationMs };
  // A measurement that took too long says nothing about the file.
  if (file && (hasLength || durationMs !== undefined)) remember(file, complete);
  return complete;
}

/** Undefined for a file that is not there, and for a guarded path: others can change that file. */
function identify(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && [path, found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join(':');
}

function remember(file: string, found: MediaProbe): void {
  recentProbes.set(file, found);
  const [oldest = ''] = recentProbes.keys();
  if (recentProbes.size > MAX_RECENT) recentProbes.delete(oldest);
}

/** A recording of hours is read whole. */
const MEASURE_LIMITS = { timeoutMs: 10 * 60_000, cpuSeconds: 300 };

/** Recorders of browsers and screens do not go back to the header: the packets tell when the last one ends. */
async function measureDuration(
  path: string,
  { video, audio }: MediaProbe,
  options: { signal?: AbortSignal | undefined },
): Promise<number | undefined> {
  const asking = ['-show_entries', 'packet=stream_index,pts_time,duration_time', '-of', 'csv=p=0'];
  let [rest, start, end] = ['', Infinity, -Infinity];
  const onStdout = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [index, from = NaN, length = NaN] = line.split(',').map(Number);
      if ((index !== video?.index && index !== audio?.index) || !Number.isFinite(from)) continue;
      start = Math.min(start, from);
      end = Math.max(end, from + (length || 0));
    }
  };
  const command = ['ffprobe', '-v', 'error', ...SAFE_INPUT, ...asking, `file:${path}`];
  try {
    await runTool(command, { ...LIMITS, ...MEASURE_LIMITS, ...options, onStdout });
  } catch (error) {
    if (error instanceof MediaError && error.kind === 'timeout') return undefined;
    throw error;
  }
  return toMilliseconds(end - start);
}

/** A week is no plausible length, but the header of a broken file easily says more. */
function toMilliseconds(seconds: unknown): number | undefined {
  const plausible = toNumberWithin(seconds, 0.001, 7 * 86_400);
  return plausible === undefined ? undefined : Math.round(plausible * 1000);
}

/** The fields that ffprobe prints of a file and of its streams. */
export type Streams = {
  readonly format: Readonly<Record<string, unknown>>;
  readonly streams: readonly Readonly<Record<string, unknown>>[];
};

/**
 * Returns the streams of a file with the fields of `toProbe`, and others that `asking` names. Throws MediaError as
 * `probe`.
 */
export async function readStreams(
  path: string,
  {
    asking = [],
    ...options
  }: Pick<ToolOptions, 'signal' | 'maxOutputBytes'> & { readonly asking?: readonly string[] },
): Promise<Streams> {
  const fields = ['-of', 'json', '-show_entries', FIELDS, ...asking];
  const input = [...SAFE_INPUT, `file:${path}`];
  const { code, stdout, stderr } = await runTool(
    ['ffprobe', '-v', 'error', '-max_pixels', String(MAX_VIDEO_PIXELS), ...fields, ...input],
    { ...LIMITS, ...options },
  );
  const [, width, height] = /Picture size (\d+)x(\d+) exceeds/.exec(stderr) ?? [];
  if (width && height) throw tooLarge(width, height);
  const answer = code === 0 ? parse(stdout) : undefined;
  const format = toRecord(answer?.['format']);
  if (!format) {
    if (/not on whitelist|whitelist/i.test(stderr)) throw unsupported('Not a video container');
    throw broken(`ffprobe: ${stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? `exit ${code}`}`);
  }
  const entries = toList(answer?.['streams'], MAX_STREAMS).map(toRecord);
  return { format, streams: entries.filter((stream) => stream !== undefined) };
}

const tooLarge = (width: number | string, height: number | string) =>
  new MediaError('too-large', `The video has ${width} × ${height} pixels`);

function parse(json: string) {
  try {
    return toRecord(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** Throws MediaError, 'too-large' beyond `MAX_VIDEO_PIXELS`. */
export function toProbe({ format, streams }: Streams): MediaProbe {
  const { video, audio, cover, isLater } = chooseStreams(streams);
  const [across, down] = [toNumber(video?.['width']) ?? 0, toNumber(video?.['height']) ?? 0];
  if (across * down > MAX_VIDEO_PIXELS) throw tooLarge(across, down);
  const durationMs = [format['duration'], video?.['duration'], audio?.['duration']]
    .map(toMilliseconds)
    .find((value) => value !== undefined);
  return {
    format: toText(format['format_name'], 100) ?? 'unknown',
    durationMs,
    bitRate: toNumberWithin(format['bit_rate'], 1, 1e12),
    video: video && toVideoStream(video),
    audio: audio && {
      index: toIntegerWithin(audio['index'], 0, 1_000_000) ?? 0,
      codec: toText(audio['codec_name'], 50) ?? 'unknown',
      channels: toIntegerWithin(audio['channels'], 1, 64) ?? 2,
    },
    cover: toIntegerWithin(cover?.['index'], 0, 1_000_000),
    ...(isLater && { isLater }),
  };
}

function toVideoStream(stream: Readonly<Record<string, unknown>>): VideoStream {
  const rotation = getRotation(stream);
  const color = toColorInfo(stream);
  const width = Math.round((toNumber(stream['width']) ?? 1) * pixelShape(stream));
  const height = toIntegerWithin(stream['height'], 1, 65_535) ?? 1;
  const field = toText(stream['field_order'], 20);
  return {
    index: toIntegerWithin(stream['index'], 0, 1_000_000) ?? 0,
    codec: toText(stream['codec_name'], 50) ?? 'unknown',
    pixelFormat: color.pixelFormat,
    bitDepth: getBitDepth(stream, color.pixelFormat),
    ...(rotation % 180 === 0 ? { width, height } : { width: height, height: width }),
    rotation,
    fps: fraction(stream['avg_frame_rate']) ?? fraction(stream['r_frame_rate']),
    color,
    isHdr: isHdrTransfer(color.transfer),
    isInterlaced: field !== undefined && field !== 'progressive' && field !== 'unknown',
  };
}

/** ffprobe counts the matrix anticlockwise, and the old tag clockwise. Other angles than quarters keep the size. */
function getRotation(stream: Readonly<Record<string, unknown>>): number {
  const matrix = toList(stream['side_data_list'], 20)
    .map((entry) => toNumber(toRecord(entry)?.['rotation']))
    .find((value) => value !== undefined);
  const tagged = toNumber(toRecord(stream['tags'])?.['rotate']);
  const turn = (((matrix === undefined ? (tagged ?? 0) : -matrix) % 360) + 360) % 360;
  return [0, 90, 180, 270].find((quarter) => Math.abs(turn - quarter) <= 1) ?? 0;
}

/** Width of a pixel by its height; old camcorders have it other than 1. */
function pixelShape(stream: Readonly<Record<string, unknown>>): number {
  const [across, down] = (toText(stream['sample_aspect_ratio'], 20) ?? '1:1')
    .split(':')
    .map(Number);
  const shape = across && down ? across / down : 1;
  return shape > 0.2 && shape < 5 ? shape : 1;
}

function getBitDepth(
  stream: Readonly<Record<string, unknown>>,
  format: string | undefined,
): number {
  const named = /p(9|10|12|14|16)(le|be)?$/.exec(format ?? '')?.[1];
  return named ? Number(named) : (toIntegerWithin(stream['bits_per_raw_sample'], 1, 16) ?? 8);
}

/** '30000/1001' → 29.97 */
function fraction(value: unknown): number | undefined {
  const [over, under] = (toText(value, 40) ?? '').split('/').map(Number);
  return over && under ? toNumberWithin(over / under, 0.01, 10_000) : undefined;
}
