import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { getDialog, pictures, press } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Searching for days that have a name, and for months of any year.

const TAKEN = {
  christmas: '2019:12:25',
  earlier: '2014:12:24',
  advent: '2019:12:20',
  easter: '2023:04:09',
  july: '2021:07:04',
  june: '2022:06:20',
} as const;

let stage: Stage;
let ada: Visitor;
let page: Page;
let ids: Record<keyof typeof TAKEN, string>;

beforeAll(async () => {
  stage = await openStage();
  const names = Object.keys(TAKEN);
  // Their file names have no word of a query: those are found, too, as soon as they are indexed.
  const added = await stage.add(
    Object.values(TAKEN).map((day, at) => photo(`${at}.jpg`, `${day} 12:00:00`)),
  );
  ids = Object.fromEntries(names.map((name, at) => [name, added[at]])) as typeof ids;
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, names.length);
}, TIMEOUT_MS);

afterAll(async () => {
  expect(ada.problems).toEqual([]);
  await stage?.close();
}, TIMEOUT_MS);

const { step } = journey('an owner searches for days that have a name', TIMEOUT_MS);

/** Searches, and expects these photos and no others, below these chips. */
async function finds(words: string, chips: string[], ...names: (keyof typeof TAKEN)[]) {
  await page.goto(`/search?q=${encodeURIComponent(words)}`);
  await eventually(() => page.locator('.chip').allTextContents()).toEqual(
    chips.map((label) => ` ${label}`),
  );
  await pictures(page, names.length);
  const shown = await page
    .locator('[data-part=tile-link]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('data-id')));
  expect(new Set(shown)).toEqual(new Set(names.map((name) => ids[name])));
}

step('months without a year are of every year, until one is chosen', async () => {
  await finds('between June and August', ['June – August', 'Any year'], 'july', 'june');
  await finds('entre juin et août', ['June – August', 'Any year'], 'july', 'june');
  await finds('July to September 2022', ['Fri, 1 July 2022 – Fri, 30 September 2022']);
  await finds('June to July', ['June – July', 'Any year'], 'july', 'june');
  await press(page, 'Change Any year');
  await getDialog(page).getByRole('button', { name: '2021' }).click();
  await pictures(page, 1);
});

step('a holiday is its days, and what is near them is not found', async () => {
  const label = '24 December – 26 December';
  await finds('Christmas', [label, 'Any year'], 'christmas', 'earlier');
  await finds('Weihnachten 2019', ['Tue, 24 December 2019 – Thu, 26 December 2019'], 'christmas');
  await finds('Easter', ['Easter', 'Any year'], 'easter');
  await finds('New Year’s Eve', ['31 December – 1 January', 'Any year']);
  await finds('Christmas tree', ['“Christmas tree”']);
  expect(await listFaults(page)).toEqual([]);
});

step('an album that is called like a holiday is found with it', async () => {
  await stage.api('POST', '/albums', { albumName: 'Christmas', assetIds: [ids.july] });
  const chips = ['24 December – 26 December', 'Any year'];
  await finds('Christmas', chips, 'christmas', 'earlier', 'july');
  await finds('Noël', chips, 'christmas', 'earlier');
  // A year narrows both.
  await page.goto('/search?q=Christmas');
  await press(page, 'Change Any year');
  await getDialog(page).getByRole('button', { name: '2014' }).click();
  await pictures(page, 1);
});

step('holidays of which there are photos are suggested', async () => {
  const box = page.getByRole('combobox', { name: 'Search your photos' });
  const suggestions = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  await box.fill('east');
  await eventually(() => suggestions.allTextContents()).toEqual(['EasterDate']);
  await box.press('ArrowDown');
  await box.press('Enter');
  await page.waitForURL(/q=Easter/);
  await pictures(page, 1);
  await box.fill('hallow');
  await eventually(() => suggestions.count()).toBe(0);
});
