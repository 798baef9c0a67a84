import type { Sharp } from 'sharp';
import sharp from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import {
  fitInside,
  getThumbnailBounds,
  type ImageOutputs,
  type Picture,
  type PictureFormat,
  type RenderedImage,
  type Size,
} from '../sizes.ts';

/** The hash holds seven waves per side at most. */
const HASH_SIDE = 32;

/** Effort of an encoding, for a WebP 0 to 6. */
type Encoding = { readonly effort: number; readonly optimiseCoding: boolean };

/** More effort saves 7 % of the bytes for half as much time again. */
const THUMBNAIL: Encoding = { effort: 0, optimiseCoding: false };
/** Optimised Huffman tables take three times the encoding time for 2 % of the bytes. */
const PREVIEW: Encoding = { effort: 2, optimiseCoding: false };
export const FULLSIZE: Encoding = { effort: 2, optimiseCoding: true };

type Outputs = Pick<RenderedImage, 'thumbnail' | 'preview' | 'thumbhash'>;
export type Pixels = {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
};

export const reopen = ({ data, width, height, channels }: Pixels) =>
  sharp(data, { raw: { width, height, channels } });

export async function readPixels(image: Sharp): Promise<Pixels> {
  const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  const channels = info.channels === 4 ? 4 : 3;
  return { data, width: info.width, height: info.height, channels };
}

/**
 * From a finished preview, which may have a profile: the thumbnail is decoded from it at a quarter of
 * its size, and converted to sRGB.
 */
export async function encodeOutputs(
  preview: Buffer,
  size: Size,
  outputs: ImageOutputs,
): Promise<Outputs> {
  const bounds = getThumbnailBounds(outputs);
  const small = await readPixels(resized(sharp(preview), fitInside(size, bounds)));
  return {
    preview: { bytes: preview, type: 'image/jpeg', ...size },
    ...(await smallOutputs(small, outputs)),
  };
}

/** From a picture in any colour space: it is resized and converted once, to pixels. */
export async function encodeRawOutputs(
  image: Sharp,
  target: Size,
  outputs: ImageOutputs,
): Promise<Outputs> {
  const pixels = flatten(await readPixels(resized(image, target).toColourspace('srgb')));
  const bounds = getThumbnailBounds(outputs);
  const small = await readPixels(resized(reopen(pixels), fitInside(target, bounds)));
  const preview = await encodePixels(pixels, outputs.preview, PREVIEW);
  return { preview, ...(await smallOutputs(small, outputs)) };
}

export async function encodePixels(
  pixels: Pixels,
  { format, quality, progressive }: PictureFormat,
  { effort, optimiseCoding }: Encoding,
): Promise<Picture> {
  const { width, height, channels } = pixels;
  const image = reopen(pixels);
  return format === 'webp' || channels === 4
    ? { bytes: await image.webp({ quality, effort }).toBuffer(), type: 'image/webp', width, height }
    : {
        bytes: await image.jpeg({ quality, progressive, optimiseCoding }).toBuffer(),
        type: 'image/jpeg',
        width,
        height,
      };
}

const resized = (image: Sharp, { width, height }: Size) =>
  image.resize(width, height, { fit: 'fill' });

/** Screenshots carry an alpha channel that hides nothing: they make a JPEG like everything else. */
export function flatten(pixels: Pixels): Pixels {
  if (pixels.channels === 3) return pixels;
  const { data, width, height } = pixels;
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return pixels;
  const rgb = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; from < data.length; from += 4) {
    rgb[to++] = data[from]!;
    rgb[to++] = data[from + 1]!;
    rgb[to++] = data[from + 2]!;
  }
  return { data: rgb, width, height, channels: 3 };
}

async function smallOutputs(
  small: Pixels,
  { thumbnail }: ImageOutputs,
): Promise<{ thumbnail: Picture; thumbhash: Uint8Array }> {
  const { data, width, height } = averaged(small, HASH_SIDE);
  return {
    thumbnail: await encodePixels(small, thumbnail, THUMBNAIL),
    thumbhash: rgbaToThumbHash(width, height, data),
  };
}

/**
 * The mean of the pixels of each cell of a coarse grid, with alpha. So few pixels take a pipeline of
 * libvips longer to set up than they take to add.
 */
function averaged(pixels: Pixels, side: number) {
  const { width: columns, height: rows } = fitInside(pixels, { short: side, long: side });
  const rgba = new Uint8Array(columns * rows * 4);
  for (let row = 0; row < rows; row++) {
    const [top, bottom] = cell(row, rows, pixels.height);
    for (let column = 0; column < columns; column++) {
      const [left, right] = cell(column, columns, pixels.width);
      const mean = computeMean(pixels, { left, right, top, bottom });
      rgba.set(mean, (row * columns + column) * 4);
    }
  }
  return { data: rgba, width: columns, height: rows };
}

type Box = { left: number; right: number; top: number; bottom: number };

/** Transparent pixels do not count. */
function computeMean({ data, width, channels }: Pixels, { left, right, top, bottom }: Box) {
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const at = (y * width + x) * channels;
      const weight = channels === 4 ? data[at + 3]! : 255;
      red += data[at]! * weight;
      green += data[at + 1]! * weight;
      blue += data[at + 2]! * weight;
      alpha += weight;
    }
  }
  const count = (bottom - top) * (right - left);
  const by = alpha || 1;
  return [red / by, green / by, blue / by, alpha / count].map(Math.round);
}

const cell = (index: number, count: number, size: number): [from: number, to: number] => [
  Math.floor((index * size) / count),
  Math.floor(((index + 1) * size) / count),
];
