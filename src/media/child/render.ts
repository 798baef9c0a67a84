import type { Sharp } from 'sharp';
import sharp from 'sharp';
import { thumbHashToAverageRGBA } from 'thumbhash';
import { broken, interrupted, MediaError } from '../errors.ts';
import { adobeRgbProfile, profileKind } from '../icc.ts';
import type { ImageFile } from '../image-messages.ts';
import {
  findCutHeader,
  type JpegHeader,
  hasAtMostScans,
  readJpegHeader,
  withIcc,
  withoutIcc,
} from '../jpeg.ts';
import { DISK_FAULT, OUT_OF_MEMORY } from '../tool-process.ts';
import {
  fitInside,
  getPreviewBounds,
  type ImageOutputs,
  jpegPreviewSize,
  MAX_PIXELS,
  type RenderedImage,
} from '../sizes.ts';
import { renderDrawing } from './drawing.ts';
import { encodeOutputs, encodeRawOutputs } from './outputs.ts';

const TIMEOUT_SECONDS = 60;
/** Encoders write about ten. Each scan passes over all pixels, and a hostile file has thousands. */
const MAX_SCANS = 50;
/** Bun's decoder reads the whole file first. */
const MAX_WHOLE_BYTES = 64 * 1024 ** 2;

/**
 * Decodes a picture once and renders all derived sizes, upright, in sRGB; the preview of a Display
 * P3 JPEG keeps its profile. Throws MediaError.
 */
export function render(file: ImageFile, outputs: ImageOutputs): Promise<RenderedImage> {
  if (file.isDrawing) return renderDrawing(file.path, outputs).catch(throwMediaError);
  return file.isJpeg ? renderJpeg(file, outputs) : renderWithSharp(file.path, { ...file, outputs });
}

function throwMediaError(error: unknown): never {
  throw toMediaError(error);
}

/**
 * Fast path of nearly all photos. Bun's decoder takes two thirds of sharp's time for baseline JPEG
 * and scales in finer steps; it keeps the profile without converting.
 */
async function renderJpeg(
  { path, colorspace, orientation }: ImageFile,
  outputs: ImageOutputs,
): Promise<RenderedImage> {
  const header = await readJpegHeader(path);
  const namedAdobe = colorspace === 'Adobe RGB' && !header?.icc;
  if (!header || !(await isCommon(header, path)))
    return renderWithSharp(path, { orientation, outputs });
  const icc = namedAdobe ? adobeRgbProfile() : header.icc;
  const turn = orientation ?? header.orientation ?? 1;
  const upright = turn >= 5 ? { width: header.height, height: header.width } : header;
  const stored = jpegPreviewSize(header, getPreviewBounds(outputs));
  const target = turn >= 5 ? { width: stored.height, height: stored.width } : stored;
  const input = namedAdobe
    ? withIcc(Buffer.from(await Bun.file(path).arrayBuffer()), adobeRgbProfile())
    : path;
  const image = openTurned(input, header.orientation, orientation).resize(
    target.width,
    target.height,
  );
  const keeping = selectProfileHandling(icc, outputs);
  try {
    const pictures =
      keeping === 'convert'
        ? await encodeRawOutputs(
            sharp(await image.png({ compressionLevel: 0 }).buffer()),
            target,
            outputs,
          )
        : await encodeOutputs(await encodePreview(image, keeping, outputs), target, outputs);
    const damage = await findMissingEnd(path, header);
    return { ...pictures, width: upright.width, height: upright.height, damage };
  } catch (error) {
    if (error instanceof MediaError) throw error;
    return renderWithSharp(path, { orientation, outputs });
  }
}

/** Apple's is 548 bytes; some of other makers carry tables of curves. */
const MAX_KEPT_PROFILE = 4096;

/**
 * Every browser obeys a profile, and iPhones make nothing but Display P3: converting it would cost
 * as much as all the rest, and the colours that most screens of today can show. What is not written
 * as JPEG is converted.
 */
function selectProfileHandling(
  icc: Uint8Array | undefined,
  { preview, keepsDisplayP3 }: ImageOutputs,
): 'none' | 'profile' | 'convert' {
  if (preview.format !== 'jpeg') return 'convert';
  const kind = icc && profileKind(icc);
  if (!icc || kind === 'srgb') return 'none';
  const isEmbedded = keepsDisplayP3 && kind === 'display-p3' && icc.length <= MAX_KEPT_PROFILE;
  return isEmbedded ? 'profile' : 'convert';
}

async function encodePreview(
  image: Bun.Image,
  keeping: 'none' | 'profile',
  { preview: { quality, progressive } }: ImageOutputs,
): Promise<Buffer> {
  const bytes = await image.jpeg({ quality, progressive }).buffer();
  return keeping === 'none' ? withoutIcc(bytes) : bytes;
}

/**
 * Returns whether the fast path applies: three channels of eight bits. Where the end is missing, Bun shows
 * the rest of pictures with restart marks, as iPhones make them, and libvips does not.
 */
const isCommon = async (header: JpegHeader, path: string): Promise<boolean> =>
  header.components === 3 &&
  header.bits === 8 &&
  Bun.file(path).size <= MAX_WHOLE_BYTES &&
  (!header.progressive || (await hasAtMostScans(path, MAX_SCANS)));

