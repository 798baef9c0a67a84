import { afterAll, expect, test } from 'bun:test';
import sharp from 'sharp';
import { adobeRgbProfile } from '../../src/media/icc.ts';
import { withIcc } from '../../src/media/jpeg.ts';
import {
  type Color,
  colorAt,
  expectNear,
  flat,
  quarters,
  rawWithPreview,
  run,
} from '../fixtures/index.ts';
import {
  nameQuarters,
  openFieldPictures,
  readHeic,
  readQuarters,
} from '../support/field-pictures.ts';

// Damaged files, colour spaces and odd parts: README.md has the public threads.

const { fixtures, save, read, render, close } = openFieldPictures();
afterAll(() => close());

const jpeg = (width = 96, height = 64) =>
  quarters(width, height).removeAlpha().jpeg({ quality: 95 }).toBuffer();
const shownAs = async (path: string) => {
  const { preview, damage } = await render(path);
  return {
    quarters: nameQuarters(await readQuarters(preview.bytes)),
    isDamaged: damage !== undefined,
  };
};
const fault = (path: string) =>
  render(path).then(
    () => 'rendered',
    (error: unknown) => (error as { kind?: string }).kind,
  );

test('240: two thirds of a JPEG show what is there', async () => {
  const bytes = await jpeg(960, 640);
  const { quarters: shown, isDamaged } = await shownAs(
    await save('cut.jpg', bytes.subarray(0, bytes.length * 0.66)),
  );
  expect([shown.slice(0, 2), isDamaged]).toEqual(['RG', true]);
});

test('241: a JPEG without its last bytes is whole', async () => {
  const bytes = await jpeg();
  expect(await shownAs(await save('end.jpg', bytes.subarray(0, -2)))).toEqual({
    quarters: 'RGBW',
    isDamaged: false,
  });
});

test('242: zeros between two segments of a JPEG, and bytes behind it', async () => {
  const bytes = await jpeg();
  const padded = Buffer.concat([bytes, Buffer.alloc(4096), Buffer.from('end of a camera')]);
  expect(await shownAs(await save('padded.jpg', padded))).toEqual({
    quarters: 'RGBW',
    isDamaged: false,
  });
});

test('243: half of a HEIC or a PNG is damaged, which is no fault of the machine', async () => {
  const heic = readHeic('quarters');
  expect(await fault(await save('half.heic', heic.subarray(0, heic.length - 60)))).toBe('broken');
  const png = await quarters(96, 64).png().toBuffer();
  const head = await fault(await save('head.png', png.subarray(0, 40)));
  expect(head).toBe('broken');
});

test('244: files of zeros, as full disks leave them, are broken', async () => {
  for (const name of ['zeros.jpg', 'zeros.heic', 'zeros.png'])
    expect([name, await fault(await save(name, Buffer.alloc(5000)))]).toEqual([name, 'broken']);
});

const ORANGE: Color = [200, 110, 60];

test('245: a profile that is none, or of another kind of colours, leaves the picture', async () => {
  const plain = await flat(ORANGE).jpeg({ quality: 98, chromaSubsampling: '4:4:4' }).toBuffer();
  const wrong = Buffer.from(adobeRgbProfile());
  wrong.write('CMYK', 16, 'latin1');
  for (const [name, icc] of [
    ['junk.jpg', Buffer.alloc(200, 7)],
    ['cmyk.jpg', wrong],
  ] as const) {
    const { preview } = await render(await save(name, withIcc(plain, icc)));
    expectNear(await colorAt(preview.bytes), ORANGE, 4);
  }
});

test('246: a JPEG of a printer, in CMYK', async () => {
  const bytes = await flat([220, 30, 30]).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer();
  const { preview } = await render(await save('press.jpg', bytes));
  const [red, green, blue] = await colorAt(preview.bytes);
  expect(red!).toBeGreaterThan(170);
  expect(Math.max(green!, blue!)).toBeLessThan(100);
});

test('247: a grey JPEG, a grey PNG of 16 bits and one of a single bit', async () => {
  const grey = sharp({ create: { width: 96, height: 64, channels: 3, background: '#5a5a5a' } });
  const files = [
    await save('grey.jpg', await grey.clone().toColourspace('b-w').jpeg().toBuffer()),
    await save('grey.png', await grey.clone().toColourspace('grey16').png().toBuffer()),
  ];
  for (const file of files)
    expectNear(await colorAt((await render(file)).preview.bytes), [90, 90, 90], 3);
  const bit = fixtures.path('bit.png');
  run(
    'ffmpeg',
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'color=white:s=64x48',
    '-frames:v',
    '1',
    '-pix_fmt',
    'monow',
    bit,
  );
  expectNear(await colorAt((await render(bit)).preview.bytes), [255, 255, 255], 2);
});

test('248: a JPEG with a gain map behind it shows its own light', async () => {
  const gain = await flat([250, 250, 250], 48, 32).jpeg().toBuffer();
  const path = await save('ultra.jpg', Buffer.concat([await jpeg(), gain]));
  expect(await shownAs(path)).toEqual({ quarters: 'RGBW', isDamaged: false });
  expect(await read(path)).toMatchObject({ width: 96, height: 64 });
});

test.each([2, 4, 5, 7])(
  '249: the grey preview in a raw file, mirrored, EXIF %i',
  async (orientation) => {
    const path = await rawWithPreview(fixtures.path(`mirror${orientation}.cr2`), orientation);
    const raw = await Bun.file(path).bytes();
    // In grey it takes the general decoder.
    const stored = await sharp(raw.subarray(94))
      .removeAlpha()
      .toColourspace('b-w')
      .jpeg()
      .toBuffer();
    const head = Buffer.from(raw.subarray(0, 94));
    head.writeUInt32LE(stored.length, 18 + 3 * 12 + 8);
    const grey = await save(`grey${orientation}.cr2`, Buffer.concat([head, stored]));
    const { preview } = await render(grey, { orientation });
    const [first, second, third, fourth] = (await readQuarters(preview.bytes)).map(
      ([light]) => light!,
    );
    // Red is darker than green, and lighter than blue; white is the lightest.
    expect([first! > third!, second! > first!, fourth! > second!]).toEqual([true, true, true]);
  },
);
