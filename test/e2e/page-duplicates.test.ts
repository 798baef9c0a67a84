import { afterAll, beforeAll, expect } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { MODELS } from '../support/models.ts';
import { MEDIA } from '../support/processing.ts';
import { type Photo, photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import {
  type Api,
  getPageWidth,
  holdToast,
  pictures,
  press,
  toast,
  undo,
  viewerOpened,
} from './people.ts';
import { until } from './server.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Duplicates in a real browser, found by the real model where it is here.

const IS_REAL = Boolean(MODELS && MEDIA);

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
/** Of three pictures: the whole one first, then its copies. */
let copies: string[][];
let alone: string;

beforeAll(async () => {
  const flags = IS_REAL ? [`--models=${MODELS}`] : [];
  stage = await openStage(...flags);
  ({ api } = stage);
  const names = ['prairie_falcon', 'tanners_ridge', 'wood_anemones', 'silver_fir'];
  const whole = await Promise.all(names.map(original));
  const made: Photo[][] = [
    [whole[0]!, await smaller(whole[0]!), await other(whole[0]!)],
    [whole[1]!, await smaller(whole[1]!)],
    [whole[2]!, await smaller(whole[2]!)],
  ];
  copies = [];
  for (const set of made) copies.push(await stage.add(set));
  [alone] = (await stage.add([whole[3]!])) as [string];
  for (const [at, [first]] of copies.entries()) {
    const dateTimeOriginal = `2024-05-0${3 - at}T12:00:00.000Z`;
    await api('PUT', `/assets/${first}`, { dateTimeOriginal });
  }
  if (!IS_REAL) await relate();
  await until('three sets', async () => (await api('GET', '/duplicates')).length === 3);
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 8);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

async function original(name: string): Promise<Photo> {
  if (!IS_REAL) return photo(`${name}.jpg`, '2024:05:01 12:00:00');
  const buffer = Buffer.from(await Bun.file(join(MEDIA!, `nature/${name}.jpg`)).arrayBuffer());
  return { name: `${name}.jpg`, mimeType: 'image/jpeg', buffer };
}
const smaller = async ({ name, buffer }: Photo): Promise<Photo> => ({
  name: `small ${name}`,
  mimeType: 'image/jpeg',
  buffer: await sharp(buffer).resize({ width: 320 }).jpeg({ quality: 70 }).toBuffer(),
});
const other = async ({ name, buffer }: Photo): Promise<Photo> => ({
  name: name.replace('.jpg', '.webp'),
  mimeType: 'image/webp',
  buffer: await sharp(buffer).webp({ quality: 60 }).toBuffer(),
});

/** As if a model had seen it. */
async function relate(): Promise<void> {
  const { sql } = stage.database;
  for (const [first, ...others] of copies) {
    for (const copy of others) {
      await sql`insert into duplicate_pair (owner_id, first_id, second_id, score, sameness)
        select owner_id, least(id, ${copy}::uuid), greatest(id, ${copy}::uuid), 0.99, 0.99
        from asset where id = ${first!}`;
    }
  }
}

const shows = (text: string) =>
  page.locator('[data-part=copies-head] h2', { hasText: text }).waitFor();
const files = (on = page) =>
  on.locator('[data-part=copy-fact]', { hasText: /^File/ }).locator('dd').allTextContents();
const isFirst = (name: string) => until(`${name} first`, async () => (await files())[0] === name);
const kept = () =>
  page
    .locator('[data-part=copy-choice]')
    .evaluateAll((list) => list.map((one) => one.hasAttribute('data-kept')));
const trashed = async (): Promise<string[]> =>
  (await api('GET', '/trash/items')).items.map(({ id }: { id: string }) => id).sort();

const { step } = journey('an owner decides about duplicates', TIMEOUT_MS);

step('sets are counted, and the newest is shown first with the best copy preselected', async () => {
  await page.getByRole('link', { name: 'Duplicates', exact: true }).click();
  await shows('Set 1 of 3');
  await page.getByText('3 sets of 7 items; up to').waitFor();
  await eventually(files).toEqual(['prairie_falcon.jpg', ...(await files()).slice(1).toSorted()]);
  await eventually(kept).toEqual([true, false, false]);
  await eventually(() =>
    page
      .locator('[data-part=copy]')
      .first()
      .locator('[data-part=copy-fact][data-kind=best] dt')
      .allTextContents(),
  ).toEqual(expect.arrayContaining(['Size']));
  await eventually(() =>
    page.locator('[data-part=copy-fact][data-kind=differs]', { hasText: /^Format/ }).count(),
  ).toBe(3);
  await eventually(() => page.getByText('silver_fir').count()).toBe(0);
  expect(await listFaults(page)).toEqual([]);
});

step('sets can be reviewed and decided by keyboard, and decisions can be undone', async () => {
  await page.keyboard.press('2');
  await eventually(kept).toEqual([true, true, false]);
  await page.keyboard.press('2');
  await page.keyboard.press('ArrowRight');
  await shows('Set 2 of 3');
  await isFirst('tanners_ridge.jpg');
  await page.keyboard.press('ArrowLeft');
  await isFirst('prairie_falcon.jpg');
  await page.keyboard.press('Enter');
  await toast(page, '2 items moved to the trash');
  await shows('Set 1 of 2');
  await isFirst('tanners_ridge.jpg');
  await eventually(trashed).toEqual(copies[0]!.slice(1).sort());
  await page.keyboard.press('z');
  await shows('Set 1 of 3');
  await isFirst('prairie_falcon.jpg');
  await eventually(trashed).toEqual([]);
  await eventually(() => api('GET', '/duplicates')).toHaveLength(3);
});

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
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(`**/duplicates/photos/${copies[1]![1]}`);
  await page.keyboard.press('Escape');
  await viewer.waitFor({ state: 'detached' });
  await shows('Set 1 of 2');
});

step('"Not duplicates" keeps all copies and hides the set until it is undone', async () => {
  await press(page, 'Not duplicates, keep all');
  await holdToast(page, 'All 2 stay');
  await shows('Set 1 of 1');
  await eventually(() => api('GET', '/duplicates')).toHaveLength(1);
  await undo(page, 'All 2 stay');
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

step('"Accept all" leaves out sets that may be different shots', async () => {
  const { sql } = stage.database;
  const set = (sameness: number) => sql`
    update duplicate_pair set score = 0.97, sameness = ${sameness}
    where first_id in ${sql(copies[2]!)} and second_id in ${sql(copies[2]!)}`;
  await set(0.8);
  const before = await trashed();
  await page.reload();
  await press(page, 'Accept all');
  await page.getByText('1 set that may be different shots is left for you to look at.').waitFor();
  await press(page, 'Trash 1 item');
  await holdToast(page, '1 set decided');
  await shows('Set 1 of 1');
  await isFirst('wood_anemones.jpg');
  await eventually(trashed).toHaveLength(before.length + 1);
  await undo(page, '1 set decided');
  await shows('Set 1 of 2');
  await set(0.99);
});

step('"Accept all" decides all sets, and undo restores all of them', async () => {
  await page.reload();
  await shows('Set 1 of 2');
  await press(page, 'Accept all');
  await press(page, 'Trash 2 items');
  await holdToast(page, '2 sets decided');
  await page.getByText('No duplicates').waitFor();
  await eventually(trashed).toHaveLength(4);
  await eventually(trashed).not.toContain(alone);
  await undo(page, '2 sets decided');
  await shows('Set 1 of 2');
  await eventually(trashed).toHaveLength(2);
});

step('no errors were reported', () => expect(ada.problems).toEqual([]));
