import { afterAll, expect, test } from 'bun:test';
import sharp, { type Sharp } from 'sharp';
import { thumbHashToAverageRGBA } from 'thumbhash';
import { makeClip } from '../../test/fixtures/clips.ts';
import {
  type Color,
  colorAt,
  expectNear,
  flat,
  openFixtures,
  tag,
} from '../../test/fixtures/index.ts';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { createExifTool } from './exiftool.ts';
import { adobeRgbProfile, profileKind } from './icc.ts';
import { renderImage } from './images.ts';
import { withIcc, withoutIcc } from './jpeg.ts';
import { readMetadata } from './metadata.ts';
import { readDecoder } from './decoder-detection.ts';

const fixtures = openFixtures();
const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
afterAll(async () => {
  await exiftool.close();
  fixtures.remove();
});

const ORANGE: Color = [200, 110, 60];

const render = (path: string, metadata?: { colorspace?: string; orientation?: number }) =>
  renderImage(path, { fileName: path, tempDir: fixtures.folder, exiftool, metadata });

const save = async (name: string, image: Sharp): Promise<string> => {
  await image.toFile(fixtures.path(name));
  return fixtures.path(name);
};

const rows: [name: string, make: () => Promise<string>, tolerance: number][] = [
  ['sRGB without a profile', () => save('plain.jpg', flat(ORANGE).jpeg({ quality: 95 })), 3],
  [
    'sRGB with a profile',
    () => save('srgb.jpg', flat(ORANGE).withIccProfile('srgb').jpeg({ quality: 95 })),
    3,
  ],
  ['Display P3 PNG', () => save('p3.png', flat(ORANGE).withIccProfile('p3').png()), 3],
  ['16 bit', () => save('deep.png', flat(ORANGE).toColourspace('rgb16').png()), 3],
  ['16 bit TIFF', () => save('deep.tif', flat(ORANGE).toColourspace('rgb16').tiff()), 3],
  ['8 bit AVIF', () => save('a.avif', flat(ORANGE).avif({ quality: 90 })), 5],
  ['WebP', () => save('a.webp', flat(ORANGE).webp({ quality: 95 })), 5],
  ['a palette', () => save('pal.png', flat(ORANGE).png({ palette: true })), 4],
];
for (const [name, make, tolerance] of rows)
  test(`${name} is shown as the colour it means`, async () => {
    const image = await render(await make());
    expectNear(await colorAt(image.preview.bytes), ORANGE, tolerance);
    expectNear(await colorAt(image.thumbnail.bytes), ORANGE, tolerance + 3);
    expect((await sharp(image.preview.bytes).metadata()).hasProfile).toBe(false);
    expect((await sharp(image.thumbnail.bytes).metadata()).hasProfile).toBe(false);
  });

for (const progressive of [false, true])
  test(`a ${progressive ? 'progressive ' : ''}Display P3 JPEG keeps its wide colours and names them`, async () => {
    // Outside of sRGB: a conversion would clip it, and other numbers than these would be stored.
    const vivid: Color = [250, 40, 30];
    const wide = { create: { width: 96, height: 64, channels: 3, background: 'red' } } as const;
    const stored = sharp(wide)
      .composite([{ input: await flat(vivid).png().toBuffer() }])
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4', progressive })
      .toBuffer();
    const icc = (await sharp(await flat(ORANGE).withIccProfile('p3').png().toBuffer()).metadata())
      .icc!;
    const path = fixtures.path('vivid.jpg');
    await Bun.write(path, withIcc(await stored, icc));
    const image = await render(path);
    expectNear(await colorAt(image.preview.bytes), vivid, 4);
    const shown = await sharp(image.preview.bytes).metadata();
    expect(profileKind(shown.icc!)).toBe('display-p3');
    // The thumbnail is what a careful conversion of the original gives, clipped to sRGB.
    const meant = await colorAt(await sharp(path).png().toBuffer());
    expect(meant[0]).toBe(255);
    expectNear(await colorAt(image.thumbnail.bytes), meant, 8);
    expect((await sharp(image.thumbnail.bytes).metadata()).hasProfile).toBe(false);
    const { r, g, b } = thumbHashToAverageRGBA(image.thumbhash);
    expectNear([r * 255, g * 255, b * 255], meant, 14);
  });

test('a muted colour of Display P3 looks the same in the preview, the thumbnail and the file', async () => {
  const p3 = flat(ORANGE).withIccProfile('p3').jpeg({ quality: 95 });
  const image = await render(await save('p3.jpg', p3));
  expectNear(await colorAt(await sharp(image.preview.bytes).png().toBuffer()), ORANGE, 4);
  expectNear(await colorAt(image.thumbnail.bytes), ORANGE, 7);
});

test('a wide profile of another kind, or a huge one, is converted', async () => {
  const adobe = flat([144, 255, 60]).jpeg({ quality: 100, chromaSubsampling: '4:4:4' });
  const path = fixtures.path('embedded.jpg');
  await Bun.write(path, withIcc(await adobe.toBuffer(), adobeRgbProfile()));
  const image = await render(path);
  expectNear(await colorAt(image.preview.bytes), [0, 255, 0], 5);
  expect((await sharp(image.preview.bytes).metadata()).hasProfile).toBe(false);

  const p3 = await flat(ORANGE).withIccProfile('p3').jpeg({ quality: 95 }).toBuffer();
  const icc = (await sharp(p3).metadata()).icc!;
  const huge = Buffer.concat([icc, Buffer.alloc(20_000)]);
  huge.writeUInt32BE(huge.length, 0);
  await Bun.write(path, withIcc(Buffer.from(withoutIcc(p3)), huge));
  const converted = await render(path);
  expectNear(await colorAt(converted.preview.bytes), ORANGE, 4);
  expect((await sharp(converted.preview.bytes).metadata()).hasProfile).toBe(false);
});

