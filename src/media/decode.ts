import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { decodeBright, decodeByFfmpeg } from './decode-ffmpeg.ts';
import { MAX_DECODE_BYTES, withDecodeMemory } from './decode-memory.ts';
import {
  copyWith,
  type Decoded,
  type DecodeOptions,
  embedProfile,
  LIMITS,
  readTurn,
} from './decoded.ts';
import { type Decoder, findHeifProfile } from './decoder-detection.ts';
import { broken, unsupported } from './errors.ts';
import type { ExifTool } from './exiftool.ts';
import { type HeifPrimary, hasHeifAlpha, readHeifPrimary } from './heif.ts';
import { toProfile } from './icc.ts';
import { callImageChild } from './image-children.ts';
import { decodeByImageMagick } from './imagemagick.ts';
import { readJpegHeader } from './jpeg.ts';
import { readPictureHeader } from './picture-header.ts';
import { describePng } from './png.ts';
import { getLastLine, runTool } from './tool-process.ts';
import { isHdrColor } from './tonemap.ts';

/** Smaller than this, the preview inside a raw file is worth less than developing the file. */
const MIN_RAW_PREVIEW = 1000;
/** The camera's own rendering, largest first. */
const RAW_PREVIEWS = ['JpgFromRaw', 'JpgFromRaw2', 'PreviewImage', 'OtherImage', 'ThumbnailImage'];

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
      return decodeBrightHeif(path, options);
    case 'hdr-png':
    case 'png':
      return decodePng(path, options);
    case 'jxl':
      return decodeByFfmpeg(path, ['-f', 'jpegxl_pipe'], options);
    case 'bmp':
      return decodeByFfmpeg(path, ['-f', 'bmp_pipe'], options);
    case 'plain-jp2':
      return decodeByFfmpeg(path, ['-f', 'j2k_pipe'], options);
    case 'jp2':
    case 'masked-bmp':
    case 'tga':
    case 'tiff':
      return decodeByImageMagick(path, decoder, options);
    case 'lab-tiff':
    case 'offset-lab-tiff': {
      // Photoshop's Lab has the white of printing, as that of TIFF.
      const { path: psd, damage } = await decodeByImageMagick(path, decoder, options);
      return { ...(await decodePhotoshop(psd, options)), damage };
    }
    case 'psd':
      return decodePhotoshop(path, options);
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
  const primary = await readHeifPrimary(path);
  const converted = await convertHeif(path, isJpeg ? 'jpg' : 'png', options);
  const decoded = await embedProfile(converted, findHeifProfile(primary), options);
  const orientation = await readHeifTurn(path, primary, options);
  return { path: decoded, isJpeg, orientation, size: undefined };
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
  if (await Bun.file(target).exists()) return target;
  if (!(await Bun.file(join(folder, `heif-1.${extension}`)).exists()))
    throw broken(`heif-convert: ${getLastLine(result.stderr) || `exit ${result.code}`}`);
  // All pictures of a collection are written, by number, and it is not said which is the primary one.
  const { stdout } = await runTool(['heif-info', path], { ...LIMITS, signal });
  const pictures = stdout.split('\n').filter((line) => line.startsWith('image:'));
  const primary = pictures.findIndex((line) => line.endsWith(', primary'));
  return join(folder, `heif-${Math.max(0, primary) + 1}.${extension}`);
}

/** Returns the turn that is still to make: some phones have it in the EXIF alone, which AVIF does not obey. */
async function readHeifTurn(
  path: string,
  primary: HeifPrimary | undefined,
  options: DecodeOptions,
): Promise<number> {
  const header = await readPictureHeader(path);
  if (header?.format === 'avif' || primary?.turn !== undefined) return 1;
  return readTurn(path, options);
}

async function decodeBrightHeif(path: string, options: DecodeOptions): Promise<Decoded> {
  const primary = await readHeifPrimary(path);
  const png = await convertHeif(path, 'png', options);
  return decodeBright(png, primary?.color, await readHeifTurn(path, primary, options), options);
}

/**
 * An animated AVIF holds a still, too, which libheif reads only where the file says to be one first. One
 * without a still shows its first frame.
 */
async function extractStill(path: string, options: DecodeOptions): Promise<Decoded> {
  const isBright = isHdrColor((await readHeifPrimary(path))?.color);
  if (isBright || !(await readPictureHeader(path)))
    return decodeByFfmpeg(path, ['-f', 'mov'], options);
  const target = join(options.folder, 'still.avif');
  await copyWith(path, target, { 8: Buffer.from('avif').readUInt32LE() });
  return { path: target, isJpeg: false, orientation: undefined, size: undefined };
}

async function decodePng(path: string, options: DecodeOptions): Promise<Decoded> {
  const { color, hasHiddenMetadata } = await describePng(path);
  if (isHdrColor(color)) return decodeBright(path, color, await readTurn(path, options), options);
  const orientation = hasHiddenMetadata ? await readTurn(path, options) : undefined;
  const profiled = await embedProfile(path, color && toProfile(color), options);
  return { path: profiled, isJpeg: false, orientation, size: undefined };
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
  if (preview?.isLarge) return preview;
  const target = join(options.folder, 'raw.tiff');
  // Half size is one pixel per colour filter group: no interpolation, and still above the preview's.
  const command = ['dcraw_emu', '-T', '-w', '-h', '-o', '1', '-Z', target, path];
  const { signal } = options;
  const result = await withDecodeMemory(MAX_DECODE_BYTES, signal, () =>
    runTool(command, { ...LIMITS, output: target, signal }),
  );
  if (await Bun.file(target).exists())
    return { path: target, isJpeg: false, orientation: 1, size: undefined };
  const reason = `dcraw_emu: ${getLastLine(result.stderr) || `exit ${result.code}`}`;
  if (!preview) throw broken(reason);
  return { ...preview, damage: reason };
}

/** Returns the first preview that is large enough, else the largest. */
async function rawPreview(
  path: string,
  exiftool: ExifTool,
  { folder, metadata }: DecodeOptions,
): Promise<(Decoded & { readonly isLarge: boolean }) | undefined> {
  let [longest, best]: [number, Decoded | undefined] = [0, undefined];
  for (const tag of RAW_PREVIEWS) {
    const target = join(folder, `${tag}.jpg`);
    if (!(await exiftool.extract(path, tag, target))) continue;
    const header = await readJpegHeader(target);
    const length = header ? Math.max(header.width, header.height) : 0;
    if (!header || length <= longest) continue;
    // The preview of most cameras lies as the sensor does, and only the raw file says how to turn it.
    const orientation = header.orientation ?? metadata?.orientation ?? 1;
    [longest, best] = [length, { path: target, isJpeg: true, orientation, size: undefined }];
    if (length >= MIN_RAW_PREVIEW) break;
  }
  return best && { ...best, isLarge: longest >= MIN_RAW_PREVIEW };
}
