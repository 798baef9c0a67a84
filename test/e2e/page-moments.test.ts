import { afterAll, beforeAll, expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { MODELS } from '../support/models.ts';
import { MEDIA } from '../support/processing.ts';
import { type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, holdToast, pictures, press, undo, getPageWidth } from './people.ts';
import { until } from './server.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Moments of videos in a real browser; what models see is asked where they are here. Each test goes
// on where the last one ended.

const IS_REAL = Boolean(MODELS && MEDIA);
/** Seconds for all models to look at a film on a busy machine. */
const MODELS_S = 300;

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let folder: string;
/** A falcon, a ridge and flowers, for two seconds each; then another film with the ridge in it. */
let film: string;
let other: string;

beforeAll(async () => {
  const flags = IS_REAL ? [`--models=${MODELS}`] : [];
  folder = await mkdtemp(join(tmpdir(), 'safelight-films-'));
  stage = await openStage(...flags);
  ({ api } = stage);
  const films = [
    await makeFilm('film.mp4', ['prairie_falcon', 'tanners_ridge', 'cyclamen_persicum']),
    await makeFilm('other.mp4', ['silver_fir', 'tanners_ridge']),
  ];
  [film, other] = (await stage.add(films)) as [string, string];
  for (const id of [film, other]) {
    await until('scenes', async () => {
      const { status, frames } = await getMoments(id);
      return frames.length > 0 && ['ready', 'unavailable'].includes(status);
    });
  }
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 2);
}, TIMEOUT_MS);

