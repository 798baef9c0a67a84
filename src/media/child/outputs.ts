import type { Sharp } from 'sharp';
import sharp from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import { fitInside, type Picture, type RenderedImage, type Size, THUMBNAIL } from '../sizes.ts';

/** The hash holds seven waves per side at most. */
const HASH_SIDE = 32;

/** Optimised Huffman tables take three times the encoding time for 2 % of the bytes. */
export const JPEG = { quality: 80, optimiseCoding: false, mozjpeg: false } as const;
/** More effort saves 7 % of the bytes for half as much time again. */
const THUMBNAIL_WEBP = { quality: 80, effort: 0 } as const;
const PREVIEW_WEBP = { quality: 80, effort: 2 } as const;

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
export async function encodeOutputs(preview: Buffer, size: Size): Promise<Outputs> {
  const small = await readPixels(resized(sharp(preview), fitInside(size, THUMBNAIL)));
  return {
    preview: { bytes: preview, type: 'image/jpeg', ...size },
    ...(await smallOutputs(small)),
  };
}

/** From a picture in any colour space: it is resized and converted once, to pixels. */
export async function encodeRawOutputs(image: Sharp, target: Size): Promise<Outputs> {
  const pixels = flatten(await readPixels(resized(image, target).toColourspace('srgb')));
  const small = await readPixels(resized(reopen(pixels), fitInside(target, THUMBNAIL)));
  const preview =
    pixels.channels === 4
      ? { bytes: await reopen(pixels).webp(PREVIEW_WEBP).toBuffer(), type: 'image/webp' as const }
      : { bytes: await reopen(pixels).jpeg(JPEG).toBuffer(), type: 'image/jpeg' as const };
  return { preview: { ...preview, ...target }, ...(await smallOutputs(small)) };
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

async function smallOutputs(small: Pixels): Promise<{ thumbnail: Picture; thumbhash: Uint8Array }> {
  const bytes = await reopen(small).webp(THUMBNAIL_WEBP).toBuffer();
  const { data, width, height } = averaged(small, HASH_SIDE);
  return {
    thumbnail: { bytes, width: small.width, height: small.height },
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
