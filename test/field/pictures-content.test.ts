import { afterAll, expect, test } from 'bun:test';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeClip } from '../fixtures/clips.ts';
import { measureAnimation } from '../../src/media/animation.ts';
import { addProperties, nclx, openFieldPictures, readHeic } from '../support/field-pictures.ts';

// The bytes of pictures tell how long they last, and originals are only read: README.md has the public threads.

const { fixtures, save, close } = openFieldPictures();
afterAll(() => close());

const MOVING = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=10:duration=1'];
const AV1 = ['-c:v', 'libaom-av1', '-cpu-used', '8', '-pix_fmt', 'yuv420p'];

test('210: files that their owner may only read are rendered without the rights of root', async () => {
  const still = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#c63' } })
    .avif()
    .toBuffer();
  // Its brand says that it is a sequence.
  still.write('avis', 8, 'latin1');
  const files = [
    makeClip(fixtures.path('moving.avif'), [...MOVING, ...AV1]),
    await save('still.avif', still),
    await save('a.heic', readHeic('quarters')),
    await save('hdr.heic', addProperties(readHeic('greys'), [nclx(9, 16)])),
  ];
  for (const file of files) await chmod(file, 0o400);
  // Root may write anything; a service may not.
  const asService = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
  const child = Bun.spawn(
    [...asService, process.execPath, join(import.meta.dir, '../support/render-child.ts'), ...files],
    { stderr: 'pipe' },
  );
  const [shown, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ shown, said }).toEqual({ shown: '64x48\n64x48\n96x64\n96x64\n', said: '' });
});

/** A GIF of four frames with this delay in hundredths of a second. */
async function gif(name: string, delay: number): Promise<string> {
  const bytes = Buffer.from(
    await Bun.file(
      makeClip(fixtures.path(`made-${name}`), [
        ...MOVING.slice(0, 3),
        'testsrc=size=64x48:rate=10:duration=0.4',
      ]),
    ).bytes(),
  );
  const control = Buffer.from([0x21, 0xf9, 4]);
  for (let at = bytes.indexOf(control); at >= 0; at = bytes.indexOf(control, at + 1))
    bytes.writeUInt16LE(delay, at + 4);
  return save(name, bytes);
}

test.each([
  ['zero', 0, 400],
  ['one hundredth', 1, 400],
  ['five hundredths', 5, 200],
] as const)('211: a GIF with delays of %s lasts as in browsers', async (_, delay, milliseconds) => {
  expect(await measureAnimation(await gif(`${delay}.gif`, delay))).toBe(milliseconds);
});

test.each(['gif', 'webp'] as const)('212: an animated %s of any name', async (format) => {
  const path = makeClip(fixtures.path(`moving.${format}`), MOVING);
  const bytes = await Bun.file(path).bytes();
  for (const name of ['a.jpg', 'a.gif', 'a.webp', 'a.png'])
    expect([name, await measureAnimation(await save(`${format}-${name}`, bytes))]).toEqual([
      name,
      1000,
    ]);
});

test('213: frames of a WebP without a delay last as in browsers', async () => {
  const bytes = Buffer.from(await Bun.file(makeClip(fixtures.path('w.webp'), MOVING)).bytes());
  for (let at = bytes.indexOf('ANMF'); at >= 0; at = bytes.indexOf('ANMF', at + 4))
    bytes.writeUIntLE(0, at + 20, 3);
  expect(await measureAnimation(await save('zero.webp', bytes))).toBe(1000);
});

test('214: half of an animated WebP or GIF lasts as long as its frames', async () => {
  for (const format of ['gif', 'webp']) {
    const bytes = await Bun.file(makeClip(fixtures.path(`cut.${format}`), MOVING)).bytes();
    const half = await save(`half.${format}`, bytes.subarray(0, bytes.length / 2));
    expect(await measureAnimation(half)).toBeWithin(200, 900);
  }
});
