import sharp from 'sharp';
import { PictureUnreadable } from '../errors.ts';
import type { ImageSource, Pixels } from '../types.ts';

// The models need the cores, and no picture is opened twice.
sharp.concurrency(1);
sharp.cache(false);

/** Longest side that is decoded in full. */
const LONGEST = 4320;
const MAX_PIXELS = 300_000_000;

/** Returns the picture upright, in sRGB, without alpha. Throws PictureUnreadable. */
export async function decodePicture(source: ImageSource): Promise<Pixels> {
  if (!('path' in source)) return source;
  try {
    const { data, info } = await sharp(source.path, {
      failOn: 'none',
      limitInputPixels: MAX_PIXELS,
    })
      .autoOrient()
      .resize(LONGEST, LONGEST, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#fff' })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return { width, height, data: channels === 1 ? greyToRgb(data) : data };
  } catch (error) {
    throw new PictureUnreadable((error as Error).message, { cause: error });
  }
}

function greyToRgb(grey: Uint8Array): Uint8Array {
  const rgb = new Uint8Array(grey.length * 3);
  for (let at = 0; at < grey.length; at++) rgb.fill(grey[at]!, at * 3, at * 3 + 3);
  return rgb;
}

const open = ({ width, height, data }: Pixels) =>
  sharp(data, { raw: { width, height, channels: 3 } });

/** Resizes a picture; ignores the aspect ratio ('fill') or crops the middle ('cover'). */
export async function resize(
  picture: Pixels,
  width: number,
  height: number,
  options: {
    readonly fit?: 'fill' | 'cover';
    readonly kernel?: 'linear' | 'cubic' | 'nearest';
  } = {},
): Promise<Pixels> {
  const { fit = 'fill', kernel = 'linear' } = options;
  if (picture.width === width && picture.height === height) return picture;
  const data = await open(picture).resize(width, height, { fit, kernel }).raw().toBuffer();
  return { width, height, data };
}

/** `fillX` and `fillY`: share of the square that the picture takes; `left` and `top`: its corner. */
export type Letterboxed = Pixels & {
  readonly fillX: number;
  readonly fillY: number;
  readonly left: number;
  readonly top: number;
};

const atLeastOne = (length: number) => Math.max(1, Math.round(length));

/**
 * Returns the picture in the middle of a black square of which its longer side takes `share`, or in the top
 * left corner if that is all of it; with its place there as fractions.
 */
export async function letterbox(picture: Pixels, side: number, share = 1): Promise<Letterboxed> {
  const scale = (side * share) / Math.max(picture.width, picture.height);
  const width = Math.min(side, atLeastOne(picture.width * scale));
  const height = Math.min(side, atLeastOne(picture.height * scale));
  const toMargin = (length: number) => (share < 1 ? Math.floor((side - length) / 2) : 0);
  const [left, top] = [toMargin(width), toMargin(height)];
  const data = await open(picture)
    .resize(width, height, { fit: 'fill', kernel: 'linear' })
    .extend({
      left,
      top,
      right: side - width - left,
      bottom: side - height - top,
      background: '#000',
    })
    .raw()
    .toBuffer();
  return {
    width: side,
    height: side,
    data,
    fillX: width / side,
    fillY: height / side,
    left: left / side,
    top: top / side,
  };
}

type Normalise = { readonly mean?: readonly number[]; readonly std?: readonly number[] };

/** Returns (value - mean) / std in HWC order. */
export function toChannelsLast({ data }: Pixels, normalise: Normalise = {}): Float32Array {
  const values = new Float32Array(data.length);
  const [first, second, third] = [0, 1, 2].map((channel) => createLookupTable(normalise, channel));
  for (let at = 0; at < data.length; at += 3) {
    values[at] = first![data[at]!]!;
    values[at + 1] = second![data[at + 1]!]!;
    values[at + 2] = third![data[at + 2]!]!;
  }
  return values;
}

/** Returns the same in CHW order. */
export function toChannelsFirst(
  { data }: Pixels,
  { isBgr = false, ...normalise }: Normalise & { readonly isBgr?: boolean } = {},
): Float32Array {
  const plane = data.length / 3;
  const values = new Float32Array(data.length);
  for (let channel = 0; channel < 3; channel++) {
    const scale = createLookupTable(normalise, channel);
    let from = isBgr ? 2 - channel : channel;
    const end = (channel + 1) * plane;
    for (let to = channel * plane; to < end; to++, from += 3) values[to] = scale[data[from]!]!;
  }
  return values;
}

/** Returns the normalized value of each of the 256 bytes. */
function createLookupTable({ mean, std }: Normalise, channel: number): Float32Array {
  const [m, s] = [mean?.[channel] ?? 0, std?.[channel] ?? 1];
  return Float32Array.from({ length: 256 }, (_, value) => (value - m) / s);
}

/** Maps pixels of the result to pixels of the picture. */
export type Warp = (x: number, y: number) => readonly [x: number, y: number];

/**
 * Warps a picture; each pixel is the mean of `samples`² bilinear samples, more of them the more the
 * picture shrinks. Outside of the picture its edge goes on, or all is black.
 */
export function warp(
  picture: Pixels,
  size: { readonly width: number; readonly height: number },
  samples: number,
  warp: Warp,
  outside: 'edge' | 'black' = 'edge',
): Pixels {
  const { width, height } = size;
  const data = new Uint8Array(width * height * 3);
  const sum = [0, 0, 0];
  const count = samples * samples;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      sum.fill(0);
      for (let sub = 0; sub < count; sub++) {
        const dx = ((sub % samples) + 0.5) / samples;
        const dy = (Math.floor(sub / samples) + 0.5) / samples;
        const [fromX, fromY] = warp(x + dx, y + dy);
        if (outside === 'black' && !isInside(picture, fromX, fromY)) continue;
        addBilinear(picture, fromX - 0.5, fromY - 0.5, sum);
      }
      const at = (y * width + x) * 3;
      for (let channel = 0; channel < 3; channel++) data[at + channel] = sum[channel]! / count;
    }
  }
  return { width, height, data };
}

const isInside = ({ width, height }: Pixels, x: number, y: number): boolean =>
  x >= 0 && y >= 0 && x <= width && y <= height;

function addBilinear({ width, height, data }: Pixels, x: number, y: number, sum: number[]): void {
  const px = Math.max(0, Math.min(width - 1, x));
  const py = Math.max(0, Math.min(height - 1, y));
  const [x0, y0] = [Math.floor(px), Math.floor(py)];
  const [fx, fy] = [px - x0, py - y0];
  const right = x0 + 1 < width ? 3 : 0;
  const below = y0 + 1 < height ? width * 3 : 0;
  const at = (y0 * width + x0) * 3;
  for (let channel = 0; channel < 3; channel++) {
    const here = at + channel;
    const top = data[here]! * (1 - fx) + data[here + right]! * fx;
    const bottom = data[here + below]! * (1 - fx) + data[here + below + right]! * fx;
    sum[channel] = sum[channel]! + top * (1 - fy) + bottom * fy;
  }
}
