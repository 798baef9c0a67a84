import { afterAll, expect, test } from 'bun:test';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFixture, readSource } from '../../test/fixtures/fixture-cache.ts';
import { flat, openFixtures, run } from '../../test/fixtures/index.ts';
import { MEDIA, skipWithout } from '../../test/support/requirements.ts';
import { readPictureHeader } from './picture-header.ts';

const MIB = 1024 ** 2;
const fixtures = openFixtures();
afterAll(() => fixtures.remove());

const picture = flat([10, 20, 30]).resize(300, 200);

test.each(['jpeg', 'png', 'gif', 'webp', 'tiff', 'avif'] as const)(
  'the size of a %s file is read from its header',
  async (format) => {
    const path = fixtures.path(`a.${format}`);
    await picture.toFormat(format).toFile(path);
    const header = await readPictureHeader(path);
    expect(header).toMatchObject({ format, width: 300, height: 200 });
    expect(header!.decodeBytes).toBeLessThan(20 * MIB);
    // Also from the first bytes of a file that has no others.
    await truncate(path, format === 'avif' ? 40 : 8);
    expect(await readPictureHeader(path)).toBeUndefined();
  },
);

test('the size of a JPEG 2000 is that of its codestream, in a file or alone', async () => {
  const [png, jp2] = [fixtures.path('a.png'), fixtures.path('a.jp2')];
  await picture.toFile(png);
  run('/usr/bin/convert', png, jp2);
  const header = await readPictureHeader(jp2);
  expect(header).toMatchObject({ format: 'jp2', width: 300, height: 200 });
  const bytes = Buffer.from(await Bun.file(jp2).bytes());
  const codestream = bytes.subarray(bytes.indexOf('ff4fff51', 0, 'hex'));
  // Where the picture begins on its grid.
  codestream.writeUInt32BE(100, 16);
  await Bun.write(jp2, codestream);
  expect(await readPictureHeader(jp2)).toMatchObject({ width: 200, height: 200 });
  await truncate(jp2, 41);
  expect(await readPictureHeader(jp2)).toBeUndefined();
});

test('the size of a JPEG stands behind any number of maps and previews', async () => {
  const path = fixtures.path('maps.jpg');
  const jpeg = await picture.jpeg().toBuffer();
  const segment = Buffer.alloc(65_535 + 2, 1);
  segment.set([0xff, 0xe2, 0xff, 0xff]);
  const maps = Array.from({ length: 20 }, () => segment);
  await Bun.write(path, Buffer.concat([jpeg.subarray(0, 2), ...maps, jpeg.subarray(2)]));
  expect(await readPictureHeader(path)).toMatchObject({ width: 300, height: 200 });
});

test('estimates memory by pixels for formats decoded as a whole, by rows for others', async () => {
  const large = flat([1, 2, 3]).resize(4000, 3000);
  const readDecodeBytes = async (name: string, file: ReturnType<typeof flat>) => {
    const key = [readSource(import.meta.path), name];
    const path = await cacheFixture(fixtures.path(name), key, (draft) => file.toFile(draft));
    return (await readPictureHeader(path))!.decodeBytes;
  };
  const baseline = await readDecodeBytes('b.jpg', large.clone().jpeg());
  const whole = large.clone().jpeg({ progressive: true, chromaSubsampling: '4:4:4' });
  expect((await readDecodeBytes('p.jpg', whole)) - baseline).toBe(12e6 * 6);
  const rows = await readDecodeBytes('r.png', large.clone().png());
  expect(
    (await readDecodeBytes('i.png', large.clone().png({ progressive: true }))) - rows,
  ).toBeGreaterThan(40e6);
  const strips = await readDecodeBytes('s.tif', large.clone().tiff({ compression: 'lzw' }));
  expect(strips).toBeLessThan(rows + 20e6);
});

skipWithout('media').test(
  'the size of a HEIC file is that of its picture, not of a tile',
  async () => {
    const path = join(MEDIA!, 'iphone-xr/IMG_3604.HEIC');
    const { width, height } = (await readPictureHeader(path))!;
    const target = fixtures.path('heic.jpg');
    run('heif-convert', path, target);
    const shown = (await readPictureHeader(target))!;
    expect(Math.max(width, height)).toBe(Math.max(shown.width, shown.height));
    expect(width * height).toBe(shown.width * shown.height);
  },
);

test('a file that is no picture has no header', async () => {
  const path = fixtures.path('none');
  for (const bytes of [
    '',
    'text',
    '\xff\xd8\xff',
    'II*\0',
    '\0\0\0\x18ftypmif1',
    '\x89PNG\r\n\x1a\n',
  ]) {
    await Bun.write(path, Buffer.from(bytes, 'latin1'));
    expect(await readPictureHeader(path)).toBeUndefined();
  }
});
