import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test';
import { chmod, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { decodeQR } from 'qr/decode.js';
import sharp from 'sharp';
import { journey } from '../support/journey.ts';
import { makeFolder } from '../support/libraries.ts';
import { LOGIN, startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { type Api, getDialog, goToAdmin, press, toast } from './people.ts';
import { until } from './server.ts';
import {
  daysOfMay,
  enter,
  leavePhone,
  onPhone,
  openOwnStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// The setup of a server whose account was just created, in a real browser. It belongs to the whole server, as all that
// it sets does.

const BOB = { name: 'Bob', email: 'bob@example.com', password: 'second account' };
const PHOTOS = 3;
const ADDRESS = 'http://nas.local:2283';

let stage: Stage;
let api: Api;
let ada: Visitor;
let page: Page;
let folder: string;
let mail: TestSmtpServer;

beforeAll(async () => {
  [stage, folder, mail] = await Promise.all([openOwnStage(), makeFolder(), startSmtpServer()]);
  ({ api } = stage);
  await chmod(folder, 0o755);
  for (const { name, buffer } of await Promise.all(daysOfMay(PHOTOS))) {
    await Bun.write(join(folder, name), buffer);
  }
  ada = await enter(stage);
  ({ page } = ada);
}, TIMEOUT_MS);

beforeEach(async () => {
  await setOnboarded(false);
  await page.goto('/');
}, TIMEOUT_MS);

afterEach(() => {
  expect(ada.problems.filter((text) => !/status of 400/.test(text))).toEqual([]);
});

afterAll(async () => {
  await stage?.close();
  await mail?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

const setOnboarded = (isOnboarded: boolean) =>
  api('POST', '/system-metadata/admin-onboarding', { isOnboarded });
const isOnboarded = async () =>
  (
    (await (await fetch(`${stage.server.url}/api/server/config`)).json()) as {
      isOnboarded: boolean;
    }
  ).isOnboarded;
const heading = (name: string, on = page) => on.getByRole('heading', { level: 1, name }).waitFor();
const next = () => page.getByRole('link', { name: 'Next', exact: true }).click();
const getConfig = () => api('GET', '/admin/config');
const getAddress = async () => (await getConfig()).server.externalDomain;
const saveAddress = async (externalDomain: string) => {
  const config = await getConfig();
  const server = { ...config.server, externalDomain };
  await stage.freshApi('PUT', '/admin/config', { ...config, server });
};

const { step, chapter } = journey('the administrator of a new server sets it up', 2 * TIMEOUT_MS);

chapter('a folder', () => {
  step('that is not there is refused where it was entered', async () => {
    await next();
    await heading('Add existing folders');
    await eventually(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    const field = page.getByRole('textbox', { name: 'Folder on the server' });
    await field.fill('/not/there');
    await press(page, 'Show this folder');
    await page.getByText('This folder is not there.').waitFor();
    await eventually(() => field.getAttribute('aria-invalid')).toBe('true');
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await press(page, 'Choose a folder');
    await getDialog(page).getByText('Only folders below those of the settings').waitFor();
    await page.keyboard.press('Escape');
    await field.fill(folder);
    await page.keyboard.press('Enter');
    const card = page.getByRole('article', { name: basename(folder) });
    await card.getByText(`${PHOTOS} items`).waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('stays after a reload, with the step', async () => {
    await page.reload();
    await heading('Add existing folders');
    const card = page.getByRole('article', { name: basename(folder) });
    await card.getByText(`${PHOTOS} items`).waitFor();
    await page.goto('/photos');
    await heading('Welcome to Safelight');
  });

  step('shows its photos once the setup is put off', async () => {
    await press(page, 'Skip');
    await page.getByRole('heading', { name: 'May 2024' }).waitFor();
  });
});

chapter('a phone', () => {
  step('is shown an address that it reaches', async () => {
    await saveAddress('');
    await page.getByRole('link', { name: 'Phone', exact: true }).click();
    await heading('Back up your phone');
    await page.getByText('A phone cannot reach this address').waitFor();
    const field = page.getByRole('textbox', { name: 'Address', exact: true });
    await field.fill('nas.local:2283/');
    const code = page.getByRole('img', { name: `QR code of ${ADDRESS}`, exact: true });
    await eventually(() => page.getByText('A phone cannot reach this address').count()).toBe(0);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    const picture = await code.screenshot();
    const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({
      resolveWithObject: true,
    });
    expect(decodeQR({ width: info.width, height: info.height, data })).toBe(ADDRESS);
    await press(page, 'Use it in links and mail too');
    await toast(page, 'Saved');
    await eventually(getAddress).toBe(ADDRESS);
  });
});

chapter('mail', () => {
  step('is tried before it is switched on', async () => {
    await saveAddress(ADDRESS);
    await page.goto('/setup/phone');
    await next();
    await heading('Send mail');
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await page.getByLabel('Server', { exact: true }).fill('127.0.0.1');
    await page.getByLabel('Port', { exact: true }).fill(String(mail.port));
    await page.getByLabel('Accept any certificate (unsafe)').check();
    await page.getByLabel('User name').fill(LOGIN.username);
    await page.getByLabel('Password', { exact: true }).fill(LOGIN.password);
    await page.getByLabel('Sender').fill('photos@example.com');
    await press(page, 'Send a test message to me');
    await page.getByText('Sent. Check your inbox.').waitFor();
    await page.getByLabel('Send mail', { exact: true }).check();
    await press(page, 'Save');
    await until('mail', async () => (await getConfig()).notifications.smtp.enabled);
    await eventually(getAddress).toBe(ADDRESS);
  });
});

chapter('backups', () => {
  step('are on, and their time can be changed', async () => {
    await page.goto('/setup/mail');
    await next();
    await heading('Keep backups');
    await eventually(() => page.getByLabel('Back up the database automatically').isChecked()).toBe(
      true,
    );
    await page.getByLabel('How often').selectOption('weekly');
    await page.getByLabel('Weekday').selectOption({ label: 'Wednesday' });
    await page.getByLabel('Time', { exact: true }).fill('04:30');
    await page.getByLabel('Backups to keep').fill('5');
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await press(page, 'Save');
    const getSchedule = async () => (await getConfig()).backup.database;
    await until('the schedule', async () => (await getSchedule()).cronExpression === '30 4 * * 3');
    await eventually(getSchedule).toMatchObject({ enabled: true, keepLastAmount: 5 });
    await page.getByLabel('How often').selectOption('cron');
    await page.getByLabel('Cron expression').fill('each day');
    await press(page, 'Save');
    await until(
      'a refusal',
      async () =>
        (await page.getByLabel('Cron expression').getAttribute('aria-invalid')) === 'true',
    );
  });

  step('are the last step: then the photos are shown', async () => {
    await stage.add(daysOfMay(1));
    await eventually(isOnboarded).toBe(false);
    await press(page, 'Go to the photos');
    await page.getByRole('heading', { name: 'May 2024' }).waitFor();
    await eventually(isOnboarded).toBe(true);
    await page.goto('/');
    await page.getByRole('heading', { name: 'May 2024' }).waitFor();
    await goToAdmin(page, 'Setup');
    await heading('Welcome to Safelight');
    await press(page, 'Skip');
    await page.getByRole('heading', { name: 'May 2024' }).waitFor();
  });
});

chapter('others', () => {
  step('use it on a phone', async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto('/setup/phone');
    await heading('Back up your phone', phone.page);
    // No phone scans its own screen.
    await phone.page.getByRole('button', { name: 'Copy address' }).waitFor();
    expect(await phone.page.getByRole('img', { name: /^QR code/ }).count()).toBe(0);
    await leavePhone(phone);
  });

  step('but administrators never see it', async () => {
    await api('POST', '/admin/users', { ...BOB, shouldChangePassword: false });
    const bob = await enter(stage, { as: BOB });
    await bob.page.getByRole('heading', { name: 'No photos yet' }).waitFor();
    await bob.page.goto('/setup/mail');
    await bob.page.waitForURL('**/photos');
    expect(bob.problems).toEqual([]);
    await bob.context.close();
  });
});
