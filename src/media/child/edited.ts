import sharp, { type Sharp } from 'sharp';
import type { EditedImage } from '../edited-image.ts';
import { adjustPixels } from '../adjusted-pixels.ts';
import { scaleBox, computeTransform } from '../edits.ts';
import { adobeRgbProfile } from '../icc.ts';
import type { ImageFile } from '../image-messages.ts';
import { readJpegHeader, withIcc } from '../jpeg.ts';
import type { PictureEdits } from '../picture-edits.ts';
import { fitInside, getPreviewBounds, type ImageOutputs, MAX_PIXELS, type Size } from '../sizes.ts';
import { encodePixels, encodeRawOutputs, FULLSIZE, readPixels, reopen } from './outputs.ts';
import { flatten, type Pixels } from './raw-pixels.ts';
import { toMediaError, TURNS } from './render.ts';
import { straightenPixels } from './straighten.ts';

/** The whole picture is in memory, twice for a moment: what has more pixels is made smaller first. */
const MAX_EDITED_PIXELS = 48_000_000;
const TIMEOUT_SECONDS = 120;

type EditRequest = PictureEdits & {
  readonly source: Size;
  readonly outputs: ImageOutputs;
};

/** Renders an edited picture. `source` is the size that the edits refer to. Throws MediaError. */
export async function renderEdited(file: ImageFile, edit: EditRequest): Promise<EditedImage> {
  const input = file.isJpeg ? await withNamedProfile(file) : file.path;
  return applyEdits(await openUpright(input, file.orientation), edit);
}

/** Some cameras name Adobe RGB in the metadata only. */
async function withNamedProfile({ path, colorspace }: ImageFile) {
  if (colorspace !== 'Adobe RGB' || Bun.file(path).size > MAX_REWRITTEN_BYTES) return path;
  const header = await readJpegHeader(path);
  if (!header || header.icc) return path;
  return withIcc(Buffer.from(await Bun.file(path).arrayBuffer()), adobeRgbProfile());
}

const MAX_REWRITTEN_BYTES = 64 * 1024 ** 2;

type Upright = { readonly image: Sharp; readonly size: Size };

/** Turned as the file says, unless the caller knows better. */
async function openUpright(
  input: string | Buffer,
  orientation: number | undefined,
): Promise<Upright> {
  const options = { failOn: 'none', limitInputPixels: MAX_PIXELS } as const;
  try {
    const header = await sharp(input, options).metadata();
    const turn = orientation ?? header.orientation ?? 1;
    const { width, height } = header;
    const size = turn >= 5 ? { width: height, height: width } : { width, height };
    const image = sharp(input, options).timeout({ seconds: TIMEOUT_SECONDS });
    const scale = Math.sqrt(MAX_EDITED_PIXELS / (width * height));
    if (scale < 1) return await shrinkUpright(image, { orientation, size, scale });
    if (orientation === undefined) return { image: image.autoOrient(), size };
    if (orientation === 1) return { image, size };
    return { image: reopen(await turnPixels(image, orientation)), size };
  } catch (error) {
    throw toMediaError(error);
  }
}

/** In passes of their own, the first of which reads rows as they come. */
async function shrinkUpright(
  image: Sharp,
  {
    orientation,
    size,
    scale,
  }: { readonly orientation: number | undefined; readonly size: Size; readonly scale: number },
): Promise<Upright> {
  const width = Math.max(1, Math.floor(size.width * scale));
  const height = Math.max(1, Math.floor(size.height * scale));
  const isTurned = (orientation ?? 1) >= 5;
  const stored = isTurned ? { width: height, height: width } : { width, height };
  const source = orientation === undefined ? image.autoOrient() : image;
  const small = source.resize(stored.width, stored.height, { fit: 'fill' });
  const pixels =
    orientation === undefined
      ? await readPixels(small.toColourspace('srgb'))
      : await turnPixels(reopen(await readPixels(small.toColourspace('srgb'))), orientation);
  return { image: reopen(pixels), size: { width, height } };
}

/** By another number than that of the file: in passes of their own, for sharp turns once per pass. */
async function turnPixels(image: Sharp, orientation: number) {
  const [degrees, mirrored] = TURNS[orientation - 1] ?? [0, false];
  const turned = await readPixels(image.rotate(degrees).toColourspace('srgb'));
  return mirrored ? readPixels(reopen(turned).flop()) : turned;
}

async function applyEdits(
  { image, size }: Upright,
  { edits, adjustments, source, outputs }: EditRequest,
): Promise<EditedImage> {
  const { crop, mirrored, degrees } = computeTransform(edits);
  const box = crop && scaleBox(crop, source, size);
  let pipeline = image;
  if (box) {
    const { x: left, y: top, width, height } = box;
    pipeline = pipeline.extract({ left, top, width, height });
  }
  // sharp mirrors before it turns, in whichever order it is told.
  if (mirrored) pipeline = pipeline.flop();
  if (degrees !== 0) pipeline = pipeline.rotate(degrees);
  try {
    const turned = flatten(await readPixels(pipeline.toColourspace('srgb')));
    const pixels = adjusted(turned, adjustments);
    const fullsize = await encodePixels(pixels, outputs.fullsize, FULLSIZE);
    const target = fitInside(pixels, getPreviewBounds(outputs));
    return { ...(await encodeRawOutputs(reopen(pixels), target, outputs)), fullsize };
  } catch (error) {
    throw toMediaError(error);
  }
}

/** Changes the given pixels, or replaces them. */
function adjusted(pixels: Pixels, adjustments: PictureEdits['adjustments']): Pixels {
  const { straighten } = adjustments;
  const upright = straighten === 0 ? pixels : straightenPixels(pixels, straighten);
  adjustPixels(upright.data, upright.channels, adjustments);
  return upright;
}
