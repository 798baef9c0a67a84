import { afterAll, describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { renderEdited } from '../../src/media/edited-image.ts';
import { UNEDITED } from '../../src/media/picture-edits.ts';
import { probe } from '../../src/media/probe.ts';
import { renderPoster } from '../../src/media/poster.ts';
import { makeClip } from '../fixtures/clips.ts';
import {
  colorAt,
  expectNear,
  expectQuarters,
  orientedJpeg,
  quarters,
  rawWithPreview,
  run,
} from '../fixtures/index.ts';
import { openFieldPictures } from '../support/field-pictures.ts';
import {
  RARE_SIZE,
  readRarePixels,
  writeBmp,
  writeGreyAlphaTga,
  writeTiff,
} from '../support/rare-pictures.ts';

// Kinds of pictures that usual decoders know in part: README.md has the public threads.

const { fixtures, save, render, close } = openFieldPictures();
afterAll(() => close());

const { width, height } = RARE_SIZE;
const source = fixtures.path('source.png');
await quarters(width, height).png().toFile(source);

const expectShown = async (path: string, orientation?: number) => {
  const image = await render(path, orientation === undefined ? undefined : { orientation });
  expect([image.width, image.height, image.damage]).toEqual([width, height, undefined]);
  await expectQuarters(image.preview.bytes);
  await expectQuarters(image.thumbnail.bytes);
};

const convert = (name: string, options: string): string => {
  run('/usr/bin/convert', source, ...options.split(' '), fixtures.path(name));
  return fixtures.path(name);
};

describe('720: a TIFF that sharp knows not, or takes wrong', () => {
  const FLOAT = '-define quantum:format=floating-point';
  test.each([
    ['zstd.tif', '-compress zstd'],
    ['lzma.tif', '-compress lzma'],
    ['float.tif', `${FLOAT} -depth 32`],
    ['double.tif', `${FLOAT} -depth 64`],
    ['integers.tif', '-depth 32'],
    ['planes.tif', '-interlace plane -define tiff:tile-geometry=16x16'],
  ])('%s', async (name, options) => {
    await expectShown(convert(name, options));
  });

  test('grey numbers of 32 bits', async () => {
    for (const [name, options] of [
      ['grey-float.tif', `-colorspace gray ${FLOAT} -depth 32`],
      ['grey.tif', '-colorspace gray -depth 32'],
    ] as const) {
      const { preview } = await render(convert(name, options));
      const usual = await render(convert(`usual-${name}`, '-colorspace gray -depth 8'));
      for (const x of [0.25, 0.75])
        expectNear(
          await colorAt(preview.bytes, x, 0.2),
          await colorAt(usual.preview.bytes, x, 0.2),
          3,
        );
    }
  });

  test('of 12 bits', async () => {
    const pixels = await readRarePixels();
    const bytes: number[] = [];
    for (let at = 0; at < pixels.length; at += 2) {
      const [one, two] = [pixels[at]! * 16 + 15, pixels[at + 1]! * 16 + 15];
      bytes.push(one >> 4, ((one & 15) << 4) | (two >> 8), two & 255);
    }
    const tags = [
      [258, [12, 12, 12]],
      [259, [1]],
      [262, [2]],
      [277, [3]],
    ] as const;
    await expectShown(await save('twelve.tif', writeTiff(tags, Buffer.from(bytes))));
  });

  // For the white of printing, as libtiff and Photoshop read it; ImageMagick writes it for that of daylight.
  test.each([
    ['CIELab', 8, 128, []],
    ['CIELab that says that it is unsigned', 8, 0, [[339, [1, 1, 1]]]],
    ['ICCLab', 9, 0, []],
  ] as const)('in %s', async (_, photometric, turned, more) => {
    const labs = [
      [112, 192, 175],
      [180, 64, 192],
      [66, 177, 41],
      [201, 115, 202],
    ].map(([light, a, b]) => Buffer.from([light!, a! ^ turned, b! ^ turned]));
    const [red, green, blue, yellow] = labs.map((lab) => Buffer.alloc((width * 3) / 2, lab));
    const half = (width * height * 3) / 2;
    const rows = [
      Buffer.alloc(half, Buffer.concat([red!, green!])),
      Buffer.alloc(half, Buffer.concat([blue!, yellow!])),
    ];
    const tags = [[258, [8, 8, 8]], [259, [1]], [262, [photometric]], [277, [3]], ...more] as const;
    const path = await save('lab.tif', writeTiff(tags, Buffer.concat(rows)));
    const { preview } = await render(path);
    for (const [x, y, color] of [
      [0.25, 0.25, [200, 30, 30]],
      [0.75, 0.25, [30, 200, 30]],
      [0.25, 0.75, [30, 30, 200]],
      [0.75, 0.75, [200, 200, 30]],
    ] as const)
      expectNear(await colorAt(preview.bytes, x, y), color, 8);
  });

  test('is edited as it is shown', async () => {
    const path = convert('edited.tif', '-compress zstd');
    const { preview } = await renderEdited(path, {
      fileName: path,
      tempDir: fixtures.folder,
      ...UNEDITED,
      source: RARE_SIZE,
    });
    await expectQuarters(preview.bytes);
  });
});

test('721: a TIFF whose numbers no decoder shows, or whose directory is nowhere, is broken and no black picture', async () => {
  const bright = Buffer.from(
    new Float32Array(width * height).fill(900).map((value, at) => value + at).buffer,
  );
  const tags = [
    [258, [32]],
    [259, [1]],
    [262, [1]],
    [277, [1]],
    [339, [3]],
  ] as const;
  const far = Buffer.from('II+\0\x08\0\0\0\0\0\0\0\0\0\0\x80', 'latin1');
  for (const [name, bytes] of [
    ['bright.tif', writeTiff(tags, bright)],
    ['far.tif', far],
  ] as const) {
    const error: unknown = await render(await save(name, bytes)).catch((thrown: unknown) => thrown);
    expect([name, error]).toEqual([name, expect.objectContaining({ kind: 'broken' })]);
    expect((error as Error).message).not.toBe('');
  }
});

const EIGHT = [0xff_00_00, 0xff_00, 0xff];

describe('722: a BMP', () => {
  test.each([
    [
      'with ten bits for each colour',
      { bits: 32, scheme: 3, masks: [0x3ff0_0000, 0xf_fc00, 0x3ff] },
    ],
    ['with the colours the other way around', { bits: 32, scheme: 3, masks: EIGHT.toReversed() }],
    [
      'with colours in the upper bytes',
      { bits: 32, scheme: 3, masks: EIGHT.map((mask) => mask * 256) },
    ],
    [
      'with something in its fourth byte',
      {
        bits: 32,
        scheme: 0,
        masks: [...EIGHT, 0xff00_0000],
        alpha: (pixel: number) => (pixel % 7) / 6,
      },
    ],
    ['with fields of four bits', { bits: 16, scheme: 3, masks: [0xf00, 0xf0, 0xf, 0xf000] }],
  ] as const)('%s', async (title, form) => {
    const image = await render(await save(`${title}.bmp`, await writeBmp(form)));
    expect(image.preview.type).toBe('image/jpeg');
    for (const [x, y, color] of [
      [0.25, 0.25, [220, 30, 30]],
      [0.75, 0.25, [30, 200, 30]],
    ] as const)
      expectNear(await colorAt(image.preview.bytes, x, y), color, form.bits === 16 ? 12 : 6);
  });

  test.each([3, 6] as const)(
    'with an alpha field by the scheme %i is transparent',
    async (scheme) => {
      const form = { bits: 32, scheme, masks: [...EIGHT, 0xff00_0000] } as const;
      const alpha = (pixel: number) => (pixel % width < width / 2 ? 0.5 : 1);
      const { preview } = await render(await save('alpha.bmp', await writeBmp({ ...form, alpha })));
      const { data } = await sharp(preview.bytes).raw().toBuffer({ resolveWithObject: true });
      expect([preview.type, data[3]! > 120 && data[3]! < 136]).toEqual(['image/webp', true]);
      await expectQuarters(preview.bytes);
    },
  );
});

test.each([false, true])('723: a TGA in grey and alpha, packed: %p', async (isPacked) => {
  const path = await save('grey.tga', writeGreyAlphaTga(isPacked));
  const { preview } = await render(path);
  for (const x of [0.25, 0.5, 0.75])
    expectNear(await colorAt(preview.bytes, x), [x * 252, x * 252, x * 252], 6);
});

test('703a: a TGA whose rows begin below is upright', async () => {
  await expectShown(convert('below.tga', '-orient bottom-left -flip'));
});

test('724: an animated GIF whose first picture is empty shows the next', async () => {
  const path = fixtures.path('empty-first.gif');
  run('/usr/bin/convert', '-delay', '50', '-size', `${width}x${height}`, 'xc:none', source, path);
  const { preview } = await render(path);
  await expectQuarters(preview.bytes);
});

test('725: a raw file that nothing develops shows its small preview', async () => {
  const path = await rawWithPreview(fixtures.path('large.cr2'), 1);
  const whole = Buffer.from(await Bun.file(path).bytes());
  const preview = await Bun.file(
    await orientedJpeg(fixtures.path('small.jpg'), 1, 480, 320),
  ).bytes();
  whole.writeUInt32LE(preview.length, 18 + 3 * 12 + 8);
  const small = await save('small.cr2', Buffer.concat([whole.subarray(0, 94), preview]));
  const image = await render(small);
  expect([image.width, image.height]).toEqual([480, 320]);
  expect(image.damage).toContain('dcraw_emu');
  await expectQuarters(image.preview.bytes);
});

/** The matrix of a track, in 65,536 parts, behind its header. */
function writeMatrix(mp4: Buffer, values: readonly number[]): Buffer {
  const bytes = Buffer.from(mp4);
  const at = bytes.indexOf('tkhd', 0, 'latin1') + 4 + 40;
  for (const [index, value] of values.entries())
    bytes.writeInt32BE(Math.round(value * 65_536), at + index * 4);
  return bytes;
}

test.each([
  ['zeroes', Array<number>(9).fill(0)],
  ['45°', [Math.SQRT1_2, Math.SQRT1_2, 0, -Math.SQRT1_2, Math.SQRT1_2, 0, 0, 0, 16_384]],
] as const)('726: a film with a matrix of %s keeps its shape', async (name, matrix) => {
  const clip = makeClip(fixtures.path(`plain-${name}.mp4`), [
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=160x90:rate=5:duration=1',
    '-pix_fmt',
    'yuv420p',
  ]);
  const path = await save(
    `${name}.mp4`,
    writeMatrix(Buffer.from(await Bun.file(clip).bytes()), matrix),
  );
  const { video } = await probe(path);
  expect([video?.width, video?.height]).toEqual([160, 90]);
  const poster = await renderPoster(path, { tempDir: fixtures.folder });
  expect([poster.width, poster.height, poster.preview.width]).toEqual([160, 90, 160]);
});
