import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_DECODE_BYTES, withDecodeMemory } from './decode-memory.ts';
import { type Decoded, decodeTo } from './decode.ts';
import { broken, MediaError } from './errors.ts';
import type { ExifTool } from './exiftool.ts';
import { callImageChild } from './image-children.ts';
import type { ImageFile } from './image-messages.ts';
import { type PictureHeader, readPictureHeader } from './picture-header.ts';
import { DEFAULT_OUTPUTS, type ImageOutputs, MAX_PIXELS, type RenderedImage } from './sizes.ts';
import { type Decoder, readDecoder } from './decoder-detection.ts';

export type RenderOptions = {
  readonly fileName: string;
  /** For intermediate files; what is made there is removed. */
  readonly tempDir: string;
  /** Finds the preview inside raw files; without it they are developed, which takes far longer. */
  readonly exiftool?: ExifTool | undefined;
  /** The result of readMetadata: some colour spaces and turns are named there only. */
  readonly metadata?:
    { colorspace?: string | undefined; orientation?: number | undefined } | undefined;
  readonly outputs?: ImageOutputs | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Makes all that is shown of a picture, upright; in sRGB, but the preview of a Display P3 JPEG stays
 * as wide, and has the profile. Its bytes are decoded by child processes only. Throws MediaError.
 */
export function renderImage(path: string, options: RenderOptions): Promise<RenderedImage> {
  const { outputs = DEFAULT_OUTPUTS } = options;
  return withReadable(path, options, async (file, size, damage) => {
    const rendered = await callImageChild({ op: 'render', file, outputs }, options);
    return { ...rendered, ...size, damage: damage ?? rendered.damage };
  });
}

/**
 * Does something with a picture once it is in a form that libvips reads, and once there is memory to
 * decode it. `size` is that of the full picture where the file is smaller. Throws MediaError.
 */
export async function withReadable<T>(
  path: string,
  options: RenderOptions & { readonly leastBytes?: number },
  work: (file: ImageFile, size: Decoded['size'], damage?: string) => Promise<T>,
): Promise<T> {
  const { signal, metadata, leastBytes = 0 } = options;
  const found = await readDecoder(path, options.fileName);
  if (found === 'empty') throw broken('The file is empty');
  if (found === 'unknown') throw broken('The file is no picture');
  signal?.throwIfAborted();
  const { decoder, decodeBytes } = plan(found, await readPictureHeader(path));
  return withDecodeMemory(Math.max(decodeBytes, leastBytes), signal, async () => {
    if (decoder === 'svg') return work({ path, isJpeg: false, isDrawing: true }, undefined);
    if (decoder === 'jpeg' || decoder === 'sharp') {
      const isJpeg = decoder === 'jpeg';
      return work({ path, isJpeg, colorspace: metadata?.colorspace }, undefined);
    }
    const folder = await mkdtemp(join(options.tempDir, 'decode-'));
    try {
      const decoded = await decodeTo(path, decoder, { ...options, folder });
      check(await readPictureHeader(decoded.path));
      return await work(
        { ...decoded, colorspace: metadata?.colorspace },
        decoded.size,
        decoded.damage,
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** libheif takes half as much memory by itself as behind libvips. */
const MAX_SHARP_AVIF_BYTES = 280 * 1024 ** 2;
const HEIF_CONVERT_SHARE = 0.75;

/** Which decoder is used, and what it needs. Throws MediaError 'too-large'. */
function plan(found: Decoder, header: PictureHeader | undefined) {
  const isLargeAvif =
    found === 'sharp' && header?.format === 'avif' && header.decodeBytes > MAX_SHARP_AVIF_BYTES;
  if (isLargeAvif) {
    const decodeBytes = header.decodeBytes * HEIF_CONVERT_SHARE;
    check({ ...header, decodeBytes });
    return { decoder: 'heif', decodeBytes } as const;
  }
  if (found === 'sharp' && header?.oldJpeg) {
    check({ ...header, decodeBytes: MAX_DECODE_BYTES });
    return { decoder: 'old-jpeg', decodeBytes: MAX_DECODE_BYTES } as const;
  }
  // The header of a raw file is that of a small picture in it.
  if (found === 'raw') return { decoder: found, decodeBytes: 0 };
  const isEstimated = found === 'jpeg' || found === 'sharp' || found === 'heif';
  // Files without a readable header are decoded alone, with all the memory.
  const decodeBytes = (isEstimated ? header?.decodeBytes : undefined) ?? MAX_DECODE_BYTES;
  check(header && { ...header, decodeBytes });
  return { decoder: found, decodeBytes };
}

function check(header: PictureHeader | undefined): void {
  if (!header) return;
  const { width, height, decodeBytes } = header;
  if (width < 1 || height < 1) throw broken('The picture has no pixels');
  if (width * height > MAX_PIXELS || decodeBytes > MAX_DECODE_BYTES)
    throw new MediaError('too-large', `The picture has ${width} × ${height} pixels`);
}
