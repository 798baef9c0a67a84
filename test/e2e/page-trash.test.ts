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
  toast,
  undo,
} from './people.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// The trash in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(daysOfMay(4));
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 4);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  // Refused on purpose: the review that was out of date.
  const unexpected = ada.problems.filter((text) => !text.endsWith('/api/trash/apply'));
  expect(unexpected).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('an owner moves photos to the trash and deletes them', TIMEOUT_MS);

step('photos move to the trash and can be restored', async () => {
  await choose(page, '4 May 2024');
  await choose(page, '3 May 2024');
  await press(page, 'Move to the trash');
  await holdToast(page, '2 items moved to the trash');
  await pictures(page, 2);
  await undo(page, '2 items moved to the trash');
  await pictures(page, 4);
});

step('emptying shows its effects first and is refused if the set has changed', async () => {
  await choose(page, '4 May 2024');
  await choose(page, '3 May 2024');
  await press(page, 'Move to the trash');
  await pictures(page, 2);
  await go(page, 'Trash');
  await pictures(page, 2);
  expect(await listFaults(page)).toEqual([]);
  await press(page, 'Empty trash');
  await getDialog(page).getByText('2', { exact: true }).waitFor();
  // Somebody else is at work in the same trash.
  await api('DELETE', '/assets', { ids: [ids[1]] });
  await getDialog(page).getByRole('button', { name: 'Empty the trash' }).click();
  await getDialog(page).getByRole('alert').getByText('The trash has changed meanwhile').waitFor();
  await getDialog(page).getByText('3', { exact: true }).waitFor();
  await eventually(async () => (await api('GET', '/trash/summary')).items).toBe(3);
  await getDialog(page).getByRole('button', { name: 'Cancel' }).click();
  await press(page, 'Restore all');
  await getDialog(page).getByRole('button', { name: 'Restore' }).click();
  await toast(page, '3 items restored');
  await page.getByText('The trash is empty').waitFor();
});

step('items can be sorted by deletion time, filtered by kind and searched by name', async () => {
  const shown = () =>
    page
      .locator('[data-part=tile-link]')
      .evaluateAll((links) => links.map((link) => (link as HTMLElement).dataset['id']));
  for (const at of [0, 2, 1]) await api('DELETE', '/assets', { ids: [ids[at]] });
  await pictures(page, 3);
  await eventually(shown).toEqual([ids[2], ids[1], ids[0]]);
  await page.getByLabel('Order').selectOption('Deleted most recently');
  await page.getByRole('heading', { name: 'Deleted most recently' }).waitFor();
  await pictures(page, 3);
  await eventually(shown).toEqual([ids[1], ids[2], ids[0]]);
  await page.getByLabel('Kind').selectOption('Videos');
  await page.getByText('No matches in the trash').waitFor();
  await press(page, 'Show everything');
  await pictures(page, 3);
  await page.getByLabel('Order').selectOption('Day taken');
  await page.getByRole('heading', { name: 'May 2024' }).waitFor();
  // The head is another one then, and one goes on typing.
  await page.getByLabel('Find by name').focus();
  await page.keyboard.type('3.j');
  await pictures(page, 1);
  // The selection below must be made in the list of this response.
  const listed = page.waitForResponse((response) => response.url().includes('query=3.jpg'));
  await page.keyboard.type('pg');
  await page.waitForFunction(
    () => (document.activeElement as HTMLInputElement | null)?.value === '3.jpg',
  );
  await listed;
  await pictures(page, 1);
  await eventually(shown).toEqual([ids[2]]);
  expect(await listFaults(page)).toEqual([]);
  await page.locator('[data-part=tile-check]').first().click();
  await press(page, 'Restore');
  await page.getByText('No matches in the trash').waitFor();
  await press(page, 'Show everything');
  await pictures(page, 2);
  await api('POST', '/trash/restore/assets', { ids: [ids[0], ids[1]] });
  await page.getByText('The trash is empty').waitFor();
});

step('chosen items are deleted permanently, others are kept', async () => {
  await api('DELETE', '/assets', { ids: [ids[3], ids[2]] });
  await pictures(page, 2);
  await choose(page, '4 May 2024');
  await press(page, 'Delete for good');
  await getDialog(page).getByText('This cannot be undone.').waitFor();
  await getDialog(page).getByRole('button', { name: 'Delete for good' }).click();
  await toast(page, '1 item deleted');
  await pictures(page, 1);
  await choose(page, '3 May 2024');
  await press(page, 'Restore');
  await page.getByText('The trash is empty').waitFor();
  await go(page, 'Photos');
  await pictures(page, 3);
});
