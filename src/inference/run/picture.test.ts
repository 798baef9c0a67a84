import { expect, test } from 'bun:test';
import sharp from 'sharp';
import { photoLikeJpeg } from '../../../test/fixtures/index.ts';
import { decodePicture, letterbox, resize } from './picture.ts';

const photo = await photoLikeJpeg();

/** Opens the photo at that size. */
async function openPhoto(width: number, height: number) {
  const data = await sharp(photo).resize(width, height, { fit: 'fill' }).raw().toBuffer();
  return decodePicture({ width, height, data });
}

/** A shift of the picture by one pixel makes 1.5. */
const MOST_DIFFERENCE = 1.3;

/** Returns the mean difference of two pictures, in steps of 255. */
function compare(one: Uint8Array, other: Uint8Array): number {
  expect(one.length).toBe(other.length);
  return one.reduce((sum, value, at) => sum + Math.abs(value - other[at]!), 0) / one.length;
}

const SIZES = [
  [1920, 1440],
  [1921, 1440],
  [2160, 1442],
  [900, 4320],
  [300, 200],
] as const;

for (const [width, height] of SIZES) {
  test(`a picture of ${width} x ${height} is reduced to what one resampling makes of it`, async () => {
    const picture = await openPhoto(width, height);
    const raw = { width, height, channels: 3 } as const;
    for (const fit of ['fill', 'cover'] as const) {
      for (const kernel of ['linear', 'cubic'] as const) {
        const once = await sharp(picture.data, { raw })
          .resize(224, 224, { fit, kernel })
          .raw()
          .toBuffer();
        const reduced = await resize(picture, 224, 224, { fit, kernel });
        expect(compare(reduced.data, once)).toBeLessThan(MOST_DIFFERENCE);
      }
    }
  });
}

test('a letterboxed picture keeps its place when it was halved before', async () => {
  const [large, small] = [await openPhoto(1920, 1440), await openPhoto(640, 480)];
  const [reduced, direct] = [await letterbox(large, 256, 0.5), await letterbox(small, 256, 0.5)];
  const toPlace = ({ fillX, fillY, left, top }: typeof reduced) => ({ fillX, fillY, left, top });
  expect(toPlace(reduced)).toEqual(toPlace(direct));
  expect(compare(reduced.data, direct.data)).toBeLessThan(MOST_DIFFERENCE);
});
