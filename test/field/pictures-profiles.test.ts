import { afterAll, expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { adobeRgbProfile } from '../../src/media/icc.ts';
import { makeClip } from '../fixtures/clips.ts';
import { colorAt, expectNear, flat, quarters, run, tag } from '../fixtures/index.ts';
import { writeGrid } from '../support/avif-grid.ts';
import {
  addProperties,
  nclx,
  openFieldPictures,
  pngChunk,
  readHeic,
  readQuarters,
} from '../support/field-pictures.ts';

// Colours and parts of pictures that decoders leave out: README.md has the public threads.

const { fixtures, save, render, close } = openFieldPictures();
afterAll(() => close());

/** What Adobe RGB stores as its red is the red of sRGB. */
const STORED = [219, 0, 0] as const;
const MEANT = [255, 0, 0] as const;

const withChunks = (png: Buffer, ...chunks: readonly Buffer[]): Buffer =>
  Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
const iccp = (icc: Uint8Array) =>
  pngChunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), deflateSync(icc)]));
const makePng = (color: readonly [number, number, number], ...chunks: readonly Buffer[]) =>
  flat(color)
    .png()
    .toBuffer()
    .then((png) => withChunks(png, ...chunks));

test('730: a HEIC of several pictures shows the primary one, in its size', async () => {
  const colors = ['#c81e1e', '#1ec81e', '#1e1ec8'];
  const sizes = [
    [160, 100],
    [120, 120],
    [100, 160],
  ] as const;
  const paths = await Promise.all(
    colors.map(async (background, at) => {
      const [width, height] = sizes[at]!;
      const png = sharp({ create: { width, height, channels: 3, background } }).png();
      return save(`${at}.png`, await png.toBuffer());
    }),
  );
  const path = fixtures.path('several.heic');
  run('heif-enc', '-o', path, ...paths);
  const heic = Buffer.from(await Bun.file(path).bytes());
  const place = heic.indexOf('pitm', 0, 'latin1') + 8;
  const first = heic.readUInt16BE(place);
  for (const [at, size] of sizes.entries()) {
    heic.writeUInt16BE(first + at, place);
    const { width, height, preview } = await render(await save(`primary-${at}.heic`, heic));
    expect([width, height]).toEqual([...size]);
    const wanted = Buffer.from(colors[at]!.slice(1), 'hex');
    expectNear(await colorAt(preview.bytes), [...wanted], 6);
  }
});

test('731: a lossless JPEG XL in Adobe RGB', async () => {
  const png = await save('adobe.png', await makePng(STORED, iccp(adobeRgbProfile())));
  const path = fixtures.path('adobe.jxl');
  run('cjxl', '--quiet', '-d', '0', png, path);
  expectNear(await colorAt((await render(path)).preview.bytes), MEANT, 6);
});

test('732: a JPEG 2000 with a profile, and one without', async () => {
  const png = await save('stored.png', await makePng(STORED));
  const path = fixtures.path('plain.jp2');
  run('/usr/bin/convert', png, '-quality', '100', path);
  expectNear(await colorAt((await render(path)).preview.bytes), STORED, 4);
  const jp2 = Buffer.from(await Bun.file(path).bytes());
  const [header, color] = ['jp2h', 'colr'].map((type) => jp2.indexOf(type, 0, 'latin1') - 4);
  const end = color! + jp2.readUInt32BE(color!);
  const icc = adobeRgbProfile();
  const box = Buffer.concat([Buffer.alloc(4), Buffer.from('colr\x02\0\0', 'latin1'), icc]);
  box.writeUInt32BE(box.length);
  const size = jp2.readUInt32BE(header!) + box.length - (end - color!);
  const bytes = Buffer.concat([jp2.subarray(0, color), box, jp2.subarray(end)]);
  bytes.writeUInt32BE(size, header);
  expectNear(await colorAt((await render(await save('a.jp2', bytes))).preview.bytes), MEANT, 6);
});

/** A grey of PQ in ten bits. */
function makeBrightAvif(name: string): string {
  const colors = 'color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv';
  const source = `color=0x949494:size=96x64:rate=1:duration=1,format=yuv420p10le,setparams=${colors}`;
  const coding = '-frames:v 1 -c:v libaom-av1 -still-picture 1 -cpu-used 8';
  const named = '-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range tv';
  return makeClip(fixtures.path(name), [
    '-f',
    'lavfi',
    '-i',
    source,
    ...`${coding} ${named}`.split(' '),
  ]);
}

