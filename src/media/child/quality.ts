import sharp from 'sharp';
import type { PictureQuality } from '../quality.ts';

const SIDE = 240;
const BLOCK = 24;
/** Standard deviation of the Laplacian in the sharpest tenth of a thumbnail in focus; blurred by 5 pixels, it has a sixth. */
const SHARP = 30;
/** The share of clipped pixels that is no mistake yet: a night or a white wall. */
const MAY_BE_CLIPPED = 0.4;
const BLACK = 16;
const WHITE = 250;

/** Measures a thumbnail. Throws if it is unreadable. */
export async function measureQuality(path: string): Promise<PictureQuality> {
  const { data, info } = await sharp(path, { failOn: 'none' })
    .removeAlpha()
    .toColourspace('b-w')
    .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const light = new Uint8Array(data.buffer, data.byteOffset, data.length);
  return {
    sharpness: Math.min(1, measureEdges(light, info.width, info.height) / SHARP),
    exposure: measureExposure(light),
  };
}

/** Measures the sharpest tenth of the blocks: behind a person in focus most of the picture may be blurred. */
function measureEdges(light: Uint8Array, width: number, height: number): number {
  const blocks: number[] = [];
  for (let top = 1; top < height - 1; top += BLOCK) {
    for (let left = 1; left < width - 1; left += BLOCK) {
      const bottom = Math.min(top + BLOCK, height - 1);
      const right = Math.min(left + BLOCK, width - 1);
      let sum = 0;
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) {
          const at = y * width + x;
          const around = light[at - 1]! + light[at + 1]! + light[at - width]! + light[at + width]!;
          sum += (4 * light[at]! - around) ** 2;
        }
      }
      blocks.push(Math.sqrt(sum / ((bottom - top) * (right - left))));
    }
  }
  return blocks.toSorted((a, b) => b - a)[Math.floor(blocks.length / 10)] ?? 0;
}

function measureExposure(light: Uint8Array): number {
  let black = 0;
  let white = 0;
  for (const value of light) {
    if (value < BLACK) black++;
    else if (value > WHITE) white++;
  }
  const clipped = Math.max(black, white) / light.length;
  return 1 - Math.max(0, clipped - MAY_BE_CLIPPED) / (1 - MAY_BE_CLIPPED);
}
