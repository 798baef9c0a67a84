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
  longPress,
  pictures,
  press,
  pressMore,
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

// The bar of a selection, the archive and Locked in a real browser.

const PIN = '482913';

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
  // Refused on purpose: the wrong PIN, and a shift out of the calendar.
  const refused = ['/api/auth/session/unlock', '/api/metadata-changes/preview'];
  const unexpected = ada.problems.filter((text) => !refused.some((path) => text.endsWith(path)));
  expect(unexpected).toEqual([]);
}, TIMEOUT_MS);

const { step, chapter } = journey('an owner organises and locks photos', TIMEOUT_MS);

chapter('actions on a selection and on the whole timeline', () => {
  step('archives many photos and undoes it', async () => {
    await choose(page, '4 May 2024');
    await page
      .locator('[data-part=tile-link]')
      .nth(2)
      .click({ modifiers: ['Shift'] });
    await page.getByText('3 items selected').waitFor();
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Move to the archive');
    await holdToast(page, '3 items archived');
    await pictures(page, 1);
    await undo(page, '3 items archived');
    await toast(page, '3 items back on the timeline');
    await pictures(page, 4);
  });

  step('marks favourites, and undo unmarks only those that were none before', async () => {
    await api('PUT', `/assets/${ids[0]}`, { isFavorite: true });
    await page.locator('[data-part=badge-favorite]').waitFor();
    await choose(page, '1 May 2024');
    await choose(page, '2 May 2024');
    await press(page, 'Add to favorites');
    await holdToast(page, '2 items marked as favorite');
    await until(
      'two favourites',
      async () => (await page.locator('[data-part=badge-favorite]').count()) === 2,
    );
    await undo(page, '2 items marked as favorite');
    await until(
      'one favourite',
      async () => (await page.locator('[data-part=badge-favorite]').count()) === 1,
    );
    await eventually(async () => (await api('GET', `/assets/${ids[0]}`)).isFavorite).toBe(true);
  });

  step('on a phone a long press starts a selection, and rare actions are in a menu', async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto('/photos');
    await pictures(phone.page, 4);
    await longPress(phone.page, '[data-part=tile-link]');
    await phone.page.locator('[data-part=tile-link]').nth(1).tap();
    await phone.page.locator('[data-part=tile][data-chosen]').nth(1).waitFor();
    await phone.page.getByRole('button', { name: 'More actions' }).tap();
    await eventually(() => phone.page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Tag',
      'Edit date and place',
      'Stack',
      'Compare',
      'Lock',
      'Add to memory',
      'Download',
    ]);
    await leavePhone(phone);
  });

  step(
    'archiving the whole timeline is counted, confirmed and undone from the archive',
    async () => {
      await go(page, 'Settings');
      await press(page, 'Archive everything');
      await getDialog(page).getByRole('button', { name: 'Archive 4 items' }).click();
      await page.waitForURL('**/archive');
      await pictures(page, 4);
      await page.locator('[data-part=operations]', { hasText: 'The whole timeline' }).waitFor();
      await page
        .locator('[data-part=operations]')
        .getByRole('button', { name: 'Undo' })
        .first()
        .click();
      await page.getByText('The archive is empty').waitFor();
      await go(page, 'Photos');
      await pictures(page, 4);
    },
  );
});

