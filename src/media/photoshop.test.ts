import { afterAll, describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { deflateSync } from 'node:zlib';
import { expectNear, openFixtures, quarters, run } from '../../test/fixtures/index.ts';
import { createSeededRandom, effort } from '../../test/support/effort.ts';
import { renderImage } from './images.ts';

const fixtures = openFixtures();
afterAll(() => fixtures.remove());

const SIZE = { width: 64, height: 48 };
const EACH = SIZE.width * SIZE.height;

async function render(bytes: Uint8Array) {
  const path = fixtures.path('a.psd');
  await Bun.write(path, bytes);
  return renderImage(path, { fileName: 'a.psd', tempDir: fixtures.folder });
}
const renderKind = (bytes: Uint8Array) =>
  render(bytes).then(
    ({ damage }) => (damage ? 'damaged' : 'whole'),
    (error: unknown) => (error as { kind?: string }).kind ?? String(error),
  );

type Draft = {
  mode?: number;
  depth?: number;
  planes?: readonly Uint8Array[];
  compression?: number;
  resources?: readonly (readonly [id: number, bytes: Uint8Array])[];
  layerCount?: number;
  palette?: Uint8Array;
  isLarge?: boolean;
};

const number = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, Math.max(0, bytes - 6), Math.min(6, bytes));
  return buffer;
};

/** Packs a row without repetitions. */
const packRow = (row: Uint8Array): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(row.length / 128) }, (_, at) => {
      const part = row.subarray(at * 128, (at + 1) * 128);
      return Buffer.concat([Buffer.from([part.length - 1]), part]);
    }),
  );

function pack(planes: readonly Uint8Array[], compression: number, isLarge: boolean): Uint8Array {
  const all = Buffer.concat(planes);
  if (compression === 0) return all;
  if (compression === 2) return deflateSync(all);
  const rowBytes = planes[0]!.length / SIZE.height;
  const rows = Array.from({ length: all.length / rowBytes }, (_, at) =>
    packRow(all.subarray(at * rowBytes, (at + 1) * rowBytes)),
  );
  const lengths = rows.map((row) => number(row.length, isLarge ? 4 : 2));
  return Buffer.concat([...lengths, ...rows]);
}

/** Writes a document by Adobe's specification. */
function writeDocument(draft: Draft): Buffer {
  const { mode = 3, depth = 8, planes, compression = 0, resources = [] } = draft;
  const { layerCount = 0, palette = Buffer.alloc(0), isLarge = false } = draft;
  const blocks = resources.map(([id, bytes]) =>
    Buffer.concat([
      Buffer.from('8BIM'),
      number(id, 2),
      Buffer.alloc(2),
      number(bytes.length, 4),
      bytes,
      Buffer.alloc(bytes.length % 2),
    ]),
  );
  const resourceBytes = Buffer.concat(blocks);
  const size = isLarge ? 8 : 4;
  const layers = Buffer.concat([number(8, size), number(layerCount & 0xffff, 2), Buffer.alloc(10)]);
  return Buffer.concat([
    Buffer.from('8BPS'),
    number(isLarge ? 2 : 1, 2),
    Buffer.alloc(6),
    number(planes?.length ?? 3, 2),
    number(SIZE.height, 4),
    number(SIZE.width, 4),
    number(depth, 2),
    number(mode, 2),
    number(palette.length, 4),
    palette,
    number(resourceBytes.length, 4),
    resourceBytes,
    number(layers.length, size),
    layers,
    ...(planes ? [number(compression, 2), pack(planes, compression, isLarge)] : []),
  ]);
}

const flatPlanes = (...values: number[]) => values.map((value) => Buffer.alloc(EACH, value));
/** Two bytes of each sample, the first of which counts. */
const deepPlanes = (...values: number[]) =>
  values.map((value) => Buffer.alloc(EACH * 2, Buffer.from([value, 77])));
const floatPlanes = (...values: number[]) =>
  values.map((value) => {
    const sample = Buffer.alloc(4);
    sample.writeFloatBE(value);
    return Buffer.alloc(EACH * 4, sample);
  });

async function colour(bytes: Uint8Array): Promise<number[]> {
  const { channels } = await sharp((await render(bytes)).preview.bytes).stats();
  return channels.map(({ mean }) => Math.round(mean));
}

