import { join } from 'node:path';
import { type Decoded, type DecodeOptions, LIMITS } from './decoded.ts';
import { broken } from './errors.ts';
import type { NamedColor } from './icc.ts';
import { readPictureHeader } from './picture-header.ts';
import { FFMPEG } from './probe.ts';
import { DEFAULT_OUTPUTS, getPreviewBounds, MAX_PIXELS, type Size } from './sizes.ts';
import { runTool } from './tool-process.ts';
import { nameColors, toneMapFilter } from './tonemap.ts';

/** The start of a command that decodes one picture. */
export const DECODE_PICTURE: readonly string[] = [
  ...FFMPEG,
  '-protocol_whitelist',
  'file',
  '-max_pixels',
  String(MAX_PIXELS),
  '-threads',
  '1',
];

/**
 * The demuxer is always given: left to guess, ffmpeg takes a text file for a playlist and opens what
 * it names.
 */
export async function decodeByFfmpeg(
  path: string,
  input: readonly string[],
  { folder, outputs = DEFAULT_OUTPUTS, signal }: DecodeOptions,
  color?: NamedColor,
): Promise<Decoded> {
  const preview = getPreviewBounds(outputs);
  const given = color && nameColors(color);
  const filter = await toneMapFilter(path, input, { preview, color: given, signal });
  // A PNG keeps the profile.
  const isPng = filter.chain === undefined;
  const target = join(folder, isPng ? 'decoded.png' : 'decoded.tiff');
  const source = [...input, '-i', `file:${path}`, '-frames:v', '1', '-map', '0:v:0'];
  const filters = filter.chain ? ['-vf', filter.chain] : [];
  const format = ['-pix_fmt', filter.hasAlpha ? 'rgba' : 'rgb24'];
  const coding = isPng
    ? ['-c:v', 'png', '-compression_level', '0']
    : ['-c:v', 'tiff', '-compression_algo', 'raw'];
  const output = ['-f', 'image2', '-update', '1', `file:${target}`];
  const command = [...DECODE_PICTURE, ...source, ...filters, ...format, ...coding, ...output];
  const result = await runTool(command, { ...LIMITS, output: target, signal });
  if (!(await Bun.file(target).exists()))
    throw broken(`ffmpeg: ${getFirstReason(result.stderr) || `exit ${result.code}`}`);
  const size = filter.scaledFrom && (await asTurned(target, filter.scaledFrom));
  return { path: target, isJpeg: false, orientation: 1, size };
}

/** The lines behind the first one tell what does not go on because of it. */
const getFirstReason = (stderr: string): string =>
  /^(?:\[.*?\] )?(.*)/.exec(stderr.trim())?.[1]?.slice(0, 300) ?? '';

/** ffmpeg turns some pictures on the way, by its version. */
async function asTurned(decoded: string, { width, height }: Size): Promise<Size> {
  const shown = await readPictureHeader(decoded);
  if (!shown) throw broken('ffmpeg wrote no picture');
  const isTurned = width > height !== shown.width > shown.height && shown.width !== shown.height;
  return isTurned ? { width: height, height: width } : { width, height };
}

/** Pictures that are brighter than white, from codes of 16 bits. */
export async function decodeBright(
  png: string,
  color: NamedColor | undefined,
  orientation: number,
  options: DecodeOptions,
): Promise<Decoded> {
  const input = ['-f', 'png_pipe', '-autorotate', '0'];
  const decoded = await decodeByFfmpeg(png, input, options, color);
  const { width, height } = decoded.size ?? { width: 0, height: 0 };
  const size = decoded.size && orientation >= 5 ? { width: height, height: width } : decoded.size;
  return { ...decoded, orientation, size };
}