chapter('dates and places', () => {
  const getExif = async (id: string) => (await api('GET', `/assets/${id}`)).exifInfo;

  step(
    'dates of a selection are shifted as the preview says, and one undo restores them',
    async () => {
      const before = await Promise.all(ids.map(getExif));
      await choose(page, '1 May 2024');
      await choose(page, '2 May 2024');
      await pressMore(page, 'Edit date and place');
      const dialog = getDialog(page);
      await dialog.getByLabel('Date', { exact: true }).selectOption('Shift the date');
      await dialog.getByLabel('Days').fill('30000');
      await dialog.getByText('Shift: no date may come before').waitFor();
      await dialog.getByLabel('Days').fill('1');
      await dialog.getByLabel('Direction').selectOption('Earlier');
      await dialog.getByText('2 items change').waitFor();
      await eventually(() => dialog.locator('ins').count()).toBe(2);
      expect(await listFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await holdToast(page, '2 items changed');
      const [first] = await Promise.all(ids.map(getExif));
      expect(Date.parse(before[0].dateTimeOriginal) - Date.parse(first.dateTimeOriginal)).toBe(
        86_400_000,
      );
      await undo(page, '2 items changed');
      await toast(page, 'Change undone');
      expect(await Promise.all(ids.map(getExif))).toEqual(before);
    },
  );

  step('a place is found by name or chosen on the map, and removed again', async () => {
    await choose(page, '1 May 2024');
    await pressMore(page, 'Edit date and place');
    const dialog = getDialog(page);
    await dialog.getByLabel('Place', { exact: true }).selectOption('Choose a place');
    await dialog.getByLabel('Find a town').fill('lisbon');
    await dialog
      .getByRole('button', { name: /^Lisbon/ })
      .first()
      .click();
    await dialog.getByText('Lisbon, Lisbon, Portugal').waitFor();
    await dialog.locator('[data-part=place-map]').click({ position: { x: 20, y: 20 } });
    await eventually(() => dialog.getByText('38.71667, -9.13333').count()).toBe(0);
    await dialog.getByLabel('Rating').selectOption('4 stars');
    await dialog.getByText('Replace the description').click();
    await dialog.getByRole('textbox', { name: 'Description' }).fill('At the sea');
    expect(await listFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await holdToast(page, '1 item changed');
    expect(await getExif(ids[0]!)).toMatchObject({
      country: 'Portugal',
      rating: 4,
      description: 'At the sea',
    });
    await undo(page, '1 item changed');
    await toast(page, 'Change undone');
    // The toast of the step before says the same.
    await eventually(() => getExif(ids[0]!)).toMatchObject({ latitude: null, rating: null });
  });
});

chapter('Locked', () => {
  step('requires setting a PIN before the first photo is locked', async () => {
    await choose(page, '4 May 2024');
    await pressMore(page, 'Lock');
    await getDialog(page).getByLabel('New PIN').fill(PIN);
    await getDialog(page).getByLabel('PIN again').fill('111111');
    await getDialog(page).getByRole('button', { name: 'Set the PIN' }).click();
    await getDialog(page).getByText('The two PINs are not the same.').waitFor();
    await getDialog(page).getByLabel('PIN again').fill(PIN);
    await getDialog(page).getByRole('button', { name: 'Set the PIN' }).click();
    await toast(page, '1 item locked and hidden from albums');
    await pictures(page, 3);
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

  step('on a phone the PIN is entered on a pad, which sends it with the last digit', async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto('/locked');
    const pad = phone.page.getByRole('group', { name: 'Digits' });
    const field = phone.page.getByLabel('PIN', { exact: true });
    const tap = async (digits: string) => {
      for (const digit of digits) await pad.getByRole('button', { name: digit, exact: true }).tap();
    };
    await phone.page.getByRole('button', { name: 'Lock now' }).tap();
    await phone.page.getByRole('heading', { name: 'Locked photos' }).waitFor();
    await tap('48');
    await pad.getByRole('button', { name: 'Delete the last digit' }).tap();
    expect(await field.inputValue()).toBe('4');
    // The pad is the keyboard: no other one covers it.
    expect(await field.getAttribute('inputmode')).toBe('none');
    await tap('00000');
    await phone.page.getByRole('alert').getByText('Wrong PIN code').waitFor();
    expect(await field.inputValue()).toBe('');
    expect(await phone.page.locator('[data-part=tile]').count()).toBe(0);
    await tap(PIN);
    await pictures(phone.page, 1);
    phone.problems.splice(0);
    await leavePhone(phone);
    // With a mouse there is a keyboard.
    expect(await page.getByRole('group', { name: 'Digits' }).count()).toBe(0);
  });

  step('a photo is unlocked to where it was', async () => {
    await choose(page, '4 May 2024');
    await press(page, 'Move out of Locked');
    await page.getByText('Nothing is locked').waitFor();
    await go(page, 'Photos');
    await pictures(page, 4);
  });
});
