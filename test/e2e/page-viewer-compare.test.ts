import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { addUser, choose, pictures, press, pressMore, viewerOpened } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Photos of a shared album, and two photos side by side, in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let ids: string[];

beforeEach(async () => {
  stage = await openStage();
  ids = await stage.add([
    photo('june.jpg', '2024:06:03 12:00:00'),
    photo('may.jpg', '2024:05:02 12:00:00'),
    photo('april.jpg', '2024:04:01 12:00:00'),
  ]);
  ada = await enter(stage);
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('somebody compares and likes photos', TIMEOUT_MS);

const read = (id: string | undefined) => stage.api('GET', `/assets/${id}`);

step('in a shared album, a heart and the number of comments are below the photo', async () => {
  const bob = await addUser(stage.freshApi, 'Bob');
  const { id: albumId } = await stage.api('POST', '/albums', {
    albumName: 'Party',
    assetIds: [ids[0]],
    albumUsers: [{ userId: bob.id, role: 'viewer' }],
  });
  const hers = await enter(stage, { as: bob, at: `/albums/${albumId}/photos/${ids[0]}` });
  await viewerOpened(hers.page);
  await press(hers.page, 'Like');
  await hers.page.getByRole('button', { name: 'Unlike' }).waitFor();
  // Somebody who only looks has no way to change the photo.
  const viewer = hers.page.getByRole('dialog', { name: 'Photo viewer' });
  expect(await viewer.getByRole('button', { name: /favorites|archive|trash/ }).count()).toBe(0);
  await viewer.getByRole('button', { name: 'Comments' }).click();
  await viewer.getByLabel('Write a comment').fill('Lovely');
  await press(hers.page, 'Send');
  await viewer.getByText('Lovely').waitFor();
  expect(await listFaults(hers.page)).toEqual([]);
  expect(hers.problems).toEqual([]);
});

step('two photos are compared side by side, zoomed together', async () => {
  await page.goto('/photos');
  await pictures(page, 3);
  await choose(page, '3 June 2024');
  await choose(page, '2 May 2024');
  await pressMore(page, 'Compare');
  const dialog = page.getByRole('dialog', { name: 'Compare' });
  await dialog.getByText('june.jpg').waitFor();
  await dialog.getByText('may.jpg').waitFor();
  const scales = () =>
    dialog
      .locator('figure > div > div')
      .evaluateAll((list) => list.map((one) => new DOMMatrix(getComputedStyle(one).transform).a));
  await eventually(scales).toEqual([1, 1]);
  await dialog.locator('figure').first().hover();
  await page.mouse.wheel(0, -600);
  await eventually(async () => ((await scales())[0] ?? 0) > 2).toBe(true);
  const [first, second] = await scales();
  expect(second).toBe(first);
  expect(await listFaults(page)).toEqual([]);
  await page.keyboard.press('0');
  await eventually(scales).toEqual([1, 1]);
});

step('the worse one goes to the trash from there', async () => {
  await press(page, 'Move may.jpg to the trash');
  await page.getByRole('dialog', { name: 'Compare' }).waitFor({ state: 'detached' });
  await eventually(async () => (await read(ids[1])).isTrashed).toBe(true);
  await pictures(page, 2);
});
