import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { makeClip } from '../../../test/fixtures/clips.ts';
import { hdrClip, run, turned } from '../../../test/fixtures/index.ts';
import { seed, type TestUser } from '../../../test/support/harness.ts';
import { addFile } from '../../../test/support/processing.ts';
import {
  countedClip,
  inspect,
  openStream,
  readWhole,
  useStreamLibrary,
} from '../../../test/support/video-streams.ts';
import { probe } from '../../media/probe.ts';
import { transcode } from '../../media/transcode.ts';
import { stopVideoStreams } from './sessions.ts';

// Which qualities a video has, and that they look as the prepared file does.

const library = await useStreamLibrary();
let me: TestUser;
afterEach(() => stopVideoStreams(library.database.deps));

const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const B_FRAMES = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3', '-pix_fmt', 'yuv420p'];
const X265 = ['-x265-params', 'log-level=error:open-gop=0:keyint=50'];
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', ...X265];

test('a turned video stands upright, and is never larger than its original', async () => {
  const path = turned(join(library.folder, 'turned.mov'), 90);
  me = await seed(library.database).user();
  const id = await addFile(library.database, path, { ownerId: me.id });
  const player = await openStream(library.app, id, { as: me });
  expect([player.variants.length, player.original]).toEqual([1, undefined]);
  const [, width, height] = /RESOLUTION=(\d+)x(\d+)/.exec(player.main)!.map(Number);
  expect(height).toBeGreaterThan(width!);
  expect(inspect(await readWhole(player))).toMatchObject({ width, height });
});

test('HDR has the colours of the prepared file, and is not passed through', async () => {
  const path = hdrClip(join(library.folder, 'hdr.mp4'));
  me = await seed(library.database).user();
  const id = await addFile(library.database, path, { ownerId: me.id });
  const prepared = join(library.folder, 'prepared.mp4');
  await transcode(path, prepared, { probe: await probe(path) });
  const player = await openStream(library.app, id, { as: me });
  expect(player.original).toBeUndefined();
  const streamed = join(library.folder, 'streamed.mp4');
  await Bun.write(streamed, await readWhole(player));
  const [colors, expected] = [await readColors(streamed), await readColors(prepared)];
  expect(colors.length).toBe(expected.length);
  const differences = colors.map((value, at) => Math.abs(value - expected[at]!));
  expect(Math.max(...differences)).toBeLessThanOrEqual(6);
});

/** The mean colours of the parts of the first frame. */
async function readColors(path: string): Promise<Uint8Array> {
  const raw = `${path}.raw`;
  const small = ['-frames:v', '1', '-vf', 'scale=8:8:flags=area,format=rgb24'];
  run('ffmpeg', '-nostdin', '-v', 'error', '-y', '-i', path, ...small, '-f', 'rawvideo', raw);
  return Bun.file(raw).bytes();
}

test.each([
  ['key frames more than ten seconds apart', ['-g', '1000'], 11],
  ['ten bits of H.264', ['-profile:v', 'high10', '-pix_fmt', 'yuv420p10le'], 3],
  ['full colour', ['-profile:v', 'high444', '-pix_fmt', 'yuv444p'], 3],
  ['interlaced lines', ['-flags', '+ildct+ilme', '-x264opts', 'tff=1'], 3],
])('a video with %s is encoded only', async (name, coding, seconds) => {
  me = await seed(library.database).user();
  const clip = [...countedClip('10', seconds), ...H264, ...coding];
  const path = makeClip(join(library.folder, `${name}.mp4`), clip);
  const id = await addFile(library.database, path, { ownerId: me.id });
  expect((await openStream(library.app, id, { as: me })).original).toBeUndefined();
});

test('a clip that its edit list has cut in the middle of a group is encoded only', async () => {
  me = await seed(library.database).user();
  const whole = makeClip(join(library.folder, 'whole.mp4'), [...countedClip('25', 6), ...B_FRAMES]);
  const cut = makeClip(join(library.folder, 'cut.mp4'), ['-ss', '1.5', '-i', whole, '-c', 'copy']);
  const id = await addFile(library.database, cut, { ownerId: me.id });
  const player = await openStream(library.app, id, { as: me });
  expect(player.original).toBeUndefined();
  expect(inspect(await readWhole(player)).numbers).toEqual(inspect(cut).numbers);
});

test.each([
  ['H.264', 'avc1.42c00c', [...H264, '-g', '25']],
  ['HEVC', 'hvc1.1.6.L60.90', HEVC],
])('names the codec of %s, and a bit rate that no segment exceeds', async (name, codec, coding) => {
  me = await seed(library.database).user();
  const path = makeClip(join(library.folder, `${name}.mp4`), [...countedClip('25', 6), ...coding]);
  const id = await addFile(library.database, path, { ownerId: me.id });
  const player = await openStream(library.app, id, { as: me });
  await player.choose(1);
  const [, bandwidth, codecs] = /BANDWIDTH=(\d+),[^\n]*CODECS="([^"]*)",[^\n]*NAME="original"/.exec(
    player.main,
  )!;
  expect(codecs).toBe(`${codec},mp4a.40.2`);
  for (const [number, seconds] of player.durations.entries()) {
    const { byteLength } = await (await player.readSegment(number)).arrayBuffer();
    expect((byteLength * 8) / Math.max(1, seconds)).toBeLessThanOrEqual(Number(bandwidth));
  }
});
