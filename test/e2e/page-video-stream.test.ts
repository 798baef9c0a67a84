import { afterEach, beforeEach, expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { makeClip } from '../fixtures/clips.ts';
import { FORM_TYPE, photoForm } from '../support/forms.ts';
import { journey } from '../support/journey.ts';
import { eventually } from './eventually.ts';
import { enter, openOwnStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Videos that are streamed while the server has not transcoded them yet.

let stage: Stage;
let page: Page;
/** `film` is in a format that browsers do not support, `clip` in one that they do. */
let film: string;
let clip: string;

const pictures = ['-f', 'lavfi', '-i', 'testsrc2=size=640x480:rate=25:duration=8'];
const sound = ['-f', 'lavfi', '-i', 'sine=440:duration=8', '-shortest'];
const PRORES = ['-c:v', 'prores', '-profile:v', '0', '-c:a', 'pcm_s16le'];
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-g', '50'];

async function upload(folder: string, name: string, coding: readonly string[]): Promise<string> {
  const path = makeClip(join(folder, name), [...pictures, ...sound, ...coding]);
  const response = await fetch(`${stage.server.url}/api/assets`, {
    method: 'POST',
    headers: { 'x-api-key': stage.account.apiKey, 'content-type': FORM_TYPE },
    body: photoForm(await Bun.file(path).bytes(), [], name) as unknown as BodyInit,
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

beforeEach(async () => {
  stage = await openOwnStage();
  await stage.api('PUT', '/queues/videoConversion', { isPaused: true });
  const folder = await mkdtemp(join(tmpdir(), 'safelight-stream-'));
  film = await upload(folder, 'film.mov', PRORES);
  clip = await upload(folder, 'clip.mp4', [...H264, '-c:a', 'aac']);
  await rm(folder, { recursive: true });
  ({ page } = await enter(stage));
}, TIMEOUT_MS);

afterEach(async () => {
  await stage.close();
}, TIMEOUT_MS);

const { step } = journey('an owner watches a video that is not transcoded yet', TIMEOUT_MS);

const video = () => page.locator('.yarl__slide_current video');
const message = () =>
  page.locator('.yarl__slide_current').getByText('This file cannot be played here.');
const readVideo = () =>
  video().evaluate((element) => {
    const video = element as HTMLVideoElement;
    const { currentTime, duration, videoHeight, error, currentSrc, playbackRate, paused } = video;
    const isFile = currentSrc.endsWith('/video/playback');
    const state = { currentTime, duration: Math.round(duration), videoHeight, playbackRate };
    return { ...state, isFile, isPaused: paused, error: error?.message };
  });
const choose = async (menu: string, entry: string) => {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
};
const listMenu = async (menu: string) => {
  await page.getByRole('button', { name: menu }).click();
  const items = page.getByRole('menuitem');
  const names = (await items.allTextContents()).map((text) => text.trim());
  // Anywhere else, where the menu has closed by itself, the key would close the viewer.
  await items
    .first()
    .press('Escape', { timeout: 2000 })
    .catch(() => {});
  return names;
};

step('while streams are switched off, it says that it cannot be played', async () => {
  await page.goto(`/photos/${film}`);
  await message().waitFor();
});

step('with them it plays at once, as long as it is', async () => {
  const { apiKey } = stage.account;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const url = `${stage.server.url}/api/system-config`;
  const config = (await (await fetch(url, { headers })).json()) as {
    ffmpeg: { realtime: { enabled: boolean } };
  };
  config.ffmpeg.realtime.enabled = true;
  const saved = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(config) });
  expect(saved.status).toBe(200);
  await page.goto(`/photos/${film}`);
  await eventually(readVideo).toMatchObject({ duration: 8, videoHeight: 480, isFile: false });
  await eventually(async () => (await readVideo()).currentTime).toBeGreaterThan(0.5);
  expect(await message().count()).toBe(0);
});

step('it goes on where somebody seeks to, and ends', async () => {
  await video().evaluate((element) => {
    (element as HTMLVideoElement).currentTime = 6.5;
  });
  await eventually(() => video().evaluate((element) => (element as HTMLVideoElement).ended)).toBe(
    true,
  );
  expect(await message().count()).toBe(0);
});

step('what the browser can play is passed through; quality and speed are chosen', async () => {
  await page.goto(`/photos/${clip}`);
  await eventually(readVideo).toMatchObject({ duration: 8, videoHeight: 480, isFile: false });
  await eventually(() => listMenu('Quality')).toEqual(['Automatic (Original)', '480p', 'Original']);
  await choose('Quality', '480p');
  await choose('Speed', '2×');
  await eventually(() => listMenu('Quality')).toEqual(['Automatic', '480p', 'Original']);
  expect(await readVideo()).toMatchObject({ playbackRate: 2, isFile: false });
  await eventually(() => video().evaluate((element) => (element as HTMLVideoElement).ended)).toBe(
    true,
  );
});

step('it stays paused, also when that is done while another quality is loaded', async () => {
  const setPaused = (isPaused: boolean) =>
    video().evaluate((element, pauses) => {
      const shown = element as HTMLVideoElement;
      if (pauses) shown.pause();
      else void shown.play();
    }, isPaused);
  const expectPaused = async () => {
    await eventually(readVideo).toMatchObject({ duration: 8, videoHeight: 480 });
    expect(await readVideo()).toMatchObject({ isPaused: true });
  };
  const { promise: isHeld, resolve: release } = Promise.withResolvers<void>();
  await page.goto(`/photos/${clip}`);
  await eventually(async () => (await readVideo()).currentTime).toBeGreaterThan(0);
  await setPaused(true);
  const { currentTime } = await readVideo();
  await choose('Quality', '480p');
  await expectPaused();
  expect((await readVideo()).currentTime).toBeCloseTo(currentTime, 0);
  await setPaused(false);
  await page.route('**/video/stream/main.m3u8', (route) => isHeld.then(() => route.continue()));
  await choose('Quality', 'Original');
  await setPaused(true);
  release();
  await expectPaused();
  await page.unroute('**/video/stream/main.m3u8');
});

step('without a stream the file is played, and said to be none where that fails too', async () => {
  await page.route('**/video/stream/**', (route) => route.fulfill({ status: 429, body: '{}' }));
  await page.goto(`/photos/${clip}`);
  await eventually(readVideo).toMatchObject({ duration: 8, videoHeight: 480, isFile: true });
  await eventually(async () => (await readVideo()).currentTime).toBeGreaterThan(0.5);
  expect(await page.getByRole('button', { name: 'Quality' }).count()).toBe(0);
  await page.goto(`/photos/${film}`);
  await message().waitFor();
  await page.unroute('**/video/stream/**');
});
