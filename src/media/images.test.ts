import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { thumbHashToApproximateAspectRatio, thumbHashToAverageRGBA } from 'thumbhash';
import { makeClip } from '../../test/fixtures/clips.ts';
import { cacheFixture } from '../../test/fixtures/fixture-cache.ts';
import {
  type Color,
  expectNear,
  expectQuarters,
  flat,
  openFixtures,
  orientedJpeg,
  quarters,
  rawWithPreview,
} from '../../test/fixtures/index.ts';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { createExifTool } from './exiftool.ts';
import { type RenderOptions, renderImage } from './images.ts';
import { readMetadata } from './metadata.ts';

const fixtures = openFixtures();
const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
afterAll(async () => {
  await exiftool.close();
  fixtures.remove();
});

const ORANGE: Color = [200, 110, 60];

const render = (path: string, metadata?: RenderOptions['metadata']) =>
  renderImage(path, { fileName: path, tempDir: fixtures.folder, exiftool, metadata });

const save = async (name: string, image: Sharp): Promise<string> => {
  await image.toFile(fixtures.path(name));
  return fixtures.path(name);
};

/** No intermediate file may stay behind. */
const leftovers = () =>
  readdirSync(fixtures.folder).filter((name) => /^(decode|poster)-/.test(name));

describe('orientation', () => {
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8])
    test(`${orientation} is applied exactly once`, async () => {
      const path = await orientedJpeg(fixtures.path(`turn${orientation}.jpg`), orientation);
      const image = await render(path);
      expect([image.width, image.height]).toEqual([320, 200]);
      expect([image.preview.width, image.preview.height]).toEqual([320, 200]);
      await expectQuarters(image.preview.bytes);
      await expectQuarters(image.thumbnail.bytes);
      const again = await sharp(image.preview.bytes).metadata();
      expect(again.orientation).toBeUndefined();
    });

  for (const orientation of [3, 5, 6, 7, 8])
    test(`${orientation} is applied by the general decoder as well`, async () => {
      const jpeg = await orientedJpeg(fixtures.path(`source${orientation}.jpg`), orientation);
      const path = fixtures.path(`turn${orientation}.webp`);
      await sharp(jpeg).keepMetadata().webp({ lossless: true }).toFile(path);
      const image = await render(path);
      expect([image.width, image.height]).toEqual([320, 200]);
      await expectQuarters(image.preview.bytes);
    });
});

describe('orientation of a raw file', () => {
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8])
    test(`${orientation} turns its preview, which does not say so itself`, async () => {
      const path = await rawWithPreview(fixtures.path(`raw${orientation}.cr2`), orientation);
      const metadata = await readMetadata(exiftool, path, {
        fileName: path,
        fallbackTime: new Date(0),
        ownerZone: 'UTC',
      });
      expect(metadata.orientation).toBe(orientation);
      const image = await render(path, metadata);
      expect([image.width, image.height]).toEqual([1200, 800]);
      await expectQuarters(image.preview.bytes);
      expect(leftovers()).toEqual([]);
    });
});

