import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { addFace } from './faces.ts';
import { listFaults } from './faults.ts';
import { type Api, getDialog, go, pictures, press, undo } from './people.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// The list of albums, their groups and covers, in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];
let norway: { id: string };

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(daysOfMay(3));
  norway = await api('POST', '/albums', { albumName: 'Trips/Norway', assetIds: ids });
  await api('POST', '/albums', { albumName: 'Trips/Iceland', assetIds: [ids[0]] });
  await api('POST', '/albums', { albumName: 'Zoo' });
  ada = await enter(stage, { at: '/albums' });
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('an owner keeps albums in order', TIMEOUT_MS);

const listCards = () => page.locator('a[href^="/albums/"] > span:nth-of-type(2)').allTextContents();

step('names with a slash form a group, which is opened and left by its path', async () => {
  await page.getByRole('link', { name: /^Trips/ }).click();
  await eventually(listCards).toEqual(['Norway', 'Iceland']);
  expect(await listFaults(page)).toEqual([]);
  await page.reload();
  await page.getByRole('link', { name: /^Norway/ }).click();
  await pictures(page, 3);
  await page.getByRole('heading', { name: 'Norway', exact: true }).waitFor();
  await go(page, 'Trips');
  await page
    .getByRole('navigation', { name: 'Path' })
    .getByRole('link', { name: 'Albums' })
    .click();
  await page.getByRole('link', { name: /^Zoo/ }).waitFor();
  await eventually(listCards).toEqual(['Zoo']);
});

step('the order of albums is kept', async () => {
  await page.getByLabel('Sort albums').selectOption('Title');
  await page.reload();
  await page.getByRole('link', { name: /^Trips/ }).click();
  await eventually(listCards).toEqual(['Iceland', 'Norway']);
});

step('a cover that cannot be shown leaves its place empty', async () => {
  await page.route('**/thumbnail?*', (route) =>
    route.fulfill({ contentType: 'image/jpeg', body: 'no picture' }),
  );
  await page.goto('/albums');
  const cover = page.getByRole('link', { name: /^Trips/ }).locator('img');
  await eventually(() => cover.evaluate((image) => getComputedStyle(image).display)).toBe('none');
  await page.unroute('**/thumbnail?*');
  await page.goto('/albums');
  await eventually(() => cover.evaluate((image) => getComputedStyle(image).display)).toBe('block');
  await page.getByRole('link', { name: /^Trips/ }).click();
});

step('a cover is chosen among the photos, and undone', async () => {
  const getCover = async () =>
    (await api('GET', `/albums/${norway.id}`)).albumThumbnailAssetId as string;
  const before = await getCover();
  await page.getByRole('link', { name: /^Norway/ }).click();
  await press(page, 'Choose cover');
  const pressed = getDialog(page).getByRole('button', { pressed: true });
  await pressed.waitFor();
  expect(await listFaults(page)).toEqual([]);
  await getDialog(page)
    .getByRole('button', { name: /^Photo 3 of/ })
    .click();
  await eventually(getCover).not.toBe(before);
  await undo(page, 'Cover changed');
  await eventually(getCover).toBe(before);
});

step('the name and the description are changed in place, and undone', async () => {
  const read = async () => {
    const { albumName, description } = await api('GET', `/albums/${norway.id}`);
    return { albumName, description };
  };
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  await press(page, 'Norway');
  const name = page.getByRole('textbox', { name: 'Name' });
  expect(await name.inputValue()).toBe('Trips/Norway');
  expect(await listFaults(page)).toEqual([]);
  // Escape leaves it as it was.
  await name.fill('Trips/Nowhere');
  await page.keyboard.press('Escape');
  await heading('Norway').waitFor();
  expect(await read()).toEqual({ albumName: 'Trips/Norway', description: '' });

  await press(page, 'Norway');
  await name.fill('Trips/Fjords');
  await page.keyboard.press('Enter');
  await heading('Fjords').waitFor();
  await eventually(read).toEqual({ albumName: 'Trips/Fjords', description: '' });
  await undo(page, 'Saved');
  await heading('Norway').waitFor();

  await press(page, 'Add a description');
  await page.getByRole('textbox', { name: 'Description' }).fill('A week\nby boat');
  await page.getByRole('textbox', { name: 'Description' }).blur();
  await page.getByRole('button', { name: 'A week by boat' }).waitFor();
  await eventually(read).toEqual({ albumName: 'Trips/Norway', description: 'A week\nby boat' });
  await undo(page, 'Saved');
  await eventually(read).toEqual({ albumName: 'Trips/Norway', description: '' });
});

step('the people of an album lead to their photos in it, and back', async () => {
  const bea = await api('POST', '/people', { name: 'Bea' });
  await api('POST', '/people', { name: 'Elsewhere' });
  const unnamed = await api('POST', '/people', {});
  await addFace(api, { assetId: ids[1]!, personId: unnamed.id, x: 100 });
  await addFace(api, { assetId: ids[0]!, personId: bea.id, x: 100 });
  await page.reload();
  await pictures(page, 3);
  const people = page.getByRole('list', { name: 'People in this album' });
  await eventually(() => people.getByRole('link').allTextContents()).toEqual(['Bea']);
  await people.getByRole('link', { name: 'Bea' }).click();
  await pictures(page, 1);
  expect(await listFaults(page)).toEqual([]);
  await people.getByRole('link', { name: 'Bea' }).click();
  await pictures(page, 3);
});
