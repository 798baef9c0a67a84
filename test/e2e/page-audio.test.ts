import { afterEach, beforeEach, expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { makeClip } from '../fixtures/clips.ts';
import { flat } from '../fixtures/index.ts';
import { journey } from '../support/journey.ts';
import { photoForm, FORM_TYPE } from '../support/forms.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { until } from './server.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Sound files in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let song: string;
let note: string;

const TONE = ['-f', 'lavfi', '-i', 'sine=duration=3'];

/** A song with a cover, and a note that browsers cannot play, without one. */
async function makeSounds(): Promise<[Uint8Array, Uint8Array]> {
  const folder = await mkdtemp(join(tmpdir(), 'safelight-audio-'));
  const cover = join(folder, 'cover.jpg');
  await flat([40, 90, 160], 600, 600).jpeg().toFile(cover);
  const attached = ['-i', cover, '-map', '0', '-map', '1', '-c:v', 'copy'];
  const covered = [...TONE, ...attached, '-disposition:v', 'attached_pic', '-c:a', 'libmp3lame'];
  const bytes = [
    await Bun.file(makeClip(join(folder, 'a.mp3'), covered)).bytes(),
    await Bun.file(makeClip(join(folder, 'b.wma'), TONE)).bytes(),
  ] as [Uint8Array, Uint8Array];
  await rm(folder, { recursive: true });
  return bytes;
}

async function upload(bytes: Uint8Array, name: string): Promise<string> {
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
  const [covered, plain] = await makeSounds();
  [song, note] = [await upload(covered, 'song.mp3'), await upload(plain, 'note.wma')];
  await until('a cover', async () => (await stage.api('GET', `/assets/${song}`)).thumbhash);
  await until('a sound for browsers', async () => {
    const headers = { 'x-api-key': stage.account.apiKey };
    const url = `${stage.server.url}/api/assets/${note}/video/playback`;
    return (await fetch(url, { headers })).headers.get('content-type') === 'audio/mp4';
  });
  ada = await enter(stage);
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(ada.problems).toEqual([]);
  await stage.close();
}, TIMEOUT_MS);

const { step } = journey('an owner listens to recordings', TIMEOUT_MS);

const getTile = (id: string) => page.locator(`[data-part=tile-link][data-id="${id}"]`);
const getSlide = () => page.locator('.yarl__slide_current [data-part=audio-slide]');

step('the timeline calls them audio, one with its cover', async () => {
  await getTile(song).locator('img[data-loaded]').waitFor();
  for (const id of [song, note]) {
    expect(await getTile(id).getAttribute('aria-label')).toMatch(/^Audio, .+, 0:03$/);
  }
  expect(await getTile(note).locator('img').count()).toBe(0);
  expect(await listFaults(page)).toEqual([]);
});

step('a recording is played by an audio player, with its name and cover', async () => {
  await getTile(song).click();
  await getSlide().getByText('song.mp3').waitFor();
  const isPlaying = () =>
    getSlide()
      .locator('audio')
      .evaluate((audio) => (audio as HTMLAudioElement).currentTime > 0.2);
  await eventually(isPlaying).toBe(true);
  expect(
    await getSlide()
      .locator('img')
      .evaluate((image) => (image as HTMLImageElement).naturalWidth),
  ).toBeGreaterThan(100);
  expect(await page.locator('.yarl__slide_current video').count()).toBe(0);
  expect(await listFaults(page)).toEqual([]);
});

step('what browsers cannot play is played, too, without a cover', async () => {
  await page.goto(`/photos/${note}`);
  await getSlide().getByText('note.wma').waitFor();
  const audio = getSlide().locator('audio');
  const getDuration = () =>
    audio.evaluate((element) => Math.round((element as HTMLAudioElement).duration));
  await eventually(getDuration).toBe(3);
  expect(await getSlide().locator('img').count()).toBe(0);
  expect(await page.getByText('This file cannot be played here.').count()).toBe(0);
});
