import { expect, test } from 'bun:test';
import { join } from 'node:path';
import sharp from 'sharp';
import { openSessions } from '../../../test/support/model-sessions.ts';
import { MODELS } from '../../../test/support/models.ts';
import { sample } from '../../../test/support/sample.ts';
import { MEDIA, skipWithout } from '../../../test/support/requirements.ts';
import type { Pixels, TextLine } from '../types.ts';
import { decodePicture } from './picture.ts';
import { openText } from './text.ts';

/** Edge of a preview in px. */
const EDGE = 1440;

async function readWith(hasFastIntegers: boolean, picture: Pixels): Promise<TextLine[]> {
  const sessions = await openSessions(hasFastIntegers);
  const folder = join(MODELS!, 'ocr/pp-ocrv5-mobile');
  const recognizer = {
    recognition: join(folder, 'recognition/model.onnx'),
    dictionary: join(folder, 'dict.txt'),
  };
  try {
    const detection = join(folder, 'detection/model.onnx');
    const read = await openText(sessions, { id: 'text', detection, recognizers: [recognizer] });
    return await read(picture);
  } finally {
    await sessions.release('text');
  }
}

const CERTAIN = 0.9;
const MIN_LETTERS = 4;
/** Small differences of a place change single letters, and join neighbouring lines. */
const MIN_SHARE = 0.85;

const listWords = (lines: readonly TextLine[]): string[] =>
  lines.flatMap(({ text, score }) =>
    score < CERTAIN ? [] : text.split(/[^\p{L}]+/u).filter((word) => word.length >= MIN_LETTERS),
  );

// Other processors add products in 16 bits, which are too few.
skipWithout('models', 'media', 'fast integers').describe('text on real photos', () => {
  test.each(sample('texts', ['craft-beer', 'handwritten-notes'], 1))(
    '%s: integers of 8 bits find the words that floats find',
    async (name) => {
      const preview = await sharp(join(MEDIA!, `text/${name}.jpg`))
        .autoOrient()
        .resize(EDGE, EDGE, { fit: 'inside' })
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      const { width, height } = preview.info;
      const picture = await decodePicture({ width, height, data: preview.data });
      const floats = await readWith(false, picture);
      const integers = await readWith(true, picture);
      expect(integers).not.toEqual(floats);
      const words = listWords(floats);
      const read = integers.map(({ text }) => text).join(' ');
      expect(words.length).toBeGreaterThan(10);
      expect(words.filter((word) => read.includes(word)).length).toBeGreaterThan(
        MIN_SHARE * words.length,
      );
      expect(Math.abs(integers.length - floats.length)).toBeLessThanOrEqual(0.1 * floats.length);
    },
    120_000,
  );
});
