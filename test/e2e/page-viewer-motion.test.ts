import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { viewerOpened } from './people.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// A photo grows out of its tile and goes back into it, in a real browser.

type Box = { left: number; width: number };
type Flight = { from: Box; to: Box; ms: number; takesPointer: boolean };

let stage: Stage;
let ada: Visitor;
let ids: string[];

beforeAll(async () => {
  stage = await openStage();
  ids = await stage.add(daysOfMay(2));
  ada = await enter(stage, { reducedMotion: 'no-preference' });
}, TIMEOUT_MS);

afterAll(async () => {
  expect(ada.problems).toEqual([]);
  await stage?.close();
}, TIMEOUT_MS);

const { step } = journey('somebody opens a photo and closes it', TIMEOUT_MS);

/** Writes down every picture that flies, from its first to its last place. */
const watch = (page: Page) =>
  page.evaluate(() => {
    const flights: Flight[] = [];
    Object.assign(window, { flights });
    new MutationObserver((records) => {
      for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
        if (!(node instanceof HTMLElement) || node.dataset['part'] !== 'flight') continue;
        const [flight] = node.getAnimations();
        const box = (): Box => {
          const { left, width } = node.getBoundingClientRect();
          return { left: Math.round(left), width: Math.round(width) };
        };
        const ms = Number(flight!.effect!.getComputedTiming().duration);
        flight!.pause();
        flight!.currentTime = 0;
        const from = box();
        flight!.currentTime = ms - 0.01;
        const to = box();
        const takesPointer = getComputedStyle(node).pointerEvents !== 'none';
        flight!.play();
        flights.push({ from, to, ms, takesPointer });
      }
    }).observe(document.body, { childList: true });
  });
const readFlights = (page: Page) =>
  page.evaluate(() => (window as unknown as { flights: Flight[] }).flights);
const getTile = (page: Page, id: string) => page.locator(`[data-part=tile-link][data-id="${id}"]`);
/** The code of the viewer comes when the browser has nothing else to do. */
const openOnce = async (page: Page, id: string) => {
  await getTile(page, id).click();
  await viewerOpened(page);
  await page.keyboard.press('Escape');
  await getTile(page, id).waitFor();
  await page.locator('[data-part=flight]').waitFor({ state: 'detached' });
};

step('a photo grows out of its tile, and its thumbnail is there at once', async () => {
  const { page } = ada;
  await page.goto('/photos');
  await getTile(page, ids[0]!).locator('img[data-loaded]').waitFor();
  await openOnce(page, ids[1]!);
  await page.setViewportSize({ width: 1280, height: 800 });
  await watch(page);
  const tile = (await getTile(page, ids[0]!).boundingBox())!;
  await page.route(`**/api/assets/${ids[0]}`, async (route) => {
    await Bun.sleep(1000);
    await route.continue();
  });
  await getTile(page, ids[0]!).click();
  const pictures = page.getByRole('dialog', { name: 'Photo viewer' }).locator('img');
  await pictures.first().waitFor({ state: 'attached' });
  await viewerOpened(page);
  const [flight] = await readFlights(page);
  expect(flight!.from).toEqual({ left: Math.round(tile.x), width: Math.round(tile.width) });
  expect(flight!.to.width).toBeGreaterThan(flight!.from.width);
  expect(flight).toMatchObject({ takesPointer: false });
  expect(flight!.ms).toBeLessThanOrEqual(200);
  await page.locator('[data-part=flight]').waitFor({ state: 'detached' });
});

step('closed, it goes back into its tile', async () => {
  const { page } = ada;
  await page.locator('.yarl__slide_current img.yarl__slide_image').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL('**/photos');
  await eventually(async () => (await readFlights(page)).length).toBe(2);
  const [opened, closed] = await readFlights(page);
  expect(closed!.to).toEqual(opened!.from);
  expect(closed!.from.width).toBeGreaterThan(closed!.to.width);
  await page.locator('[data-part=flight]').waitFor({ state: 'detached' });
});

step('nothing moves for those who do not want it', async () => {
  const { page } = ada;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await getTile(page, ids[0]!).click();
  await viewerOpened(page);
  await page.keyboard.press('Escape');
  await page.waitForURL('**/photos');
  await getTile(page, ids[0]!).waitFor();
  expect(await readFlights(page)).toHaveLength(2);
});
