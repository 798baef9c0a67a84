import {
  add,
  compare,
  multiply,
  rational,
  toRational,
  subtract,
  toSeconds,
  type WireRational,
} from '../../../core/rational.ts';
import type { StudioClip } from '../../../db/tables/studio.ts';
import type { Size } from '../../../media/sizes.ts';
import { type ClipTime, repeatLast, countFrames, toExpression } from './clip-time.ts';
import { moveCrop } from './moving-crop.ts';
import { type PixelFormat, RGB, SCALING, VIDEO } from './pixel-format.ts';
import { dim, surroundLayer } from './surround.ts';
import { FULL_CROP } from '../projects/document.ts';

/** The picture of a clip at the moment that is rendered. */
export type Layer = {
  readonly clip: StudioClip;
  readonly time: ClipTime;
  /** Frames of the canvas that show it, the first ones; undefined: all. */
  readonly frames: number | undefined;
  /** The size of the picture as displayed. */
  readonly picture: Size;
  /** Whether no part of it is transparent. */
  readonly isOpaque: boolean;
  /** The file. */
  readonly path: string;
  /** Options of ffmpeg with it. */
  readonly input: readonly string[];
  /** Filters from the stream to its frames in sRGB, as displayed. */
  readonly source: readonly string[];
  /** The stream of the input: '0', or 'v'. */
  readonly stream: string;
  /** Whether it becomes BT.709 faster by way of sRGB: a video with another matrix. */
  readonly isOtherMatrix: boolean;
  /** Options of `scale` about the colours of the source, beginning with a colon. */
  readonly colors: string;
};

/** The ground of all layers. */
export type Canvas = Size & {
  readonly background: string;
  readonly frames: number;
  /** Frames per second. */
  readonly rate: string;
  /** Whether layers that fill it are drawn in the colours of H.264, which saves conversions of each frame. */
  readonly isForVideo?: boolean;
};

/** The background of a film that names none. */
export const BLACK = '#000000';

/** A single frame. */
export const STILL = { frames: 1, rate: '1' };

/** Filters that draw the texts over the clips. */
export type Texts = readonly string[];

/** Returns the layers as they lie on a canvas, without those that another one covers. */
export function arrangeLayers(prepared: readonly Layer[], canvas: Canvas): readonly Layer[] {
  const surrounded = prepared.map((layer, index) => {
    const active = withActiveFades(layer, layer.frames ?? canvas.frames);
    return surroundLayer(active, canvas, `clip${index}`);
  });
  const layers = swapFading(surrounded, canvas);
  const lowest = layers.findLastIndex((layer) => isCovering(layer, canvas));
  return layers.slice(Math.max(0, lowest));
}

/**
 * Returns the layers so that one which fades in over another lies below it, and the other one fades out: when that is
 * over, nothing is mixed any more.
 */
function swapFading(layers: readonly Layer[], canvas: Canvas): readonly Layer[] {
  const [before, after] = layers;
  if (!before || !after || layers.length !== 2 || before.frames === undefined) return layers;
  const { fadeIn, ...clip } = after.clip;
  const { step, passed } = after.time;
  const faded = add(passed, multiply(step, rational(BigInt(before.frames))));
  const lasting = { ...after, clip };
  if (!fadeIn || compare(toRational(fadeIn), faded) !== 0) return layers;
  if (!isCovering(lasting, canvas) || !isCovering({ ...before, frames: undefined }, canvas))
    return layers;
  return [lasting, { ...before, clip: { ...before.clip, fadeOut: fadeIn } }];
}

function isCovering(layer: Layer, canvas: Canvas): boolean {
  const { opacity = 1, fadeIn, fadeOut } = layer.clip;
  const isSolid = layer.isOpaque && opacity === 1 && !fadeIn && !fadeOut;
  return isSolid && layer.frames === undefined && isFilling(layer, canvas);
}

function isFilling({ clip, picture }: Layer, canvas: Canvas): boolean {
  const { size, center } = placeClip(clip, picture, canvas);
  const isWhole = size.width >= canvas.width && size.height >= canvas.height;
  const isCentered = center.x === canvas.width / 2 && center.y === canvas.height / 2;
  return isWhole && isCentered && (clip.rotation ?? 0) === 0;
}

