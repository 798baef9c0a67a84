import { afterAll, expect, test } from 'bun:test';
import sharp from 'sharp';
import { flat, openFixtures, quarters, run } from '../../test/fixtures/index.ts';
import { type RenderOptions, renderImage } from './images.ts';

const fixtures = openFixtures();
afterAll(() => fixtures.remove());

const render = (path: string, options: Partial<RenderOptions> = {}) =>
  renderImage(path, { fileName: path, tempDir: fixtures.folder, ...options });

/** Returns a picture whose left half is hidden. */
const makeHalfHidden = async () =>
  sharp({ create: { width: 200, height: 200, channels: 4, background: '#d02020' } }).composite([
    { input: await flat([0, 0, 0], 100, 200).png().toBuffer(), blend: 'dest-out', left: 0, top: 0 },
  ]);

const encodeHeic = (source: string): string => {
  const target = `${source}.heic`;
  run('heif-enc', '-q', '80', source, '-o', target);
  return target;
};

const listHidden = async (bytes: Uint8Array) => {
  const { width, height, channels } = await sharp(bytes).metadata();
  if (channels !== 4) return undefined;
  const alpha = await sharp(bytes).extractChannel(3).raw().toBuffer();
  const row = (height >> 1) * width;
  return [alpha[row + (width >> 2)], alpha[row + ((3 * width) >> 2)]];
};

test('thumbnail and preview keep the transparency of every format that has it', async () => {
  const picture = await makeHalfHidden();
  const png = fixtures.path('half.png');
  await picture.toFile(png);
  await sharp(png).webp({ lossless: true }).toFile(fixtures.path('half.webp'));
  await sharp(png).avif({ quality: 80 }).toFile(fixtures.path('half.avif'));
  const names = ['half.png', 'half.webp', 'half.avif', 'half.png.heic'];
  encodeHeic(png);
  for (const name of names) {
    const { thumbnail, preview, damage } = await render(fixtures.path(name));
    expect([name, damage, preview.type]).toEqual([name, undefined, 'image/webp']);
    for (const { bytes } of [thumbnail, preview])
      expect([name, await listHidden(bytes)]).toEqual([name, [0, 255]]);
  }
});

test('a HEIC without transparency stays a JPEG', async () => {
  const png = fixtures.path('whole.png');
  await quarters(200, 200).png().toFile(png);
  expect((await render(encodeHeic(png))).preview.type).toBe('image/jpeg');
});
