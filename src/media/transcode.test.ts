import { afterAll, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { makeClip } from '../../test/fixtures/clips.ts';
import {
  TONE,
  clip,
  hdrClip,
  openFixtures,
  soundClip,
  turned,
  createNoise,
} from '../../test/fixtures/index.ts';
import { isOutOfSpace } from '../core/disk-errors.ts';
import { getFreeBytes } from '../core/disk-reserve.ts';
import { type Encoder, SOFTWARE, probeEncoders } from './encoders.ts';
import { setDiskReserve } from './tool-process.ts';
import { needsTranscode } from './playable.ts';
import { renderPoster } from './poster.ts';
import { probe } from './probe.ts';
import { transcode } from './transcode.ts';
import { DEFAULT_VIDEO_SETTINGS, type VideoSettings } from './video-settings.ts';

const fixtures = openFixtures();
afterAll(() => fixtures.remove());

const withSound = (name: string, ...options: string[]) =>
  soundClip(fixtures.path(name), ...options);
const pq = (name: string) => hdrClip(fixtures.path(name));
const turnedClip = (name: string, degrees: 90 | 180 | 270) => turned(fixtures.path(name), degrees);

const poster = (path: string) => renderPoster(path, { tempDir: fixtures.folder });
const catchKind = (work: Promise<unknown>) =>
  work.then(
    () => 'fine',
    (error: unknown) => (error as { kind?: string }).kind,
  );

const into = async (
  path: string,
  options: { encoder?: Encoder; settings?: VideoSettings } = {},
) => {
  const target = `${path}.out.mp4`;
  const shares: number[] = [];
  const { encoder } = await transcode(path, target, {
    probe: await probe(path),
    onProgress: (share) => shares.push(share),
    ...options,
  });
  return { target, encoder, shares, found: await probe(target) };
};

test('HDR with uncommon audio becomes H.264 and AAC with the index at the front', async () => {
  const source = ['-i', pq('hdr-source.mp4'), ...TONE];
  const path = makeClip(fixtures.path('hdr.mkv'), [...source, '-c:v', 'copy', '-c:a', 'ac3']);
  const { target, found, shares } = await into(path);
  expect(needsTranscode(found)).toBeUndefined();
  expect(found).toMatchObject({
    video: {
      codec: 'h264',
      bitDepth: 8,
      width: 320,
      height: 180,
      isHdr: false,
      color: { primaries: 'bt709', transfer: 'bt709' },
    },
    audio: { codec: 'aac' },
  });
  expect(Math.abs(found.durationMs! - 1000)).toBeLessThan(150);
  expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
  const head = Buffer.from(await Bun.file(target).slice(0, 200).arrayBuffer()).toString('latin1');
  expect(head).toContain('moov');
  expect(existsSync(`${target}.part`)).toBe(false);
});

test('rotation is applied to the pixels', async () => {
  const { found, encoder } = await into(turnedClip('bake.mp4', 90));
  expect(encoder).not.toBe('copy');
  expect(found.video).toMatchObject({ width: 180, height: 320, rotation: 0 });
});

test('copies compatible video from an incompatible container', async () => {
  expect((await into(withSound('copy.mkv', '-c:a', 'ac3'))).encoder).toBe('copy');
});

test('scales large videos down by their short side, to even sizes', async () => {
  const odd = clip(
    fixtures.path('odd.mkv'),
    '-vf',
    'scale=641:483,setsar=1',
    '-c:v',
    'mjpeg',
    '-pix_fmt',
    'yuvj444p',
  );
  const { found } = await into(odd, {
    settings: { ...DEFAULT_VIDEO_SETTINGS, maxShortSide: 240 },
  });
  expect([found.video!.width, found.video!.height]).toEqual([318, 240]);
});

test('converts to square pixels', async () => {
  const wide = clip(fixtures.path('sar.avi'), '-vf', 'scale=160:180,setsar=2', '-c:v', 'mpeg4');
  expect((await probe(wide)).video).toMatchObject({ width: 320, height: 180 });
  expect((await into(wide)).found.video).toMatchObject({ width: 320, height: 180 });
  expect((await poster(wide)).preview).toMatchObject({ width: 320, height: 180 });
});

test('falls back to software if an encoder fails', async () => {
  const failing: Encoder = {
    ...SOFTWARE,
    name: 'h264_nvenc',
    isHardware: true,
    device: ['-init_hw_device', 'vaapi=x:/dev/null'],
  };
  const path = clip(fixtures.path('fallback.avi'), '-c:v', 'mjpeg');
  expect((await into(path, { encoder: failing })).encoder).toBe('libx264');
});

test('the encoders that are offered really encode, and software is the last', async () => {
  const encoders = await probeEncoders();
  expect(encoders.at(-1)).toBe(SOFTWARE);
  for (const encoder of encoders) {
    const path = clip(fixtures.path(`by-${encoder.name}.avi`), '-c:v', 'mjpeg');
    expect((await into(path, { encoder })).encoder).toBe(encoder.name);
  }
});

test('an abort stops transcoding at once and leaves no file', async () => {
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=1280x720:rate=30:duration=20'];
  const path = makeClip(fixtures.path('long.avi'), [...source, '-c:v', 'mjpeg']);
  const stop = new AbortController();
  const target = fixtures.path('aborted.mp4');
  const work = transcode(path, target, {
    probe: await probe(path),
    encoder: SOFTWARE,
    signal: stop.signal,
    onProgress: () => stop.abort(new Error('no longer wanted')),
  });
  await expect(work).rejects.toThrow('no longer wanted');
  expect(readdirSync(fixtures.folder).filter((name) => name.startsWith('aborted'))).toEqual([]);
});

test('a broken file leaves no output', async () => {
  const whole = await Bun.file(clip(fixtures.path('source.avi'), '-c:v', 'mjpeg')).bytes();
  const path = fixtures.path('vanishes.avi');
  await Bun.write(path, whole);
  const found = await probe(path);
  await Bun.write(path, createNoise('transcode', 9000));
  expect(await catchKind(transcode(path, fixtures.path('none.mp4'), { probe: found }))).toBe(
    'broken',
  );
  expect(readdirSync(fixtures.folder).filter((name) => name.startsWith('none'))).toEqual([]);
});

test('what would not leave enough of the disk free stops, says nothing about the file and leaves nothing', async () => {
  const path = clip(fixtures.path('large.avi'), '-c:v', 'mjpeg');
  const found = await probe(path);
  setDiskReserve(getFreeBytes(fixtures.folder) - 4096);
  try {
    const error = await transcode(path, fixtures.path('full.mp4'), { probe: found }).catch(
      (reason: unknown) => reason,
    );
    expect(isOutOfSpace(error)).toBe(true);
  } finally {
    setDiskReserve(0);
  }
  expect(readdirSync(fixtures.folder).filter((name) => name.startsWith('full'))).toEqual([]);
});

test('falls back to software if an encoder fails after writing output', async () => {
  const options = ['-profile:v', 'none-such'];
  const failing: Encoder = { ...SOFTWARE, options, isHardware: true };
  const path = clip(fixtures.path('late.avi'), '-c:v', 'mjpeg');
  const { found } = await into(path, { encoder: failing });
  expect(needsTranscode(found)).toBeUndefined();
});
