import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_DECODE_BYTES, withDecodeMemory } from './decode-memory.ts';
import { decodeTo } from './decode.ts';
import type { Decoded } from './decoded.ts';
import { broken, isPermanent, MediaError } from './errors.ts';
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
export async function renderImage(path: string, options: RenderOptions): Promise<RenderedImage> {
  const { outputs = DEFAULT_OUTPUTS } = options;
  const work: Work<RenderedImage> = async (file, decoded) => {
    const image = await callImageChild({ op: 'render', file, outputs }, options);
    const doubt = image.isPlain ? decoded?.doubt : undefined;
    return { ...image, ...decoded?.size, damage: decoded?.damage ?? image.damage ?? doubt };
  };
  const isDoubtful = (image: RenderedImage) => image.damage !== undefined || image.isPlain;
  const { damage, ...image } = await withSecondOpinion(path, options, work, isDoubtful);
  // What a decoder leaves where it could not read anything is no picture.
  if (damage !== undefined && image.isPlain) throw broken(damage);
  return { ...image, damage };
}

type Work<T> = (file: ImageFile, decoded?: Decoded) => Promise<T>;

/**
 * Does something as `withReadable`. Where that fails because of the file, or has a doubtful result, another decoder is
 * asked, if there is one; its result counts if it is beyond doubt. Throws MediaError, of the first.
 */
export async function withSecondOpinion<T>(
  path: string,
  options: ReadOptions,
  work: Work<T>,
  isDoubtful: (result: T) => boolean,
): Promise<T> {
  const [first] = await Promise.allSettled([withReadable(path, options, work)]);
  const mayBeWrong =
    first.status === 'fulfilled'
      ? isDoubtful(first.value)
      : first.reason instanceof MediaError && isPermanent(first.reason);
  const decoder = mayBeWrong ? await findOtherDecoder(path, options.fileName) : undefined;
  if (decoder) {
    const other = withReadable(path, { ...options, decoder }, work);
    const [second] = await Promise.allSettled([other]);
    if (second.status === 'fulfilled' && !isDoubtful(second.value)) return second.value;
  }
  if (first.status === 'rejected') throw first.reason;
  return first.value;
}

const OTHERS: Partial<Record<Decoder, Decoder>> = {
  bmp: 'masked-bmp',
  'masked-bmp': 'bmp',
  jp2: 'plain-jp2',
  'hdr-avif': 'hdr-heif',
};

async function findOtherDecoder(path: string, fileName: string): Promise<Decoder | undefined> {
  const decoder = await readDecoder(path, fileName);
  if (decoder !== 'sharp') return OTHERS[decoder];
  return (await readPictureHeader(path))?.format === 'tiff' ? 'tiff' : undefined;
}

type ReadOptions = RenderOptions & {
  readonly leastBytes?: number;
  /** Instead of the one for the content. */
  readonly decoder?: Decoder;
};

/**
 * Does something with a picture once it is in a form that libvips reads, and once there is memory to
 * decode it. Throws MediaError.
 */
export async function withReadable<T>(
  path: string,
  options: ReadOptions,
  work: Work<T>,
): Promise<T> {
  const { signal, metadata, leastBytes = 0 } = options;
  const found = options.decoder ?? (await readDecoder(path, options.fileName));
  if (found === 'empty') throw broken('The file is empty');
  if (found === 'unknown') throw broken('The file is no picture');
  signal?.throwIfAborted();
  const { decoder, decodeBytes } = plan(found, await readPictureHeader(path));
  return withDecodeMemory(Math.max(decodeBytes, leastBytes), signal, async () => {
    if (decoder === 'svg') return work({ path, isJpeg: false, isDrawing: true });
    if (decoder === 'jpeg' || decoder === 'sharp') {
      const isJpeg = decoder === 'jpeg';
      return work({ path, isJpeg, colorspace: metadata?.colorspace });
    }
    const folder = await mkdtemp(join(options.tempDir, 'decode-'));
    try {
      const decoded = await decodeTo(path, decoder, { ...options, folder });
      check(await readPictureHeader(decoded.path));
      return await work({ ...decoded, colorspace: metadata?.colorspace }, decoded);
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
  // The header of a raw file is that of a small picture in it.
  if (found === 'raw') return { decoder: found, decodeBytes: 0 };
  const isEstimated = ['jpeg', 'sharp', 'png', 'heif'].includes(found);
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
