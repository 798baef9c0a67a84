import sharp from 'sharp';
import { PictureUnreadable } from '../errors.ts';
import type { ImageSource, Pixels } from '../types.ts';
import { greyToRgb } from './channels.ts';
import { halve } from './halves.ts';

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
  const source = halve(picture, width, height);
  const data = await open(source).resize(width, height, { fit, kernel }).raw().toBuffer();
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
  const data = await open(halve(picture, width, height))
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
