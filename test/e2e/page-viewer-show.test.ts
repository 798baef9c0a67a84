import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { pictures, press, pressMore, undo, viewerOpened } from './people.ts';
import { holdRequest } from './routes.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Ways to look at photos in the viewer, in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let ids: string[];

beforeEach(async () => {
  stage = await openStage();
  ids = await stage.add([
    photo('june.jpg', '2024:06:03 12:00:00'),
    photo('may.jpg', '2024:05:02 12:00:00'),
    photo('april.jpg', '2024:04:01 12:00:00'),
  ]);
  ada = await enter(stage, { reducedMotion: 'no-preference' });
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('somebody looks at photos in the viewer', TIMEOUT_MS);

const open = async (path: string) => {
  await page.goto(path);
  await viewerOpened(page);
  await page.getByRole('button', { name: 'Add to favorites' }).waitFor();
};
const menu = (name: string) => pressMore(page, name);

step('a photo is seen, and can be closed, before the code of the viewer is there', async () => {
  const code = await holdRequest(page, 'GET', '/assets/viewer-');
  await page.goto(`/photos/${ids[2]}`);
  const frame = page.getByRole('dialog', { name: 'Photo viewer' });
  await code.isHeld;
  await frame.locator('img').waitFor();
  expect(await page.locator('.yarl__root').count()).toBe(0);
  await frame.getByRole('button', { name: 'Close' }).click();
  await page.waitForURL('**/photos');
  code.release();
  await pictures(page, 3);
});

const shown = () => page.locator('[data-part=slideshow] [data-current]').getAttribute('data-id');
const settings = { seconds: 3, isFullscreen: false, transition: 'none' };

step(
  'a slideshow goes around the timeline, newest first, and closes at the photo it shows',
  async () => {
    await page.addInitScript(
      (saved) => localStorage.setItem('safelight.slideshow', saved),
      JSON.stringify(settings),
    );
    await open(`/photos/${ids[1]}`);
    await page.keyboard.press('p');
    const show = page.getByRole('dialog', { name: 'Slideshow' });
    await eventually(shown).toBe(ids[1]!);
    await eventually(shown).toBe(ids[2]!);
    await eventually(shown).toBe(ids[0]!);
    // By hand: it stays there.
    await page.keyboard.press('ArrowRight');
    await show.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await eventually(shown).toBe(ids[1]!);
    expect(await listFaults(page)).toEqual([]);
    await page.keyboard.press('ArrowLeft');
    await eventually(shown).toBe(ids[0]!);
    await page.keyboard.press('Escape');
    await show.waitFor({ state: 'detached' });
    await page.waitForURL(`**/photos/${ids[0]}`);
    await viewerOpened(page);
  },
);

step('it keeps its settings on the device', async () => {
  await menu('Slideshow');
  await press(page, 'Slideshow settings');
  const dialog = page.getByRole('dialog', { name: 'Slideshow settings' });
  await dialog.getByLabel('Order').selectOption('Random');
  await dialog.getByLabel('Show each photo for').selectOption('10 seconds');
  expect(await listFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Done' }).click();
  const saved = await page.evaluate(() => localStorage.getItem('safelight.slideshow'));
  expect(JSON.parse(saved ?? '')).toMatchObject({ order: 'random', seconds: 10 });
  await press(page, 'End slideshow');
  await viewerOpened(page);
});

step('photos change in the way that is chosen, and without motion for who wants none', async () => {
  const animation = () =>
    page
      .locator('[data-part=slideshow] [data-current]')
      .evaluate((layer) => getComputedStyle(layer).animationName);
  const start = async (transition: string) => {
    await menu('Slideshow');
    await press(page, 'Slideshow settings');
    const dialog = page.getByRole('dialog', { name: 'Slideshow settings' });
    await dialog.getByLabel('Transition').selectOption(transition);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.keyboard.press('ArrowRight');
  };
  for (const [transition, name] of [
    ['Slide', /slide/],
    ['Fade', /fade/],
    ['None', /^none$/],
  ] as const) {
    await start(transition);
    await eventually(animation).toMatch(name);
    await press(page, 'End slideshow');
    await viewerOpened(page);
  }
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await start('Slide');
  await eventually(animation).toBe('none');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await press(page, 'End slideshow');
  await viewerOpened(page);
});

step(
  'the information lists the albums and people of the photo, and its place only on request',
  async () => {
    await stage.api('POST', '/albums', { albumName: 'Lake', assetIds: [ids[0]] });
    await stage.api('POST', '/albums', { albumName: 'Elsewhere', assetIds: [ids[1]] });
    await stage.api('PUT', `/assets/${ids[0]}`, { latitude: 59.9139, longitude: 10.7522 });
    const { id: personId } = await stage.api('POST', '/people', { name: 'Grandma' });
    const face = { x: 300, y: 200, width: 200, height: 200, imageWidth: 900, imageHeight: 600 };
    await stage.api('POST', '/faces', { assetId: ids[0], personId, ...face });
    await stage.api('POST', '/faces', { assetId: ids[0], ...face, x: 600 });
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(stage.server.url)) foreign.push(request.url());
    });
    await open(`/photos/${ids[0]}`);
    await page.keyboard.press('i');
    const panel = page.getByRole('complementary', { name: 'Information' });
    await panel.getByRole('link', { name: 'Grandma' }).waitFor();
    await panel.getByRole('link', { name: /Lake/ }).waitFor();
    expect(await panel.getByRole('link', { name: /Elsewhere/ }).count()).toBe(0);
    await panel.getByRole('link', { name: 'Show on the map' }).waitFor();
    expect(await panel.getByLabel('Address on OpenStreetMap').count()).toBe(0);
    await panel.getByRole('button', { name: 'Show coordinates' }).click();
    expect(await panel.getByLabel('Coordinates').inputValue()).toBe('59.91390, 10.75220');
    expect(await panel.getByLabel('Address on OpenStreetMap').inputValue()).toContain(
      'mlat=59.91390&mlon=10.75220',
    );
    expect(await listFaults(page)).toEqual([]);
    expect(foreign.filter((url) => /^https?:/.test(url))).toEqual([]);
  },
);

step('a face of nobody is given to a person, with a way back', async () => {
  const panel = page.getByRole('complementary', { name: 'Information' });
  await panel.getByRole('button', { name: 'Who is this?' }).click();
  await page.getByLabel('Find a person').fill('Grandpa');
  await press(page, 'New person “Grandpa”');
  await panel.getByRole('link', { name: 'Grandpa' }).waitFor();
  await undo(page, 'This is Grandpa');
  await panel.getByRole('button', { name: 'Who is this?' }).waitFor();
});
