import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import sharp from 'sharp';
import { countCharacterErrors } from '../../../test/support/document-pages.ts';
import { MODELS } from '../../../test/support/models.ts';
import { MEDIA } from '../../../test/support/processing.ts';
import type { Pixels, TextLine } from '../types.ts';
import { decodePicture } from './picture.ts';
import { detectFastIntegers } from './processor.ts';
import { newSessions } from './session.ts';
import { openText } from './text.ts';

/** Edge of a preview in px. */
const EDGE = 1440;

async function readWith(hasFastIntegers: boolean, picture: Pixels): Promise<TextLine[]> {
  const sessions = newSessions({ threads: 1, concurrency: 1, provider: 'cpu', hasFastIntegers });
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
/** Lines that are read the same or nearly the same: small differences of a place change single letters. */
const MAX_ERRORS = 0.25;

const isFound = (line: TextLine, others: readonly TextLine[]): boolean =>
  others.some(({ text }) => {
    const { errors, of } = countCharacterErrors(line.text, text);
    return errors <= MAX_ERRORS * of;
  });

// Other processors add products in 16 bits, which are too few.
describe.skipIf(!MODELS || !MEDIA || !detectFastIntegers())('text on real photos', () => {
  test.each(['craft-beer', 'japanese-shop', 'handwritten-notes', 'book-beside-flowers'])(
    '%s: integers of 8 bits find the lines that floats find',
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
      const certain = floats.filter(({ score }) => score >= CERTAIN);
      expect(certain.length).toBeGreaterThan(1);
      expect(certain.filter((line) => !isFound(line, integers))).toEqual([]);
      expect(Math.abs(integers.length - floats.length)).toBeLessThanOrEqual(0.1 * floats.length);
    },
    120_000,
  );
});
