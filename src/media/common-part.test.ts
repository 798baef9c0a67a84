import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import {
  addBorder,
  BANNER,
  crop,
  drawOver,
  LOGO,
  paintPhoto,
  WORDS,
} from '../../test/support/painted-photos.ts';
import { MAX_PATCHES, measureCommonPart, PATCH_BYTES, readPatches } from './common-part.ts';
import { computeLooks } from './outline.ts';

const folder = mkdtempSync(join(tmpdir(), 'safelight-parts-'));
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
async function describePicture(picture: Buffer) {
  const path = join(folder, `${++made}.webp`);
  await sharp(picture).resize(250, 250, { fit: 'outside' }).webp().toFile(path);
  return readPatches((await computeLooks(path)).patches);
}
let whole: Buffer;
let patches: Awaited<ReturnType<typeof describePicture>>;
beforeAll(async () => {
  whole = await paintPhoto(1);
  patches = await describePicture(whole);
});
const compare = async (picture: Buffer) =>
  measureCommonPart(patches, await describePicture(picture));

describe('the common part', () => {
  test.each([
    ['most of it', [0.05, 0.1, 0.85, 0.8]],
    ['a banner', [0, 0.16, 1, 0.6]],
    ['a square of half', [0.25, 0.02, 0.56, 0.95]],
    ['a corner of half', [0.28, 0.29, 0.72, 0.7]],
  ] as const)('is found in a crop: %s', async (_, box) => {
    expect(await compare(await crop(whole, box))).toBeGreaterThan(0.2);
    expect(await compare(await crop(whole, box, 300))).toBeGreaterThan(0.2);
  });

  test('is found below a text, a banner and a logo, and within a border', async () => {
    for (const drawing of [WORDS, BANNER, LOGO]) {
      expect(await compare(await drawOver(whole, drawing))).toBeGreaterThan(0.2);
    }
    expect(await compare(await addBorder(whole))).toBeGreaterThan(0.2);
    expect(await compare(await addBorder(whole, 0.09, '#000'))).toBeGreaterThan(0.2);
    expect(await compare(whole)).toBeGreaterThan(0.6);
  });

  test('is the same from both sides', async () => {
    const part = await describePicture(await crop(whole, [0.1, 0.1, 0.8, 0.8]));
    const share = measureCommonPart(part, patches);
    expect(share).toBeGreaterThan(0.2);
    expect(measureCommonPart(patches, part)).toBe(share);
  });

  test('is none of other pictures, nor of one that is mirrored, turned or cropped to little', async () => {
    for (const seed of [2, 3, 4, 5, 6]) {
      const other = await paintPhoto(seed);
      expect(await compare(other)).toBeNull();
      for (const drawing of [WORDS, BANNER, LOGO]) {
        const marked = await describePicture(await drawOver(whole, drawing));
        expect(
          measureCommonPart(marked, await describePicture(await drawOver(other, drawing))),
        ).toBeNull();
      }
    }
    expect(await compare(await sharp(whole).flop().toBuffer())).toBeNull();
    expect(await compare(await sharp(whole).rotate(90).toBuffer())).toBeNull();
    expect(await compare(await crop(whole, [0.4, 0.4, 0.25, 0.25]))).toBeNull();
  });

  test('is none of two pages of which a few lines are the same', async () => {
    const page = (at: number) => {
      const lines = Array.from({ length: 30 }, (_, y) => {
        const words = Array.from({ length: 8 }, (_, x) =>
          ((x + 3) * (y + 7) * (y < 3 ? 991 : at * 7919)).toString(36).slice(0, 2 + ((x * y) % 6)),
        );
        return `<text x="40" y="${40 + y * 24}" font-size="16">${words.join(' ')}</text>`;
      });
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="800">
        <rect width="100%" height="100%" fill="#fff"/>${lines.join('')}</svg>`;
      return sharp(Buffer.from(svg)).flatten().jpeg().toBuffer();
    };
    const pages = await Promise.all([1, 2, 3].map(async (at) => describePicture(await page(at))));
    expect(measureCommonPart(pages[0]!, pages[1]!)).toBeNull();
    expect(measureCommonPart(pages[1]!, pages[2]!)).toBeNull();
  });

  test('is unknown for a plain picture, and what is stored is bounded', async () => {
    const plain = await sharp({
      create: { width: 300, height: 200, channels: 3, background: '#c63' },
    })
      .jpeg()
      .toBuffer();
    expect(await compare(plain)).toBeNull();
    expect(patches.count).toBeLessThanOrEqual(MAX_PATCHES);
    expect(readPatches(new Uint8Array(0)).count).toBe(0);
    expect(MAX_PATCHES * PATCH_BYTES).toBeLessThan(4000);
  });
});
