import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeClip } from '../../test/fixtures/clips.ts';
import { findScenes, grabFrame } from './frames.ts';
import { probe } from './probe.ts';
import { renderPoster } from './poster.ts';

setDefaultTimeout(300_000);

let folder: string;
let film: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-frames-'));
  // A minute and a half, so that only its key frames are looked at.
  const inputs = ['testsrc', 'rgbtestsrc', 'yuvtestsrc'].flatMap((source) => {
    const picture = `${source}=size=320x180:rate=5`;
    return ['-f', 'lavfi', '-t', '30', '-i', picture];
  });
  const joined = ['-filter_complex', '[0][1][2]concat=n=3:v=1:a=0,format=yuv420p'];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '10'];
  film = makeClip(join(folder, 'film.mp4'), [...inputs, ...joined, ...coding]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a long video is sampled by its key frames, without leftover files', async () => {
  const tempDir = await mkdtemp(join(folder, 'scratch-'));
  const scenes = await findScenes(film, { tempDir });
  const starts = scenes.map(({ startMs }) => startMs);
  expect(starts[0]).toBe(0);
  for (const cut of [30_000, 60_000]) {
    expect(starts.some((start) => Math.abs(start - cut) <= 2000)).toBe(true);
  }
  expect(scenes.at(-1)!.endMs).toBe(90_000);
  expect(await readdir(tempDir)).toEqual([]);
});

/** The mean red of the top of a picture, 0 to 255: one of the three parts has a red bar there. */
async function measureRed(picture: string | Uint8Array): Promise<number> {
  const top = { left: 0, top: 5, width: 320, height: 20 };
  const bar = await sharp(picture).extract(top).png().toBuffer();
  const { channels } = await sharp(bar).stats();
  return channels[0]!.mean - channels[1]!.mean;
}

test('returns the frame at its time, and none after the end', async () => {
  const { video } = await probe(film);
  const target = join(folder, 'frame.jpg');
  expect(await grabFrame(film, target, { atMs: 45_000, video: video! })).toBe(true);
  expect(await measureRed(target)).toBeGreaterThan(100);
  const behind = join(folder, 'behind.jpg');
  expect(await grabFrame(film, behind, { atMs: 200_000, video: video! })).toBe(false);
});

test('a poster is the chosen frame, or a good one without a choice', async () => {
  const tempDir = await mkdtemp(join(folder, 'poster-'));
  const redAt = async (atMs: number | undefined) =>
    measureRed((await renderPoster(film, { tempDir, atMs })).preview.bytes);
  expect(await redAt(45_000)).toBeGreaterThan(100);
  expect(await redAt(75_000)).toBeLessThan(50);
  expect(await redAt(200_000)).toBeLessThan(50);
});
