import type { Sharp } from 'sharp';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { type Decoded, decodeTo } from './decode.ts';
import { MediaError, broken, unsupported } from './errors.ts';
import type { ExifTool } from './exiftool.ts';
import { adobeRgbProfile, profileKind } from './icc.ts';
import { type JpegHeader, countScans, readJpegHeader, withIcc, withoutIcc } from './jpeg.ts';
import {
  JPEG,
  PREVIEW,
  type Picture,
  type RenderedImage,
  type Size,
  fitted,
  jpegPreviewSize,
  outputsOf,
  rawOutputs,
} from './outputs.ts';
import { type Decoder, decoderFor } from './sniff.ts';

export type RenderOptions = {
  readonly fileName: string;
  /** For intermediate files; what is made there is removed. */
  readonly tempDir: string;
  /** Finds the preview inside raw files; without it they are developed, which takes far longer. */
  readonly exiftool?: ExifTool | undefined;
  /** Of readMetadata: some colour spaces and turns are named there only. */
  readonly metadata?:
    { colorspace?: string | undefined; orientation?: number | undefined } | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A header that claims more is a bomb or a scan that needs another machine. */
const MAX_PIXELS = 300_000_000;
/** Formats that are decoded as a whole before the first row comes out. */
const MAX_WHOLE_PIXELS = 150_000_000;
const TIMEOUT_SECONDS = 60;
/** Encoders write about ten. Each scan passes over all pixels, and a hostile file has thousands. */
const MAX_SCANS = 50;

// One thread per picture: the lanes run several pictures, and a second thread for one costs more
// processor time than it saves. The cache keeps decoded pixels that no one asks for again.
sharp.concurrency(1);
sharp.cache(false);

/**
 * Decodes a picture once and makes all that is shown of it, upright; in sRGB, but the preview of a
 * Display P3 JPEG stays as wide, and has the profile. Throws MediaError.
 */
export async function renderImage(path: string, options: RenderOptions): Promise<RenderedImage> {
  const decoder = await decoderFor(path, options.fileName);
  if (decoder === 'empty') throw broken('The file is empty');
  if (decoder === 'svg') throw unsupported('SVG pictures are programs and are not rendered');
  if (decoder === 'unknown') throw broken('The file is no picture');
  options.signal?.throwIfAborted();
  if (decoder === 'jpeg') return renderJpeg(path, options);
  if (decoder === 'sharp') return renderWithSharp(path, {});
  return renderDecoded(path, decoder, options);
}

/** By a child process into a file that sharp reads. */
async function renderDecoded(
  path: string,
  decoder: Decoder,
  options: RenderOptions,
): Promise<RenderedImage> {
  const folder = await mkdtemp(join(options.tempDir, 'decode-'));
  try {
    const decoded = await decodeTo(path, decoder, { ...options, folder });
    const size = decoded.size ? { width: decoded.size.width, height: decoded.size.height } : {};
    return { ...(await renderUpright(decoded, options)), ...size };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function renderUpright(decoded: Decoded, options: RenderOptions): Promise<RenderedImage> {
  const { path, orientation } = decoded;
  if (decoded.isJpeg) return renderJpeg(path, options, orientation);
  return renderWithSharp(path, { orientation });
}

/**
 * The way of nearly all photos. Bun's own decoder needs two thirds of the time of sharp's for the
 * common JPEG, and scales while it decodes in finer steps; it keeps the profile and does not convert.
 */
async function renderJpeg(
  path: string,
  options: RenderOptions,
  orientation?: number,
): Promise<RenderedImage> {
  const header = await readJpegHeader(path);
  if (header) checkSize(header, header.progressive);
  const namedAdobe = options.metadata?.colorspace === 'Adobe RGB' && !header?.icc;
  if (!header || !(await isCommon(header, path))) return renderWithSharp(path, { orientation });
  const icc = namedAdobe ? adobeRgbProfile() : header.icc;
  const turn = orientation ?? header.orientation ?? 1;
  const upright = turn >= 5 ? { width: header.height, height: header.width } : header;
  const stored = jpegPreviewSize(header);
  const target = turn >= 5 ? { width: stored.height, height: stored.width } : stored;
  const input = namedAdobe
    ? withIcc(Buffer.from(await Bun.file(path).arrayBuffer()), adobeRgbProfile())
    : path;
  const image = turned(input, header.orientation, orientation).resize(target.width, target.height);
  const keeping = keptProfile(icc);
  try {
    const outputs =
      keeping === 'convert'
        ? await rawOutputs(sharp(await image.png({ compressionLevel: 0 }).buffer()), target)
        : await outputsOf(await previewOf(image, keeping), target);
    return { ...outputs, width: upright.width, height: upright.height, damage: undefined };
  } catch (error) {
    if (error instanceof MediaError) throw error;
    return renderWithSharp(path, { orientation });
  }
}

/** Apple's is 548 bytes; some of other makers carry tables of curves. */
const MAX_KEPT_PROFILE = 4096;

/**
 * Every browser obeys a profile, and iPhones make nothing but Display P3: converting it would cost
 * as much as all the rest, and the colours that most screens of today can show.
 */
function keptProfile(icc: Uint8Array | undefined): 'none' | 'profile' | 'convert' {
  const kind = icc && profileKind(icc);
  if (!icc || kind === 'srgb') return 'none';
  return kind === 'display-p3' && icc.length <= MAX_KEPT_PROFILE ? 'profile' : 'convert';
}

async function previewOf(image: Bun.Image, keeping: 'none' | 'profile'): Promise<Buffer> {
  const bytes = await image.jpeg({ quality: JPEG.quality }).buffer();
  return keeping === 'none' ? withoutIcc(bytes) : bytes;
}

/** Complete, and in three channels of eight bits: what the quick way is tested with. */
const isCommon = async (header: JpegHeader, path: string): Promise<boolean> =>
  header.complete &&
  header.components === 3 &&
  header.bits === 8 &&
  (!header.progressive || countScans(Buffer.from(await Bun.file(path).arrayBuffer())) <= MAX_SCANS);

/** Turns as the file says, unless the caller knows better. */
function turned(input: string | Buffer, own: number | undefined, orientation: number | undefined) {
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

type SharpSource = { readonly orientation?: number | undefined };

/** A damaged file is tried again without complaints: half a photo is better than none. */
async function renderWithSharp(path: string, source: SharpSource): Promise<RenderedImage> {
  const strict = await sharpOnce(path, source, 'error').catch((error: unknown) => asMedia(error));
  if (!(strict instanceof MediaError)) return strict;
  if (strict.kind !== 'broken') throw strict;
  try {
    return { ...(await sharpOnce(path, source, 'none')), damage: strict.message };
  } catch (error) {
    throw asMedia(error);
  }
}

async function sharpOnce(
  path: string,
  { orientation }: SharpSource,
  failOn: 'error' | 'none',
): Promise<RenderedImage> {
  const input = { failOn, limitInputPixels: MAX_PIXELS, sequentialRead: true } as const;
  const header = await sharp(path, input).metadata();
  const whole = header.isProgressive || ['webp', 'gif', 'heif'].includes(header.format);
  checkSize(header, whole);
  const turn = orientation ?? header.orientation ?? 1;
  const upright = turn >= 5 ? { width: header.height, height: header.width } : header;
  const size = { width: upright.width, height: upright.height };
  const image = upTurned(sharp(path, input), orientation).timeout({ seconds: TIMEOUT_SECONDS });
  const target = fitted(size, PREVIEW);
  const outputs = await rawOutputs(image, target);
  return { ...outputs, ...size, damage: undefined };
}

function upTurned(image: Sharp, orientation: number | undefined): Sharp {
  if (orientation === undefined) return image.autoOrient();
  const [degrees, mirrored] = TURNS[orientation - 1] ?? [0, false];
  const upright = degrees ? image.rotate(degrees) : image;
  return mirrored ? upright.flop() : upright;
}

function checkSize({ width, height }: Size, whole: boolean): void {
  const limit = whole ? MAX_WHOLE_PIXELS : MAX_PIXELS;
  if (width * height > limit)
    throw new MediaError('too-large', `The picture has ${width} × ${height} pixels`);
  if (width < 1 || height < 1) throw broken('The picture has no pixels');
}

function asMedia(error: unknown): MediaError {
  if (error instanceof MediaError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/pixel limit|too large/i.test(message)) return new MediaError('too-large', message);
  if (/timeout/i.test(message)) return new MediaError('timeout', message);
  return broken(message, error);
}

export type { Picture, RenderedImage };
