import { afterAll, expect, test } from 'bun:test';
import { orientedJpeg, rawWithPreview, run, tag } from '../fixtures/index.ts';
import {
  addProperties,
  imir,
  irot,
  nameQuarters,
  openFieldPictures,
  readHeic,
  readQuarters,
} from '../support/field-pictures.ts';
import sharp from 'sharp';

// How pictures are turned: README.md has the public threads.

const { fixtures, save, read, render, close } = openFieldPictures();
afterAll(() => close());

/** The quarters as shown, their size, and what the metadata tell. */
async function show(path: string) {
  const { preview, width, height } = await render(path);
  const found = await read(path);
  return {
    shown: nameQuarters(await readQuarters(preview.bytes)),
    size: [width, height],
    told: [found.width, found.height],
    orientation: found.orientation,
  };
}

const heic = (boxes: Buffer[]) => addProperties(readHeic('quarters'), boxes);
const LYING = { size: [96, 64], told: [96, 64] };
const STANDING = { size: [64, 96], told: [64, 96] };

test.each([
  [1, 'RGBW', LYING],
  [2, 'GRWB', LYING],
  [3, 'WBGR', LYING],
  [4, 'BWRG', LYING],
  [5, 'RBGW', STANDING],
  [6, 'BRWG', STANDING],
  [7, 'WGBR', STANDING],
  [8, 'GWRB', STANDING],
] as const)('200: a HEIC with the EXIF orientation %i alone', async (orientation, shown, sizes) => {
  const path = await save(`exif${orientation}.heic`, readHeic('quarters'));
  tag(path, `-Orientation=${orientation}`);
  expect(await show(path)).toEqual({ shown, orientation, ...sizes } as never);
});

test.each([
  ['a quarter', [irot(3)], 6, 'BRWG', STANDING],
  ['half a turn', [irot(2)], 3, 'WBGR', LYING],
  ['three quarters', [irot(1)], 8, 'GWRB', STANDING],
  ['left and right', [imir(1)], 2, 'GRWB', LYING],
  ['top and bottom', [imir(0)], 4, 'BWRG', LYING],
  ['a quarter, then a mirror', [irot(3), imir(1)], 5, 'RBGW', STANDING],
  ['three quarters, then a mirror', [irot(1), imir(1)], 7, 'WGBR', STANDING],
  ['none', [irot(0)], 1, 'RGBW', LYING],
] as const)(
  '201: a HEIC that is turned by its boxes: %s',
  async (_, boxes, orientation, shown, sizes) => {
    const path = await save(`boxes${orientation}.heic`, heic([...boxes]));
    expect(await show(path)).toEqual({ shown, orientation, ...sizes } as never);
  },
);

test.each([
  ['the same', irot(3), 6, 'BRWG', STANDING],
  ['another one', irot(0), 1, 'RGBW', LYING],
] as const)('202: EXIF beside a box that tells %s', async (_, turn, orientation, shown, sizes) => {
  const path = await save(`both${orientation}.heic`, heic([turn]));
  tag(path, '-Orientation=6');
  expect(await show(path)).toEqual({ shown, orientation, ...sizes } as never);
});

test('203: an AVIF is turned by its boxes only, as browsers show it', async () => {
  await orientedJpeg(fixtures.path('six.jpg'), 1, 96, 64);
  const bytes = await sharp(fixtures.path('six.jpg')).avif({ quality: 90 }).toBuffer();
  const path = await save('a.avif', bytes);
  tag(path, '-Orientation=6');
  expect(await show(path)).toMatchObject({ shown: 'RGBW', orientation: undefined, ...LYING });
});

test.each(['png', 'webp', 'tif'] as const)('204: the orientation of a %s', async (format) => {
  await orientedJpeg(fixtures.path('upright.jpg'), 1, 96, 64);
  const bytes = await sharp(fixtures.path('upright.jpg'))
    .toFormat(format === 'tif' ? 'tiff' : format)
    .toBuffer();
  const path = await save(`turned.${format}`, bytes);
  tag(path, '-Orientation=6');
  expect(await show(path)).toMatchObject({ shown: 'BRWG', orientation: 6, ...STANDING });
});

test('205: a JPEG whose orientation is 0 or 9 is shown as it lies', async () => {
  for (const odd of [0, 9]) {
    const path = await orientedJpeg(fixtures.path(`odd${odd}.jpg`), 1, 96, 64);
    tag(path, `-Orientation=${odd}`);
    expect(await show(path)).toMatchObject({ shown: 'RGBW', orientation: undefined, ...LYING });
  }
});

test('206: a JPEG XL with an EXIF orientation beside its own', async () => {
  await orientedJpeg(fixtures.path('jxl.jpg'), 6, 96, 64);
  run('cjxl', '--quiet', fixtures.path('jxl.jpg'), fixtures.path('a.jxl'));
  const { preview } = await render(fixtures.path('a.jxl'));
  expect(nameQuarters(await readQuarters(preview.bytes))).toBe('RGBW');
});

test.each([
  [3, 'RGBW'],
  [6, 'RGBW'],
  [8, 'RGBW'],
] as const)('207: the preview in a raw file that stands, EXIF %i', async (orientation, shown) => {
  const path = await rawWithPreview(fixtures.path(`raw${orientation}.cr2`), orientation);
  const { orientation: told } = await read(path);
  const { preview, width, height } = await render(path, { orientation: told! });
  expect(nameQuarters(await readQuarters(preview.bytes))).toBe(shown);
  expect([width, height]).toEqual([1200, 800]);
});

test('208: an orientation in XMP alone does not part the picture from its sizes', async () => {
  const path = await orientedJpeg(fixtures.path('xmp.jpg'), 1, 96, 64);
  tag(path, '-Orientation=', '-XMP-tiff:Orientation=6');
  expect(await show(path)).toMatchObject({ shown: 'RGBW', orientation: undefined, ...LYING });
});
