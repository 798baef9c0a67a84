import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { getDialog, press } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// The settings of an account in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;

beforeEach(async () => {
  stage = await openStage();
  ada = await enter(stage, { at: '/settings' });
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('an owner looks after the account', TIMEOUT_MS);

step('shows which device changed which preference', async () => {
  await page.getByLabel('New albums begin with the').selectOption('oldest photo');
  await page.getByText('Saved').waitFor();
  await press(page, 'What was changed');
  await getDialog(page).getByText('Albums: default asset order').waitFor();
  await getDialog(page).getByText('(this one)').waitFor();
  await eventually(() => getDialog(page).locator('ins').textContent()).toBe('asc');
  await page.keyboard.press('Escape');
});

step('shows the backup progress of each device and can forget a device', async () => {
  await stage.api('POST', '/users/me/backup-devices', {
    deviceKey: 'a-phone',
    name: 'Ada’s phone',
    platform: 'ios',
    pendingCount: 12,
  });
  await page.getByRole('link', { name: 'Backup devices' }).click();
  await page.getByRole('article', { name: 'Ada’s phone' }).getByText('12').waitFor();
  expect(await listFaults(page)).toEqual([]);
  await press(page, 'Forget Ada’s phone');
  await press(page, 'Forget device');
  await page.getByText('No device has reported yet').waitFor();
});