describe('sizes', () => {
  test('the short side is 1440 and 250, and a small picture stays as it is', async () => {
    const image = await render(await save('large.png', flat(ORANGE, 4000, 3000).png()));
    expect([image.preview.width, image.preview.height]).toEqual([1920, 1440]);
    expect([image.thumbnail.width, image.thumbnail.height]).toEqual([333, 250]);
    const small = await render(await save('small.png', flat(ORANGE, 40, 30).png()));
    expect([small.preview.width, small.thumbnail.width]).toEqual([40, 40]);
    for (const { bytes, width, height } of [image.preview, image.thumbnail, small.preview])
      expect(await sharp(bytes).metadata()).toMatchObject({ width, height });
  });

  test('of a JPEG the preview may be an eighth of the picture a little above 1440', async () => {
    for (const [stored, shown] of [
      [
        [4032, 3024],
        [2016, 1512],
      ],
      [
        [3001, 4001],
        [1501, 2001],
      ],
      [
        [6000, 4000],
        [2250, 1500],
      ],
      // A half would be far larger than asked for.
      [
        [5472, 3648],
        [2160, 1440],
      ],
    ] as const) {
      const path = fixtures.path('eighths.jpg');
      const key = ['flat', ...ORANGE, ...stored];
      const large = (target: string) =>
        flat(ORANGE, ...stored)
          .jpeg()
          .toFile(target);
      const image = await render(await cacheFixture(path, key, large));
      expect([image.width, image.height]).toEqual([...stored]);
      expect([image.preview.width, image.preview.height]).toEqual([...shown]);
      const { width, height } = await sharp(image.preview.bytes).metadata();
      expect([width, height]).toEqual([...shown]);
    }
    const path = fixtures.path('eighths-turned.jpg');
    await orientedJpeg(path, 6, 3000, 4000);
    const { preview } = await render(path);
    expect([preview.width, preview.height]).toEqual([1500, 2000]);
    await expectQuarters(preview.bytes);
  });

  test('a panorama is bounded on its long side, and a line of pixels is a picture', async () => {
    const wide = await render(await save('wide.jpg', flat(ORANGE, 12_000, 1500).jpeg()));
    expect([wide.preview.width, wide.preview.height]).toEqual([4320, 540]);
    expect([wide.thumbnail.width, wide.thumbnail.height]).toEqual([1000, 125]);
    const line = await render(await save('line.png', flat(ORANGE, 5000, 1).png()));
    expect([line.preview.width, line.preview.height]).toEqual([4320, 1]);
  });

  test('the thumbhash tells shape and mean colour', async () => {
    const { thumbhash } = await render(await save('hash.jpg', flat(ORANGE, 600, 300).jpeg()));
    expect(thumbHashToApproximateAspectRatio(thumbhash)).toBeGreaterThan(1.5);
    const { r, g, b } = thumbHashToAverageRGBA(thumbhash);
    expectNear([r * 255, g * 255, b * 255], ORANGE, 12);
  });

  test('the thumbhash of a picture with holes has the colour of what is seen', async () => {
    const picture = { create: { width: 300, height: 200, channels: 4, background: '#00ff0000' } };
    const seen = await flat(ORANGE, 100, 200).png().toBuffer();
    const holed = sharp(picture as SharpOptions).composite([{ input: seen, left: 0, top: 0 }]);
    const { thumbhash } = await render(await save('holed.png', holed.png()));
    const { r, g, b, a } = thumbHashToAverageRGBA(thumbhash);
    expectNear([r * 255, g * 255, b * 255], ORANGE, 12);
    expect(a).toBeWithin(0.2, 0.5);
  });
});

describe('other decoders', () => {
  for (const [name, options] of [
    ['x.bmp', []],
    ['x.tga', []],
    ['x.jp2', ['-c:v', 'jpeg2000']],
  ] as const)
    test(`${name} is decoded by a child`, async () => {
      const png = await save('quarters.png', quarters(320, 200).png());
      const path = fixtures.path(name);
      makeClip(path, ['-i', png, ...options]);
      const image = await render(path);
      expect([image.width, image.height]).toEqual([320, 200]);
      await expectQuarters(image.preview.bytes);
      expect(leftovers()).toEqual([]);
    });

  test('only the first frame of an animation is shown', async () => {
    const source = ['-f', 'lavfi', '-i', 'testsrc2=s=120x80:d=1:r=5'];
    const path = makeClip(fixtures.path('frames.gif'), source);
    const image = await render(path);
    expect([image.width, image.height]).toEqual([120, 80]);
    expect((await sharp(image.preview.bytes).metadata()).pages ?? 1).toBe(1);
  });

  test('the content decides, not the name', async () => {
    const path = await save('really.png', quarters(320, 200).png());
    const renamed = fixtures.path('claims.jpg');
    await Bun.write(renamed, Bun.file(path));
    await expectQuarters((await render(renamed)).preview.bytes);
  });
});
