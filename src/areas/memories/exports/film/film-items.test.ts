import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeClip, writeTurned } from '../../../../../test/fixtures/clips.ts';
import {
  type Color,
  colorAt as colorOfPicture,
  expectNear,
  flat,
} from '../../../../../test/fixtures/index.ts';
import { effort } from '../../../../../test/support/effort.ts';
import { sample } from '../../../../../test/support/sample.ts';
import { createFilmExportTests, ffmpeg } from '../../../../../test/support/exported-films.ts';
import { withIcc } from '../../../../media/jpeg.ts';
import { FADE_FRAMES, FPS } from './plan.ts';

/** Items that show nothing of their own. */
const PLAIN = effort({ quick: 1, full: 5 });
/** Videos of one colour, of which a quick run shows some. */
const SDR = sample('plain', ['sdr.mp4', 'anamorphic.mp4', 'untagged.mp4', 'odd.mkv'], 2);
const HDR = sample('bright', ['arib-std-b67.mp4', 'smpte2084.mp4'], 1);
const ORANGE: Color = [200, 110, 60];
const SECONDS = 2;
const FRAMES = SECONDS * FPS;
const STILL_FRAMES = 4 * FPS;
const HEVC = ['-c:v', 'libx265', '-x265-params', 'log-level=error', '-preset', 'ultrafast'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const BT709 = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];

/** When the picture is white and the tone is heard, in seconds. */
const FLASH = 1.2;

