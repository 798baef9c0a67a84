import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DECODE_PICTURE } from './decode-ffmpeg.ts';
import { copyWith, type Decoded, type DecodeOptions, LIMITS } from './decoded.ts';
import { broken } from './errors.ts';
import { readTopBox } from './heif.ts';
import { getLastLine, runTool } from './tool-process.ts';

/** Formats that ImageMagick decodes, because ffmpeg and sharp support only some of their variants. */
type MagickFormat = 'masked-bmp' | 'tga' | 'jp2' | 'tiff' | 'lab-tiff' | 'offset-lab-tiff';

/** A picture that needs more memory is too large. */
const RESOURCES = Object.entries({ memory: '450MiB', map: '0', disk: '0', thread: '1' });
const RESOURCE_LIMITS = RESOURCES.flatMap(([name, value]) => ['-limit', name, value]);

/**
 * Writes a TIFF of 8 bits into the folder, or a Photoshop file in Lab. The format is always given: left to guess,
 * ImageMagick runs a text file as a program. Throws MediaError.
 */
export async function decodeByImageMagick(
  path: string,
  format: MagickFormat,
  options: DecodeOptions,
): Promise<Decoded> {
  const { folder, signal } = options;
  const isLab = format.endsWith('lab-tiff');
  const target = join(folder, isLab ? 'lab.psd' : 'magick.tiff');
  const { settings = [], input, operators } = await chooseArguments(path, format, options);
  const writing = ['-depth', '8', '-compress', 'none', `${isLab ? 'psd' : 'tiff'}:${target}`];
  const reading = [...RESOURCE_LIMITS, ...settings, `${input}[0]`];
  const files = { read: [path], write: [folder] };
  const result = await runTool(['convert', ...reading, ...operators, ...writing], {
    ...LIMITS,
    files,
    output: target,
    signal,
  });
  const damage = findError(result.stderr);
  if (!(await Bun.file(target).exists()))
    throw broken(damage ?? `convert: ${getLastLine(result.stderr) || `exit ${result.code}`}`);
  if (isLab) await markAsLab(target);
  const isTiff = format === 'tiff';
  const orientation = isTiff ? undefined : 1;
  const doubt = isTiff ? 'The samples are outside the range of a picture' : undefined;
  return { path: target, isJpeg: false, orientation, size: undefined, damage, doubt };
}

/** Says that what was written as RGB is Lab: the mode of a Photoshop file, after its depth. */
async function markAsLab(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.write(Uint8Array.of(0, 9), 0, 2, 24);
}

