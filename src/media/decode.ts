import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CHILD_MEMORY_BYTES, MAX_DECODE_BYTES, withDecodeMemory } from './decode-memory.ts';
import { broken, unsupported } from './errors.ts';
import type { ExifTool } from './exiftool.ts';
import { readJpegHeader } from './jpeg.ts';
import { callImageChild } from './image-children.ts';
import { hasHeifAlpha, readHeifPrimary } from './heif.ts';
import { readPictureHeader } from './picture-header.ts';
import {
  DEFAULT_OUTPUTS,
  getPreviewBounds,
  type ImageOutputs,
  MAX_PIXELS,
  type Size,
} from './sizes.ts';
import { getLastLine, runTool } from './tool-process.ts';
import type { Decoder } from './decoder-detection.ts';
import { readPngColor } from './png.ts';
import { toIntegerWithin } from './tag-values.ts';
import { type ColorInfo, nameColors, toneMapFilter } from './tonemap.ts';

/** A picture in a form that sharp reads. */
export type Decoded = {
  readonly path: string;
  readonly isJpeg: boolean;
  /** EXIF number of the turn still to make; undefined: as the decoded file says itself. */
  readonly orientation: number | undefined;
  /** Size of the full picture as displayed, where the decoded file is smaller. */
  readonly size: Size | undefined;
  /** See RenderedImage. */
  readonly damage?: string | undefined;
};

export type DecodeOptions = {
  /** An empty folder, which the caller removes. */
  readonly folder: string;
  readonly exiftool?: ExifTool | undefined;
  readonly metadata?: { orientation?: number | undefined } | undefined;
  readonly outputs?: ImageOutputs | undefined;
  readonly signal?: AbortSignal | undefined;
};

const GIB = 1024 ** 3;
/** Decoders of hostile files end on their own terms or on these. */
const LIMITS = {
  timeoutMs: 90_000,
  cpuSeconds: 60,
  memoryBytes: 3 * GIB,
  dataBytes: CHILD_MEMORY_BYTES,
};

/** Smaller than this, the preview inside a raw file is worth less than developing the file. */
const MIN_RAW_PREVIEW = 1000;
/** The camera's own rendering, largest first. */
const RAW_PREVIEWS = ['JpgFromRaw', 'JpgFromRaw2', 'PreviewImage', 'OtherImage'];

/**
 * Decodes pictures that sharp cannot read, by one tool each, in a child process. Throws MediaError.
 */
export async function decodeTo(
  path: string,
  decoder: Decoder,
  options: DecodeOptions,
): Promise<Decoded> {
  switch (decoder) {
    case 'heif':
      return decodeHeif(path, options);
    case 'raw':
      return decodeRaw(path, options);
    case 'old-jpeg':
      return extractOldJpeg(path, options);
    case 'avif-sequence':
      return extractStill(path, options);
    case 'hdr-avif':
      return decodeByFfmpeg(path, ['-f', 'mov'], options);
    case 'hdr-heif':
    case 'hdr-png':
      return decodeBright(path, decoder, options);
    case 'jxl':
      return decodeByFfmpeg(path, ['-f', 'jpegxl_pipe'], options);
    case 'jp2':
      return decodeByFfmpeg(path, ['-f', 'j2k_pipe'], options);
    case 'bmp':
      return decodeByFfmpeg(path, ['-f', 'bmp_pipe'], options);
    case 'psd':
      return decodePhotoshop(path, options);
    case 'tga':
      // It has no mark of its own to be probed by: named, with the decoder fixed.
      return decodeByFfmpeg(path, ['-f', 'image2pipe', '-c:v', 'targa'], options);
    case 'jpeg':
    case 'sharp':
    case 'svg':
    case 'empty':
    case 'unknown':
      throw unsupported(`No decoder for ${decoder} files`);
  }
}

/**
 * JPEG keeps the colour profile (iPhones: Display P3); PNG takes five times as long, and is for pictures
 * with transparency.
 */
async function decodeHeif(path: string, options: DecodeOptions): Promise<Decoded> {
  const isJpeg = !(await hasHeifAlpha(path));
  const decoded = await convertHeif(path, isJpeg ? 'jpg' : 'png', options);
  return { path: decoded, isJpeg, orientation: await readHeifTurn(path, options), size: undefined };
}

