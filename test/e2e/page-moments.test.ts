import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import {
  getStrip,
  getTimeMs,
  hasMoments,
  isAtTime,
  type MomentStage,
  openMomentStage,
  pause,
} from './moments.ts';
import { getPageWidth, press } from './people.ts';
import { until } from './server.ts';
import { leavePhone, onPhone, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// The scenes of videos in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let getMoments: MomentStage['getMoments'];
/** A falcon, a ridge and flowers; then another film with the ridge in it. */
let film: string;
let other: string;

beforeEach(async () => {
  const opened = await openMomentStage(
    ['prairie_falcon', 'tanners_ridge', 'cyclamen_persicum'],
    ['silver_fir', 'tanners_ridge'],
  );
  ({ stage, ada, getMoments } = opened);
  [film, other] = opened.films as [string, string];
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(ada.problems).toEqual([]);
  await stage.close();
}, TIMEOUT_MS);

const { step, chapter } = journey('an owner looks through the scenes of videos', TIMEOUT_MS);

step('a video shows its scenes below, and a click seeks to them', async () => {
  await page.goto(`/photos/${film}`);
  const { frames } = await getMoments(film);
  const times: number[] = frames.map(({ timeMs }: { timeMs: number }) => timeMs);
  times.sort((a, b) => a - b);
  expect(times.length).toBeGreaterThanOrEqual(3);
  await hasMoments(page, times.length);
  await pause(page);
  for (const at of [2, 0, 1]) {
    await getStrip(page).nth(at).click();
    await isAtTime(page, times[at]!);
    await page
      .locator('[data-part=moments-list] li')
      .nth(at)
      .locator('[aria-current=true]')
      .waitFor();
  }
  expect(await listFaults(page)).toEqual([]);
  // Each scene has its picture.
  await until('pictures', () =>
    getStrip(page).evaluateAll((list) =>
      list.every((one) => (one.querySelector('img')?.naturalWidth ?? 0) > 0),
    ),
  );
});

step('hovering the progress bar previews the scene, and a click seeks there', async () => {
  // A film that plays is somewhere else by the next key.
  await pause(page);
  const bar = page.getByRole('slider', { name: 'Position in the video' });
  const { x, y, width } = (await bar.boundingBox())!;
  await page.mouse.move(x + width * 0.85, y + 4);
  const shown = page.locator('[data-part=time-preview]');
  await shown.locator('img').waitFor();
  await eventually(() => shown.textContent()).toBe('0:05');
  await page.mouse.down();
  await page.mouse.up();
  await isAtTime(page, 5100);
  await bar.press('ArrowLeft');
  await isAtTime(page, 100);
  await bar.press('Home');
  await isAtTime(page, 0);
  await page.mouse.move(x, y - 300);
  await shown.waitFor({ state: 'detached' });
});

step('the strip of scenes can be hidden and stays hidden', async () => {
  await press(page, 'Hide the moments');
  await hasMoments(page, 0);
  await page.reload();
  await page.getByRole('button', { name: 'Show the moments' }).waitFor();
  await hasMoments(page, 0);
  await press(page, 'Show the moments');
  await eventually(() => getStrip(page).count()).toBeGreaterThanOrEqual(3);
});

chapter(
  'scenes in other videos',
  () =>
    step('a similar scene of another video opens that video at the scene', async () => {
      await page.goto(`/photos/${film}`);
      await getStrip(page).nth(2).waitFor();
      await pause(page);
      await getStrip(page).nth(2).click();
      await press(page, 'Similar scenes in videos');
      const found = page
        .getByRole('dialog', { name: 'Similar scenes' })
        .locator('[data-part=match]');
      await found.first().click();
      await page.waitForURL(`**/photos/${other}?t=*`);
      const from = Number(new URL(page.url()).searchParams.get('t')) * 1000;
      expect(from).toBeGreaterThan(1500);
      await until('the film at the ridge', async () => (await getTimeMs(page)) >= from - 80);
    }),
  'models',
  'media',
);

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
  await getStrip(page).first().waitFor();
  await pause(page);
  await press(page, 'What is said');
  const dialog = page.getByRole('dialog', { name: 'What is said' });
  await eventually(() => dialog.getByRole('listitem').allTextContents()).toEqual([
    '0:00 Look at that bird',
    '0:03 And now the hills',
  ]);
  await dialog.getByRole('button', { name: 'And now the hills' }).click();
  await isAtTime(page, 3500);
  await page.locator('[data-part=moments-text] q', { hasText: 'And now the hills' }).waitFor();
  await page.goto('/search?q=that bird');
  const found = page.getByRole('region', { name: 'Moments' });
  await found.getByRole('link', { name: /Look at that bird/ }).waitFor();
});

step('on a phone the strip fits below the video', async () => {
  const phone = await onPhone(stage, ada);
  await phone.page.goto(`/photos/${film}`);
  await getStrip(phone.page).nth(1).tap();
  await until('a later time', async () => (await getTimeMs(phone.page)) > 100);
  await eventually(() => getPageWidth(phone.page)).toBe(390);
  const [video, below] = await Promise.all([
    phone.page.locator('.yarl__slide_current video').boundingBox(),
    phone.page.locator('[data-part=moments]').boundingBox(),
  ]);
  expect(video!.y + video!.height).toBeLessThanOrEqual(below!.y + 1);
  await leavePhone(phone);
});
