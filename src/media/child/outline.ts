import sharp from 'sharp';
import { OUTLINE_SIDE } from '../outline.ts';

const SIDE = OUTLINE_SIDE;

/** Returns the luminance of a picture in a grid of 16 × 16, row by row. Throws if it is unreadable. */
export async function measureOutline(path: string): Promise<Uint8Array> {
  const { data } = await sharp(path, { failOn: 'none' })
    .greyscale()
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
