import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Visitor } from './browser.ts';
import {
  addCopies,
  type DuplicateStage,
  generatePhoto,
  listTrashed,
  relateCopies,
  showsFirst,
  showsSet,
} from './duplicates.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, getPageWidth, holdToast, press, toast, undo, viewerOpened } from './people.ts';
import { leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Decisions about duplicates, set by set, in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let copies: DuplicateStage['copies'];

beforeEach(async () => {
  const opened = await addCopies(await openStage(), generatePhoto);
  await relateCopies(opened);
  ({ stage, ada, copies } = opened);
  ({ page } = ada);
  ({ api } = stage);
  await page.goto('/duplicates');
  await shows('Set 1 of 3');
}, TIMEOUT_MS);

afterEach(async () => {
  expect(ada.problems).toEqual([]);
  await stage.close();
}, TIMEOUT_MS);

const shows = (text: string) => showsSet(page, text);
const isFirst = (name: string) => showsFirst(page, name);
const trashed = () => listTrashed(stage);

const { step } = journey('an owner decides about duplicates', TIMEOUT_MS);

step('rating, description and albums of the trashed copies move to the kept one', async () => {
  const [first, copy] = copies[0]!;
  const album = await api('POST', '/albums', { albumName: 'Birds', assetIds: [copy] });
  await api('PUT', `/assets/${copy}`, { rating: 4, description: 'On the fence' });
  await page.reload();
  await page
    .locator('[data-part=copy-fact][data-kind=differs]', { hasText: 'On the fence' })
    .waitFor();
  await press(page, 'Keep 1, trash 2');
  await toast(page, '2 items moved to the trash');
  await shows('Set 1 of 2');
  const { exifInfo } = await api('GET', `/assets/${first}`);
  expect(exifInfo.rating).toBe(4);
  expect(exifInfo.description.split('\n')).toContain('On the fence');
  const albums = await api('GET', `/albums?assetId=${first}`);
  expect(albums.map(({ id }: { id: string }) => id)).toEqual([album.id]);
});

step('copies open in the viewer in order', async () => {
  await page.locator('[data-part=copy-picture]').first().click();
  const viewer = page.getByRole('dialog', { name: 'Photo viewer' });
  await viewerOpened(page);
  await page.waitForURL(`**/duplicates/photos/${copies[1]![0]}`);
  // Until it knows the next one, the key does nothing.
  await viewer.getByRole('button', { name: 'Next photo', disabled: false }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(`**/duplicates/photos/${copies[1]![1]}`);
  await page.keyboard.press('Escape');
  await viewer.waitFor({ state: 'detached' });
  await shows('Set 1 of 2');
});

step('"Not duplicates" keeps all copies and hides the set until it is undone', async () => {
  await press(page, 'Not duplicates, keep all');
  await holdToast(page, 'All 2 are kept');
  await shows('Set 1 of 1');
  await eventually(() => api('GET', '/duplicates')).toHaveLength(1);
  await undo(page, 'All 2 are kept');
  await shows('Set 1 of 2');
  await isFirst('tanners_ridge.jpg');
});

step('a set can be stacked, and stacking can be undone', async () => {
  await press(page, 'Stack');
  await toast(page, '2 items stacked');
  await shows('Set 1 of 1');
  await eventually(() => api('GET', '/stacks')).toMatchObject([{ primaryAssetId: copies[1]![0] }]);
  await page.keyboard.press('z');
  await shows('Set 1 of 2');
  await eventually(() => api('GET', '/stacks')).toEqual([]);
});

step('a set that changed elsewhere is not decided', async () => {
  const [one, two] = copies[1]!;
  await api('DELETE', '/assets', { ids: [one] });
  await page.keyboard.press('Enter');
  await toast(page, 'changed meanwhile');
  await shows('Set 1 of 1');
  await isFirst('wood_anemones.jpg');
  await eventually(trashed).not.toContain(two!);
  await api('POST', '/trash/restore/assets', { ids: [one] });
});

step('on a phone two copies are shown side by side', async () => {
  const phone = await onPhone(stage, ada);
  await phone.page.goto('/duplicates');
  await phone.page.locator('[data-part=copy]').nth(1).waitFor();
  await eventually(async () => {
    const [left, right] = await phone.page
      .locator('[data-part=copy]')
      .evaluateAll((list) => list.map((one) => one.getBoundingClientRect().left));
    return right! - left!;
  }).toBeLessThan(300);
  await eventually(() => getPageWidth(phone.page)).toBe(390);
  await phone.page.locator('[data-part=copy-choice]').nth(1).tap();
  await phone.page.getByRole('button', { name: 'Keep all 2' }).waitFor();
  await leavePhone(phone);
});

step('bursts are apart from duplicates, and can be stacked or left as they are', async () => {
  const { sql } = stage.database;
  for (const [at, id] of copies[1]!.entries()) {
    await sql`update asset_exif set model = 'Camera One', lens_model = null,
      date_time_original = ${`2024-05-02T12:00:0${at}.5Z`} where asset_id = ${id}`;
  }
  await page.reload();
  await shows('Set 1 of 1');
  await isFirst('wood_anemones.jpg');
  await press(page, '1 burst');
  await isFirst('tanners_ridge.jpg');
  await eventually(() => page.locator('[data-part=copy-choice]').count()).toBe(0);
  await page.getByRole('button', { name: 'No stack, keep all' }).waitFor();
  expect(await listFaults(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await toast(page, '2 items stacked');
  await eventually(() => api('GET', '/stacks')).toMatchObject([{ primaryAssetId: copies[1]![0] }]);
  await page.getByText('No duplicates').waitFor();
  await page.keyboard.press('z');
  await shows('Set 1 of 1');
});
