import { afterAll, beforeAll, expect } from 'bun:test';
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
  longPress,
  pictures,
  press,
  toast,
  undo,
} from './people.ts';
import { until } from './server.ts';
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

// The bar of a selection, archive, trash and Locked in a real browser.

const PIN = '482913';

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];

beforeAll(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(daysOfMay(6));
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 6);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const { step, chapter } = journey('an owner organises, deletes and locks photos', TIMEOUT_MS);

chapter('actions on a selection', () => {
  step('archives many photos and undoes it', async () => {
    await choose(page, '6 May 2024');
    await page
      .locator('[data-part=tile-link]')
      .nth(2)
      .click({ modifiers: ['Shift'] });
    await page.getByText('3 items selected').waitFor();
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Archive');
    await holdToast(page, '3 items archived');
    await pictures(page, 3);
    await undo(page, '3 items archived');
    await toast(page, '3 items back on the timeline');
    await pictures(page, 6);
  });

  step('marks favourites, and undo unmarks only those that were none before', async () => {
    await api('PUT', `/assets/${ids[0]}`, { isFavorite: true });
    await page.locator('[data-part=badge-favorite]').waitFor();
    await choose(page, '1 May 2024');
    await choose(page, '2 May 2024');
    await press(page, 'Add to favourites');
    await holdToast(page, '2 items marked as favourite');
    await until(
      'two favourites',
      async () => (await page.locator('[data-part=badge-favorite]').count()) === 2,
    );
    await undo(page, '2 items marked as favourite');
    await until(
      'one favourite',
      async () => (await page.locator('[data-part=badge-favorite]').count()) === 1,
    );
    await eventually(async () => (await api('GET', `/assets/${ids[0]}`)).isFavorite).toBe(true);
  });

  step('on a phone a long press starts a selection, and rare actions are in a menu', async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto('/photos');
    await pictures(phone.page, 6);
    await longPress(phone.page, '[data-part=tile-link]');
    await phone.page.locator('[data-part=tile-link]').nth(1).tap();
    await phone.page.locator('[data-part=tile][data-chosen]').nth(1).waitFor();
    await phone.page.getByRole('button', { name: 'More actions' }).tap();
    await eventually(() => phone.page.getByRole('menuitem').allTextContents()).toEqual([
      ' Tag',
      ' Stack',
      ' Lock',
      ' Share by link',
      ' Add to memory',
      ' Download',
    ]);
    await leavePhone(phone);
  });
});

chapter('the trash', () => {
  step('photos move to the trash and can be restored', async () => {
    await choose(page, '6 May 2024');
    await choose(page, '5 May 2024');
    await press(page, 'Move to the trash');
    await holdToast(page, '2 items moved to the trash');
    await pictures(page, 4);
    await undo(page, '2 items moved to the trash');
    await pictures(page, 6);
  });

  step('emptying shows its effects first and is refused if the set has changed', async () => {
    await choose(page, '6 May 2024');
    await choose(page, '5 May 2024');
    await press(page, 'Move to the trash');
    await pictures(page, 4);
    await go(page, 'Trash');
    await pictures(page, 2);
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Empty trash');
    await getDialog(page).getByText('2', { exact: true }).waitFor();
    // Somebody else is at work in the same trash.
    await api('DELETE', '/assets', { ids: [ids[3]] });
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
    await page.getByText('Nothing like that in the trash').waitFor();
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
    await page.getByText('Nothing like that in the trash').waitFor();
    await press(page, 'Show everything');
    await pictures(page, 2);
    await api('POST', '/trash/restore/assets', { ids: [ids[0], ids[1]] });
    await page.getByText('The trash is empty').waitFor();
  });

  step('chosen items are deleted permanently, others are kept', async () => {
    await api('DELETE', '/assets', { ids: [ids[5], ids[4]] });
    await pictures(page, 2);
    await choose(page, '6 May 2024');
    await press(page, 'Delete for good');
    await getDialog(page).getByText('This cannot be undone.').waitFor();
    await getDialog(page).getByRole('button', { name: 'Delete for good' }).click();
    await toast(page, '1 item deleted');
    await pictures(page, 1);
    await choose(page, '5 May 2024');
    await press(page, 'Restore');
    await page.getByText('The trash is empty').waitFor();
    await go(page, 'Photos');
    await pictures(page, 5);
  });
});

chapter('archiving the whole Timeline', () => {
  step('is counted, confirmed and undone from the archive', async () => {
    await go(page, 'Settings');
    await press(page, 'Archive everything');
    await getDialog(page).getByRole('button', { name: 'Archive 5 items' }).click();
    await page.waitForURL('**/archive');
    await pictures(page, 5);
    await page.locator('[data-part=operations]', { hasText: 'The whole timeline' }).waitFor();
    await page
      .locator('[data-part=operations]')
      .getByRole('button', { name: 'Undo' })
      .first()
      .click();
    await page.getByText('The archive is empty').waitFor();
    await go(page, 'Photos');
    await pictures(page, 5);
  });
});

chapter('Locked', () => {
  step('requires setting a PIN before the first photo is locked', async () => {
    await choose(page, '5 May 2024');
    await press(page, 'Lock');
    await getDialog(page).getByLabel('New PIN').fill(PIN);
    await getDialog(page).getByLabel('PIN again').fill('111111');
    await getDialog(page).getByRole('button', { name: 'Set the PIN' }).click();
    await getDialog(page).getByText('The two PINs are not the same.').waitFor();
    await getDialog(page).getByLabel('PIN again').fill(PIN);
    await getDialog(page).getByRole('button', { name: 'Set the PIN' }).click();
    await toast(page, '1 item locked');
    await pictures(page, 4);
    await go(page, 'Locked');
    await pictures(page, 1);
    expect(await listFaults(page)).toEqual([]);
  });

  step('closes, refuses a wrong PIN and opens with the right one', async () => {
    await press(page, 'Lock now');
    await page.getByRole('heading', { name: 'Locked photos' }).waitFor();
    await eventually(() => page.locator('[data-part=tile]').count()).toBe(0);
    await page.getByLabel('PIN', { exact: true }).fill('000000');
    await press(page, 'Unlock');
    await page.getByRole('alert').getByText('Wrong PIN code').waitFor();
    await page.getByLabel('PIN', { exact: true }).fill(PIN);
    await press(page, 'Unlock');
    await pictures(page, 1);
  });

  step('a photo is unlocked to where it was', async () => {
    await choose(page, '5 May 2024');
    await press(page, 'Move out of Locked');
    await page.getByText('Nothing is locked').waitFor();
    await go(page, 'Photos');
    await pictures(page, 5);
  });
});

step('no errors and no violations of the content security policy were reported', async () => {
  // Refused on purpose: the review that was out of date, and the wrong PIN.
  const expected = /\/api\/(trash\/apply|auth\/session\/unlock)$/;
  const unexpected = ada.problems.filter((text) => !expected.test(text));
  expect(unexpected).toEqual([]);
});
