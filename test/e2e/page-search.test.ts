import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, pictures, press, toast, undo, viewerOpened } from './people.ts';
import { until } from './server.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Searching in a real browser.

const TAKEN = ['2021:03:10', '2023:06:01', '2023:06:20', '2023:07:04', '2024:01:05', '2024:02:06'];
const PARIS = { latitude: 48.8566, longitude: 2.3522 };
const ROME = { latitude: 41.8919, longitude: 12.5113 };

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(TAKEN.map((day, at) => photo(`${at}.jpg`, `${day} 12:00:00`)));
  await api('PUT', '/assets', { ids: ids.slice(0, 3), ...PARIS });
  await api('PUT', '/assets', { ids: ids.slice(3, 5), ...ROME });
  await api('PUT', '/assets', { ids: [ids[1]], isFavorite: true });
  await until('names of the places', async () => {
    const cities = await api('GET', '/search/cities/counts');
    return cities.length === 2;
  });
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 6);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const box = (on = page) => on.getByRole('combobox', { name: 'Search your photos' });
const chip = (label: string) => page.locator('.chip', { hasText: label });
const total = (text: string) =>
  page.locator('[data-part=month-count]', { hasText: text }).waitFor();

const { step, chapter } = journey('an owner searches the library', TIMEOUT_MS);

