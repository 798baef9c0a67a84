import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { createApi, getDialog, press } from './people.ts';
import { getSharedServer } from './shared.ts';
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

step(
  'the side tells how full the quota is, without one what the photos take, and a disk that fills up',
  async () => {
    const { url, adminKey } = await getSharedServer();
    const setQuota = (quotaSizeInBytes: number | null) =>
      createApi(url, adminKey)('PUT', `/admin/users/${stage.account.id}`, { quotaSizeInBytes });
    const bar = page.getByRole('progressbar', { name: 'Used of your quota' });
    const [photoId] = await stage.add([photo('quota.jpg', '2024:05:01 12:00:00')]);
    const { exifInfo } = await stage.api('GET', `/assets/${photoId}`);
    await setQuota(exifInfo.fileSizeInByte * 4);
    await page.reload();
    await eventually(() => bar.getAttribute('value')).toBe('0.25');
    expect(await page.getByRole('progressbar', { name: 'Used disk space' }).count()).toBe(0);
    expect(await listFaults(page)).toEqual([]);
    await setQuota(null);
    await page.reload();
    await page.getByText(/^[\d.,]+ .B of your photos$/).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    await page.route('**/api/server/storage', async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        json: { ...(await response.json()), diskUsagePercentage: 96 },
      });
    });
    await page.reload();
    await page.getByRole('progressbar', { name: 'Used disk space' }).waitFor();
    expect(await bar.count()).toBe(0);
    await page.unroute('**/api/server/storage');
  },
);

step('the characters of a password are shown on request, and are the same field', async () => {
  const field = page.getByLabel('New password', { exact: true });
  await page.goto('/settings');
  const show = field.locator('xpath=..').getByRole('button', { name: 'Show characters' });
  await field.fill('correct horse');
  expect(await field.getAttribute('type')).toBe('password');
  await show.click();
  await eventually(() => field.getAttribute('type')).toBe('text');
  expect(await show.getAttribute('aria-pressed')).toBe('true');
  expect(await field.inputValue()).toBe('correct horse');
  // The other fields of the form stay hidden.
  expect(await page.locator('input[type=password]').count()).toBeGreaterThan(0);
  await show.click();
  await eventually(() => field.getAttribute('type')).toBe('password');
  expect(await field.inputValue()).toBe('correct horse');
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