afterAll(async () => {
  await stage?.close();
  await rm(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

const PATTERNS = ['mandelbrot', 'testsrc', 'rgbtestsrc', 'smptebars'];

/** Two seconds of each photo, or of a pattern where there are no photos. */
async function makeFilm(name: string, photos: readonly string[]) {
  const path = join(folder, name);
  const inputs = photos.flatMap((photo, at) =>
    IS_REAL
      ? ['-loop', '1', '-t', '2', '-r', '10', '-i', join(MEDIA!, `nature/${photo}.jpg`)]
      : ['-f', 'lavfi', '-t', '2', '-i', `${PATTERNS[photo === 'silver_fir' ? 3 : at]}=rate=10`],
  );
  const scaled = photos.map((_, at) => `[${at}]scale=640:360,setsar=1[v${at}]`);
  const joined = `${photos.map((_, at) => `[v${at}]`).join('')}concat=n=${photos.length}:v=1:a=0`;
  const filter = [...scaled, `${joined},format=yuv420p`].join(';');
  const command = ['ffmpeg', '-y', '-v', 'error', ...inputs, '-filter_complex', filter];
  expect(await Bun.spawn([...command, '-c:v', 'libx264', path]).exited).toBe(0);
  const buffer = Buffer.from(await Bun.file(path).arrayBuffer());
  return { name, mimeType: 'video/mp4', buffer };
}

const getMoments = (id: string) => api('GET', `/enrichment/videos/${id}/moments`);
const strip = (on = page) => on.locator('[data-part=moments-list] button');
const count = (wanted: number) =>
  until(`${wanted} moments`, async () => (await strip().count()) === wanted);
const current = () => page.locator('[data-part=moments-list] [aria-current=true]');
/** Of the player, in milliseconds. */
const getTimeMs = (on: Page) =>
  on
    .locator('.yarl__slide_current video')
    .evaluate((video) => Math.round((video as HTMLVideoElement).currentTime * 1000));
const isAt = (ms: number, on = page) =>
  until(`the film at ${ms} ms`, async () => Math.abs((await getTimeMs(on)) - ms) < 80);
const pause = () =>
  page
    .locator('.yarl__slide_current video')
    .evaluate((video) => (video as HTMLVideoElement).pause());

const { step } = journey('an owner searches videos and keeps moments', TIMEOUT_MS);

step('a video shows its scenes below, and a click seeks to them', async () => {
  await page.goto(`/photos/${film}`);
  const { frames } = await getMoments(film);
  const times: number[] = frames.map(({ timeMs }: { timeMs: number }) => timeMs);
  times.sort((a, b) => a - b);
  expect(times.length).toBeGreaterThanOrEqual(3);
  await count(times.length);
  await pause();
  for (const at of [2, 0, 1]) {
    await strip().nth(at).click();
    await isAt(times[at]!);
    await page
      .locator('[data-part=moments-list] li')
      .nth(at)
      .locator('[aria-current=true]')
      .waitFor();
  }
  expect(await listFaults(page)).toEqual([]);
  // Each scene has its picture.
  await until('pictures', () =>
    strip().evaluateAll((list) =>
      list.every((one) => (one.querySelector('img')?.naturalWidth ?? 0) > 0),
    ),
  );
});

step('hovering the progress bar previews the scene, and a click seeks there', async () => {
  const bar = page.getByRole('slider', { name: 'Place in the film' });
  const { x, y, width } = (await bar.boundingBox())!;
  await page.mouse.move(x + width * 0.85, y + 4);
  const shown = page.locator('[data-part=time-preview]');
  await shown.locator('img').waitFor();
  await eventually(() => shown.textContent()).toBe('0:05');
  await page.mouse.down();
  await page.mouse.up();
  await isAt(5100);
  await bar.press('ArrowLeft');
  await isAt(100);
  await bar.press('Home');
  await isAt(0);
  await page.mouse.move(x, y - 300);
  await shown.waitFor({ state: 'detached' });
});

step('a moment can be added, renamed, removed and restored', async () => {
  const before = await strip().count();
  const bar = page.getByRole('slider', { name: 'Place in the film' });
  const { x, y, width } = (await bar.boundingBox())!;
  await page.mouse.click(x + width / 4, y + 4);
  await isAt(1500);
  await page.getByRole('button', { name: /^Mark a moment at/ }).click();
  await page.getByLabel('What happens here').fill('The landing');
  await press(page, 'Save');
  await count(before + 1);
  await current().filter({ hasText: 'The landing' }).waitFor();
  await press(page, 'Rename this moment');
  await page.getByLabel('What happens here').fill('The falcon lands');
  await press(page, 'Save');
  await current().filter({ hasText: 'The falcon lands' }).waitFor();
  await press(page, 'Remove this moment');
  await holdToast(page, 'Moment removed');
  await count(before);
  await undo(page, 'Moment removed');
  await count(before + 1);
  await eventually(async () =>
    (await getMoments(film)).moments.filter((one: any) => one.kind === 'manual'),
  ).toMatchObject([{ title: 'The falcon lands' }]);
});

step('the current frame can become the cover, and that can be undone', async () => {
  const before = await api('GET', `/assets/${film}`);
  await strip().last().click();
  const { frames } = await getMoments(film);
  const last = Math.max(...frames.map(({ timeMs }: { timeMs: number }) => timeMs));
  await isAt(last);
  await page.getByRole('button', { name: /^Use the picture at .* as the cover$/ }).click();
  await holdToast(page, 'The cover is from');
  await eventually(async () => Math.abs((await getMoments(film)).cover.timeMs - last)).toBeLessThan(
    80,
  );
  await strip().last().locator('[data-part=moments-cover]').waitFor();
  await until('another picture', async () => {
    const { thumbhash } = await api('GET', `/assets/${film}`);
    return thumbhash !== before.thumbhash;
  });
  await undo(page, 'The cover is from');
  await until('the cover of before', async () => (await getMoments(film)).cover.timeMs === null);
});

step(
  'analysing the video again keeps moments added by hand',
  async () => {
    const [first] = (await getMoments(film)).frames;
    await press(page, 'More about moments');
    await page.getByRole('menuitem', { name: 'Look at the film again' }).click();
    await until(
      'other frames',
      async () => {
        const { frames, status } = await getMoments(film);
        return frames[0]?.id !== first.id && ['ready', 'unavailable'].includes(status);
      },
      MODELS_S,
    );
    await page.locator('[data-part=moments-text] strong').waitFor();
    await strip().filter({ hasText: 'The falcon lands' }).waitFor();
  },
  1.5 * MODELS_S * 1000,
);

step('the strip of scenes can be hidden and stays hidden', async () => {
  await press(page, 'Hide the moments');
  await count(0);
  await page.reload();
  await page.getByRole('button', { name: 'Show the moments' }).waitFor();
  await count(0);
  await press(page, 'Show the moments');
  await eventually(() => strip().count()).toBeGreaterThanOrEqual(3);
});

if (IS_REAL) {
  step(
    'a similar scene of another video opens that video at the scene',
    async () => {
      await pause();
      await strip().nth(2).click();
      await press(page, 'Similar scenes in videos');
      const found = page
        .getByRole('dialog', { name: 'Similar scenes' })
        .locator('[data-part=match]');
      await found.first().click();
      await page.waitForURL(`**/photos/${other}?t=*`);
      const from = Number(new URL(page.url()).searchParams.get('t')) * 1000;
      expect(from).toBeGreaterThan(1500);
      await until('the film at the ridge', async () => (await getTimeMs(page)) >= from - 80);
    },
    TIMEOUT_MS,
  );
}

step('the transcript is shown at its time, and a click seeks there', async () => {
  const { sql } = stage.database;
  const said = ['Look at that bird', 'And now the hills'];
  for (const [at, text] of said.entries()) {
    await sql`insert into video_speech
        (id, asset_id, start_ms, end_ms, text, confidence, model, words)
      values (${Bun.randomUUIDv7()}, ${film}, ${500 + 3000 * at}, ${2500 + 3000 * at}, ${text}, 0.9,
        'test', to_tsvector('simple', ${text}))`;
  }
  await page.goto(`/photos/${film}`);
  await strip().first().waitFor();
  await pause();
  await press(page, 'What is said');
  const dialog = page.getByRole('dialog', { name: 'What is said' });
  await eventually(() => dialog.getByRole('listitem').allTextContents()).toEqual([
    '0:00 Look at that bird',
    '0:03 And now the hills',
  ]);
  await dialog.getByRole('button', { name: 'And now the hills' }).click();
  await isAt(3500);
  await page.locator('[data-part=moments-text] q', { hasText: 'And now the hills' }).waitFor();
  await page.goto('/search?q=that bird');
  const found = page.getByRole('region', { name: 'Moments' });
  await found.getByRole('link', { name: /Look at that bird/ }).waitFor();
});

step('search finds moments and opens the video at their time', async () => {
  await page.goto('/search?q=the falcon lands');
  const found = page.getByRole('region', { name: 'Moments' });
  await found.getByRole('link', { name: /The falcon lands/ }).click();
  await page.waitForURL(/\/search\/photos\/.*t=1\.5/);
  await page.locator('[data-part=moments-list]').waitFor();
  await until('the film after its beginning', async () => (await getTimeMs(page)) >= 1400);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor({ state: 'detached' });
  await eventually(() => new URL(page.url()).searchParams.get('q')).toBe('the falcon lands');
});

step('on a phone the strip fits below the video', async () => {
  const phone = await onPhone(stage, ada);
  await phone.page.goto(`/photos/${film}`);
  await strip(phone.page).nth(1).tap();
  await until('a later time', async () => (await getTimeMs(phone.page)) > 100);
  await eventually(() => getPageWidth(phone.page)).toBe(390);
  const [video, below] = await Promise.all([
    phone.page.locator('.yarl__slide_current video').boundingBox(),
    phone.page.locator('[data-part=moments]').boundingBox(),
  ]);
  expect(video!.y + video!.height).toBeLessThanOrEqual(below!.y + 1);
  await leavePhone(phone);
});

step('no errors were reported', () => expect(ada.problems).toEqual([]));
