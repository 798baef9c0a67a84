import { join } from 'node:path';
import { decodeBright, decodeByFfmpeg } from './decode-ffmpeg.ts';
import {
  copyWith,
  type Decoded,
  type DecodeOptions,
  embedProfile,
  LIMITS,
  readTurn,
} from './decoded.ts';
import { findHeifProfile } from './decoder-detection.ts';
import { broken } from './errors.ts';
import { type HeifPrimary, hasHeifAlpha, readHeifPrimary } from './heif.ts';
import { readPictureHeader } from './picture-header.ts';
import { getLastLine, runTool } from './tool-process.ts';
import { isHdrColor } from './tonemap.ts';

/**
 * JPEG keeps the colour profile (iPhones: Display P3); PNG takes five times as long, and is for pictures
 * with transparency.
 */
export async function decodeHeif(path: string, options: DecodeOptions): Promise<Decoded> {
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

export async function decodeBrightHeif(path: string, options: DecodeOptions): Promise<Decoded> {
  const primary = await readHeifPrimary(path);
  const png = await convertHeif(path, 'png', options);
  return decodeBright(png, primary?.color, await readHeifTurn(path, primary, options), options);
}

/**
 * An animated AVIF holds a still, too, which libheif reads only where the file says to be one first. One
 * without a still shows its first frame.
 */
export async function extractStill(path: string, options: DecodeOptions): Promise<Decoded> {
  const isBright = isHdrColor((await readHeifPrimary(path))?.color);
  if (isBright || !(await readPictureHeader(path)))
    return decodeByFfmpeg(path, ['-f', 'mov'], options);
  const target = join(options.folder, 'still.avif');
  await copyWith(path, target, { 8: Buffer.from('avif').readUInt32LE() });
  return { path: target, isJpeg: false, orientation: undefined, size: undefined };
}