/** Returns the first error, without names of files. What it warns of may be a tag that it does not know. */
function findError(stderr: string): string | undefined {
  const messages = stderr.split(/^convert[-\w.]*: /m);
  const words = messages.find((message) => message.includes(' @ error/'));
  return words && `convert: ${/^[^`]*/.exec(words)?.[0].trim() || words.trim()}`;
}

type Arguments = {
  readonly settings?: readonly string[];
  readonly input: string;
  readonly operators: readonly string[];
};

async function chooseArguments(
  path: string,
  format: MagickFormat,
  options: DecodeOptions,
): Promise<Arguments> {
  switch (format) {
    case 'masked-bmp':
      return chooseBmpArguments(path, options.folder);
    case 'jp2':
      return chooseJp2Arguments(path, options.folder);
    case 'tga':
      return chooseTgaArguments(path, options);
    case 'tiff':
      return { input: `tiff:${path}`, operators: [] };
    case 'lab-tiff':
      return { input: `tiff:${path}`, operators: LAB };
    case 'offset-lab-tiff':
      return { input: `tiff:${path}`, operators: [...LAB, ...UNSIGNED] };
  }
}

/** Its numbers are written as they are: ImageMagick would convert them for another white. */
const LAB = ['-set', 'colorspace', 'sRGB'];
/** ImageMagick has taken the two axes of colour for signed numbers, and put their zero half a step too low. */
const UNSIGNED = '-channel GB -evaluate Add 1 -evaluate Xor 32768 +channel'.split(' ');

const BMP = { sizeAt: 14, schemeAt: 30 };
const MASKS_AT = { R: 54, G: 58, B: 62, A: 66 };
const BMP_SCHEMES = { plain: 0, masks: 3, masksWithAlpha: 6 };
/** A header with masks of red, green, blue and alpha in it, and not behind it. */
const BMP_HEADER_WITH_MASKS = 56;

async function chooseBmpArguments(path: string, folder: string): Promise<Arguments> {
  const head = Buffer.alloc(70);
  head.set(new Uint8Array(await Bun.file(path).slice(0, 70).arrayBuffer()));
  const scheme = head.readUInt32LE(BMP.schemeAt);
  // The fourth byte of a pixel means nothing then.
  if (scheme === BMP_SCHEMES.plain) return { input: `bmp:${path}`, operators: ['-alpha', 'off'] };
  const hasAlpha =
    scheme === BMP_SCHEMES.masksWithAlpha || head.readUInt32LE(BMP.sizeAt) >= BMP_HEADER_WITH_MASKS;
  const operators = Object.entries(MASKS_AT).flatMap(([channel, at]) =>
    channel === 'A' && !hasAlpha ? [] : spreadField(channel, head.readUInt32LE(at)),
  );
  if (scheme !== BMP_SCHEMES.masksWithAlpha) return { input: `bmp:${path}`, operators };
  const target = join(folder, 'masks.bmp');
  const header = { [BMP.sizeAt]: BMP_HEADER_WITH_MASKS, [BMP.schemeAt]: BMP_SCHEMES.masks };
  await copyWith(path, target, header);
  return { input: `bmp:${target}`, operators };
}

/** The most of a field of fewer than five bits is not full light to ImageMagick. */
function spreadField(channel: string, mask: number): string[] {
  const bits = mask.toString(2).replaceAll('0', '').length;
  if (bits < 1 || bits > 4) return [];
  const most = (256 - 2 ** (8 - bits)) / 256;
  return ['-channel', channel, '-level', `0,${(most * 100).toFixed(3)}%`, '+channel'];
}

/**
 * Decoders take pixels of grey and alpha for colours of 16 bits. As such ffmpeg unpacks them, and writes them as they
 * are.
 */
async function chooseTgaArguments(path: string, { folder, signal }: DecodeOptions) {
  const head = Buffer.from(await Bun.file(path).slice(0, 18).arrayBuffer());
  const isGrey = [3, 11].includes(head[2] ?? 0);
  if (!isGrey || head[16] !== 16) return { input: `tga:${path}`, operators: ['-auto-orient'] };
  const target = join(folder, 'grey-alpha');
  const source = ['-f', 'image2pipe', '-c:v', 'targa', '-i', `file:${path}`];
  const raw = ['-f', 'rawvideo', `file:${target}`];
  const command = [...DECODE_PICTURE, ...source, ...raw];
  await runTool(command, { ...LIMITS, output: target, signal });
  const size = `${head.readUInt16LE(12)}x${head.readUInt16LE(14)}`;
  const settings = ['-size', size, '-depth', '8'];
  return { settings, input: `graya:${target}`, operators: [] };
}

/** ISO/IEC 15444-1 §I.5.3.3: the methods of a profile in its restricted and in its full form. */
const PROFILE_METHODS = [2, 3];

/** Decoders of JPEG 2000 leave the profile to whoever calls them. */
async function chooseJp2Arguments(path: string, folder: string): Promise<Arguments> {
  await using file = await open(path, 'r');
  const header = await readTopBox(file, 'jp2h');
  if (!header) return { input: `j2k:${path}`, operators: [] };
  const at = header.indexOf('colr', 0, 'latin1');
  if (at < 4 || !PROFILE_METHODS.includes(header[at + 4] ?? 0))
    return { input: `jp2:${path}`, operators: [] };
  const profile = join(folder, 'jp2.icc');
  await Bun.write(profile, header.subarray(at + 7, at - 4 + header.readUInt32BE(at - 4)));
  return { input: `jp2:${path}`, operators: ['-profile', `icc:${profile}`] };
}
