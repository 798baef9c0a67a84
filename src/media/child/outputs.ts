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
import { averageCells, flatten, type Pixels } from './raw-pixels.ts';

/** The hash holds seven waves per side at most. */
const HASH_SIDE = 32;

/** Effort of an encoding, for a WebP 0 to 6. */
type Encoding = { readonly effort: number; readonly optimiseCoding: boolean };

/** More effort saves 7 % of the bytes for half as much time again. */
const THUMBNAIL: Encoding = { effort: 0, optimiseCoding: false };
/** Optimised Huffman tables take three times the encoding time for 2 % of the bytes. */
const PREVIEW: Encoding = { effort: 2, optimiseCoding: false };
export const FULLSIZE: Encoding = { effort: 2, optimiseCoding: true };

type Outputs = Pick<RenderedImage, 'thumbnail' | 'preview' | 'thumbhash' | 'isPlain'>;
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

async function smallOutputs(
  small: Pixels,
  { thumbnail }: ImageOutputs,
): Promise<Omit<Outputs, 'preview'>> {
  const { data, width, height } = averageCells(small, HASH_SIDE);
  return {
    thumbnail: await encodePixels(small, thumbnail, THUMBNAIL),
    thumbhash: rgbaToThumbHash(width, height, data),
    isPlain: small.data.every((value, at) => value === small.data[at % small.channels]),
  };
}
