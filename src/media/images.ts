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
  const [first] = await Promise.allSettled([renderBy(path, options)]);
  const isDecided =
    first.status === 'fulfilled'
      ? !isDoubtful(first.value)
      : !(first.reason instanceof MediaError && isPermanent(first.reason));
  const decoder = isDecided ? undefined : await findOtherDecoder(path, options.fileName);
  if (decoder) {
    const [second] = await Promise.allSettled([renderBy(path, { ...options, decoder })]);
    if (second.status === 'fulfilled' && !isDoubtful(second.value)) return second.value;
    // A fault of the machine.
    if (second.status === 'rejected' && !(second.reason instanceof MediaError)) throw second.reason;
  }
  if (first.status === 'rejected') throw first.reason;
  // A damaged picture of a single colour is the decoder's blank canvas.
  const { damage, isPlain } = first.value;
  if (damage !== undefined && isPlain) throw broken(damage);
  return first.value;
}

const isDoubtful = ({ damage, isPlain }: RenderedImage) => damage !== undefined || isPlain;

function renderBy(path: string, options: ReadOptions): Promise<RenderedImage> {
  const { outputs = DEFAULT_OUTPUTS } = options;
  return withReadable(path, options, async (file, decoded) => {
    const image = await callImageChild({ op: 'render', file, outputs }, options);
    const doubt = image.isPlain ? decoded?.doubt : undefined;
    return { ...image, ...decoded?.size, damage: decoded?.damage ?? image.damage ?? doubt };
  });
}

/** The decoder to try when the first one fails, warns, or returns a single colour. */
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
  work: (file: ImageFile, decoded?: Decoded) => Promise<T>,
): Promise<T> {
  const { signal, metadata, leastBytes = 0 } = options;
  const found = options.decoder ?? (await readDecoder(path, options.fileName));
  if (found === 'empty') throw broken('The file is empty');
  if (found === 'unknown') throw broken('The file is no picture');
  signal?.throwIfAborted();
  const header = await readPictureHeader(path);
  const { decoder, decodeBytes } = plan(found, header);
  return withDecodeMemory(Math.max(decodeBytes, leastBytes), signal, async () => {
    if (decoder === 'svg') return work({ path, isJpeg: false, isDrawing: true });
    if (decoder === 'jpeg' || decoder === 'sharp') {
      const isJpeg = decoder === 'jpeg';
      // Behind the pixels of a PNG, decoders do not look for it.
      const orientation = header?.format === 'png' ? metadata?.orientation : undefined;
      return work({ path, isJpeg, orientation, colorspace: metadata?.colorspace });
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
  const isEstimated = ['jpeg', 'sharp', 'png', 'heif', 'jp2'].includes(found);
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
