import { afterEach, beforeEach, expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { clip, H264 } from '../fixtures/index.ts';
import { FORM_TYPE, photoForm } from '../support/forms.ts';
import { journey } from '../support/journey.ts';
import { type Photo, photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { until } from './server.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Files that a browser cannot play, in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let whole: string;
let cut: string;

/** A video, and its beginning: what says where its frames are comes at the end. */
async function makeVideos(): Promise<{ readonly video: Photo; readonly half: Uint8Array }> {
  const folder = await mkdtemp(join(tmpdir(), 'safelight-playback-'));
  const buffer = Buffer.from(await Bun.file(clip(join(folder, 'a.mp4'), ...H264)).arrayBuffer());
  await rm(folder, { recursive: true });
  const half = buffer.subarray(0, buffer.length / 2);
  expect([buffer.includes('moov'), half.includes('moov')]).toEqual([true, false]);
  return { video: { name: 'whole.mp4', mimeType: 'video/mp4', buffer }, half };
}

/** Does not wait for a thumbnail: there may be none. */
async function upload(bytes: Uint8Array, name = 'cut.mp4'): Promise<string> {
  const response = await fetch(`${stage.server.url}/api/assets`, {
    method: 'POST',
    headers: { 'x-api-key': stage.account.apiKey, 'content-type': FORM_TYPE },
    body: photoForm(bytes, [], name) as unknown as BodyInit,
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

beforeEach(async () => {
  stage = await openStage();
  const { video, half } = await makeVideos();
  [whole] = (await stage.add([video])) as [string];
  cut = await upload(half);
  ada = await enter(stage);
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage.close();
}, TIMEOUT_MS);

const { step } = journey('an owner opens videos that can and cannot be played', TIMEOUT_MS);

const message = () =>
  page.locator('.yarl__slide_current').getByText('This file cannot be played here.');

step('a truncated video says that it cannot be played', async () => {
  await page.goto(`/photos/${cut}`);
  await message().waitFor();
});

step('a whole one plays, and says nothing', async () => {
  await page.goto(`/photos/${whole}`);
  const video = page.locator('.yarl__slide_current video');
  await eventually(() =>
    video.evaluate((element) => (element as HTMLVideoElement).readyState >= 2),
  ).toBe(true);
  expect(await message().count()).toBe(0);
});

step('one that does not come says so, and plays when the server answers', async () => {
  const way = /\/video\/playback|\/server\/ping/;
  await page.route(way, (route) => route.abort());
  await page.goto(`/photos/${whole}`);
  const slide = page.locator('.yarl__slide_current');
  const note = slide.getByText('Offline: it plays when the server answers again.');
  await note.waitFor();
  expect(await message().count()).toBe(0);
  await page.unroute(way);
  const video = slide.locator('video');
  await eventually(() =>
    video.evaluate((element) => (element as HTMLVideoElement).readyState >= 2),
  ).toBe(true);
  expect(await note.count()).toBe(0);
});

step('keys change its speed, and show as captions what was heard', async () => {
  await stage.database.sql`
    insert into video_speech (id, asset_id, start_ms, end_ms, text, confidence, model, words)
    values (${Bun.randomUUIDv7()}, ${whole}, 0, 900, 'Good <evening>', 1, 'made', '')`;
  await page.goto(`/photos/${whole}`);
  const video = page.locator('.yarl__slide_current video');
  await page.getByRole('button', { name: 'Show captions' }).waitFor();
  const speed = () => video.evaluate((element) => (element as HTMLVideoElement).playbackRate);
  await page.keyboard.press('>');
  await eventually(speed).toBe(1.25);
  await page.getByRole('button', { name: 'Speed' }).click();
  await page.getByRole('menuitem', { name: '0.5×' }).click();
  await eventually(speed).toBe(0.5);
  const captions = () =>
    video.evaluate((element) => {
      const [track] = (element as HTMLVideoElement).textTracks;
      const cues = [...(track?.cues ?? [])].map(
        (cue) => (cue as VTTCue).getCueAsHTML().textContent,
      );
      return [track?.mode, ...cues];
    });
  await eventually(async () => (await captions())[0]).toBe('hidden');
  await page.getByRole('button', { name: 'Information' }).focus();
  await page.keyboard.press('c');
  await page.getByRole('button', { name: 'Hide captions' }).waitFor();
  await eventually(captions).toEqual(['showing', 'Good <evening>']);
});

step('a photo that is cut off is shown, and its owner learns that it is damaged', async () => {
  const { buffer } = await photo('torn.jpg', '2024:05:03 12:00:00');
  const torn = await upload(buffer.subarray(0, buffer.length / 2), 'torn.jpg');
  const note = page.getByText('Partly damaged: shown as far as it can be read.');
  await until('a picture', async () => (await stage.api('GET', `/assets/${torn}`)).thumbhash);
  await page.goto(`/photos/${torn}`);
  await page.getByRole('button', { name: 'Information' }).click();
  await note.waitFor();
  await page.goto('/explore');
  await page.getByRole('link', { name: 'Partly damaged' }).click();
  await page.locator(`[data-part=tile-link][data-id="${torn}"]`).waitFor();
  expect(await page.locator('[data-part=tile-link]').count()).toBe(1);
});