describe('the picture of a document', () => {
  const ORANGE = [200, 120, 40];
  const cases: [string, Draft, number[]][] = [
    ['as it is', { planes: flatPlanes(...ORANGE) }, ORANGE],
    ['packed', { planes: flatPlanes(...ORANGE), compression: 1 }, ORANGE],
    ['zipped', { planes: flatPlanes(...ORANGE), compression: 2 }, ORANGE],
    [
      'of the large format',
      { planes: flatPlanes(...ORANGE), compression: 1, isLarge: true },
      ORANGE,
    ],
    ['of 16 bits', { planes: deepPlanes(...ORANGE), depth: 16 }, ORANGE],
    ['of 16 bits, packed', { planes: deepPlanes(...ORANGE), depth: 16, compression: 1 }, ORANGE],
    ['of 32 bits', { planes: floatPlanes(1, 0.5, 0), depth: 32 }, [255, 188, 0]],
    ['in grey', { planes: flatPlanes(90), mode: 1 }, [90, 90, 90]],
    ['in two tones', { planes: flatPlanes(90), mode: 8, compression: 1 }, [90, 90, 90]],
    ['of one bit', { planes: [Buffer.alloc(EACH / 8, 0xff)], mode: 0, depth: 1 }, [0, 0, 0]],
    ['in Lab', { planes: flatPlanes(255, 128, 128), mode: 9 }, [255, 255, 255]],
    ['in CMYK without ink', { planes: flatPlanes(255, 255, 255, 255), mode: 4 }, [255, 255, 255]],
    [
      'with a palette',
      {
        planes: flatPlanes(7),
        mode: 2,
        palette: Buffer.concat([200, 120, 40].map((value) => Buffer.alloc(256, value))),
      },
      ORANGE,
    ],
    [
      'with transparency',
      { planes: flatPlanes(...ORANGE, 128), layerCount: -1, compression: 1 },
      [...ORANGE, 128],
    ],
    [
      'in grey with transparency',
      { planes: flatPlanes(90, 128), mode: 1, layerCount: -2 },
      [90, 90, 90, 128],
    ],
    ['with a saved selection', { planes: flatPlanes(...ORANGE, 0), layerCount: 1 }, ORANGE],
  ];
  test.each(cases)('%s is shown', async (_, draft, expected) => {
    const shown = await colour(writeDocument(draft));
    expect(shown).toHaveLength(expected.length);
    expectNear(shown, expected, 3);
  });

  test('without one is the thumbnail, in the size of the document', async () => {
    const jpeg = await quarters(32, 24).jpeg({ quality: 95 }).toBuffer();
    const thumbnail = Buffer.concat([Buffer.alloc(28, 1), jpeg]);
    const version = Buffer.from([0, 0, 0, 1, 0]);
    const resources = [
      [1036, thumbnail],
      [1057, version],
    ] as const;
    for (const draft of [
      { planes: flatPlanes(255, 255, 255), resources },
      { resources: [[1036, thumbnail]] as const, planes: flatPlanes(1, 2), mode: 7 },
    ]) {
      const image = await render(writeDocument(draft));
      expect([image.width, image.height, image.damage]).toEqual([64, 48, undefined]);
      expectNear(await colour(writeDocument(draft)), [130, 125, 130], 4);
    }
  });

  test('without one and without a thumbnail is unsupported', async () => {
    const version = Buffer.from([0, 0, 0, 1, 0]);
    const white = { planes: flatPlanes(255, 255, 255), resources: [[1057, version]] as const };
    for (const draft of [white, {}, { planes: flatPlanes(1, 2, 3), mode: 7 }]) {
      expect(await renderKind(writeDocument(draft))).toBe('unsupported');
    }
  });
});

describe('a document that is cut off', () => {
  test('is damaged, or broken where nothing is left', async () => {
    for (const compression of [0, 1, 2]) {
      const noise = flatPlanes(200, 120, 40).map((plane, index) =>
        plane.map((value, at) => (value + at * (index + 3)) & 255),
      );
      const whole = writeDocument({ planes: noise, compression });
      expect([compression, await renderKind(whole)]).toEqual([compression, 'whole']);
      for (const share of [0.5, 0.8, 0.99]) {
        const kind = await renderKind(whole.subarray(0, whole.length * share));
        expect([compression, share, kind]).toEqual([compression, share, 'damaged']);
      }
    }
    expect(await renderKind(writeDocument({ planes: flatPlanes(1, 2, 3) }).subarray(0, 20))).toBe(
      'broken',
    );
  });

  test('anywhere, or changed anywhere, ends with a verdict', async () => {
    const whole = writeDocument({
      planes: flatPlanes(200, 120, 40),
      compression: 1,
      layerCount: -1,
    });
    const random = createSeededRandom('photoshop');
    for (let n = 0; n < effort({ quick: 40, full: 600 }); n++) {
      const bytes = Buffer.from(whole);
      if (n % 2) for (let k = 0; k < 4; k++) bytes[4 + random.below(80)] = random.below(256);
      const cut = n % 2 ? bytes : bytes.subarray(0, random.below(whole.length));
      const kind = await renderKind(cut);
      const verdicts = ['whole', 'damaged', 'broken', 'unsupported', 'too-large'];
      expect([n, verdicts.includes(kind) ? 'verdict' : kind]).toEqual([n, 'verdict']);
    }
  });
});

test('what ImageMagick writes is read', async () => {
  const png = fixtures.path('source.png');
  await quarters(300, 200).png().toFile(png);
  const expected = (await sharp(png).stats()).channels.map(({ mean }) => mean);
  const options: string[][] = [
    ['-compress', 'none'],
    ['-compress', 'rle'],
    ['-depth', '16', '-compress', 'rle'],
    ['-colorspace', 'Lab'],
    ['-type', 'Palette'],
    ['-colorspace', 'CMYK'],
    ['(', '+clone', '-flip', '-resize', '50%', ')'],
  ];
  for (const option of options) {
    const path = fixtures.path('made.psd');
    run('/usr/bin/convert', png, ...option, path);
    const image = await renderImage(path, { fileName: 'made.psd', tempDir: fixtures.folder });
    const shown = (await sharp(image.preview.bytes).stats()).channels.map(({ mean }) => mean);
    // Inks have no profile: another is assumed than ImageMagick does.
    expectNear(shown, expected, option.includes('CMYK') ? 40 : 4);
    expect([image.width, image.height, image.damage]).toEqual([300, 200, undefined]);
  }
});
