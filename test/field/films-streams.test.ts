import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import { readMetadata } from '../../src/areas/assets/jobs.ts';
import { enqueue } from '../../src/jobs/queue.ts';
import { measureVideo, probe, toProbe } from '../../src/media/probe.ts';
import { renderPoster } from '../../src/media/poster.ts';
import { transcode } from '../../src/media/transcode.ts';
import { makeClip } from '../fixtures/clips.ts';
import { H264, openFixtures } from '../fixtures/index.ts';
import { seed } from '../support/harness.ts';
import { addFile, drainLane, openMediaLibrary } from '../support/processing.ts';
import { getAssetRow } from '../support/rows.ts';

// The length and the streams of films: README.md has the public threads.

setDefaultTimeout(120_000);

const fixtures = openFixtures();
let library: Awaited<ReturnType<typeof openMediaLibrary>>;
beforeAll(async () => {
  library = await openMediaLibrary();
});
afterAll(async () => {
  await library.close();
  fixtures.remove();
});

const source = (seconds: number, size = '64x48', rate = 10) => [
  '-f',
  'lavfi',
  '-i',
  `testsrc=size=${size}:rate=${rate}:duration=${seconds}`,
];
const tone = (seconds: number) => ['-f', 'lavfi', '-i', `sine=duration=${seconds}`];
/** As a recorder writes it, which cannot go back to its header. */
const LIVE = ['-live', '1'];
const VP8 = ['-c:v', 'libvpx', '-deadline', 'realtime'];
const make = (name: string, ...args: readonly string[]) => makeClip(fixtures.path(name), args);

async function readLength(path: string) {
  const { database } = library;
  const { id } = await seed(database).user();
  const asset = await addFile(database, path, { ownerId: id });
  await database.sql`truncate job`;
  await enqueue(database.deps.db, readMetadata, { assetId: asset });
  await drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
  return (await getAssetRow(database, asset))['duration_ms'];
}

async function prepare(path: string) {
  const target = `${path}.out.mp4`;
  await transcode(path, target, { probe: await probe(path) });
  return probe(target);
}

test('320: a WebM of a recorder has the length of its pictures', async () => {
  const path = make('live.webm', ...source(2), ...VP8, ...LIVE);
  expect(await readLength(path)).toBe(2000);
});

test('321: a Matroska of a recorder has its length, also with pictures out of order', async () => {
  const path = make('live.mkv', ...source(2), ...H264, '-bf', '2', '-preset', 'medium', ...LIVE);
  expect(await readLength(path)).toBe(2000);
});

test('322: what is prepared of a film without a length has the same one', async () => {
  const path = make('prepared.webm', ...source(2), ...VP8, ...LIVE);
  expect((await prepare(path)).durationMs).toBe(2000);
});

test('323: a film of a recorder with sound is as long as its pictures', async () => {
  const path = make('sound.webm', ...source(2), ...tone(2), ...VP8, '-c:a', 'libopus', ...LIVE);
  const { durationMs = 0 } = await probe(path);
  expect(Math.abs(durationMs - 2000)).toBeLessThan(30);
});

test('324: sound of a recorder has a length', async () => {
  const path = make('sound-only.webm', ...tone(2), '-c:a', 'libopus', ...LIVE);
  const { durationMs = 0, video } = await probe(path);
  expect([video, Math.abs(durationMs - 2000) < 30]).toEqual([undefined, true]);
});

test('325: a recorded film that is cut off is as long as what is left of it', async () => {
  const whole = await Bun.file(
    make('whole.mkv', ...source(3), ...H264, '-g', '5', ...LIVE),
  ).bytes();
  const path = fixtures.path('cut.mkv');
  await Bun.write(path, whole.subarray(0, Math.floor(whole.length * 0.6)));
  const { durationMs = 0 } = await probe(path);
  expect([durationMs > 500, durationMs < 3000]).toEqual([true, true]);
});

test('326: bytes that are no film have no length, and no fault of their own', async () => {
  const path = fixtures.path('none.webm');
  await Bun.write(path, 'no film');
  expect(await measureVideo(path, AbortSignal.timeout(60_000))).toBeUndefined();
});

const two = (name: string, ...dispositions: readonly string[]) =>
  make(
    name,
    ...source(1, '160x120'),
    ...source(1, '64x48'),
    '-map',
    '0:v',
    '-map',
    '1:v',
    ...H264,
    ...dispositions,
  );

