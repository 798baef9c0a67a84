import { readDecoder } from './decoder-detection.ts';
import { callImageChild } from './image-children.ts';
import { type RenderOptions, withReadable } from './images.ts';

/** All pixels are in memory at once, twice. */
export const MAX_DIGESTED_PIXELS = 60_000_000;
const BYTES = 2 * 3 * MAX_DIGESTED_PIXELS;

/** Formats whose every pixel is decoded; raw files are shown by a preview inside. */
const WHOLE: readonly string[] = ['jpeg', 'sharp', 'heif'];

/**
 * Returns the SHA-256 of the pixels of a picture as they are shown: equal for two files that differ in metadata or
 * lossless compression only. Undefined where that cannot be told. Throws MediaError.
 */
export async function computePixelDigest(
  path: string,
  options: RenderOptions,
): Promise<Uint8Array | undefined> {
  if (!WHOLE.includes(await readDecoder(path, options.fileName))) return undefined;
  return withReadable(path, { ...options, leastBytes: BYTES }, async (file) => {
    const { bytes } = await callImageChild({ op: 'digestPixels', file }, options);
    return bytes;
  });
}
