import type { Size } from '../../media/sizes.ts';
import type { VideoStream } from '../../media/probe.ts';
import type { VideoSource } from './video.ts';

/** A variant stream of the main playlist (RFC 8216). */
export type Variant = Size & {
  /** The largest bit rate of the pictures, in bits per second. */
  readonly maxBitrate: number;
  /** The bit rate of the sound. */
  readonly audioBitrate: number;
  /** The name of the codec of the pictures (RFC 6381). */
  readonly codec: string;
} & Coding;

type Coding =
  /** H.264 and AAC; ten times the number of the level (ITU-T H.264 A.3). */
  | { readonly kind: 'encoded'; readonly level: number }
  /** The pictures of the file; the sound too, where every browser plays it. */
  | { readonly kind: 'original'; readonly isSoundCopied: boolean };

const AUDIO_BITRATE = 160_000;
/** The container adds a share, and its boxes, which count where there is little to see. */
const OVERHEAD = 1.05;
const BOXES_BITRATE = 20_000;
const DEFAULT_FPS = 30;

/** The largest bit rates in bits per second, by the shorter side: those of common streaming ladders. */
const MAX_BITRATES: readonly (readonly [lines: number, bitsPerSecond: number])[] = [
  [480, 1_800_000],
  [720, 4_000_000],
  [1080, 8_000_000],
  [1440, 16_000_000],
];
const LARGEST_BITRATE = 30_000_000;

/** Macroblocks per second and per frame that a level allows (ITU-T H.264 table A-1). */
const LEVELS: readonly (readonly [level: number, perSecond: number, perFrame: number])[] = [
  [30, 40_500, 1620],
  [31, 108_000, 3600],
  [32, 216_000, 5120],
  [40, 245_760, 8192],
  [42, 522_240, 8704],
  [50, 589_824, 22_080],
  [51, 983_040, 36_864],
];
const LARGEST_LEVEL = 52;

/**
 * Returns the variants of a video: the encoded ones, smallest first, of the resolutions that are not above the
 * original, or of its size where all are; last its own pictures, where browsers play them. Throws for a file without
 * pictures.
 */
export function listVariants(source: VideoSource, resolutions: readonly number[]): Variant[] {
  const { video } = source.probe;
  if (!video) throw new Error('There are no pictures to stream');
  const own = Math.min(video.width, video.height);
  const below = resolutions.filter((lines) => lines <= own).toSorted((a, b) => a - b);
  const encoded = (below.length > 0 ? below : [own]).map((lines) => toEncoded(video, lines));
  const original = findOriginal(source, video);
  return original ? [...encoded, original] : encoded;
}

function toEncoded({ width, height, fps = DEFAULT_FPS }: VideoStream, lines: number): Variant {
  const own = Math.min(width, height);
  const toSide = (side: number) => Math.max(2, Math.round((side * lines) / own / 2) * 2);
  const size = { width: toSide(width), height: toSide(height) };
  const [, maxBitrate = LARGEST_BITRATE] = MAX_BITRATES.find(([most]) => lines <= most) ?? [];
  const level = getLevel(size.width, size.height, fps);
  const codec = `avc1.6400${level.toString(16)}`;
  return { kind: 'encoded', ...size, maxBitrate, audioBitrate: AUDIO_BITRATE, codec, level };
}

/** Containers whose key frames ffmpeg finds by an index, with the parameters of the decoder at the start. */
const CUT_FORMATS = /\b(mov|matroska)\b/;
const PLAYED_PIXELS: readonly (string | undefined)[] = ['yuv420p', 'yuvj420p'];
/** HEVC and AV1 are played in ten bits by whatever plays them. */
const PLAYED_DEEP_PIXELS: readonly (string | undefined)[] = [...PLAYED_PIXELS, 'yuv420p10le'];

/**
 * Returns the variant of the pictures as they are. A turned, interlaced or HDR video has none: players differ in how
 * they show it. Whether a browser knows the codec is its own choice, by the name.
 */
function findOriginal(
  { probe, cut, codecs }: VideoSource,
  { width, height, ...video }: VideoStream,
): Variant | undefined {
  const codec = codecs.get(video.index)?.name;
  const pixels = video.codec === 'h264' ? PLAYED_PIXELS : PLAYED_DEEP_PIXELS;
  const isShownAlike = video.rotation === 0 && !video.isInterlaced && !video.isHdr;
  const isPlayed = codec !== undefined && pixels.includes(video.pixelFormat) && isShownAlike;
  if (!cut || !isPlayed || !CUT_FORMATS.test(probe.format)) return undefined;
  const sound = probe.audio && codecs.get(probe.audio.index);
  const isSoundCopied = sound?.isLowComplexityAac ?? false;
  const audioBitrate = (isSoundCopied ? sound?.bitRate : undefined) ?? AUDIO_BITRATE;
  return {
    kind: 'original',
    width,
    height,
    maxBitrate: cut.maxBitrate,
    audioBitrate,
    codec,
    isSoundCopied,
  };
}

function getLevel(width: number, height: number, fps: number): number {
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
  const fits = LEVELS.find(([, second, frame]) => blocks <= frame && blocks * fps <= second);
  return fits?.[0] ?? LARGEST_LEVEL;
}

/** Returns the names of the codecs (RFC 6381), with AAC LC for the sound. */
export const getCodecs = ({ codec }: Variant, hasSound: boolean): string =>
  `${codec}${hasSound ? ',mp4a.40.2' : ''}`;

/** Returns the largest bit rate of the whole stream, in bits per second. */
export const getBandwidth = ({ maxBitrate, audioBitrate }: Variant, hasSound: boolean): number =>
  Math.round((maxBitrate + (hasSound ? audioBitrate : 0)) * OVERHEAD) + BOXES_BITRATE;
