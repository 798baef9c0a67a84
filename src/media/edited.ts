import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { decodeTo } from './decode.ts';
import { type Edit, scaledBox, transformOf } from './edits.ts';
import { MediaError, broken, unsupported } from './errors.ts';
import { adobeRgbProfile } from './icc.ts';
import { type RenderOptions, TURNS } from './images.ts';
import { readJpegHeader, withIcc } from './jpeg.ts';
import {
  fitted,
  opaque,
  type Picture,
  pixelsOf,
  PREVIEW,
  rawOutputs,
  type RenderedImage,
  reopen,
  type Size,
} from './outputs.ts';
import { decoderFor } from './sniff.ts';

export type EditedImage = Pick<RenderedImage, 'thumbnail' | 'preview' | 'thumbhash'> & {
  /** As large as the file allows. */
  readonly fullsize: Picture & { readonly type: 'image/jpeg' | 'image/webp' };
};

/** The whole picture is in memory, twice for a moment. */
const MAX_PIXELS = 150_000_000;
const TIMEOUT_SECONDS = 120;
const JPEG = { quality: 90 } as const;
const WEBP = { quality: 90, effort: 2 } as const;

/**
 * What edits make of the picture in a file, without its metadata and in sRGB. `source` is the size
 * that the edits are made to. Throws MediaError.
 */
export async function renderEdited(
  path: string,
  options: RenderOptions & { readonly edits: readonly Edit[]; readonly source: Size },
): Promise<EditedImage> {
  const decoder = await decoderFor(path, options.fileName);
  if (decoder === 'empty' || decoder === 'unknown') throw broken('The file is no picture');
  if (decoder === 'svg') throw unsupported('SVG pictures are programs and are not rendered');
  if (decoder === 'jpeg' || decoder === 'sharp') {
    const input = decoder === 'jpeg' ? await withNamedProfile(path, options) : path;
    return edited(await upright(input, undefined), options);
  }
  const folder = await mkdtemp(join(options.tempDir, 'decode-'));
  try {
    const decoded = await decodeTo(path, decoder, { ...options, folder });
    return await edited(await upright(decoded.path, decoded.orientation), options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Some cameras name Adobe RGB in the metadata only. */
async function withNamedProfile(path: string, { metadata }: RenderOptions) {
  if (metadata?.colorspace !== 'Adobe RGB') return path;
  const header = await readJpegHeader(path);
  if (!header || header.icc) return path;
  return withIcc(Buffer.from(await Bun.file(path).arrayBuffer()), adobeRgbProfile());
}

type Upright = { readonly image: Sharp; readonly size: Size };

/** Turned as the file says, unless the caller knows better. */
async function upright(input: string | Buffer, orientation: number | undefined): Promise<Upright> {
  const options = { failOn: 'none', limitInputPixels: MAX_PIXELS } as const;
  try {
    const header = await sharp(input, options).metadata();
    const turn = orientation ?? header.orientation ?? 1;
    const { width, height } = header;
    const size = turn >= 5 ? { width: height, height: width } : { width, height };
    const image = sharp(input, options).timeout({ seconds: TIMEOUT_SECONDS });
    if (orientation === undefined) return { image: image.autoOrient(), size };
    if (orientation === 1) return { image, size };
    return { image: reopen(await turnedPixels(image, orientation)), size };
  } catch (error) {
    throw asMedia(error);
  }
}

/** By another number than that of the file: in passes of their own, for sharp turns once per pass. */
async function turnedPixels(image: Sharp, orientation: number) {
  const [degrees, mirrored] = TURNS[orientation - 1] ?? [0, false];
  const turned = await pixelsOf(image.rotate(degrees).toColourspace('srgb'));
  return mirrored ? pixelsOf(reopen(turned).flop()) : turned;
}

async function edited(
  { image, size }: Upright,
  {
    edits,
    source,
    signal,
  }: { readonly edits: readonly Edit[]; readonly source: Size } & Pick<RenderOptions, 'signal'>,
): Promise<EditedImage> {
  signal?.throwIfAborted();
  const { crop, mirrored, degrees } = transformOf(edits);
  const box = crop && scaledBox(crop, source, size);
  let pipeline = image;
  if (box) {
    const { x: left, y: top, width, height } = box;
    pipeline = pipeline.extract({ left, top, width, height });
  }
  // sharp mirrors before it turns, in whichever order it is told.
  if (mirrored) pipeline = pipeline.flop();
  if (degrees !== 0) pipeline = pipeline.rotate(degrees);
  try {
    const pixels = opaque(await pixelsOf(pipeline.toColourspace('srgb')));
    signal?.throwIfAborted();
    const { width, height, channels } = pixels;
    const fullsize =
      channels === 4
        ? { bytes: await reopen(pixels).webp(WEBP).toBuffer(), type: 'image/webp' as const }
        : { bytes: await reopen(pixels).jpeg(JPEG).toBuffer(), type: 'image/jpeg' as const };
    const outputs = await rawOutputs(reopen(pixels), fitted(pixels, PREVIEW));
    return { ...outputs, fullsize: { ...fullsize, width, height } };
  } catch (error) {
    throw asMedia(error);
  }
}

function asMedia(error: unknown): unknown {
  if (error instanceof MediaError || (error as Error).name === 'AbortError') return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/pixel limit|too large/i.test(message)) return new MediaError('too-large', message);
  if (/timeout/i.test(message)) return new MediaError('timeout', message);
  return broken(message, error);
}
