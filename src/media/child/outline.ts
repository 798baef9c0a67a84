import sharp, { type Sharp } from 'sharp';
import type { PictureLooks } from '../outline.ts';
import { OUTLINE_SIDE } from '../outline.ts';
import { describePatches, PATCHES_SIDE } from './patches.ts';

const SIDE = OUTLINE_SIDE;

/** Returns the outline and the patches of a picture. Throws if it is unreadable. */
export async function measureLooks(path: string): Promise<PictureLooks> {
  const grey = await sharp(path, { failOn: 'none' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = grey.info;
  const decoded = sharp(grey.data, { raw: { width, height, channels: 1 } });
  return { light: await measureOutline(decoded.clone()), patches: await measurePatches(decoded) };
}

async function measurePatches(picture: Sharp): Promise<Uint8Array> {
  const { data, info } = await picture
    .resize(PATCHES_SIDE, PATCHES_SIDE, { fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const light = Float32Array.from({ length: width * height }, (_, at) => data[at * channels]!);
  return describePatches({ width, height, light });
}

/** Returns the luminance in a grid of 16 × 16, row by row. */
async function measureOutline(picture: Sharp): Promise<Uint8Array> {
  const { data } = await picture
    .toColourspace('b-w')
    .resize(2 * SIDE, 2 * SIDE, { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const light = new Uint8Array(SIDE * SIDE);
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const at = 4 * SIDE * y + 2 * x;
      const below = at + 2 * SIDE;
      const sum = data[at]! + data[at + 1]! + data[below]! + data[below + 1]!;
      light[y * SIDE + x] = Math.round(sum / 4);
    }
  }
  return light;
}