test('CMYK is shown as the colour it means', async () => {
  // Muted, for ink cannot print the orange; and loose, for intents of rendering differ there and
  // back. An inverted or unmanaged reading is off by 60.
  const muted: Color = [140, 120, 105];
  const ink = flat(muted).toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 95 });
  const image = await render(await save('cmyk.jpg', ink));
  expectNear(await colorAt(image.preview.bytes), muted, 16);
  expect((await sharp(image.preview.bytes).metadata()).hasProfile).toBe(false);
});

test('the P3 fixture has other pixel values than its sRGB rendering', async () => {
  const path = await save('p3-raw.png', flat(ORANGE).withIccProfile('p3').png());
  const [red] = await colorAt(await Bun.file(path).bytes());
  expect(Math.abs(red! - ORANGE[0])).toBeGreaterThan(6);
});

test('HDR AVIF is shown at its size, neither dark nor pale, and scaled before it is converted', async () => {
  // PQ code 0.58: paper white at 203 nits.
  const color = 'color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv';
  const white = `color=0x949494:size=2400x1600:rate=25:duration=0.04,format=yuv420p10le,setparams=${color}`;
  const coding = ['-c:v', 'libaom-av1', '-still-picture', '1', '-cpu-used', '8'];
  const source = ['-f', 'lavfi', '-i', white, '-frames:v', '1'];
  // ffmpeg 5 names in a file the colours of its options, and ffmpeg 7 those of its frames.
  const named = '-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range tv';
  const options = [...source, ...coding, ...named.split(' ')];
  const path = makeClip(fixtures.path('hdr.avif'), options);
  expect(await readDecoder(path, path)).toBe('hdr-avif');
  const image = await render(path);
  expect([image.width, image.height]).toEqual([2400, 1600]);
  expect([image.preview.width, image.preview.height]).toEqual([2160, 1440]);
  const [red, green, blue] = await colorAt(image.preview.bytes);
  expect(Math.max(red!, green!, blue!) - Math.min(red!, green!, blue!)).toBeLessThan(8);
  expect(red).toBeWithin(150, 250);
});

test('grey stays grey', async () => {
  const image = await render(
    await save('grey.jpg', flat([90, 90, 90]).toColourspace('b-w').jpeg()),
  );
  expectNear(await colorAt(image.preview.bytes), [90, 90, 90], 2);
  const deep = flat([90, 90, 90]).toColourspace('grey16').png();
  expectNear(
    await colorAt((await render(await save('g16.png', deep))).preview.bytes),
    [90, 90, 90],
    2,
  );
});

test('Adobe RGB that a camera only names is converted like an embedded profile', async () => {
  // The published numbers of sRGB's own red and green in Adobe RGB.
  for (const [stored, meant] of [
    [
      [219, 0, 0],
      [255, 0, 0],
    ],
    [
      [144, 255, 60],
      [0, 255, 0],
    ],
    [
      [128, 128, 128],
      [127, 127, 127],
    ],
  ] as const) {
    const path = await save(
      'adobe.jpg',
      flat(stored).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }),
    );
    tag(path, '-InteropIndex=R03', '-ColorSpace=65535');
    const metadata = await readMetadata(exiftool, path, {
      fileName: path,
      fallbackTime: new Date(0),
      ownerZone: 'UTC',
    });
    expect(metadata.colorspace).toBe('Adobe RGB');
    const image = await renderImage(path, { fileName: path, tempDir: fixtures.folder, metadata });
    expectNear(await colorAt(image.preview.bytes), meant, 5);
  }
});

test('profiles are told apart by their numbers', async () => {
  const createIcc = async (name: string) =>
    (await sharp(await flat(ORANGE).withIccProfile(name).png().toBuffer()).metadata()).icc!;
  expect(profileKind(await createIcc('srgb'))).toBe('srgb');
  expect(profileKind(await createIcc('p3'))).toBe('display-p3');
  expect(profileKind(adobeRgbProfile())).toBeUndefined();
  expect(profileKind(new Uint8Array(50))).toBeUndefined();
});

test('a transparent picture is stored as WebP with alpha, an opaque alpha channel as JPEG', async () => {
  const clear = sharp({
    create: { width: 80, height: 60, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0.5 } },
  }).png();
  const image = await render(await save('clear.png', clear));
  expect(image.preview.type).toBe('image/webp');
  expect((await sharp(image.preview.bytes).metadata()).hasAlpha).toBe(true);
  expect((await sharp(image.thumbnail.bytes).metadata()).hasAlpha).toBe(true);
  const solid = await render(await save('solid.png', flat(ORANGE).ensureAlpha().png()));
  expect(solid.preview.type).toBe('image/jpeg');
  expectNear(await colorAt(solid.preview.bytes), ORANGE, 3);
});
