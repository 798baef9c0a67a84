import { afterEach, beforeEach, expect } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { MODELS } from '../support/models.ts';
import { MEDIA } from '../support/requirements.ts';
import type { Photo, Visitor } from './browser.ts';
import {
  addCopies,
  type DuplicateStage,
  generatePhoto,
  listFiles,
  listTrashed,
  relateCopies,
  showsFirst,
  showsSet,
} from './duplicates.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, go, holdToast, pictures, toast, press, undo } from './people.ts';
import { until } from './server.ts';
import { openOwnStage, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Duplicates in a real browser, found by the real model where it is here.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let copies: DuplicateStage['copies'];

beforeEach(async () => {
  const opened = await openDuplicates();
  ({ stage, ada, copies } = opened);
  ({ page } = ada);
  ({ api } = stage);
  await until('three sets', async () => (await api('GET', '/duplicates')).length === 3);
  await pictures(page, 8);
}, TIMEOUT_MS);

async function openDuplicates(): Promise<DuplicateStage> {
  // Models are a setting of a whole server.
  if (MODELS && MEDIA) return addCopies(await openOwnStage(`--models=${MODELS}`), readPhoto);
  const opened = await addCopies(await openStage(), generatePhoto);
  await relateCopies(opened);
  return opened;
}

const readPhoto = async (name: string): Promise<Photo> => ({
  name: `${name}.jpg`,
  mimeType: 'image/jpeg',
  buffer: Buffer.from(await Bun.file(join(MEDIA!, `nature/${name}.jpg`)).arrayBuffer()),
});

afterEach(async () => {
  expect(ada.problems).toEqual([]);
  await stage.close();
}, TIMEOUT_MS);

const shows = (text: string) => showsSet(page, text);
const isFirst = (name: string) => showsFirst(page, name);
const trashed = () => listTrashed(stage);
const kept = () =>
  page
    .locator('[data-part=copy-choice]')
    .evaluateAll((list) => list.map((one) => one.hasAttribute('data-kept')));

const { step } = journey('an owner looks through duplicates', TIMEOUT_MS);

step('sets are counted, and the newest is shown first with the best copy preselected', async () => {
  await go(page, 'Duplicates');
  await shows('Set 1 of 3');
  await page.getByText('3 sets of 7 items; up to').waitFor();
  await eventually(() => listFiles(page)).toEqual([
    'prairie_falcon.jpg',
    ...(await listFiles(page)).slice(1).toSorted(),
  ]);
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

step(
  '"Trash identical copies" decides sets of identical pictures only, and undo restores them',
  async () => {
    await shows('Set 1 of 3');
    await press(page, 'Trash identical copies');
    await page.getByText('2 sets that only look the same are left for you to look at.').waitFor();
    await press(page, 'Trash 1 item');
    await holdToast(page, '1 set decided');
    await shows('Set 1 of 2');
    const [trashedId, ...others] = await trashed();
    expect(others).toEqual([]);
    expect(copies[2]).toContain(trashedId!);
    await undo(page, '1 set decided');
    await shows('Set 1 of 3');
    await eventually(trashed).toHaveLength(0);
  },
);
