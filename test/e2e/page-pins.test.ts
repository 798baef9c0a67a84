import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, pictures, press, toast } from './people.ts';
import {
  daysOfMay,
  enter,
  leavePhone,
  onPhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';
import { journey } from '../support/journey.ts';

// Pins in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(daysOfMay(1));
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 1);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('an owner pins tags and albums', TIMEOUT_MS);

step('tags and albums can be pinned to the navigation and reordered', async () => {
  const [tag] = await api('PUT', '/tags', { tags: ['Nippon'] });
  await page.goto(`/tags/${tag.id}`);
  await press(page, 'Pin to the side');
  await toast(page, 'Pinned to the side');
  const album = await api('POST', '/albums', { albumName: 'Spring', assetIds: [ids[0]] });
  await page.goto(`/albums/${album.id}`);
  await press(page, 'Album actions');
  await page.getByRole('menuitem', { name: 'Pin to the side' }).click();
  const side = page.getByRole('region', { name: 'Pinned' });
  await side.getByRole('link', { name: 'Spring' }).waitFor();
  await eventually(() => side.getByRole('link').allTextContents()).toEqual(['Nippon', 'Spring']);
  await press(page, 'Order the pins');
  await press(page, 'Move Spring up');
  await side.getByRole('link').first().getByText('Spring').waitFor();
  await press(page, 'Unpin Nippon');
  await side.getByRole('link', { name: 'Nippon' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
});

step('on a phone the sheet "More" shows pins and the remaining pages', async () => {
  const phone = await onPhone(stage, ada);
  await phone.page.goto('/photos');
  await pictures(phone.page, 1);
  await phone.page.getByRole('button', { name: 'More', exact: true }).tap();
  const sheet = phone.page.getByRole('dialog', { name: 'More' });
  expect(await listFaults(phone.page)).toEqual([]);
  await sheet.getByRole('link', { name: 'Spring' }).tap();
  await phone.page.getByRole('heading', { name: 'Spring' }).last().waitFor();
  await sheet.waitFor({ state: 'detached' });
  await phone.page.getByRole('button', { name: 'More', exact: true }).tap();
  await sheet.getByRole('link', { name: 'Trash' }).tap();
  await phone.page.getByText('The trash is empty').waitFor();
  await leavePhone(phone);
});
