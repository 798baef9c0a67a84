import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import {
  QUARTERS,
  colorAt,
  expectNear,
  expectQuarters,
  hollowPng,
  openFixtures,
  quarters,
  createNoise,
} from '../../test/fixtures/index.ts';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { createExifTool } from './exiftool.ts';
import { type RenderOptions, renderImage } from './images.ts';
import { readJpegHeader } from './jpeg.ts';

const fixtures = openFixtures();
const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
afterAll(async () => {
  await exiftool.close();
  fixtures.remove();
});

const render = (path: string, metadata?: RenderOptions['metadata']) =>
  renderImage(path, { fileName: path, tempDir: fixtures.folder, exiftool, metadata });

/** No intermediate file may stay behind. */
const leftovers = () =>
  readdirSync(fixtures.folder).filter((name) => /^(decode|poster)-/.test(name));

describe('broken files', () => {
  const renderKind = async (name: string, content: Uint8Array | string) => {
    await Bun.write(fixtures.path(name), content);
    return render(fixtures.path(name)).then(
      () => 'rendered',
      (error: unknown) => (error as { kind?: string }).kind,
    );
  };

  test('empty, garbage and text files end as broken', async () => {
    const noise = createNoise('broken images', 5000);
    expect(await renderKind('empty.jpg', '')).toBe('broken');
    for (const name of ['n.jpg', 'n.heic', 'n.dng', 'n.tga', 'n.png'])
      expect([name, await renderKind(name, noise)]).toEqual([name, 'broken']);
    expect(await renderKind('t.jpg', '#EXTM3U\nfile:///etc/passwd\n')).toBe('broken');
    expect(leftovers()).toEqual([]);
  });

  test('a playlist in disguise is not opened by any decoder', async () => {
    for (const name of ['list.tga', 'list.dng', 'list.bmp'])
      expect(await renderKind(name, 'ffconcat version 1.0\nfile /etc/hostname\n')).toBe('broken');
  });

  test('headers without data are broken, in every format', async () => {
    for (const head of [
      '\xff\xd8\xff\xe0',
      '\x89PNG\r\n\x1a\n',
      'GIF89a',
      'RIFF\0\0\0\0WEBP',
      'II*\0',
      'BM',
      '8BPS',
    ])
      expect([head, await renderKind('head', Buffer.from(head, 'latin1'))]).toEqual([
        head,
        'broken',
      ]);
    for (const brand of ['heic', 'avif', 'crx ']) {
      const box = Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0mif1${brand}`, 'latin1');
      expect([brand, await renderKind('brand', box)]).toEqual([brand, 'broken']);
    }
    expect(leftovers()).toEqual([]);
  });

  test('a decompression bomb is refused by its header', async () => {
    expect(await renderKind('bomb.png', hollowPng(50_000, 50_000))).toBe('too-large');
  });

  test('a truncated photo renders its intact part and reports the damage', async () => {
    const whole = await quarters(1200, 800).jpeg({ quality: 95 }).toBuffer();
    await Bun.write(fixtures.path('torn.jpg'), whole.subarray(0, whole.length * 0.7));
    const image = await render(fixtures.path('torn.jpg'));
    expect(image.damage).toBeString();
    expectNear(await colorAt(image.preview.bytes, 0.25, 0.25), QUARTERS[0]!, 6);
    await Bun.write(fixtures.path('whole.jpg'), whole);
    expect((await render(fixtures.path('whole.jpg'))).damage).toBeUndefined();
  });

  test('ignores bytes after the end of the picture', async () => {
    const jpeg = await quarters(320, 200).jpeg({ quality: 95 }).toBuffer();
    await Bun.write(fixtures.path('trailer.jpg'), Buffer.concat([jpeg, Buffer.alloc(5000, 7)]));
    const image = await render(fixtures.path('trailer.jpg'));
    expect(image.damage).toBeUndefined();
    await expectQuarters(image.preview.bytes);
    expect((await readJpegHeader(fixtures.path('trailer.jpg')))?.complete).toBe(true);
  });

  test('the end is found across the pieces in which a file is searched, and not in its tags', async () => {
    const jpeg = await quarters(320, 200).jpeg({ quality: 95 }).toBuffer();
    const comment = Buffer.from([0xff, 0xfe, 0, 4, 0xff, 0xd9]);
    const tagged = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
    const isComplete = async (bytes: Uint8Array) => {
      await Bun.write(fixtures.path('ends.jpg'), bytes);
      return (await readJpegHeader(fixtures.path('ends.jpg')))?.complete;
    };
    expect(await isComplete(tagged.subarray(0, -40))).toBe(false);
    const start = tagged.indexOf(Buffer.from([0xff, 0xda]));
    // Picture data that puts the mark around a limit of 1 MiB after its start.
    for (const before of [-2, -1, 0, 1]) {
      const filler = Buffer.alloc(start + 1024 ** 2 + before - (tagged.length - 2), 7);
      const end = Buffer.from([0xff, 0xd9]);
      const tail = Buffer.alloc(5000, 7);
      expect(await isComplete(Buffer.concat([tagged.subarray(0, -2), filler, end, tail]))).toBe(
        true,
      );
      expect(await isComplete(Buffer.concat([tagged.subarray(0, -2), filler, tail]))).toBe(false);
    }
  });
});