test('733: a bright AVIF of tiles, and one whose primaries are unspecified', async () => {
  const whole = makeBrightAvif('whole.avif');
  const shown = await colorAt((await render(whole)).preview.bytes);
  const avif = Buffer.from(await Bun.file(whole).bytes());
  const unspecified = Buffer.from(avif);
  unspecified.writeUInt16BE(2, unspecified.indexOf('nclx', 0, 'latin1') + 4);
  for (const [name, bytes, size] of [
    ['unspecified.avif', unspecified, [96, 64]],
    ['grid.avif', writeGrid(avif, { width: 96, height: 64 }), [192, 64]],
  ] as const) {
    const { width, height, preview } = await render(await save(name, bytes));
    expect([name, width, height]).toEqual([name, ...size]);
    for (const x of [0.25, 0.75]) expectNear(await colorAt(preview.bytes, x), shown, 8);
  }
});

const gamma = (value: number) => {
  const body = Buffer.alloc(4);
  body.writeUInt32BE(value);
  return pngChunk('gAMA', body);
};

test('734: a PNG whose gamma is that of light, not one with the usual or that is sRGB', async () => {
  const grey = await sharp(await makePng([96, 96, 96]))
    .toColourspace('b-w')
    .png()
    .toBuffer();
  const dark = await save('grey.png', withChunks(grey, gamma(100_000)));
  expectNear(await colorAt((await render(dark)).preview.bytes), [165, 165, 165], 3);
  const srgb = pngChunk('sRGB', Buffer.from([0]));
  for (const [name, chunks, wanted] of [
    ['linear', [gamma(100_000)], [229, 96, 96]],
    ['usual', [gamma(45_455)], [200, 30, 30]],
    ['srgb', [srgb, gamma(100_000)], [200, 30, 30]],
    ['impossible', [gamma(0)], [200, 30, 30]],
  ] as const) {
    const path = await save(`${name}.png`, await makePng([200, 30, 30], ...chunks));
    expectNear(await colorAt((await render(path)).preview.bytes), wanted, 4);
  }
});

const P3 = (await sharp(await flat([1, 2, 3]).withIccProfile('p3').png().toBuffer()).metadata())
  .icc!;

test('735: a PNG, a HEIC and an AVIF that name Display P3 by number look as with its profile', async () => {
  const color = [200, 110, 60] as const;
  const shown = async (name: string, bytes: Uint8Array) =>
    colorAt((await render(await save(name, bytes))).thumbnail.bytes);
  const wanted = await shown('profile.png', await makePng(color, iccp(P3)));
  expect(wanted[0]! - color[0]).toBeGreaterThan(6);
  const cicp = pngChunk('cICP', Buffer.from([12, 13, 0, 1]));
  expectNear(await shown('cicp.png', await makePng(color, cicp)), wanted, 3);
  const wide = async (number: number) => {
    const heic = addProperties(readHeic('quarters'), [nclx(number, 13)]);
    const { thumbnail } = await render(await save(`${number}.heic`, heic));
    return readQuarters(thumbnail.bytes);
  };
  const [[, usual], [, vivid]] = [await wide(1), await wide(12)];
  // Green of P3 has no red in sRGB.
  expect(vivid![0]! < usual![0]! - 10).toBe(true);
  const avif = await flat(color).avif({ lossless: true }).toBuffer();
  const at = avif.indexOf('nclx', 0, 'latin1') + 4;
  avif.writeUInt16BE(12, at);
  expectNear(await shown('wide.avif', avif), wanted, 4);
});

test('736: a PNG is turned by the EXIF in a text, and by that behind its pixels', async () => {
  const jpeg = fixtures.path('turned.jpg');
  await quarters(60, 40).jpeg().toFile(jpeg);
  tag(jpeg, '-Orientation#=6');
  const bytes = Buffer.from(await Bun.file(jpeg).bytes());
  const start = bytes.indexOf('Exif\0\0', 0, 'latin1');
  const exif = bytes.subarray(start, start - 2 + bytes.readUInt16BE(start - 2));
  const text = `Raw profile type exif\0\nexif\n${String(exif.length).padStart(8)}\n${exif.toString('hex')}\n`;
  const png = await quarters(60, 40).png().toBuffer();
  const chunk = pngChunk('eXIf', exif.subarray(6));
  const late = Buffer.concat([png.subarray(0, -12), chunk, png.subarray(-12)]);
  const behind = await render(await save('behind.png', late), { orientation: 6 });
  expect([behind.width, behind.height]).toEqual([40, 60]);
  const path = await save('text.png', withChunks(png, pngChunk('tEXt', Buffer.from(text))));
  for (const metadata of [undefined, { orientation: 6 }]) {
    const { width, height } = await render(path, metadata);
    expect([width, height]).toEqual([40, 60]);
  }
});