/** Turns as the boxes of the file say. The EXIF that it copies may ask for the turn once more. */
async function convertHeif(
  path: string,
  extension: 'jpg' | 'png',
  { folder, signal }: DecodeOptions,
): Promise<string> {
  const target = join(folder, `heif.${extension}`);
  const result = await runTool(['heif-convert', '--quiet', '-q', '95', path, target], {
    ...LIMITS,
    output: target,
    signal,
  });
  // Bursts and sequences are written as heif-1 and so on: the first is the primary picture.
  const first = (await Bun.file(target).exists()) ? target : join(folder, `heif-1.${extension}`);
  if (!(await Bun.file(first).exists()))
    throw broken(`heif-convert: ${getLastLine(result.stderr) || `exit ${result.code}`}`);
  return first;
}

/** Returns the turn that is still to make: some phones have it in the EXIF alone, which AVIF does not obey. */
async function readHeifTurn(path: string, options: DecodeOptions): Promise<number> {
  const header = await readPictureHeader(path);
  if (header?.format === 'avif' || (await readHeifPrimary(path))?.turn !== undefined) return 1;
  return readTurn(path, options);
}

async function readTurn(path: string, { exiftool, metadata }: DecodeOptions): Promise<number> {
  if (metadata?.orientation !== undefined) return metadata.orientation;
  return toIntegerWithin((await exiftool?.read(path))?.['Orientation'], 1, 8) ?? 1;
}

/** Pictures that are brighter than white, from codes of 16 bits. */
async function decodeBright(
  path: string,
  decoder: 'hdr-heif' | 'hdr-png',
  options: DecodeOptions,
): Promise<Decoded> {
  const isHeif = decoder === 'hdr-heif';
  const color = isHeif ? (await readHeifPrimary(path))?.color : await readPngColor(path);
  const png = isHeif ? await convertHeif(path, 'png', options) : path;
  const orientation = await (isHeif ? readHeifTurn : readTurn)(path, options);
  const input = ['-f', 'png_pipe', '-autorotate', '0'];
  const decoded = await decodeByFfmpeg(png, input, options, color && nameColors(color));
  const { width, height } = decoded.size ?? { width: 0, height: 0 };
  const size = decoded.size && orientation >= 5 ? { width: height, height: width } : decoded.size;
  return { ...decoded, orientation, size };
}

/**
 * An animated AVIF holds a still, too, which libheif reads only where the file says to be one first. One
 * without a still shows its first frame.
 */
async function extractStill(path: string, options: DecodeOptions): Promise<Decoded> {
  if (!(await readPictureHeader(path))) return decodeByFfmpeg(path, ['-f', 'mov'], options);
  const target = join(options.folder, 'still.avif');
  // A new file: a copy would be read-only, as originals are.
  await pipeline(createReadStream(path), createWriteStream(target));
  const file = await open(target, 'r+');
  try {
    await file.write(Buffer.from('avif'), 0, 4, 8);
  } finally {
    await file.close();
  }
  return { path: target, isJpeg: false, orientation: undefined, size: undefined };
}

/** Scanners of the nineties wrote a whole JPEG into the TIFF; ffmpeg takes it for something else. */
async function extractOldJpeg(path: string, { folder, metadata }: DecodeOptions): Promise<Decoded> {
  const tiff = await readPictureHeader(path);
  const { start, length } = tiff?.oldJpeg ?? { start: 0, length: 0 };
  const target = join(folder, 'old.jpg');
  // Bun.write copies the whole file where it is given a slice of one.
  if (length > 0) {
    const part = createReadStream(path, { start, end: start + length - 1 });
    await pipeline(part, createWriteStream(target));
  }
  const header = length > 0 ? await readJpegHeader(target) : undefined;
  if (!header || header.width !== tiff?.width || header.height !== tiff.height)
    throw unsupported('The TIFF is compressed by the old JPEG scheme, in parts');
  return { path: target, isJpeg: true, orientation: metadata?.orientation ?? 1, size: undefined };
}

