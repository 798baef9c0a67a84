import sharp from 'sharp';

import type { FaceBox } from '../face-crop.ts';

const SIDE = 250;
/** Hair and chin lie outside the box. */
const MARGIN = 1.6;

/** A square picture of a face as WebP. The box is in fractions of the picture as displayed. */
export async function cropFace(path: string, box: FaceBox): Promise<Uint8Array> {
  const { data, info } = await sharp(path, { failOn: 'none' })
    .rotate()
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const wanted = MARGIN * Math.max((box.x2 - box.x1) * width, (box.y2 - box.y1) * height);
  const side = Math.max(1, Math.min(Math.round(wanted), width, height));
  const left = placed(((box.x1 + box.x2) / 2) * width - side / 2, width - side);
  const top = placed(((box.y1 + box.y2) / 2) * height - side / 2, height - side);
  return sharp(data, { raw: { width, height, channels } })
    .extract({ left, top, width: side, height: side })
    .resize(SIDE, SIDE)
    .webp({ quality: 80, effort: 0 })
    .toBuffer();
}

const placed = (at: number, last: number) =>
  Math.min(Math.max(0, Math.round(at)), Math.max(0, last));
