import { afterAll, expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { renderPoster } from '../../src/media/poster.ts';
import { probe } from '../../src/media/probe.ts';
import { transcode } from '../../src/media/transcode.ts';
import { makeClip } from '../fixtures/clips.ts';
import { expectNear, run } from '../fixtures/index.ts';
import {
  addProperties,
  irot,
  nclx,
  openFieldPictures,
  pngChunk as chunk,
  readHeic,
  readQuarters,
} from '../support/field-pictures.ts';

// Pictures brighter than white: README.md has the public threads.

const { fixtures, save, render, close } = openFieldPictures();
afterAll(() => close());

/** The greys that the codes 148 and 109 of 255 mean, by transfer function: 16 is PQ and 18 HLG. */
const MEANT = { 16: [189, 110], 18: [137, 100] } as const;
const CODES = [148, 109] as const;
type Transfer = keyof typeof MEANT;
const TRANSFERS = [16, 18] as const;
const NAMES = { 16: 'smpte2084', 18: 'arib-std-b67' } as const;

async function expectGreys(bytes: Uint8Array, greys: readonly number[]): Promise<void> {
  const [left, right] = await readQuarters(bytes);
  for (const [shown, grey] of [
    [left, greys[0]],
    [right, greys[1]],
  ] as const)
    expectNear(shown!, [grey!, grey!, grey!], 3);
}

const expectShown = async (path: string, greys: readonly number[]) => {
  const { preview, thumbnail, width, height } = await render(path);
  await expectGreys(preview.bytes, greys);
  await expectGreys(thumbnail.bytes, greys);
  return [width, height];
};

test.each(TRANSFERS)('220: a HEIC of the transfer function %i', async (transfer) => {
  const heic = addProperties(readHeic('greys'), [nclx(9, transfer)]);
  expect(await expectShown(await save(`${transfer}.heic`, heic), MEANT[transfer])).toEqual([
    96, 64,
  ]);
});

test('221: a .HIF of a camera that stands', async () => {
  const heic = addProperties(readHeic('greys'), [nclx(9, 16), irot(2)]);
  await expectShown(await save('DSC00001.HIF', heic), MEANT[16].toReversed());
});

test('222: the colours of a gain map are not those of the picture', async () => {
  const heic = addProperties(readHeic('greys'), [nclx(9, 16)], false);
  await expectShown(await save('gain.heic', heic), CODES);
});

/** The two greys in 8 or 16 bits, with chunks in front of them. */
async function png(chunks: readonly Buffer[], bits: 8 | 16 = 16): Promise<Buffer> {
  const half = (grey: number) => ({
    create: {
      width: 48,
      height: 64,
      channels: 3 as const,
      background: { r: grey, g: grey, b: grey },
    },
  });
  const image = sharp({ create: { width: 96, height: 64, channels: 3, background: 'black' } })
    .composite([
      { input: half(CODES[0]), left: 0, top: 0 },
      { input: half(CODES[1]), left: 48, top: 0 },
    ])
    .removeAlpha();
  const bytes = await sharp(await image.png().toBuffer())
    .toColourspace(bits === 16 ? 'rgb16' : 'srgb')
    .png()
    .toBuffer();
  // Behind the header.
  return Buffer.concat([bytes.subarray(0, 33), ...chunks, bytes.subarray(33)]);
}

const cicp = (primaries: number, transfer: number) =>
  chunk('cICP', Buffer.from([primaries, transfer, 0, 1]));

test.each([
  [16, 16],
  [18, 16],
  [16, 8],
] as const)('223: a PNG with cICP %i in %i bits', async (transfer, bits) => {
  const path = await save(`${transfer}-${bits}.png`, await png([cicp(9, transfer)], bits));
  expect(await expectShown(path, MEANT[transfer])).toEqual([96, 64]);
});

test('224: a PNG with the profile that meant PQ before', async () => {
  const icc = Buffer.concat([Buffer.from('ITUR_2100_PQ_FULL\0\0'), deflateSync(Buffer.alloc(99))]);
  await expectShown(await save('named.png', await png([chunk('iCCP', icc)])), MEANT[16]);
});

test('225: a PNG whose cICP names sRGB is shown as it is', async () => {
  await expectShown(await save('plain.png', await png([cicp(1, 13)])), CODES);
});

/** The greys of a film or of an AVIF. */
function film(name: string, transfer: Transfer, coding: readonly string[]): string {
  const source = (grey: number) => [
    '-f',
    'lavfi',
    '-i',
    `color=c=0x${grey.toString(16).repeat(3)}:s=48x64:r=10:d=1`,
  ];
  const colors = `color_primaries=bt2020:color_trc=${NAMES[transfer]}:colorspace=bt2020nc:range=tv`;
  const form = 'format=gbrp,scale=out_color_matrix=bt2020:out_range=tv,format=yuv420p10le';
  const named = `-color_primaries bt2020 -color_trc ${NAMES[transfer]} -colorspace bt2020nc -color_range tv`;
  return makeClip(fixtures.path(name), [
    ...CODES.flatMap(source),
    '-filter_complex',
    `[0][1]hstack,${form},setparams=${colors}`,
    ...named.split(' '),
    ...coding,
  ]);
}
const HEVC = '-c:v libx265 -x265-params log-level=none -crf 10 -tag:v hvc1'.split(' ');
const AVIF = '-frames:v 1 -c:v libaom-av1 -cpu-used 8 -crf 5'.split(' ');

test.each(TRANSFERS)('226: the still of a film of the transfer function %i', async (transfer) => {
  const path = film(`still${transfer}.mp4`, transfer, HEVC);
  const { preview } = await renderPoster(path, { tempDir: fixtures.folder });
  await expectGreys(preview.bytes, MEANT[transfer]);
});

test.each(TRANSFERS)('227: the copy of such a film for browsers, %i', async (transfer) => {
  const path = film(`film${transfer}.mov`, transfer, HEVC);
  const copy = fixtures.path(`copy${transfer}.mp4`);
  await transcode(path, copy, { probe: await probe(path) });
  const frame = fixtures.path(`frame${transfer}.png`);
  run('ffmpeg', '-v', 'error', '-i', copy, '-frames:v', '1', '-pix_fmt', 'rgb24', frame);
  await expectGreys(await Bun.file(frame).bytes(), MEANT[transfer]);
});

test.each(TRANSFERS)('228: an AVIF of the transfer function %i', async (transfer) => {
  await expectShown(film(`${transfer}.avif`, transfer, AVIF), MEANT[transfer]);
});
