import { existsSync } from 'node:fs';
import type { Deps } from '../../../core/context.ts';
import {
  add,
  compare,
  divide,
  multiply,
  type Rational,
  rational,
  toSeconds,
  ZERO,
} from '../../../core/rational.ts';
import { requireValue } from '../../../core/required.ts';
import {
  findFrame,
  getSeekSeconds,
  isIndexed,
  loadVideoIndex,
  type SeekAim,
  TIMES_INPUT,
  type VideoIndex,
} from '../../../media/frame-times.ts';
import { readPictureHeader } from '../../../media/picture-header.ts';
import { buildDecodeArguments, SAFE_INPUT } from '../../../media/probe.ts';
import { buildSdrFilters, toMatrixOption } from '../../../media/tonemap.ts';
import { getRememberedPath } from './remembered.ts';
import { SourceUnavailable } from './source-unavailable.ts';
import type { Layer } from './graph.ts';
import { type ActiveClip, getSpeed } from './layers.ts';
import type { Source } from './sources.ts';
import { profileKind } from '../../../media/icc.ts';
import { readJpegHeader } from '../../../media/jpeg.ts';

export type LayerOptions = {
  readonly paths: Pick<Deps['paths'], 'studio'>;
  readonly aim: SeekAim;
  readonly signal?: AbortSignal;
  /** Frames per second of what is played from the moment on; left out for a single frame. */
  readonly rate?: Rational;
};

/** Returns the source of a clip or sound, which was found before it is played. */
export const getSource = (sources: ReadonlyMap<string, Source>, assetId: string): Source =>
  requireValue(sources.get(assetId), 'source of an item');

/** Returns how a clip shows at its moment, or from it on. Throws MediaError. */
export async function prepareLayer(
  active: ActiveClip,
  source: Source,
  options: LayerOptions,
): Promise<Layer> {
  const { clip, passed } = active;
  const step = options.rate ? divide(ONE, options.rate) : ZERO;
  const shown =
    source.type === 'VIDEO' && !clip.still
      ? await prepareVideo(active, source, options)
      : await prepareStill(active, source);
  return { ...shown, clip, time: { passed, step }, frames: active.frames };
}

const ONE = rational(1n);

/** The picture of a layer, wherever it is drawn. */
type Shown = Omit<Layer, 'clip' | 'time' | 'frames'>;

/** Where the index of a video is remembered. */
export const getIndexPath = (
  paths: Pick<Deps['paths'], 'studio'>,
  { sha256 }: Pick<Source, 'sha256'>,
): string => getRememberedPath(paths, 'video-indexes', { sha256, extension: 'json' });

/** Remembers the indexes of videos. That of a video that cannot be read is left out. */
export async function rememberIndexes(
  paths: Pick<Deps['paths'], 'studio'>,
  sources: Iterable<Source>,
): Promise<void> {
  for (const source of sources) {
    const memory = getIndexPath(paths, source);
    if (source.type !== 'VIDEO' || existsSync(memory)) continue;
    // The stream that shows it says why.
    await loadVideoIndex(source.path, { memory }).catch(() => {});
  }
}

/** Formats of pixels without transparency. */
const OPAQUE = /^(yuvj?4|nv12|p01|gray)/;

async function prepareVideo(
  { clip, sourceTime }: ActiveClip,
  { path, sha256 }: Source,
  { paths, aim, signal, rate }: LayerOptions,
): Promise<Shown> {
  const memory = getIndexPath(paths, { sha256 });
  const index = await loadVideoIndex(path, { memory, signal });
  const { video } = index;
  const frame = findFrame(index, sourceTime);
  const seekSeconds = getSeekSeconds(
    index,
    frame,
    aim === 'frame' && !isIndexed(index) ? 'key' : aim,
  );
  const sdr = buildSdrFilters(video.color);
  const colors = sdr.length > 0 ? '' : toMatrixOption(video.color, video);
  return {
    path,
    picture: video,
    isOpaque: OPAQUE.test(video.pixelFormat ?? ''),
    stream: String(video.index),
    input: [
      ...(seekSeconds > 0 ? ['-noaccurate_seek', '-ss', seekSeconds.toFixed(6)] : []),
      ...(index.isTimed ? [] : TIMES_INPUT),
      ...buildDecodeArguments(video).threads,
      ...SAFE_INPUT,
      '-i',
      `file:${path}`,
    ],
    source: [
      ...(video.isInterlaced ? ['yadif'] : []),
      ...(rate
        ? playFrom(index, sourceTime, divide(rate, getSpeed(clip)), rate)
        : // yadif counts in halves.
          [`select='eq(pts,${video.isInterlaced ? 2 * frame : frame})'`, 'setpts=0']),
      ...sdr,
    ],
    colors,
    isOtherMatrix: sdr.length === 0 && colors === '' && video.color.matrix !== 'bt709',
  };
}

/** Times are counted in such parts of a second: finer than those of any container. */
const UNIT = 1e9;
/** The part of a frame below which a difference is rounding. */
const TOLERANCE = 1e-6;

/**
 * Returns filters to frames of `rate`, from the one at `start` on, each the last that has begun by its time.
 * A second of the source yields `perSecond` frames. Behind the end there is the last frame.
 */
function playFrom(
  { timeBase, times }: VideoIndex,
  start: Rational,
  perSecond: Rational,
  rate: Rational,
): string[] {
  const toTime = (units: number | undefined) =>
    multiply(rational(BigInt(requireValue(units, 'frame of a video'))), timeBase);
  const wanted = add(toTime(times[0]), start);
  const end = toTime(times.at(-1));
  const begin = toSeconds(compare(wanted, end) < 0 ? wanted : end).toFixed(9);
  const number = `max(0,ceil((PTS*TB-${begin})*${toSeconds(perSecond)}-${TOLERANCE}))`;
  return [
    `settb=1/${UNIT}`,
    `setpts='${number}*${UNIT / toSeconds(rate)}'`,
    `fps=${rate.numerator}/${rate.denominator}:round=near:start_time=0`,
  ];
}

async function prepareStill({ clip }: ActiveClip, source: Source): Promise<Shown> {
  const path = source.picturePath;
  const picture = path !== undefined && (await readPictureHeader(path));
  if (!picture) throw new SourceUnavailable(clip.assetId);
  const reading = ['-protocol_whitelist', 'file', '-f', 'image2', '-pattern_type', 'none'];
  return {
    path,
    picture,
    isOpaque: true,
    isOtherMatrix: false,
    stream: 'v',
    input: [...reading, '-i', `file:${path}`],
    source: [await buildStillColors(path, picture.format), 'setpts=0'],
    colors: '',
  };
}

/**
 * Returns the ffmpeg filter from a preview to sRGB without transparent parts. Previews are in sRGB, or name
 * Display P3; those in WebP have transparent parts.
 */
async function buildStillColors(path: string, format: string): Promise<string> {
  if (format === 'webp') return ON_WHITE;
  const icc = format === 'jpeg' ? (await readJpegHeader(path))?.icc : undefined;
  return icc && profileKind(icc) === 'display-p3' ? FROM_DISPLAY_P3 : 'null';
}

/** Transparent parts of a negative become black. */
const ON_WHITE = 'format=gbrap,negate=negate_alpha=0,premultiply=inplace=1,format=gbrp,negate';
const FROM_DISPLAY_P3 = 'format=gbrp,zscale=pin=smpte432:tin=iec61966-2-1:p=bt709:t=iec61966-2-1';
