import { open } from 'node:fs/promises';
import sharp from 'sharp';
import { MediaError } from '../errors.ts';
import {
  fitInside,
  getPreviewBounds,
  type ImageOutputs,
  MAX_PIXELS,
  type RenderedImage,
} from '../sizes.ts';
import { encodeRawOutputs } from './outputs.ts';

/** Drawings of programs have some megabytes; pictures may be embedded. */
const MAX_BYTES = 32 * 1024 ** 2;
const MAX_SIDE = 100_000;
const TIMEOUT_SECONDS = 60;
/** Dots per inch at which a unit of the drawing is a pixel, and the least that sharp takes. */
const NATURAL_DENSITY = 72;
const MIN_DENSITY = 1;

/**
 * Renders an SVG. It is drawn from memory: librsvg then has no address to resolve references against, and
 * follows none but `data:`. Opened by its path, it reads other pictures of the folder. It is drawn at
 * the size of the preview, which bounds the cost of filters. Throws MediaError.
 */
export async function renderDrawing(path: string, outputs: ImageOutputs): Promise<RenderedImage> {
  const bytes = await readWhole(path);
  const { width, height } = await sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata();
  const size = { width, height };
  if (Math.max(width, height) > MAX_SIDE)
    throw new MediaError('too-large', `The drawing has ${width} × ${height} pixels`);
  const target = fitInside(size, getPreviewBounds(outputs));
  const density = Math.max(MIN_DENSITY, (NATURAL_DENSITY * target.width) / width);
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, density });
  const pictures = await encodeRawOutputs(
    image.timeout({ seconds: TIMEOUT_SECONDS }),
    target,
    outputs,
  );
  return { ...pictures, ...size, damage: undefined };
}

async function readWhole(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > MAX_BYTES) throw new MediaError('too-large', `The drawing has ${size} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
