import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeClip } from '../../test/fixtures/clips.ts';
import { colorAt, expectNear, openFixtures } from '../../test/fixtures/index.ts';
import { MEDIA, skipWithout } from '../../test/support/requirements.ts';
import { measureAnimation } from './animation.ts';
import { renderImage } from './images.ts';

const fixtures = openFixtures();
afterAll(() => fixtures.remove());

const COLOURS = ['-f', 'lavfi', '-i', 'color=0x2060c0:size=96x64:rate=8:duration=3'];
const AV1 = ['-c:v', 'libaom-av1', '-cpu-used', '8', '-pix_fmt', 'yuv420p'];
const make = (name: string, ...coding: string[]) =>
  makeClip(fixtures.path(name), [...COLOURS, ...coding]);
const render = (path: string) => renderImage(path, { fileName: path, tempDir: fixtures.folder });

function makeJxl(name: string): string {
  const path = fixtures.path(name);
  // cjxl 0.11 ends at an APNG. A GIF counts in hundredths of a second.
  const { exitCode, stderr } = Bun.spawnSync(['cjxl', make('moving.gif', '-r', '10'), path]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return path;
}

const animated: [string, () => string][] = [
  ['JPEG XL', () => makeJxl('moving.jxl')],
  ['AVIF', () => make('moving.avif', ...AV1)],
  ['PNG', () => make('moving.png', '-f', 'apng')],
];

test.each(animated)('an animated %s is shown, and its length known', async (_, create) => {
  const path = create();
  expect(await measureAnimation(path)).toBe(3000);
  const image = await render(path);
  expect([image.width, image.height, image.damage]).toEqual([96, 64, undefined]);
  expectNear(await colorAt(image.preview.bytes), [0x20, 0x60, 0xc0], 12);
});

test('the frames of a PNG last as long as each says', async () => {
  const bytes = Buffer.from(await Bun.file(make('slow.png', '-f', 'apng')).bytes());
  const path = fixtures.path('uneven.png');
  // The second frame lasts two seconds, and its checksum is not checked for that.
  const second = bytes.indexOf('fcTL', bytes.indexOf('fcTL') + 4) + 4;
  bytes.writeUInt16BE(2, second + 20);
  bytes.writeUInt16BE(1, second + 22);
  await Bun.write(path, bytes);
  expect(await measureAnimation(path)).toBe(3000 - 125 + 2000);
});

test('an AVIF sequence without a still shows its first frame', async () => {
  const bytes = Buffer.from(await Bun.file(make('moving.avif', ...AV1)).bytes());
  // Without its name the box of the still is none.
  bytes.write('free', bytes.indexOf('meta'), 'latin1');
  await Bun.write(fixtures.path('frames.avif'), bytes);
  const image = await render(fixtures.path('frames.avif'));
  expect([image.width, image.height]).toEqual([96, 64]);
  expectNear(await colorAt(image.preview.bytes), [0x20, 0x60, 0xc0], 12);
});

test('a still has no length, nor has what is cut off or no picture', async () => {
  const still = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const moving = Buffer.from(await Bun.file(make('moving.avif', ...AV1)).bytes());
  const apng = Buffer.from(await Bun.file(make('moving.png', '-f', 'apng')).bytes());
  const one = make('one.png', '-frames:v', '1', '-f', 'apng');
  const jxl = Buffer.from(await Bun.file(makeJxl('moving.jxl')).bytes());
  const files: Uint8Array[] = [
    still,
    moving.subarray(0, 60),
    apng.subarray(0, apng.length / 2),
    jxl.subarray(0, jxl.length / 2),
    Buffer.alloc(0),
    Buffer.alloc(99, 7),
  ];
  for (const bytes of [...files, await Bun.file(one).bytes()]) {
    await Bun.write(fixtures.path('still'), bytes);
    expect(await measureAnimation(fixtures.path('still'))).toBeUndefined();
  }
});

skipWithout('media').test('no photo of a camera has a length', async () => {
  for (const name of ['avif/8bit-sRGB.avif', 'jxl/8bit-sRGB.jxl', 'heic/IMG_2682.heic']) {
    expect([name, await measureAnimation(join(MEDIA!, 'formats', name))]).toEqual([
      name,
      undefined,
    ]);
  }
});

const animation = (name: string, isAnimated = true) =>
  makeClip(fixtures.path(name), [
    '-f',
    'lavfi',
    '-i',
    'testsrc=duration=1.5:size=64x64:rate=10',
    ...(isAnimated ? [] : ['-frames:v', '1']),
  ]);

test('an animation has its length, a picture that does not move has none', async () => {
  for (const name of ['moving.gif', 'moving.webp'])
    expect([name, await measureAnimation(animation(name))]).toEqual([name, 1500]);
  for (const name of ['still.gif', 'still.webp', 'still.png'])
    expect([name, await measureAnimation(animation(name, false))]).toEqual([name, undefined]);
});

test('a GIF of one frame that lasts has no length', async () => {
  const frame = Buffer.from(await Bun.file(animation('one.gif', false)).bytes());
  // The length of its graphic control extension, in hundredths of a second.
  frame.writeUInt16LE(50, frame.indexOf(Buffer.from([0x21, 0xf9, 4])) + 4);
  await Bun.write(fixtures.path('lasting.gif'), frame);
  expect(await measureAnimation(fixtures.path('lasting.gif'))).toBeUndefined();
});

test('a WebP that consists of empty chunks is given up, whatever follows', async () => {
  const moving = Buffer.from(await Bun.file(animation('chunks.webp')).bytes());
  const path = fixtures.path('empty-chunks.webp');
  // Behind the header of the file and its first chunk, which says that it moves.
  const at = 12 + 8 + 10;
  const empty = Buffer.alloc(100_000 * 8);
  await Bun.write(path, Buffer.concat([moving.subarray(0, at), empty, moving.subarray(at)]));
  expect(await measureAnimation(path)).toBeUndefined();
});