/**
 * Returns the filters that draw the layers on the canvas, from the lowest to the highest, as `[frame]`. With
 * `isWitnessed` also the names of streams that have a packet each exactly when all layers have a picture:
 * `overlay` goes on without one. A layer alone is its own witness, the frame.
 */
export function buildGraph(
  canvas: Canvas,
  layers: readonly Layer[],
  texts: Texts,
  { isWitnessed }: { readonly isWitnessed: boolean },
): {
  readonly graph: string;
  readonly witnesses: readonly string[];
  /** BT.709 in YUV 4:2:0 instead of sRGB. */
  readonly isVideo: boolean;
} {
  const { width, height, background, frames, rate } = canvas;
  const [lowest] = layers;
  const isCovered = lowest !== undefined && isCovering(lowest, canvas);
  const isAlone = isCovered && layers.length === 1;
  const isVideo =
    isCovered && canvas.isForVideo === true && layers.every((layer) => isPlain(layer, canvas));
  const format = isVideo ? VIDEO : RGB;
  const ground = `color=c=0x${background.slice(1)}:s=${width}x${height}:r=${rate}`;
  const parts = isCovered ? [] : [`${ground},trim=end_frame=${frames},format=gbrp[under0]`];
  const witnesses: string[] = [];
  for (const [index, layer] of layers.entries()) {
    const { center } = placeClip(layer.clip, layer.picture, canvas);
    const drawn = [...layer.source, ...buildTransform(layer, canvas, format)];
    if (isWitnessed && !isAlone) {
      drawn.push(`split[seen${index}]`);
      parts.push(`[seen${index}]scale=2:2[witness${index}]`);
      witnesses.push(`[witness${index}]`);
    }
    const input = `[${index}:${layer.stream}]`;
    if (isCovered && index === 0) {
      const lasting = frames === 1 ? [] : [...repeatLast(canvas), `fps=${rate}`];
      parts.push(`${input}${[...drawn, ...lasting].join(',')}[under1]`);
      continue;
    }
    parts.push(
      `${input}${drawn.join(',')}[layer${index}]`,
      `[under${index}][layer${index}]overlay=x=${toPixels(center.x)}-w/2:y=${toPixels(center.y)}-h/2:` +
        `format=${format.mixing}${layer.frames === undefined ? '' : ':eof_action=pass'}[under${index + 1}]`,
    );
  }
  parts.push(`[under${layers.length}]${[...texts, 'null'].join(',')}[frame]`);
  return { graph: parts.join(';'), witnesses, isVideo };
}

/** Whether a layer fills the canvas with colours that H.264 has. */
const isPlain = (layer: Layer, canvas: Canvas): boolean =>
  layer.isOpaque && !layer.isOtherMatrix && isFilling(layer, canvas);

function buildTransform(layer: Layer, canvas: Canvas, format: PixelFormat): string[] {
  const { clip, time, picture, colors } = layer;
  const { crop, size } = placeClip(clip, picture, canvas);
  const { rotation = 0, opacity = 1, blur = 0, brightness = 1 } = clip;
  // These are computed in RGB.
  const isTinted = blur !== 0 || brightness !== 1 || opacity !== 1;
  const drawing = isTinted ? RGB : format;
  const toPixelFormat = ({ name, transparent }: PixelFormat) =>
    `format=${isCovering(layer, canvas) ? name : transparent}`;
  const isWhole = crop.width === picture.width && crop.height === picture.height;
  const isDrawn =
    isWhole &&
    size.width === picture.width &&
    size.height === picture.height &&
    colors === drawing.from;
  const angle = `${rotation}*PI/180`;
  const fades = buildFades(clip, time, canvas.rate);
  const count = { frames: layer.frames ?? canvas.frames, rate: canvas.rate };
  const isRepeated = !clip.cropTo && (fades.length > 0 || layer.frames !== undefined);
  const drawn = clip.cropTo
    ? moveCrop({ clip, picture, size, colors, format: drawing }, time, count)
    : [
        ...(isWhole ? [] : [`crop=${crop.width}:${crop.height}:${crop.x}:${crop.y}:exact=1`]),
        ...(isDrawn ? [] : [`scale=${size.width}:${size.height}:${SCALING}${colors}${drawing.to}`]),
      ];
  const isTooLarge = size.width > canvas.width || size.height > canvas.height;
  return [
    ...drawn,
    ...(isTooLarge && isFilling(layer, canvas) ? [`crop=${canvas.width}:${canvas.height}`] : []),
    'setsar=1',
    // Planes are drawn faster, except by `rotate`.
    ...(rotation === 0
      ? []
      : ['format=rgba', `rotate=${angle}:ow=rotw(${angle}):oh=roth(${angle}):c=none`]),
    toPixelFormat(drawing),
    ...(blur === 0 ? [] : [`gblur=sigma=${blur * canvas.height}`]),
    ...(brightness === 1 ? [] : [dim(brightness)]),
    ...(opacity === 1 ? [] : [`colorchannelmixer=aa=${opacity}`]),
    ...(drawing === format ? [] : [`scale=${SCALING}${format.to}`, toPixelFormat(format)]),
    ...(isRepeated ? repeatLast(count) : []),
    ...fades,
  ];
}