async function decodePhotoshop(path: string, { folder, signal }: DecodeOptions): Promise<Decoded> {
  const picture = await callImageChild({ op: 'photoshop', path }, { signal });
  const { bytes, isJpeg, width, height, damage } = picture;
  const target = join(folder, isJpeg ? 'photoshop.jpg' : 'photoshop.tiff');
  await Bun.write(target, bytes);
  return { path: target, isJpeg, orientation: 1, size: { width, height }, damage };
}

async function decodeRaw(path: string, options: DecodeOptions): Promise<Decoded> {
  const preview = options.exiftool && (await rawPreview(path, options.exiftool, options));
  if (preview) return preview;
  const target = join(options.folder, 'raw.tiff');
  // Half size is one pixel per colour filter group: no interpolation, and still above the preview's.
  const command = ['dcraw_emu', '-T', '-w', '-h', '-o', '1', '-Z', target, path];
  const { signal } = options;
  const result = await withDecodeMemory(MAX_DECODE_BYTES, signal, () =>
    runTool(command, { ...LIMITS, output: target, signal }),
  );
  if (!(await Bun.file(target).exists()))
    throw broken(`dcraw_emu: ${getLastLine(result.stderr) || `exit ${result.code}`}`);
  return { path: target, isJpeg: false, orientation: 1, size: undefined };
}

async function rawPreview(
  path: string,
  exiftool: ExifTool,
  { folder, metadata }: DecodeOptions,
): Promise<Decoded | undefined> {
  for (const tag of RAW_PREVIEWS) {
    const target = join(folder, `${tag}.jpg`);
    if (!(await exiftool.extract(path, tag, target))) continue;
    const header = await readJpegHeader(target);
    if (!header || Math.max(header.width, header.height) < MIN_RAW_PREVIEW) continue;
    // The preview of most cameras lies as the sensor does, and only the raw file says how to turn it.
    return {
      path: target,
      isJpeg: true,
      orientation: header.orientation ?? metadata?.orientation ?? 1,
      size: undefined,
    };
  }
  return undefined;
}

/**
 * The demuxer is always given: left to guess, ffmpeg takes a text file for a playlist and opens what
 * it names.
 */
async function decodeByFfmpeg(
  path: string,
  input: readonly string[],
  { folder, outputs = DEFAULT_OUTPUTS, signal }: DecodeOptions,
  color?: ColorInfo,
): Promise<Decoded> {
  const target = join(folder, 'decoded.tiff');
  const preview = getPreviewBounds(outputs);
  const filter = await toneMapFilter(path, input, { preview, color, signal });
  const source = [
    '-threads',
    '1',
    ...input,
    '-i',
    `file:${path}`,
    '-frames:v',
    '1',
    '-map',
    '0:v:0',
  ];
  const filters = filter.chain ? ['-vf', filter.chain] : [];
  const format = ['-pix_fmt', filter.hasAlpha ? 'rgba' : 'rgb24', '-c:v', 'tiff'];
  const output = ['-compression_algo', 'raw', '-f', 'image2', '-update', '1', `file:${target}`];
  const command = [...FFMPEG, ...source, ...filters, ...format, ...output];
  const result = await runTool(command, { ...LIMITS, output: target, signal });
  if (!(await Bun.file(target).exists()))
    throw broken(`ffmpeg: ${getLastLine(result.stderr) || `exit ${result.code}`}`);
  const size = filter.scaledFrom && (await asTurned(target, filter.scaledFrom));
  return { path: target, isJpeg: false, orientation: 1, size };
}

/** ffmpeg turns some pictures on the way, by its version. */
async function asTurned(decoded: string, { width, height }: Size): Promise<Size> {
  const shown = await readPictureHeader(decoded);
  if (!shown) throw broken('ffmpeg wrote no picture');
  const isTurned = width > height !== shown.width > shown.height && shown.width !== shown.height;
  return isTurned ? { width: height, height: width } : { width, height };
}

const FFMPEG = [
  'ffmpeg',
  '-nostdin',
  '-v',
  'error',
  '-protocol_whitelist',
  'file',
  '-max_pixels',
  String(MAX_PIXELS),
];
