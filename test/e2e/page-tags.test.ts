import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import {
  type Api,
  choose,
  getDialog,
  go,
  holdToast,
  pictures,
  press,
  pressMore,
  toast,
  undo,
} from './people.ts';
import { until } from './server.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Tags in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  await stage.add(daysOfMay(5));
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 5);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('an owner tags photos', TIMEOUT_MS);

step('a path creates nested tags, and undo removes the tag only where it was added', async () => {
  await choose(page, '5 May 2024');
  await choose(page, '4 May 2024');
  await pressMore(page, 'Tag');
  await page.getByLabel('Find a tag, or name a new one').fill('Travel/Japan');
  await page.getByRole('button', { name: 'New tag “Travel/Japan”' }).click();
  await toast(page, '2 items tagged Japan');
  await choose(page, '5 May 2024');
  await choose(page, '3 May 2024');
  await pressMore(page, 'Tag');
  await page.getByRole('button', { name: 'Travel / Japan' }).click();
  await undo(page, '1 item tagged Japan');
  await go(page, 'Tags');
  await page.getByRole('link', { name: 'Japan 2' }).waitFor();
  await page.getByRole('link', { name: 'Travel 2' }).waitFor();
  expect(await listFaults(page)).toEqual([]);
});

step('tags can be renamed, coloured and created below others', async () => {
  await press(page, 'More about Japan');
  await page.getByRole('menuitem', { name: 'Rename, color' }).click();
  await page.getByLabel('Name').fill('Nippon');
  await page.getByRole('radio', { name: 'Blue' }).check();
  await press(page, 'Save');
  await page.getByRole('link', { name: 'Nippon 2' }).waitFor();
  await press(page, 'More about Nippon');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Escape');
  await press(page, 'More about Nippon');
  await page.getByRole('menuitem', { name: 'New tag below' }).click();
  await page.getByLabel('Name').fill('Kyoto');
  await press(page, 'Create');
  await page.getByRole('link', { name: 'Kyoto 0' }).waitFor();
  await eventually(async () =>
    (await api('GET', '/tags')).map(({ value }: { value: string }) => value).toSorted(),
  ).toEqual(['Travel', 'Travel/Nippon', 'Travel/Nippon/Kyoto']);
});

step('a tag can be moved below another by dragging or by name and back', async () => {
  const paths = async () =>
    (await api('GET', '/tags')).map(({ value }: { value: string }) => value).toSorted();
  const row = (name: string) => page.locator('[data-part=tree-row]', { hasText: name });
  await api('POST', '/tags', { name: 'Cities' });
  await page.reload();
  await row('Kyoto').dragTo(row('Cities'));
  await holdToast(page, 'Kyoto moved below Cities');
  await eventually(paths).toEqual(['Cities', 'Cities/Kyoto', 'Travel', 'Travel/Nippon']);
  await undo(page, 'Kyoto moved below Cities');
  await until('it is back', async () => (await paths()).includes('Travel/Nippon/Kyoto'));
  await page.getByRole('button', { name: 'Fold Nippon' }).waitFor();
  // Not below itself.
  await row('Travel').dragTo(row('Kyoto'));
  await press(page, 'More about Cities');
  await page.getByRole('menuitem', { name: 'Move' }).click();
  await page.getByLabel('Find a tag').fill('nip');
  expect(await listFaults(page)).toEqual([]);
  await getDialog(page).getByRole('button', { name: 'Travel / Nippon', exact: true }).click();
  await toast(page, 'Cities moved below Nippon');
  await press(page, 'More about Cities');
  await page.getByRole('menuitem', { name: 'Move' }).click();
  await press(page, 'To the top');
  await toast(page, 'Cities moved to the top');
  await until('it is at the top', async () => (await paths()).includes('Cities'));
});

step('selected photos can be dragged onto a tag', async () => {
  await go(page, 'Photos');
  await pictures(page, 5);
  await choose(page, '2 May 2024');
  await choose(page, '1 May 2024');
  const tile = page.locator('[data-part=tile][data-chosen] [data-part=tile-link]').first();
  await tile.hover();
  await page.mouse.down();
  const { x, y } = (await tile.boundingBox())!;
  await page.mouse.move(x + 60, y + 60, { steps: 3 });
  const target = page.locator('[data-part=tag-target]', { hasText: 'Cities' });
  await target.waitFor();
  await until('the tag below the pointer', async () => {
    const place = (await target.boundingBox())!;
    await page.mouse.move(place.x + 20, place.y + 20, { steps: 4 });
    return page.locator('[data-part=tag-target][data-over]').isVisible();
  });
  await page.mouse.up();
  await toast(page, '2 items tagged Cities');
  await page.locator('[data-part=tag-drop]').waitFor({ state: 'detached' });
  await page.locator('[data-part=tile][data-chosen]').first().waitFor({ state: 'detached' });
  await go(page, 'Tags');
  await page.getByRole('link', { name: 'Cities 2' }).waitFor();
  const cities = (await api('GET', '/tags')).find(
    ({ name }: { name: string }) => name === 'Cities',
  );
  await api('DELETE', `/tags/${cities.id}`);
  await page.reload();
});

step('the page of a tag shows photos of the tags below it and can untag photos', async () => {
  await page.getByRole('link', { name: 'Travel 2' }).click();
  await pictures(page, 2);
  await page.getByRole('link', { name: 'Nippon' }).click();
  await page.getByRole('heading', { name: 'Nippon' }).nth(1).waitFor();
  await pictures(page, 2);
  await choose(page, '4 May 2024');
  await press(page, 'Remove this tag');
  await pictures(page, 1);
});

step('deleting a tag keeps its photos', async () => {
  await go(page, 'Tags');
  await press(page, 'More about Travel');
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await getDialog(page).getByRole('button', { name: 'Delete tag' }).click();
  await page.getByText('No tags yet').waitFor();
  await go(page, 'Photos');
  await pictures(page, 5);
});
