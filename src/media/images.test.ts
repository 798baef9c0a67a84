import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { thumbHashToApproximateAspectRatio, thumbHashToAverageRGBA } from 'thumbhash';
import {
  type Color,
  QUARTERS,
  REAL_MEDIA,
  colorAt,
  expectNear,
  expectQuarters,
  flat,
  hollowPng,
  openFixtures,
  orientedJpeg,
  quarters,
  rawWithPreview,
  run,
} from '../../test/fixtures/index.ts';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { openExifTool } from './exiftool.ts';
import { type RenderOptions, renderImage } from './images.ts';
import { readJpegHeader } from './jpeg.ts';
import { readMetadata } from './metadata.ts';

const fixtures = openFixtures();
const exiftool = openExifTool({ files: FULL_FILE_ACCESS });
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
      const image = await render(await save('eighths.jpg', flat(ORANGE, ...stored).jpeg()));
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
      run('ffmpeg', '-v', 'error', '-y', '-i', png, ...options, path);
      const image = await render(path);
      expect([image.width, image.height]).toEqual([320, 200]);
      await expectQuarters(image.preview.bytes);
      expect(leftovers()).toEqual([]);
    });

  test('only the first frame of an animation is shown', async () => {
    const path = fixtures.path('frames.gif');
    run('ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i', 'testsrc2=s=120x80:d=1:r=5', path);
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

describe('broken files', () => {
  const renderKind = async (name: string, content: Uint8Array | string) => {
    await Bun.write(fixtures.path(name), content);
    return render(fixtures.path(name)).then(
      () => 'rendered',
      (error: unknown) => (error as { kind?: string }).kind,
    );
  };

  test('empty, garbage and text files end as broken', async () => {
    const noise = crypto.getRandomValues(new Uint8Array(5000));
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
    const started = performance.now();
    expect(await renderKind('bomb.png', hollowPng(50_000, 50_000))).toBe('too-large');
    expect(performance.now() - started).toBeLessThan(500);
  });

  test('SVG is refused under any name', async () => {
    const svg =
      '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    expect(await renderKind('x.svg', svg)).toBe('unsupported');
    expect(await renderKind('x.png', svg)).toBe('unsupported');
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

describe.skipIf(!REAL_MEDIA)('files of real cameras', () => {
  const real = (name: string) => join(REAL_MEDIA!, name);

  test('every picture of the folder renders at the size that its metadata tells', async () => {
    const names = readdirSync(REAL_MEDIA!, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(jpe?g|heic|png|webp|avif|jxl)$/i.test(name),
    );
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) {
      const metadata = await readMetadata(exiftool, real(name), {
        fileName: name,
        fallbackTime: new Date(0),
        ownerZone: 'UTC',
      });
      const image = await renderImage(real(name), {
        fileName: name,
        tempDir: fixtures.folder,
        exiftool,
        metadata,
      });
      expect([name, image.damage]).toEqual([name, undefined]);
      if (metadata.width !== undefined)
        expect([name, image.width, image.height]).toEqual([name, metadata.width, metadata.height!]);
    }
    expect(leftovers()).toEqual([]);
  }, 120_000);

  test('the same colour chart by HEIC and by JPEG looks the same, and upright', async () => {
    const [heic, jpeg] = [
      await render(real('iphone-13-pro/IMG_8563.HEIC')),
      await render(real('iphone-13-pro/IMG_8567.JPG')),
    ];
    expect([heic.width, heic.height]).toEqual([3024, 4032]);
    expect([jpeg.width, jpeg.height]).toEqual([3024, 4032]);
    // The white patch is at the top left of the upright chart.
    const [light] = await colorAt(heic.preview.bytes, 0.24, 0.16);
    const [lightToo] = await colorAt(jpeg.preview.bytes, 0.24, 0.16);
    expect(light).toBeGreaterThan(220);
    expect(lightToo).toBeGreaterThan(220);
  }, 30_000);
});