const the = createFilmExportTests(async (folder) => {
  const path = (name: string) => join(folder, name);
  const source = (name: string, size = '320x180') =>
    ['-f', 'lavfi', '-i', `${name}:s=${size}:r=30:d=${SECONDS}`] as const;
  const orange = `color=0x${ORANGE.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
  await flat(ORANGE, 1600, 900).jpeg({ quality: 95 }).toFile(path('plain.jpg'));
  const vivid: Color = [250, 120, 30];
  const p3 = await sharp(await flat(vivid).withIccProfile('p3').png().toBuffer()).metadata();
  const stored = flat(vivid, 1600, 900).jpeg({ quality: 100, chromaSubsampling: '4:4:4' });
  await Bun.write(path('p3.jpg'), withIcc(await stored.toBuffer(), p3.icc!));
  const clear = { create: { width: 800, height: 450, channels: 4, background: '#00000000' } };
  await sharp(clear as never)
    .webp()
    .toFile(path('clear.webp'));
  const half = (color: string) =>
    flat(color === 'red' ? [255, 0, 0] : [0, 0, 255], 90, 80)
      .png()
      .toBuffer();
  await sharp({ create: { width: 90, height: 160, channels: 3, background: 'red' } })
    .composite([{ input: await half('blue'), top: 80, left: 0 }])
    .jpeg()
    .toFile(path('tall.jpg'));
  await Bun.write(path('broken.jpg'), (await Bun.file(path('plain.jpg')).bytes()).slice(0, 300));

  const toBt709 = 'format=gbrp,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p';
  makeClip(path('sdr.mp4'), [...source(orange), '-vf', toBt709, ...H264, ...BT709]);
  // White is at 203 nits: ITU-R BT.2408.
  for (const transfer of ['arib-std-b67', 'smpte2084']) {
    const linear =
      'format=gbrp,zscale=tin=iec61966-2-1:pin=bt709:t=linear:p=bt709,format=gbrpf32le';
    const chain = `${linear},zscale=tin=linear:pin=bt709:t=${transfer}:p=bt2020:m=bt2020nc:npl=203:r=tv,format=yuv420p10le`;
    const tags = ['-colorspace', 'bt2020nc', '-color_primaries', 'bt2020', '-color_trc', transfer];
    makeClip(path(`${transfer}.mp4`), [...source(orange), '-vf', chain, ...HEVC, ...tags]);
  }
  const halves = 'drawbox=w=iw/2:h=ih:c=blue:t=fill';
  makeClip(path('lying.mp4'), [...source('color=red'), '-vf', halves, ...H264]);
  // A quarter to the left: the right half is shown above.
  writeTurned(path('turned.mp4'), path('lying.mp4'), 90);
  // 90 × 180 pixels, twice as wide as high.
  const wide = source(orange, '160x180');
  makeClip(path('anamorphic.mp4'), [...wide, '-vf', 'setsar=2', ...H264]);
  // Untagged, as cheap cameras write it: BT.709 by its size.
  const large = source(orange, '1280x720');
  makeClip(path('untagged.mp4'), [...large, '-vf', toBt709, ...H264]);
  // Odd sizes, and two frames of three are dropped in the second half.
  const odd = `select='lt(t,1)+not(mod(n,3))'`;
  const rgb = ['-c:v', 'libx264rgb', '-preset', 'ultrafast', '-vsync', 'vfr'];
  makeClip(path('odd.mkv'), [...source(orange, '321x181'), '-vf', odd, ...rgb]);
  const flash = `drawbox=c=white:t=fill:enable='between(t,${FLASH},${FLASH}+0.1)'`;
  const tone = `aevalsrc='if(between(t,${FLASH - 0.5},${FLASH - 0.4}),sin(6000*t),0)':d=1.5:s=48000`;
  const lateTone = ['-itsoffset', '0.5', '-f', 'lavfi', '-i', tone];
  const coding = ['-vf', flash, ...H264, '-c:a', 'aac'];
  makeClip(path('flash.mp4'), [...source('color=0x404040'), ...lateTone, ...coding]);
  const whole = await Bun.file(path('sdr.mp4')).bytes();
  await Bun.write(path('damaged.mp4'), whole.fill(0, 48, Math.floor(whole.length / 2)));
  mkdirSync(path('frames'));
});

const addVideo = (name: string, preview = 'plain.jpg') =>
  the.add(name, preview, { type: 'VIDEO', durationMs: SECONDS * 1000 });

/** Returns a frame of the film as PNG. */
async function getFrame(film: string, frame: number): Promise<Uint8Array> {
  const png = the.getMediaPath(`frames/${frame}.png`);
  const colors = 'scale=in_color_matrix=bt709:in_range=tv,format=rgb24';
  ffmpeg('-ss', String((frame + 0.5) / FPS), '-i', film, '-frames:v', '1', '-vf', colors, png);
  return Bun.file(png).bytes();
}

/** Returns when the picture becomes bright and when the tone starts, in seconds. */
function findFlashAndTone(film: string, from: number): readonly [number, number] {
  const read = (...words: string[]) => {
    const input = ['-v', 'error', '-ss', String(from), '-t', String(SECONDS), '-i', film];
    return Bun.spawnSync(['ffmpeg', '-nostdin', ...input, ...words, '-']).stdout;
  };
  const grey = read('-vf', 'scale=1:1', '-pix_fmt', 'gray', '-f', 'rawvideo');
  const bright = grey.findIndex((value) => value > 150);
  const sound = read('-ac', '1', '-ar', '48000', '-f', 's16le');
  const samples = new Int16Array(sound.buffer, sound.byteOffset, sound.length / 2);
  const loud = samples.findIndex((value) => Math.abs(value) > 2000);
  return [bright / FPS, loud / 48_000];
}

test('shows every kind of item upright, in its shape and its colours, and goes on without a broken one', async () => {
  const items: Record<string, { readonly id: string; readonly frames: number }> = {};
  const show = async (name: string, adding: Promise<string>, frames: number) => {
    items[name] = { id: await adding, frames };
  };
  await show('tall', the.add('tall.jpg'), STILL_FRAMES);
  await show('p3', the.add('p3.jpg'), STILL_FRAMES);
  await show('clear', the.add('clear.webp'), STILL_FRAMES);
  for (const name of [...HDR, 'turned.mp4']) {
    await show(name, addVideo(name), FRAMES);
  }
  await show('broken', the.add('plain.jpg', 'broken.jpg'), 0);
  for (const name of [...SDR, 'flash.mp4']) {
    await show(name, addVideo(name), FRAMES);
  }
  await show('damaged.mp4', addVideo('damaged.mp4', 'p3.jpg'), FRAMES);
  for (let n = 0; n < PLAIN; n++) await show(`plain ${n}`, the.add('plain.jpg'), STILL_FRAMES);

  const warnings: object[] = [];
  const log = {
    ...the.database.deps.log,
    warn: (_: string, more?: object) => warnings.push(more!),
  };
  const export_ = await the.queue(Object.values(items).map(({ id }) => id));
  await the.run(export_, { log: log as never });
  expect(await the.get(export_)).toMatchObject({
    status: 'completed',
    total: Object.keys(items).length,
    processed: Object.keys(items).length - 1,
    skipped: 1,
  });
  expect(warnings).toContainEqual({ assetId: items['broken']!.id, reason: expect.any(String) });

  const film = the.getFilmPath(export_);
  const starts: Record<string, number> = {};
  let at = 3 * FPS - FADE_FRAMES;
  for (const [name, { frames }] of Object.entries(items)) {
    starts[name] = at;
    at += Math.max(0, frames - FADE_FRAMES);
  }
  const frameOf = (name: string) =>
    getFrame(film, starts[name]! + Math.round(items[name]!.frames / 2));
  const expectColor = async (name: string, wanted: readonly number[], tolerance: number) =>
    expectNear(await colorOfPicture(await frameOf(name)), wanted, tolerance);

  for (const name of ['tall', 'turned.mp4']) {
    const frame = await frameOf(name);
    expectNear(await colorOfPicture(frame, 0.5, 0.25), [254, 0, 0], 12);
    expectNear(await colorOfPicture(frame, 0.5, 0.75), [0, 0, 254], 12);
    // The picture takes a third of the columns, a still a little more when it comes nearer.
    expectNear(await colorOfPicture(frame, 0.38, 0.25), [254, 0, 0], 12);
    const [red, , blue] = await colorOfPicture(frame, 0.2, 0.1);
    expect(red).toBeWithin(60, 200);
    expect(blue).toBeLessThan(red! / 2);
  }
  const p3 = await sharp(the.getMediaPath('p3.jpg')).toColourspace('srgb').png().toBuffer();
  await expectColor('p3', await colorOfPicture(p3), 6);
  await expectColor('clear', [255, 255, 255], 3);
  for (const name of [...SDR, 'plain 0']) {
    await expectColor(name, ORANGE, 6);
  }
  for (const name of HDR) {
    // A little darker, which leaves room for highlights, and neither pale nor grey.
    const [red, green, blue] = await colorOfPicture(await frameOf(name));
    expect(red).toBeWithin(150, 215);
    expect(Math.abs(green! / red! - ORANGE[1] / ORANGE[0])).toBeLessThan(0.1);
    expect(Math.abs(blue! / red! - ORANGE[2] / ORANGE[0])).toBeLessThan(0.1);
  }
  // It fills the frame as its pixels mean it, twice as wide as high.
  if (SDR.includes('anamorphic.mp4'))
    expectNear(await colorOfPicture(await frameOf('anamorphic.mp4'), 0.02, 0.5), ORANGE, 6);
  await expectColor('damaged.mp4', await colorOfPicture(p3), 6);
  const [flash, tone] = findFlashAndTone(film, starts['flash.mp4']! / FPS);
  expect(flash).toBeCloseTo(FLASH, 1);
  expect(Math.abs(flash - tone)).toBeLessThan(0.045);
}, 300_000);