const toPixels = (length: number): string => length.toFixed(3);

/** Where a picture goes, in pixels of the frame. */
type Placement = {
  /** Part of the picture, in its own pixels. */
  readonly crop: Size & { readonly x: number; readonly y: number };
  /** Size of that part before it is turned. */
  readonly size: Size;
  /** Its middle. */
  readonly center: { readonly x: number; readonly y: number };
};

const atLeastOne = (length: number): number => Math.max(1, Math.round(length));

/** Returns where a clip with a picture of this size goes on a frame of this size. */
function placeClip(clip: StudioClip, picture: Size, frame: Size): Placement {
  const { crop: part = FULL_CROP, fit = 'contain', scale = 1, x = 0, y = 0 } = clip;
  const width = Math.min(picture.width, atLeastOne(part.width * picture.width));
  const height = Math.min(picture.height, atLeastOne(part.height * picture.height));
  const crop = {
    width,
    height,
    x: Math.min(picture.width - width, Math.round(part.x * picture.width)),
    y: Math.min(picture.height - height, Math.round(part.y * picture.height)),
  };
  const ratios = [frame.width / width, frame.height / height];
  const factor = (fit === 'contain' ? Math.min(...ratios) : Math.max(...ratios)) * scale;
  return {
    crop,
    size: { width: atLeastOne(width * factor), height: atLeastOne(height * factor) },
    center: { x: frame.width * (0.5 + x), y: frame.height * (0.5 + y) },
  };
}

type Fading = { readonly clip: StudioClip; readonly time: ClipTime };

/** Returns a layer whose clip has only the fades in which one of its frames lies: without any, it may cover others. */
function withActiveFades<T extends Fading>(layer: T, frames: number): T {
  const { passed, step } = layer.time;
  const { fadeIn, fadeOut, ...clip } = layer.clip;
  const last = add(passed, multiply(step, rational(BigInt(frames - 1))));
  const isComing = fadeIn && compare(passed, toRational(fadeIn)) < 0;
  const isGoing =
    fadeOut && compare(last, subtract(toRational(clip.duration), toRational(fadeOut))) > 0;
  return { ...layer, clip: { ...clip, ...(isComing && { fadeIn }), ...(isGoing && { fadeOut }) } };
}

/** Times are counted in such parts of a second for `fade`. */
const UNIT = 1e9;

/** Filters that make frames with alpha transparent while their clip fades in or out; none if it never does. */
function buildFades(
  { duration, fadeIn, fadeOut }: StudioClip,
  time: ClipTime,
  rate: string,
): string[] {
  const end = toSeconds(toRational(duration));
  const fades = [...buildFade('in', fadeIn, () => 0), ...buildFade('out', fadeOut, (d) => end - d)];
  if (fades.length === 0) return [];
  const clock = [`settb=1/${UNIT}`, `setpts='round(${toExpression(time, 'N')}*${UNIT})'`];
  return [...clock, ...fades, ...countFrames(rate)];
}

/** `fade` counts in microseconds; without any it fades for 25 frames. */
const SHORTEST = 1e-6;

function buildFade(
  type: 'in' | 'out',
  length: WireRational | undefined,
  getStart: (seconds: number) => number,
): string[] {
  const seconds = length ? toSeconds(toRational(length)) : 0;
  if (seconds < SHORTEST) return [];
  return [`fade=${type}:alpha=1:st=${getStart(seconds).toFixed(6)}:d=${seconds.toFixed(6)}`];
}
