import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { drop, photo, type Visitor, visit } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { go, pictures, press } from './people.ts';
import { daysOfMay, enter, openOwnStage, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';
import { until } from '../support/until.ts';

// Links to albums, in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

async function enterAlbum(assetIds: string[]): Promise<void> {
  const album = await stage.api('POST', '/albums', { albumName: 'Spring', assetIds });
  ada = await enter(stage, { at: `/albums/${album.id}` });
  ({ page } = ada);
}

const { step, chapter } = journey('an owner shares albums by link', TIMEOUT_MS);

chapter('a link to an album', () => {
  beforeEach(async () => {
    stage = await openStage();
    await enterAlbum(await stage.add(daysOfMay(2)));
  }, TIMEOUT_MS);

  step('of an album accepts uploads by guests when allowed', async () => {
    await press(page, 'Share album');
    await press(page, 'New link');
    await page.getByLabel('Add photos to the album').check();
    await press(page, 'Create link');
    const url = await page.getByLabel('Link', { exact: true }).inputValue();
    await press(page, 'Done');
    await page.keyboard.press('Escape');
    const { page: seen, context, problems } = await visit(stage.browser, stage.server.url);
    await seen.goto(url);
    await pictures(seen, 2);
    await drop(seen, [await photo('of a guest.jpg', '2024:06:01 12:00:00')]);
    await seen.getByText('1 file uploaded').waitFor();
    await pictures(seen, 3);
    await seen.goto(`${url}/wall`);
    const latest = seen.getByRole('list', { name: 'Latest photos' });
    await eventually(() => latest.locator('img').count()).toBe(3);
    await seen.getByRole('img', { name: 'QR code of the link' }).waitFor();
    await seen.getByText('Scan to add your photos').waitFor();
    await seen.getByRole('link', { name: 'Close the wall' }).click();
    await pictures(seen, 3);
    await seen.goto(`${url}/slideshow`);
    const show = seen.getByRole('dialog', { name: 'Slideshow' });
    await show.locator('img').first().waitFor();
    await seen.keyboard.press('ArrowRight');
    await seen.waitForFunction(() => document.fullscreenElement !== null);
    await show.getByRole('button', { name: 'End slideshow' }).click();
    await pictures(seen, 3);
    expect(problems).toEqual([]);
    await context.close();
    await pictures(page, 3);
    await go(page, 'Links');
    await page.getByText(/opened 3 times/).waitFor();
    await press(page, 'More about Spring');
    await page.getByRole('menuitem', { name: 'Show QR code' }).click();
    await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
    expect(await listFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await press(page, 'More about Spring');
    await page.getByRole('menuitem', { name: 'Slideshow for a television' }).click();
    expect(await page.getByLabel('Link', { exact: true }).inputValue()).toBe(`${url}/slideshow`);
    await page.keyboard.press('Escape');
  });
});

chapter('the address of a link', () => {
  beforeEach(async () => {
    // The external domain is of the whole server.
    stage = await openOwnStage();
    await enterAlbum([]);
  }, TIMEOUT_MS);

  step('is written with the external domain of the server', async () => {
    const { freshApi: api } = stage;
    const { hasPassword: _, ...mail } = await api('GET', '/admin/notifications/mail');
    const externalDomain = 'https://photos.example.com';
    await api('PUT', '/admin/notifications/mail', { ...mail, externalDomain });
    await press(page, 'Share album');
    await press(page, 'New link');
    await press(page, 'Create link');
    const link = page.getByLabel('Link', { exact: true });
    await until(async () => (await link.inputValue()).startsWith(`${externalDomain}/share/`));
    await press(page, 'Done');
  });
});
