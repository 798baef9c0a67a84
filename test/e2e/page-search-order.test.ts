import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, pictures, press, toast, undo } from './people.ts';
import { until } from './server.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Order, days, years and saved searches of the search page in a real browser.

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

const { step, chapter } = journey('an owner sorts and keeps searches', TIMEOUT_MS);

chapter('results by date', () => {
  step('results by date stand below their days, and a click selects a day', async () => {
    const days = page.locator('[data-part=day]');
    await page.goto('/search?q=2023');
    await pictures(page, 3);
    await eventually(() => days.locator('h3').allTextContents()).toEqual([
      'Tue, 4 Jul 2023 · Rome',
      'Tue, 20 Jun 2023 · Paris',
      'Thu, 1 Jun 2023 · Paris',
    ]);
    expect(await listFaults(page)).toEqual([]);
    await days.getByText('20 Jun 2023').click();
    await page.getByText('1 item selected').waitFor();
    await days.getByText('20 Jun 2023').click();
    await eventually(() => page.getByText('1 item selected').count()).toBe(0);
    // The best matches first are in no order of days.
    await api('PUT', '/assets', { ids: [ids[2]], description: 'harbour' });
    await until('the description', async () => {
      const { assets } = await api('POST', '/search/smart', { query: 'harbour' });
      return assets.items.length === 1;
    });
    await page.goto('/search?q=harbour');
    await pictures(page, 1);
    expect(await days.count()).toBe(0);
    await page.goto('/search?q=Paris');
    await pictures(page, 3);
  });

  step('results can be sorted, which the address keeps', async () => {
    const order = page.getByRole('combobox', { name: 'Order of the results' });
    const listDays = () => page.locator('[data-part=day] h3').allTextContents();
    await page.goto('/search?q=2023');
    await pictures(page, 3);
    await eventually(() => order.locator('option').allTextContents()).toEqual([
      'Newest first',
      'Oldest first',
      'Recently added first',
    ]);
    await order.selectOption('Oldest first');
    await page.waitForURL(/sort=oldest/);
    await eventually(listDays).toEqual([
      'Thu, 1 Jun 2023 · Paris',
      'Tue, 20 Jun 2023 · Paris',
      'Tue, 4 Jul 2023 · Rome',
    ]);
    await page.reload();
    await pictures(page, 3);
    await eventually(() => order.inputValue()).toBe('oldest');
    await order.selectOption('Recently added first');
    await eventually(async () => (await listDays()).length).toBe(1);
    expect(await listFaults(page)).toEqual([]);
    await page.goto('/search?q=harbour');
    await pictures(page, 1);
    await eventually(() => order.inputValue()).toBe('best');
    await order.selectOption('Newest first');
    await eventually(listDays).toEqual(['Tue, 20 Jun 2023 · Paris']);
    await page.goto('/search?q=Paris');
    await pictures(page, 3);
  });

  step('a month is that of each year, and a chip offers the years', async () => {
    const added = await stage.add([await photo('june.jpg', '2019:06:15 12:00:00')]);
    await page.goto('/search?q=photos from June');
    await pictures(page, 3);
    await eventually(() => page.locator('.chip').allTextContents()).toEqual([' June', ' Any year']);
    await press(page, 'Change Any year');
    const dialog = page.getByRole('dialog', { name: 'When' });
    await eventually(() => dialog.locator('.values button').allTextContents()).toEqual([
      'Any year',
      '2023 2',
      '2019 1',
    ]);
    expect(await listFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: '2019' }).click();
    await pictures(page, 1);
    await eventually(() => page.locator('.chip').allTextContents()).toEqual([' June', ' 2019']);
    await press(page, 'Change 2019');
    await dialog.getByRole('button', { name: 'Any year' }).click();
    await pictures(page, 3);
    await chip('Any year').waitFor();
    await page.goto('/search?q=June 2023');
    await pictures(page, 2);
    await api('DELETE', '/assets', { ids: added, force: true });
  });

  step('on a phone the order, the days and the years fit the screen', async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto('/search?q=photos from June');
    await pictures(phone.page, 2);
    await phone.page.getByRole('combobox', { name: 'Order of the results' }).waitFor();
    await eventually(() => phone.page.locator('[data-part=day]').count()).toBe(2);
    const { scrollWidth, clientWidth } = await phone.page
      .locator('.timeline-scroll')
      .evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
    expect(scrollWidth).toBe(clientWidth);
    expect(await listFaults(phone.page)).toEqual([]);
    await phone.page.getByRole('button', { name: 'Change Any year' }).tap();
    await phone.page.getByRole('dialog', { name: 'When' }).getByText('2023').waitFor();
    expect(await listFaults(phone.page)).toEqual([]);
    await leavePhone(phone);
  });
});

chapter('what the search box suggests', () => {
  step('a search is saved under a name, suggested, and can be removed', async () => {
    const suggestions = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
    await page.goto('/search?q=photos from 2023&sort=oldest');
    await pictures(page, 3);
    await press(page, 'Save this search');
    const dialog = page.getByRole('dialog', { name: 'Save this search' });
    expect(await listFaults(page)).toEqual([]);
    await dialog.getByLabel('Name').fill('That year');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await toast(page, 'Search saved');
    await page.getByRole('button', { name: 'Remove this saved search' }).waitFor();
    await page.goto('/search?q=Rome');
    await pictures(page, 2);
    await box().fill('that');
    await eventually(() => suggestions.allTextContents()).toEqual(['That yearSaved search']);
    expect(await listFaults(page)).toEqual([]);
    await suggestions.first().click();
    await page.waitForURL(/q=photos\+from\+2023&sort=oldest/);
    await pictures(page, 3);
    await press(page, 'Remove this saved search');
    await undo(page, 'Saved search removed');
    await page.getByRole('button', { name: 'Remove this saved search' }).waitFor();
    await press(page, 'Remove this saved search');
    await page.getByRole('button', { name: 'Save this search' }).waitFor();
    await eventually(() => api('GET', '/search/saved')).toEqual([]);
  });

  step('months and years that have photos are suggested', async () => {
    const suggestions = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
    await page.goto('/search?q=Rome');
    await pictures(page, 2);
    await box().fill('Rome ju');
    await eventually(() => suggestions.allTextContents()).toEqual([
      'July 2023Date',
      'June 2023Date',
    ]);
    await suggestions.first().click();
    await pictures(page, 1);
    await eventually(() => box().inputValue()).toBe('Rome July 2023');
    await box().fill('202');
    await eventually(() => suggestions.allTextContents()).toEqual([
      '2024Date',
      '2023Date',
      '2021Date',
      'February 2024Date',
    ]);
    await page.keyboard.press('Escape');
  });
});
