import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { sample } from '../support/sample.ts';
import { journey } from '../support/journey.ts';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { watchLoading } from './every-page.ts';
import { press } from './people.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Where the keyboard begins on each page, that its keys work after the mouse was used, and the handle for a finger.

/** On a page of a library whose pages have their bars before the content. */
const PATHS = [
  '/photos',
  '/explore',
  '/memories',
  '/move-in',
  '/map',
  '/people',
  '/pets',
  '/documents',
  '/favorites',
  '/albums',
  '/tags',
  '/links',
  '/sharing',
  '/archive',
  '/trash',
  '/backup',
  '/settings',
  '/search?q=2024',
  '/missing/date',
  '/failed',
  '/folders',
  '/duplicates',
  '/workflows',
  '/workflows/new',
  '/studio',
  '/large',
  '/raw-pairs',
  '/help',
  '/admin/jobs',
  '/admin/users',
  '/admin/settings',
  '/admin/log',
];
const DAYS = 24;

let stage: Stage;
let ada: Visitor;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  const days = Array.from({ length: DAYS }, (_, at) =>
    photo(`${at}.jpg`, `20${String(24 - at).padStart(2, '0')}:05:02 12:00:00`, 300, 200),
  );
  await stage.add(days);
  await stage.api('POST', '/albums', { albumName: 'Zürich in spring' });
  ada = await enter(stage);
  ({ page } = ada);
}, TIMEOUT_MS);

afterAll(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('the keyboard begins where it is expected', TIMEOUT_MS);

const palette = () => page.getByRole('dialog', { name: 'Go to', exact: true });
const focused = () =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    return at?.ariaLabel ?? at?.id ?? '';
  });
const opensPalette = async () => {
  await page.keyboard.press('Control+k');
  await palette().waitFor();
  await page.keyboard.press('Escape');
  await palette().waitFor({ state: 'detached' });
};

step('the first Tab after loading leads to “Skip to content”, whatever the page', async () => {
  const loaded = watchLoading(page);
  const missed: string[] = [];
  for (const path of sample('pages', PATHS, 8)) {
    await page.goto(path);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    await loaded();
    await page.keyboard.press('Tab');
    const isReached = await page.evaluate(() => document.activeElement?.matches('a.skip') === true);
    if (!isReached) missed.push(path);
  }
  expect(missed).toEqual([]);
});

step('after a key has led to another page, Tab goes on in its content', async () => {
  await page.goto('/photos');
  await page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.activeElement?.matches('[data-part=tile-link]'));
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.getByRole('heading', { name: 'Albums', level: 1 }).waitFor();
  await eventually(focused).toBe('content');
  await page.keyboard.press('Tab');
  const isInside = () => page.evaluate(() => document.activeElement?.closest('#content') !== null);
  expect(await isInside()).toBe(true);
});

step('after a press on the scrubber, keys are for the photos that are seen', async () => {
  await page.goto('/photos');
  await page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
  await page.keyboard.press('Home');
  await page.waitForFunction(() => document.activeElement?.ariaLabel?.includes('2024'));
  const { x, y, width, height } = (await page.getByRole('slider', { name: 'Date' }).boundingBox())!;
  const pressMiddle = () => page.mouse.click(x + width / 2, y + height / 2);
  await pressMiddle();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() =>
    /20(?:0[5-9]|1[0-9])/.test(document.activeElement?.ariaLabel ?? ''),
  );
  await pressMiddle();
  await page.keyboard.press('Control+a');
  await page.getByText(`${DAYS} items selected`).waitFor();
  await page.keyboard.press('Escape');
  await pressMiddle();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.waitFor();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await pressMiddle();
  await opensPalette();
});

step('who goes to the scrubber by keys moves it by keys', async () => {
  const slider = page.getByRole('slider', { name: 'Date' });
  await slider.focus();
  await page.keyboard.press('Home');
  await eventually(() => slider.getAttribute('aria-valuetext')).toBe('May 2024');
  await page.keyboard.press('End');
  await eventually(() => slider.getAttribute('aria-valuetext')).not.toBe('May 2024');
});

step(
  'keys work at once after “Go to a date” was closed, from the menu and by its key',
  async () => {
    const dialog = page.getByRole('dialog', { name: 'Go to a date' });
    const openByMenu = async () => {
      await press(page, 'View');
      await page.getByRole('menuitem', { name: 'Go to a date' }).click();
      await dialog.waitFor();
    };
    await openByMenu();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await opensPalette();
    await openByMenu();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('d');
    await dialog.locator('input[type=date]').fill('2010-05-02');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await opensPalette();
    await openByMenu();
    await press(page, 'Go');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+a');
    await page.getByText(`${DAYS} items selected`).waitFor();
  },
);

step('on a phone a handle goes through the months, and names the one in view', async () => {
  const phone = await onPhone(stage, ada);
  await phone.page.goto('/photos');
  await phone.page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
  const thumb = phone.page.locator('[data-part=scrubber-thumb]');
  const label = phone.page.locator('[data-part=scrubber-label]');
  const isReached = () =>
    thumb.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    });
  // It is there while the timeline moves, and for a moment after.
  await eventually(async () => {
    await phone.page.locator('.timeline-scroll').evaluate(async (element) => {
      element.scrollTop += element.scrollTop > 0 ? -1 : 1;
      await new Promise(requestAnimationFrame);
    });
    return isReached();
  }).toBe(true);
  const { x, y, width, height } = (await thumb.boundingBox())!;
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
  const devtools = await phone.context.newCDPSession(phone.page);
  const touch = (type: 'touchStart' | 'touchMove', down: number) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: [{ x: x + width / 2, y: y + height / 2 + down }],
    });
  const getTop = () => phone.page.locator('.timeline-scroll').evaluate((it) => it.scrollTop);
  const before = await getTop();
  await touch('touchStart', 0);
  // Taken at its middle, it does not jump.
  await touch('touchMove', 1);
  expect(Math.abs((await getTop()) - before)).toBeLessThan(100);
  for (const down of [60, 120, 180]) await touch('touchMove', down);
  await eventually(getTop).toBeGreaterThan(500);
  await eventually(() => label.evaluate((it) => getComputedStyle(it).opacity)).toBe('1');
  expect(await label.textContent()).toMatch(/^May 20\d\d$/);
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await leavePhone(phone);
});
