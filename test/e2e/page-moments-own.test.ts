import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import {
  getStrip,
  getTimeMs,
  hasMoments,
  isAtTime,
  type MomentStage,
  openMomentStage,
  pause,
} from './moments.ts';
import { type Api, holdToast, press, undo } from './people.ts';
import { until } from './server.ts';
import { type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Moments that an owner keeps in a real browser.

/** Seconds for all models to look at a film on a busy machine. */
const MODELS_S = 300;

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let getMoments: MomentStage['getMoments'];
/** A falcon, a ridge and flowers. */
let film: string;

beforeEach(async () => {
  const opened = await openMomentStage(['prairie_falcon', 'tanners_ridge', 'cyclamen_persicum']);
  ({ stage, ada, getMoments } = opened);
  [film] = opened.films as [string];
  ({ api } = stage);
  ({ page } = ada);
  await page.goto(`/photos/${film}`);
  await getStrip(page).first().waitFor();
  await pause(page);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(ada.problems).toEqual([]);
  await stage.close();
}, TIMEOUT_MS);

const getCurrent = () => page.locator('[data-part=moments-list] [aria-current=true]');

const { step } = journey('an owner searches videos and keeps moments', TIMEOUT_MS);

step('a moment can be added, renamed, removed and restored', async () => {
  const before = await getStrip(page).count();
  const bar = page.getByRole('slider', { name: 'Position in the video' });
  const { x, y, width } = (await bar.boundingBox())!;
  await page.mouse.click(x + width / 4, y + 4);
  await isAtTime(page, 1500);
  await page.getByRole('button', { name: /^Mark a moment at/ }).click();
  await page.getByLabel('What happens here').fill('The landing');
  await press(page, 'Save');
  await hasMoments(page, before + 1);
  await getCurrent().filter({ hasText: 'The landing' }).waitFor();
  await press(page, 'Rename this moment');
  await page.getByLabel('What happens here').fill('The falcon lands');
  await press(page, 'Save');
  await getCurrent().filter({ hasText: 'The falcon lands' }).waitFor();
  await undo(page, 'Moment renamed');
  await getCurrent().filter({ hasText: 'The landing' }).waitFor();
  await undo(page, 'Moment marked');
  await hasMoments(page, before);
  await page.getByRole('button', { name: /^Mark a moment at/ }).click();
  await page.getByLabel('What happens here').fill('The falcon lands');
  await press(page, 'Save');
  await getCurrent().filter({ hasText: 'The falcon lands' }).waitFor();
  await press(page, 'Remove this moment');
  await holdToast(page, 'Moment removed');
  await hasMoments(page, before);
  await undo(page, 'Moment removed');
  await hasMoments(page, before + 1);
  await eventually(async () =>
    (await getMoments(film)).moments.filter((one: { kind: string }) => one.kind === 'manual'),
  ).toMatchObject([{ title: 'The falcon lands' }]);
});

step('the current frame can become the cover, and that can be undone', async () => {
  const before = await api('GET', `/assets/${film}`);
  await getStrip(page).last().click();
  const { frames } = await getMoments(film);
  const last = Math.max(...frames.map(({ timeMs }: { timeMs: number }) => timeMs));
  await isAtTime(page, last);
  await page.getByRole('button', { name: /^Use the picture at .* as the cover$/ }).click();
  await holdToast(page, 'The cover is from');
  await eventually(async () => Math.abs((await getMoments(film)).cover.timeMs - last)).toBeLessThan(
    80,
  );
  await getStrip(page).last().locator('[data-part=moments-cover]').waitFor();
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
    await page.getByRole('menuitem', { name: 'Analyze the video again' }).click();
    await until(
      'other frames',
      async () => {
        const { frames, status } = await getMoments(film);
        return frames[0]?.id !== first.id && ['ready', 'unavailable'].includes(status);
      },
      MODELS_S,
    );
    await page.locator('[data-part=moments-text] strong').waitFor();
    await getStrip(page).filter({ hasText: 'The falcon lands' }).waitFor();
  },
  1.5 * MODELS_S * 1000,
);

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