chapter('a query and its filters', () => {
  step('the slash key focuses the search field, and a query becomes chips', async () => {
    await page.keyboard.press('/');
    await eventually(() => box().evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.type('favourites in Paris 2023');
    await page.keyboard.press('Enter');
    await pictures(page, 1);
    await eventually(() => page.locator('.chip').allTextContents()).toEqual([
      ' Favorites',
      ' Paris',
      ' 2023',
    ]);
    await total('1 item');
    expect(await listFaults(page)).toEqual([]);
  });

  step('names are suggested while typing, and chosen by keys or by a click', async () => {
    const suggestions = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
    await page.goto('/search?q=2023');
    await pictures(page, 3);
    await box().fill('2023 par');
    await eventually(() => suggestions.allTextContents()).toEqual(['ParisPlace']);
    expect(await listFaults(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await eventually(() => box().getAttribute('aria-activedescendant')).toMatch(/-0$/);
    await page.keyboard.press('Enter');
    await pictures(page, 2);
    await eventually(() => box().inputValue()).toBe('2023 Paris');
    expect(await suggestions.count()).toBe(0);
    await box().fill('rom');
    await suggestions.getByText('Rome').click();
    await page.waitForURL(/q=Rome/);
    await chip('Rome').waitFor();
    await pictures(page, 2);
    await box().fill('zzz');
    await eventually(() => suggestions.count()).toBe(0);
    // Without any words, the latest searches; they can be cleared.
    await box().fill('');
    await eventually(() => suggestions.allTextContents()).toEqual([
      'RomeRecent search',
      '2023 ParisRecent search',
      'favourites in Paris 2023Recent search',
      'Clear recent searches',
    ]);
    await page.keyboard.press('Escape');
    expect(await suggestions.count()).toBe(0);
    await page.keyboard.press('ArrowDown');
    await eventually(() => suggestions.count()).toBe(4);
    await page.keyboard.press('ArrowUp');
    await eventually(() => box().getAttribute('aria-activedescendant')).toMatch(/-3$/);
    await page.keyboard.press('Enter');
    await box().fill('a');
    await box().fill('');
    await eventually(() => suggestions.count()).toBe(0);
    await page.goto('/search?q=favourites in Paris 2023');
    await pictures(page, 1);
  });

  step('removing a chip removes its words, and going back restores them', async () => {
    await press(page, 'Remove Favorites');
    await pictures(page, 2);
    await eventually(() => box().inputValue()).toBe('in Paris 2023');
    await press(page, 'Remove 2023');
    await pictures(page, 3);
    await page.goBack();
    await pictures(page, 2);
    await page.goForward();
    await pictures(page, 3);
  });

  step('a chip can be changed to another existing value', async () => {
    await press(page, 'Change Paris');
    const dialog = page.getByRole('dialog', { name: 'Where' });
    await dialog.getByRole('button', { name: 'Rome' }).click();
    await pictures(page, 2);
    await chip('Rome').waitFor();
    await eventually(() => chip('Paris').count()).toBe(0);
  });

  step('facets narrow the results', async () => {
    await page.goto('/search?q=photos from 2023');
    await pictures(page, 3);
    const panel = page.getByRole('complementary', { name: 'Narrow the results' });
    await panel.getByRole('button', { name: /^Paris/ }).click();
    await pictures(page, 2);
    await chip('Paris').waitFor();
    await press(page, 'Remove Paris');
    await pictures(page, 3);
  });

  step(
    'how and by whom pictures were made are chips, and what was not understood is told',
    async () => {
      await page.goto('/search?q=photos I took in Rome without screenshots');
      await pictures(page, 2);
      await eventually(() => page.locator('.chip').allTextContents()).toEqual([
        ' Taken by me',
        ' Rome',
        ' Without: Screenshots',
      ]);
      await press(page, 'Remove Rome');
      await pictures(page, 6);
      await page.goto('/search?q=videos longer than a minute');
      await page.getByText('Nothing found').waitFor();
      await eventually(() => page.locator('.chip').allTextContents()).toEqual([
        ' Videos',
        ' Longer than 1:00',
      ]);
      await page.goto('/search?q=selfies zzzzqq');
      await page.getByText('Not understood: zzzzqq').waitFor();
      expect(await listFaults(page)).toEqual([]);
    },
  );

  step('dragging over the histogram or using the keyboard narrows the time', async () => {
    await page.goto('/search?q=only photos');
    await pictures(page, 6);
    await total('6 items');
    // The bars move when the facets beside them have come.
    const panel = page.getByRole('complementary', { name: 'Narrow the results' });
    await panel.getByRole('button', { name: /^Paris/ }).waitFor();
    const bars = page.getByRole('slider', { name: /Pictures over time/ });
    const { x, y, width, height } = (await bars.boundingBox())!;
    await page.mouse.move(x + width * 0.6, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.8, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await pictures(page, 3);
    await total('3 items');
    await eventually(() => page.locator('.chip').count()).toBe(2);
    await bars.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await pictures(page, 1);
  });
});

chapter('results', () => {
  step('the viewer moves through the results and returns to them', async () => {
    await page.goto('/search?q=Paris');
    await pictures(page, 3);
    await page.locator('[data-part=tile-link]').first().click();
    await viewerOpened(page);
    await page.waitForURL(/\/photos\//);
    const first = page.url();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => url.href !== first);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor({ state: 'detached' });
    await eventually(() => new URL(page.url()).search).toBe('?q=Paris');
  });

  step('what a picture shows is in its information, and can be confirmed and removed', async () => {
    const { sql } = stage.database;
    await sql`insert into asset_label (asset_id, source, label, score)
      values (${ids[0]!}, 'objects', 'dog', 0.8), (${ids[0]!}, 'tags', 'tabby', 0.3),
        (${ids[0]!}, 'tags', 'tub', 0.01), (${ids[0]!}, 'colours', 'red', 0.9)`;
    await page.goto(`/photos/${ids[0]}`);
    await viewerOpened(page);
    await press(page, 'Information');
    const labels = page.locator('section', { hasText: 'Seen in the picture' }).locator('.chip');
    await eventually(() => labels.allTextContents()).toEqual(['dog', 'tabby']);
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Remove tabby');
    await eventually(() => labels.allTextContents()).toEqual(['dog']);
    await undo(page, 'Label removed');
    await eventually(() => labels.allTextContents()).toEqual(['dog', 'tabby']);
    await press(page, 'Confirm dog');
    await eventually(() => page.getByRole('button', { name: 'Confirm dog' }).count()).toBe(0);
    await eventually(() => api('GET', `/assets/${ids[0]}/labels`)).toMatchObject([
      { label: 'dog', isRight: true },
      { label: 'tabby', isRight: null },
    ]);
    await press(page, 'Add a label');
    await page.getByRole('textbox', { name: 'Label' }).fill('goat');
    await page.keyboard.press('Escape');
    await eventually(() => page.getByRole('textbox', { name: 'Label' }).count()).toBe(0);
    await press(page, 'Add a label');
    await page.keyboard.type('goat');
    expect(await listFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await eventually(() => labels.allTextContents()).toEqual(['dog', 'goat', 'tabby']);
    await undo(page, 'Label added');
    await eventually(() => labels.allTextContents()).toEqual(['dog', 'tabby']);
    await labels.getByRole('link', { name: 'dog' }).click();
    await page.waitForURL(/q=dog/);
    await page.goto('/search?q=Paris');
    await pictures(page, 3);
  });

  step('results can be selected and archived', async () => {
    await page.locator('[data-part=tile]').first().hover();
    await page.locator('[data-part=tile-check]').first().click();
    await page.getByText('1 item selected').waitFor();
    await press(page, 'Move to the archive');
    await toast(page, '1 item archived');
    await pictures(page, 2);
  });

  step('Explore shows places and leads to their photos', async () => {
    await page.goto('/explore');
    await page.getByRole('link', { name: /^Rome/ }).click();
    await pictures(page, 2);
    await chip('Rome').waitFor();
    await page.goto('/search?q=zzzzqq 1987');
    await page.getByText('No results for “zzzzqq”').waitFor();
    await press(page, 'Show less certain results');
    await page.waitForURL(/less-certain/);
    await eventually(() =>
      page.getByRole('button', { name: 'Show less certain results' }).count(),
    ).toBe(0);
  });

  step('on a phone the search pages fit the screen', async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto('/explore');
    await box(phone.page).fill('2023');
    await phone.page.keyboard.press('Enter');
    await pictures(phone.page, 2);
    await phone.page.getByRole('button', { name: 'Filters' }).tap();
    await phone.page.getByRole('complementary', { name: 'Narrow the results' }).waitFor();
    await leavePhone(phone);
  });
});