/** Turns as the file says, unless the caller knows better. */
function openTurned(
  input: string | Buffer,
  own: number | undefined,
  orientation: number | undefined,
) {
  if (orientation === undefined || orientation === own)
    return new Bun.Image(input, { maxPixels: MAX_PIXELS });
  const image = new Bun.Image(input, { maxPixels: MAX_PIXELS, autoOrient: false });
  const [degrees, mirrored] = TURNS[orientation - 1] ?? [0, false];
  const upright = degrees ? image.rotate(degrees) : image;
  return mirrored ? upright.flop() : upright;
}

/** Clockwise degrees and then a mirror, left to right, per EXIF orientation from 1. */
export const TURNS: readonly (readonly [degrees: number, mirrored: boolean])[] = [
  [0, false],
  [0, true],
  [180, false],
  [180, true],
  [90, true],
  [90, false],
  [270, true],
  [270, false],
];

type SharpSource = {
  readonly orientation?: number | undefined;
  readonly outputs: ImageOutputs;
};

/** Retries a damaged file leniently: half a photo is better than none. */
async function renderWithSharp(path: string, source: SharpSource): Promise<RenderedImage> {
  const strict = await sharpOnce(path, source, 'error').catch((error: unknown) =>
    toMediaError(error),
  );
  if (!(strict instanceof MediaError)) return strict;
  if (strict.kind !== 'broken') throw strict;
  try {
    const header = await readJpegHeader(path);
    const damage = header && !header.complete ? await findMissingEnd(path, header) : strict.message;
    return { ...(await renderRest(path, source, header)), damage };
  } catch (error) {
    throw toMediaError(error);
  }
}

/** Renders what can be decoded. A JPEG that ends within a header between two scans has the scans before it. */
async function renderRest(
  path: string,
  source: SharpSource,
  header: JpegHeader | undefined,
): Promise<RenderedImage> {
  try {
    return await sharpOnce(path, source, 'none');
  } catch (error) {
    if (!header || header.complete || Bun.file(path).size > MAX_WHOLE_BYTES) throw error;
    const bytes = Buffer.from(await Bun.file(path).arrayBuffer());
    const end = findCutHeader(bytes);
    if (end === undefined) throw error;
    const scans = Buffer.concat([bytes.subarray(0, end), Buffer.from([0xff, 0xd9])]);
    return sharpOnce(path, source, 'none', scans);
  }
}

/**
 * Returns that a part of the picture is missing at the end of a JPEG; undefined where it is only the mark,
 * which some programs leave out.
 */
async function findMissingEnd(path: string, header: JpegHeader): Promise<string | undefined> {
  if (header.complete) return undefined;
  const damage = 'The file ends within its picture';
  if (Bun.file(path).size > MAX_WHOLE_BYTES) return damage;
  const bytes = Buffer.from(await Bun.file(path).arrayBuffer());
  // A last byte of 255 is the first half of the mark.
  const end = bytes.at(-1) === 0xff ? [0xd9] : [0xff, 0xd9];
  const input = { failOn: 'warning', limitInputPixels: MAX_PIXELS, sequentialRead: true } as const;
  const image = sharp(Buffer.concat([bytes, Buffer.from(end)]), input);
  try {
    await image.timeout({ seconds: TIMEOUT_SECONDS }).stats();
    return undefined;
  } catch (error) {
    const cause = toMediaError(error);
    if (cause.kind !== 'broken') throw cause;
    return damage;
  }
}

async function sharpOnce(
  path: string,
  { orientation, outputs }: SharpSource,
  failOn: 'error' | 'none',
  file: string | Buffer = path,
  page = 0,
): Promise<RenderedImage> {
  const limits = { limitInputPixels: MAX_PIXELS, sequentialRead: true } as const;
  // Without a number it is the primary picture of an AVIF.
  const input = { failOn, ...limits, ...(page > 0 && { page }) };
  const header = await sharp(file, input).metadata();
  if (header.format === 'jpeg' && !(await hasAtMostScans(path, MAX_SCANS)))
    throw new MediaError('too-large', `The picture has more than ${MAX_SCANS} scans`);
  const turn = orientation ?? header.orientation ?? 1;
  const upright = turn >= 5 ? { width: header.height, height: header.width } : header;
  const size = { width: upright.width, height: upright.height };
  const image = turnUpright(sharp(file, input), orientation).timeout({ seconds: TIMEOUT_SECONDS });
  const target = fitInside(size, getPreviewBounds(outputs));
  const pictures = await encodeRawOutputs(image, target, outputs);
  const isClear = thumbHashToAverageRGBA(pictures.thumbhash).a === 0;
  // Some animations begin with nothing, and draw on it.
  if (isClear && page + 1 < Math.min(header.pages ?? 1, MAX_CLEAR_FRAMES))
    return sharpOnce(path, { orientation, outputs }, failOn, file, page + 1);
  return { ...pictures, ...size, damage: undefined };
}

const MAX_CLEAR_FRAMES = 10;

export function turnUpright(image: Sharp, orientation: number | undefined): Sharp {
  if (orientation === undefined) return image.autoOrient();
  const [degrees, mirrored] = TURNS[orientation - 1] ?? [0, false];
  // sharp mirrors before it turns, in whatever order it is told.
  if (mirrored) return image.flop().rotate((360 - degrees) % 360);
  return degrees ? image.rotate(degrees) : image;
}

/** Converts an error of a decoder to a MediaError. */
export function toMediaError(error: unknown): MediaError {
  if (error instanceof MediaError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/pixel limit|too large/i.test(message)) return new MediaError('too-large', message);
  if (/timeout/i.test(message)) return new MediaError('timeout', message);
  if (OUT_OF_MEMORY.test(message) || DISK_FAULT.test(message)) return interrupted(message, error);
  return broken(message, error);
}
