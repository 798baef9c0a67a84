import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { getPageWidth, go, pictures, viewerOpened } from './people.ts';
import { holdRequest } from './routes.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// The timeline and the viewer in a real browser.

const TAKEN = {
  april: '2025:04:01 18:00:00',
  march: '2025:03:01 18:00:00',
  july: '2024:07:14 15:32:10',
  may: '2023:05:02 09:00:00',
};

let stage: Stage;
let ada: Visitor;
let page: Page;
let ids: string[];

beforeEach(async () => {
  stage = await openStage();
  ids = await stage.add(Object.entries(TAKEN).map(([name, day]) => photo(`${name}.jpg`, day)));
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 4);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const tiles = (of: Page) => of.locator('[data-part=tile-link]');
const focused = (of: Page) => of.evaluate(() => document.activeElement?.getAttribute('aria-label'));

const { step, chapter } = journey('an owner views and organises photos', TIMEOUT_MS);

chapter('the viewer and the keyboard', () => {
  step('opens on a click under an address of its own', async () => {
    await tiles(page).first().click();
    await viewerOpened(page);
    await page.locator('.yarl__slide_current img.yarl__slide_image').waitFor();
    await eventually(() => new URL(page.url()).pathname).toMatch(/^\/photos\/[0-9a-f-]{36}$/);
    expect(await listFaults(page)).toEqual([]);
  });

  step('the arrow keys continue beyond the end of a month', async () => {
    const first = page.url();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => url.href !== first);
    await page.keyboard.press('i');
    await page.getByText('march.jpg').waitFor();
    await page.getByText('Acme Camera One').waitFor();
    await page.getByText('1 March 2025').waitFor();
  });

  step('a description and a rating are saved', async () => {
    await page.getByLabel('Description').fill('Evening at the lake');
    await page.getByLabel('Description').blur();
    await page.getByRole('button', { name: 'Rate 4 of 5' }).click();
    await page.getByRole('group', { name: 'Rating: 4 of 5 stars' }).waitFor();
    await page.reload();
    await viewerOpened(page);
    await page.keyboard.press('i');
    await page.getByRole('group', { name: 'Rating: 4 of 5 stars' }).waitFor();
    await eventually(() => page.getByLabel('Description').inputValue()).toBe('Evening at the lake');
  });

  step('what is typed while a description is saved stays', async () => {
    const description = page.getByLabel('Description');
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    const saving = await holdRequest(page, 'PUT', `/api/assets/${id}`);
    await description.fill('Evening at the sea');
    await description.press('Control+Enter');
    await saving.isHeld;
    await description.press('End');
    await description.pressSequentially(', late');
    const fresh = page.waitForResponse(
      (response) =>
        response.url().includes(`/api/assets/${id}`) && response.request().method() === 'GET',
    );
    saving.release();
    await (await fresh).finished();
    await description.blur();
    const read = () => stage.api('GET', `/assets/${id}`);
    await eventually(async () => (await read()).exifInfo.description).toBe(
      'Evening at the sea, late',
    );
  });

  step('the full-size picture is loaded only when zoomed in', async () => {
    const full = page.waitForRequest((request) => request.url().includes('size=fullsize'));
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await full;
  });

  step('f toggles the favourite, and Escape returns to the same photo', async () => {
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Remove from favorites' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/photos');
    await page.waitForFunction(() => document.activeElement?.matches('[data-part=tile-link]'));
    await eventually(() => focused(page)).toBe('Photo, Sat, 1 March 2025, 18:00, favorite');
  });

  step('arrows, Home and End move through the timeline, and Enter opens a photo', async () => {
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.activeElement?.ariaLabel?.includes('April 2025'));
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.activeElement?.ariaLabel?.includes('May 2023'));
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.ariaLabel?.includes('April 2025'));
    await page.keyboard.press('Enter');
    await viewerOpened(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor({ state: 'detached' });
  });

  step('the scrubber is a slider that announces the month', async () => {
    const slider = page.getByRole('slider', { name: 'Date' });
    await eventually(() => slider.getAttribute('aria-valuetext')).toBe('April 2025');
  });
});

chapter('selection and albums', () => {
  step('the favourites page shows exactly the marked photos', async () => {
    const [, march] = ids;
    await stage.api('PUT', `/assets/${march}`, { isFavorite: true });
    await go(page, 'Favorites');
    await page.getByRole('heading', { name: 'March 2025' }).waitFor();
    await pictures(page, 1);
  });

  step('a range is selected with shift and added to a new album', async () => {
    await go(page, 'Photos');
    await pictures(page, 4);
    await page.getByRole('checkbox', { name: /Select Photo, Tue, 1 April 2025/ }).click();
    await tiles(page)
      .nth(2)
      .click({ modifiers: ['Shift'] });
    await page.getByText('3 items selected').waitFor();
    await page.getByRole('button', { name: 'Add to album' }).click();
    await page.getByLabel('Find an album, or name a new one').fill('Summer');
    await page.getByRole('button', { name: 'New album “Summer”' }).click();
    await page.getByText('3 items added to Summer').waitFor();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('heading', { name: 'Summer', level: 1 }).waitFor();
    await pictures(page, 3);
  });

  step('a photo removed from the album stays in the library', async () => {
    await page.getByRole('checkbox', { name: /Select Photo, Tue, 1 April 2025/ }).click();
    await page.getByRole('button', { name: 'Remove from this album' }).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-part=tile]').length === 2);
    await page.getByText('2 items').first().waitFor();
    await go(page, 'Photos');
    await pictures(page, 4);
  });

  step('an archived photo moves from the timeline to the archive', async () => {
    await page.getByRole('checkbox', { name: /Select Photo, Tue, 2 May 2023/ }).click();
    await page.getByRole('button', { name: 'Move to the archive', exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-part=tile]').length === 3);
    await go(page, 'Archive');
    await page.getByRole('heading', { name: 'May 2023' }).waitFor();
    await pictures(page, 1);
  });

  step('on a phone no page scrolls sideways', async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto('/photos');
    await pictures(phone.page, 3);
    await eventually(() => getPageWidth(phone.page)).toBe(390);
    await tiles(phone.page).first().tap();
    await phone.page.getByRole('dialog', { name: 'Photo viewer' }).waitFor();
    await leavePhone(phone);
  });
});

chapter('a photo of the future', () => {
  step('is sorted by its upload, and marked', async () => {
    const [id] = await stage.add([photo('future.jpg', '2099:01:02 12:00:00')]);
    const { createdAt, fileCreatedAt } = await stage.api('GET', `/assets/${id}`);
    expect(fileCreatedAt).toBe(createdAt);
    await page.goto(`/photos/${id}`);
    await viewerOpened(page);
    await page.keyboard.press('i');
    await page.getByText('The file says Fri, 2 January 2099, which is in the future.').waitFor();
  });

  step('one of the past is not', async () => {
    await page.goto(`/photos/${ids[0]}`);
    await viewerOpened(page);
    await page.keyboard.press('i');
    await page.getByText('1 April 2025').first().waitFor();
    expect(await page.getByText('in the future').count()).toBe(0);
  });
});
