import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClip } from '../../test/fixtures/clips.ts';
import { probe } from './probe.ts';
import { openSound, type SoundOptions } from './sound.ts';

const RATE = 16_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-sound-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Four seconds of picture; a tone from its second second on, in stereo. */
function makeFilm(): string {
  const picture = ['-f', 'lavfi', '-t', '4', '-i', 'color=c=teal:size=64x48:rate=4'];
  const tone = ['-f', 'lavfi', '-t', '2', '-itsoffset', '1', '-i', 'sine=f=440:r=44100'];
  const coding = ['-ac', '2', '-c:a', 'pcm_s16le', '-pix_fmt', 'yuv420p'];
  return makeClip(join(folder, 'film.mov'), [...picture, ...tone, ...coding]);
}

async function open(path: string, over: Partial<SoundOptions> = {}) {
  const { audio } = await probe(path);
  return openSound(path, { audio: audio!, fromMs: 0, maxMs: 60_000, rate: RATE, ...over });
}

const loudness = (samples: Int16Array) =>
  samples.reduce((sum, sample) => sum + Math.abs(sample), 0) / samples.length;

test('decodes one channel in sync with the video, shorter at its end', async () => {
  const path = makeFilm();
  const sound = await open(path);
  const [before, during, rest] = [
    await sound.read(RATE),
    await sound.read(RATE),
    await sound.read(10 * RATE),
  ];
  await sound.close();
  expect([before.length, during.length]).toEqual([RATE, RATE]);
  expect(loudness(before.subarray(0, 0.98 * RATE))).toBeLessThan(1);
  expect(loudness(during)).toBeGreaterThan(500);
  expect(rest.length).toBeWithin(0.95 * RATE, 1.05 * RATE);
  const later = await open(path, { fromMs: 2500 });
  expect((await later.read(RATE)).length).toBeWithin(0.45 * RATE, 0.55 * RATE);
  expect(await later.read(RATE)).toHaveLength(0);
  await later.close();
});

test('no more is decoded than was asked for, and closing early ends the decoder', async () => {
  const path = makeFilm();
  const sound = await open(path, { maxMs: 500 });
  expect(await sound.read(RATE)).toHaveLength(RATE / 2);
  await sound.close();
  const unread = await open(path);
  await unread.close();
});

test('an undecodable file throws MediaError, an abort its reason', async () => {
  const path = join(folder, 'broken.mp4');
  await Bun.write(path, 'no sound at all');
  const audio = { index: 0, codec: 'aac', channels: 1 };
  const options = { audio, fromMs: 0, maxMs: 1000, rate: RATE };
  const sound = openSound(path, options);
  const failure = await sound.read(10).catch((error: Error) => error);
  expect(failure).toMatchObject({ name: 'MediaError', kind: 'broken' });
  await sound.close();
  const abort = new AbortController();
  const film = await open(makeFilm(), { signal: abort.signal });
  await film.read(RATE);
  abort.abort(new Error('enough'));
  const given = await film.read(60 * RATE).catch((error: Error) => error);
  expect((given as Error).message).toBe('enough');
  await film.close();
});
