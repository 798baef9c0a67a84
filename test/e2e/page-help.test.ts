import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { go } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// The documentation, which the page shows under Help.

let stage: Stage;
let visitor: Visitor;
let page: Page;

beforeEach(async () => {
  stage = await openStage();
  visitor = await enter(stage);
  ({ page } = visitor);
  await page.getByRole('heading', { name: 'No photos yet' }).waitFor();
}, TIMEOUT_MS);

afterEach(async () => {
  await stage.close();
  expect(visitor.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('somebody reads the documentation', TIMEOUT_MS);

step('the list leads to a page, and links in it to others, without loading anew', async () => {
  await go(page, 'Help');
  await page.evaluate(() => Object.assign(window, { isSame: true }));
  await page.getByRole('link', { name: 'Backup and restore' }).click();
  await page.getByRole('heading', { level: 1, name: 'Backup and restore' }).waitFor();
  await page.getByText('safelight maintenance restore-drill').first().waitFor();
  await page.getByRole('link', { name: 'All pages' }).click();
  await page.getByRole('link', { name: 'Security', exact: true }).click();
  await page.getByRole('link', { name: 'configuration' }).click();
  await page.getByRole('heading', { level: 1, name: 'Configuration' }).waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/help/configuration#https');
  const heading = page.getByRole('heading', { name: 'HTTPS' });
  await eventually(() =>
    heading.evaluate((each) => each.getBoundingClientRect().top < innerHeight),
  ).toBe(true);
  expect(await page.evaluate(() => 'isSame' in window)).toBe(true);
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
});

step('an address leads to its place, and an unknown one says so', async () => {
  await page.goto('/help/configuration#while-it-runs');
  const heading = page.getByRole('heading', { name: 'While it runs' });
  await heading.waitFor();
  await eventually(() =>
    heading.evaluate((each) => Math.abs(each.getBoundingClientRect().top) < innerHeight),
  ).toBe(true);
  await page.goto('/help/constructor');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
});

step('pages are accessible and fit a phone', async () => {
  for (const path of ['/help', '/help/configuration', '/help/immich', '/help/backup']) {
    await page.goto(path);
    await page.getByRole('article').waitFor();
    expect([path, await listFaultsOfLooks(page)]).toEqual([path, []]);
    await page.setViewportSize({ width: 390, height: 844 });
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    await eventually(isWide).toBe(false);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
});
