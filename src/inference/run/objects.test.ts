import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { openSessions } from '../../../test/support/model-sessions.ts';
import { MODELS } from '../../../test/support/models.ts';
import { MEDIA, skipWithout } from '../../../test/support/requirements.ts';
import type { DetectedObject } from '../types.ts';
import { computeIou } from './boxes.ts';
import { type Objects, openObjects } from './objects.ts';
import { decodePicture } from './picture.ts';

const CERTAIN = 0.5;
/** Overlap of two boxes of one thing: intersection over union. */
const SAME = 0.7;

async function withObjects<T>(
  hasFastIntegers: boolean,
  work: (find: Objects) => Promise<T>,
): Promise<T> {
  const sessions = await openSessions(hasFastIntegers);
  const model = join(MODELS!, 'objects/efficientdet-lite2/model.onnx');
  try {
    return await work(await openObjects(sessions, { id: 'objects/efficientdet-lite2', model }));
  } finally {
    await sessions.release('objects');
  }
}

const select = (objects: readonly DetectedObject[], others: readonly DetectedObject[]) =>
  objects.filter(
    ({ label, score, box }) =>
      score >= CERTAIN &&
      !others.some((other) => other.label === label && computeIou(other.box, box) >= SAME),
  );

// Other processors add products in 16 bits, which are too few.
skipWithout('models', 'media', 'fast integers').describe('objects on real photos', () => {
  test.each(['text/craft-beer.jpg', 'text/japanese-shop.jpg', 'text/book-beside-flowers.jpg'])(
    '%s: integers of 8 bits find what floats find',
    async (name) => {
      const picture = await decodePicture({ path: join(MEDIA!, name) });
      const floats = await withObjects(false, (find) => find(picture));
      const integers = await withObjects(true, (find) => find(picture));
      expect(floats.filter(({ score }) => score >= CERTAIN)).not.toEqual([]);
      expect(integers).not.toEqual(floats);
      expect(select(floats, integers)).toEqual([]);
      expect(select(integers, floats)).toEqual([]);
    },
    60_000,
  );
});
