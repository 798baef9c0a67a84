import { afterAll, expect, test } from 'bun:test';
import { expectQuarters, openFixtures, quarters } from '../../test/fixtures/index.ts';
import { renderImage } from './images.ts';

const fixtures = openFixtures();
afterAll(() => fixtures.remove());

/** A TIFF with a JPEG in it as TIFF 6.0 §22 describes; `place` is what its tags 513 and 514 say. */
function buildTiff(
  jpeg: Uint8Array,
  { width, height, place }: { width: number; height: number; place?: [number, number] },
): Buffer {
  const start = 512;
  const [at, length] = place ?? [start, jpeg.length];
  const tags = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 8],
    [259, 3, 6],
    [262, 3, 6],
    [273, 4, start],
    [277, 3, 3],
    [278, 4, height],
    [279, 4, jpeg.length],
    [513, 4, at],
    [514, 4, length],
  ] as const;
  const head = Buffer.alloc(start);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(tags.length, 8);
  for (const [index, [tag, type, value]] of tags.entries()) {
    const entry = 10 + 12 * index;
    head.writeUInt16LE(tag, entry);
    head.writeUInt16LE(type, entry + 2);
    head.writeUInt32LE(1, entry + 4);
    head.writeUInt32LE(value, entry + 8);
  }
  return Buffer.concat([head, jpeg]);
}

const jpeg = await quarters(320, 200).jpeg({ quality: 95 }).toBuffer();
const size = { width: 320, height: 200 };

async function render(bytes: Uint8Array, metadata?: { orientation: number }) {
  const path = fixtures.path('old.tif');
  await Bun.write(path, bytes);
  return renderImage(path, { fileName: 'old.tif', tempDir: fixtures.folder, metadata });
}

test('a TIFF compressed by the old JPEG scheme shows the JPEG inside, upright', async () => {
  const image = await render(buildTiff(jpeg, size));
  expect([image.width, image.height, image.damage]).toEqual([320, 200, undefined]);
  await expectQuarters(image.preview.bytes);
  const turned = await render(buildTiff(jpeg, size), { orientation: 6 });
  expect([turned.width, turned.height]).toEqual([200, 320]);
});

test('one without a whole JPEG of its size is unsupported, not broken', async () => {
  const unsupported: [string, Buffer][] = [
    ['no JPEG', buildTiff(jpeg, { ...size, place: [0, 0] })],
    ['beyond the end', buildTiff(jpeg, { ...size, place: [4_000_000_000, 4_000_000_000] })],
    ['not a JPEG', buildTiff(jpeg, { ...size, place: [0, 400] })],
    ['another size', buildTiff(jpeg, { width: 640, height: 400 })],
  ];
  for (const [name, bytes] of unsupported) {
    const error = await render(bytes).catch((thrown: unknown) => thrown);
    expect([name, error]).toEqual([name, expect.objectContaining({ kind: 'unsupported' })]);
  }
});