test.each([
  [
    '327: the default film in a Matroska',
    'default.mkv',
    ['-disposition:v:0', '0', '-disposition:v:1', 'default'],
    1,
  ],
  [
    '328: the default film in a QuickTime',
    'default.mov',
    ['-disposition:v:0', '0', '-disposition:v:1', 'default'],
    1,
  ],
  [
    '329: the larger film where both are default',
    'both.mkv',
    ['-disposition:v:0', 'default', '-disposition:v:1', 'default'],
    0,
  ],
  [
    '330: the larger film where none is default',
    'none.mkv',
    ['-disposition:v:0', '0', '-disposition:v:1', '0'],
    0,
  ],
])('%s is the one that people see', async (_, name, dispositions, index) => {
  expect((await probe(two(name, ...dispositions))).video?.index).toBe(index);
});

test('331: a still before the film is no film, in its length, picture and what is prepared', async () => {
  const path = make(
    'still.mov',
    ...source(0.1, '320x240'),
    ...source(2),
    '-map',
    '0:v',
    '-map',
    '1:v',
    '-c:v:0',
    'mjpeg',
    '-pix_fmt:v:0',
    'yuvj420p',
    '-c:v:1',
    'libx264',
    '-pix_fmt:v:1',
    'yuv420p',
  );
  const { video } = await probe(path);
  const poster = await renderPoster(path, { tempDir: fixtures.folder });
  const { durationMs, video: prepared } = await prepare(path);
  expect([video?.index, poster.width, prepared?.width, durationMs]).toEqual([1, 64, 64, 2000]);
});

const sounds = (name: string, first: string, second: string) =>
  make(
    name,
    ...source(1),
    ...tone(1),
    ...tone(1),
    '-map',
    '0',
    '-map',
    '1',
    '-map',
    '2',
    ...H264,
    '-c:a',
    'aac',
    '-disposition:a:0',
    first,
    '-disposition:a:1',
    second,
  );

test('332: the default sound is heard', async () => {
  expect((await probe(sounds('second.mkv', '0', 'default'))).audio?.index).toBe(2);
});

test('333: the first sound is heard where none is default, or both are', async () => {
  const none = await probe(sounds('nosound.mkv', '0', '0'));
  const both = await probe(sounds('bothsound.mkv', 'default', 'default'));
  expect([none.audio?.index, both.audio?.index]).toEqual([1, 1]);
});

/** Names a sound of a QuickTime as phones name a codec that no decoder knows. */
async function renameSounds(from: string, name: string, count: number) {
  const bytes = Buffer.from(await Bun.file(from).bytes());
  let at = bytes.indexOf('stsd');
  for (let renamed = 0; renamed < count;) {
    if (bytes.toString('latin1', at + 16, at + 20) === 'mp4a') {
      bytes.write('apac', at + 16, 'latin1');
      // It names the codec again.
      bytes.write('free', bytes.indexOf('esds', at), 'latin1');
      renamed++;
    }
    at = bytes.indexOf('stsd', at + 4);
  }
  await Bun.write(fixtures.path(name), bytes);
  return fixtures.path(name);
}

test('334: a sound that nothing can decode gives way to the one beside it', async () => {
  const path = await renameSounds(sounds('two.mov', 'default', '0'), 'apac.mov', 1);
  const { audio } = await probe(path);
  expect([audio?.index, audio?.codec, (await prepare(path)).audio?.codec]).toEqual([
    2,
    'aac',
    'aac',
  ]);
});

test('335: a film with no sound that can be decoded is prepared without', async () => {
  const path = await renameSounds(sounds('two.mov', 'default', '0'), 'silent.mov', 2);
  const { video, audio } = await prepare(path);
  expect([video?.codec, audio]).toEqual(['h264', undefined]);
});

test('336: a picture that cannot be named makes no film into a sound', () => {
  const picture = { index: 0, codec_type: 'video', codec_name: 'unknown', width: 64, height: 48 };
  const sound = { index: 1, codec_type: 'audio', codec_name: 'aac', channels: 2 };
  const found = toProbe({ format: { duration: '1' }, streams: [picture, sound] });
  expect(found.video?.index).toBe(0);
  const named = { ...picture, index: 2, codec_name: 'h264', width: 32 };
  const both = toProbe({ format: { duration: '1' }, streams: [picture, sound, named] });
  expect(both.video?.index).toBe(2);
});
