import { afterAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { makeClip } from '../../test/fixtures/clips.ts';
import { clip, hdrClip, openFixtures, run, soundClip, TONE } from '../../test/fixtures/index.ts';
import { effort } from '../../test/support/effort.ts';
import { sample } from '../../test/support/sample.ts';
import { needsTranscode } from './playable.ts';
import { probe } from './probe.ts';
import { transcode } from './transcode.ts';
import { DEFAULT_VIDEO_SETTINGS, type VideoSettings } from './video-settings.ts';

const fixtures = openFixtures();
afterAll(() => fixtures.remove());

type Changes = Partial<VideoSettings>;
let outputs = 0;

/** By path, of files that stay as they are. */
const probes = new Map<string, ReturnType<typeof probe>>();

function probeOnce(path: string): ReturnType<typeof probe> {
  const known = probes.get(path) ?? probe(path);
  probes.set(path, known);
  return known;
}

async function encode(path: string, changes: Changes) {
  const target = fixtures.path(`out-${++outputs}.mp4`);
  const settings = { ...DEFAULT_VIDEO_SETTINGS, ...changes };
  const { encoder } = await transcode(path, target, { probe: await probeOnce(path), settings });
  return { encoder, found: await probe(target), bytes: Bun.file(target).size, target };
}

/** Long enough for encoders to find their bitrate. */
const NOISE_SECONDS = effort({ quick: 4, full: 8 });
/** Noise, which no encoder makes small by itself. */
const NOISE = `testsrc2=size=160x90:rate=15:duration=${NOISE_SECONDS},noise=alls=30:allf=t`;
const noisy = makeClip(fixtures.path('noisy.avi'), ['-f', 'lavfi', '-i', NOISE, '-c:v', 'mjpeg']);
const calm = clip(fixtures.path('calm.avi'), '-c:v', 'mjpeg');

test.each([
  ['h264', 'libx264', 'avc1'],
  ['hevc', 'libx265', 'hvc1'],
  ['vp9', 'libvpx-vp9', 'vp09'],
  ['av1', 'libsvtav1', 'av01'],
] as const)('encodes %s', async (codec, encoder, tag) => {
  const made = await encode(calm, { codec, acceptedVideoCodecs: [codec], preset: 'ultrafast' });
  expect(made.encoder).toBe(encoder);
  expect(made.found.video).toMatchObject({ codec, pixelFormat: 'yuv420p', width: 320 });
  const entry = ['-show_entries', 'stream=codec_tag_string', '-of', 'csv=p=0'];
  expect(run('ffprobe', '-v', 'error', ...entry, made.target).trim()).toBe(tag);
  const accepting = { ...DEFAULT_VIDEO_SETTINGS, acceptedVideoCodecs: [codec] };
  expect(needsTranscode(made.found, accepting)).toBeUndefined();
});

test('a higher crf and a bitrate make fewer bytes, also in two passes', async () => {
  const usual = await encode(noisy, {});
  expect((await encode(noisy, { crf: 40 })).bytes).toBeLessThan(usual.bytes / 2);
  const maxBitrate = 80_000;
  for (const codec of sample('codecs', ['h264', 'vp9', 'hevc', 'av1'] as const, 2)) {
    for (const isTwoPass of [false, true]) {
      const limited = await encode(noisy, { codec, maxBitrate, isTwoPass, preset: 'superfast' });
      expect(limited.found.video!.codec).toBe(codec);
      expect(limited.found.bitRate!).toBeLessThan(maxBitrate * 1.5);
    }
  }
  expect(readdirSync(fixtures.folder).filter((name) => name.includes('.pass'))).toEqual([]);
});

test('the size is that of the short side, or of the original', async () => {
  const size = ['-vf', 'scale=2160:1216', '-frames:v', '2'];
  const large = clip(fixtures.path('large.avi'), ...size, '-c:v', 'mjpeg');
  const getSide = async (maxShortSide: number) =>
    (await encode(large, { maxShortSide, preset: 'ultrafast' })).found.video!.height;
  expect([await getSide(1080), await getSide(480), await getSide(Infinity)]).toEqual([
    1080, 480, 1216,
  ]);
});

test('sound is encoded to the target, and copied if it is that already', async () => {
  const path = soundClip(fixtures.path('sound.mkv'), '-c:a', 'ac3');
  for (const audioCodec of ['opus', 'mp3', 'aac'] as const) {
    const { found } = await encode(path, { audioCodec });
    expect(found.audio!.codec).toBe(audioCodec);
  }
});

test('key frames, B-frames and references are as configured', async () => {
  const { target } = await encode(calm, { keyFrameInterval: 5, bFrames: 0, references: 1 });
  const entries = ['-select_streams', 'v', '-show_entries', 'frame=pict_type', '-of', 'csv=p=0'];
  const frames = run('ffprobe', '-v', 'error', ...entries, target).replaceAll(/[^IPB]/g, '');
  expect(frames).not.toContain('B');
  expect(frames.slice(0, 11)).toBe('IPPPPIPPPPI');
});

test('HDR is tone mapped, unless that is disabled', async () => {
  const hdr = hdrClip(fixtures.path('hdr.mp4'));
  for (const tonemap of sample('tone maps', ['hable', 'mobius', 'reinhard'] as const, 1)) {
    expect((await encode(hdr, { tonemap })).found.video).toMatchObject({ isHdr: false });
  }
  const kept = await encode(hdr, { tonemap: 'disabled' });
  expect(kept.found.video).toMatchObject({ codec: 'h264', isHdr: true, bitDepth: 8 });
});

test('what the configuration accepts is not transcoded', async () => {
  const hevc = clip(fixtures.path('hevc.mp4'), '-c:v', 'libx265', '-pix_fmt', 'yuv420p');
  const webm = clip(fixtures.path('a.webm'), '-c:v', 'libvpx-vp9', '-pix_fmt', 'yuv420p');
  const mkv = clip(fixtures.path('a.mkv'), '-c:v', 'libx264', '-pix_fmt', 'yuv420p');
  const withTone = ['-i', mkv, ...TONE, '-c:v', 'copy', '-c:a', 'ac3'];
  const ac3 = makeClip(fixtures.path('ac3.mp4'), withTone);
  const why = async (path: string, changes: Changes = {}) =>
    needsTranscode(await probeOnce(path), { ...DEFAULT_VIDEO_SETTINGS, ...changes });
  expect(await why(hevc)).toBe('video codec hevc');
  expect(await why(hevc, { acceptedVideoCodecs: ['h264', 'hevc'] })).toBeUndefined();
  expect(await why(webm)).toBe('video codec vp9');
  expect(await why(webm, { acceptedVideoCodecs: ['vp9'] })).toBeUndefined();
  const unlisted = { acceptedVideoCodecs: ['vp9'], acceptedContainers: ['mov'] };
  expect(await why(webm, unlisted)).toBe('container matroska,webm');
  expect(await why(mkv)).toBe('container matroska,webm');
  expect(await why(ac3)).toBe('audio codec ac3');
  expect(await why(ac3, { acceptedAudioCodecs: ['ac3'] })).toBeUndefined();
  expect(await why(ac3, { policy: 'disabled' })).toBeUndefined();
});

test('the policies differ in what is transcoded', async () => {
  const path = clip(fixtures.path('fine.mp4'), '-c:v', 'libx264', '-pix_fmt', 'yuv420p');
  const why = async (changes: Changes) =>
    needsTranscode(await probeOnce(path), { ...DEFAULT_VIDEO_SETTINGS, ...changes });
  expect(await why({ policy: 'required', maxShortSide: 144 })).toBeUndefined();
  expect(await why({ policy: 'optimal' })).toBeUndefined();
  expect(await why({ policy: 'optimal', maxShortSide: 144 })).toBe('180 lines');
  expect(await why({ policy: 'bitrate' })).toBeUndefined();
  expect(await why({ policy: 'bitrate', maxBitrate: 1000 })).toContain('bits per second');
  expect(await why({ policy: 'all' })).toBeString();
  expect((await encode(path, { policy: 'all' })).encoder).not.toBe('copy');
  const small = await encode(path, { policy: 'optimal', maxShortSide: 144 });
  expect([small.encoder === 'copy', small.found.video!.height]).toEqual([false, 144]);
});

test('a stream that is accepted is copied into another container, with its tag', async () => {
  const path = clip(fixtures.path('copied.mkv'), '-c:v', 'libx265', '-pix_fmt', 'yuv420p');
  const { encoder, found } = await encode(path, { acceptedVideoCodecs: ['hevc'] });
  expect([encoder, found.video!.codec]).toEqual(['copy', 'hevc']);
  expect(Math.abs(found.durationMs! - (await probe(path)).durationMs!)).toBeLessThan(100);
});
