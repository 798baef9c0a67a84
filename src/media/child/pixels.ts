import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { MediaError } from '../errors.ts';
import type { ImageFile } from '../image-messages.ts';
import { MAX_DIGESTED_PIXELS } from '../pixel-digest.ts';
import { turnUpright } from './render.ts';

/**
 * Returns the SHA-256 of all pixels as they are shown, upright and in sRGB. Throws MediaError 'unsupported' for what is
 * more than one picture, 'too-large', or the error of a decoder that does not guess at damaged bytes.
 */
export async function digestPixels({ path, orientation }: ImageFile): Promise<Uint8Array> {
  const input = { failOn: 'warning', limitInputPixels: MAX_DIGESTED_PIXELS } as const;
  const { pages = 1, depth } = await sharp(path, input).metadata();
  if (pages > 1) throw new MediaError('unsupported', 'The file has several pictures');
  const { data, info } = await turnUpright(sharp(path, input), orientation)
    .toColourspace(depth === 'ushort' ? 'rgb16' : 'srgb')
    .raw({ depth: depth === 'ushort' ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return createHash('sha256')
    .update(`${width} ${height} ${channels} ${depth}\n`)
    .update(data)
    .digest();
}
