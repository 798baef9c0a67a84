import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { LOGIN, startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { type Api, go, goToAdmin, PHONE, press, toast } from './people.ts';
import { until } from './server.ts';
import { enter, enterAgain, leavePhone, openOwnStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Mail of the server, which all accounts share, and what an account is told, in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let smtp: TestSmtpServer;

beforeAll(async () => {
  [stage, smtp] = await Promise.all([openOwnStage(), startSmtpServer()]);
  ({ api } = stage);
  ada = await enter(stage, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  ({ page } = ada);
}, TIMEOUT_MS);

beforeEach(async () => {
  await page.goto('/');
  await page.getByRole('heading', { name: 'No photos yet' }).waitFor();
}, TIMEOUT_MS);

afterEach(() => {
  expect(ada.problems.filter((text) => !isRefusal(text))).toEqual([]);
});

afterAll(async () => {
  await stage?.close();
  await smtp?.stop();
}, TIMEOUT_MS);

const getMail = () => api('GET', '/admin/notifications/mail');
/** A browser writes every refusal into its console. */
const isRefusal = (text: string) => /status of 400 .*\/api\/admin\/notifications\//.test(text);

const { step, chapter } = journey('an administrator sets up mail', TIMEOUT_MS);

chapter('the mail settings', () => {
  step('can be tested before they are saved, and show the words of the server', async () => {
    await goToAdmin(page, 'Mail');
    await page.getByLabel('Server', { exact: true }).fill('127.0.0.1');
    await page.getByLabel('Port', { exact: true }).fill(String(smtp.port));
    await page.getByLabel('Accept any certificate').check();
    await page.getByLabel('Sender').fill('Photos <photos@example.com>');
    await page.getByLabel('User name').fill('photos');
    await page.getByLabel('Password').fill('wrong');
    await press(page, 'Send a test message to me');
    await page.getByText('Wrong password').waitFor();
    await page.getByLabel('User name').fill('');
    await page.getByLabel('Password').fill('');
    await press(page, 'Send a test message to me');
    await page.getByText('Check your inbox').waitFor();
    expect(smtp.received.map(({ to }) => to)).toEqual([stage.account.email]);
    await eventually(async () => (await getMail()).smtp.transport.host).toBe('');
  });

  step('are saved, and the password is not shown again', async () => {
    const { username, password } = LOGIN;
    await page.getByLabel('User name').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('Send mail').check();
    await page.getByLabel('Address of this page').fill('https://photos.example.com');
    await press(page, 'Save');
    await toast(page, 'Saved');
    await eventually(getMail).toMatchObject({
      hasPassword: true,
      externalDomain: 'https://photos.example.com',
      smtp: { enabled: true, transport: { username, password: '' } },
    });
    await page.reload();
    await page.getByText('Leave empty to keep the current one.').waitFor();
    await eventually(() => page.getByLabel('Password').inputValue()).toBe('');
    await press(page, 'Save');
    await toast(page, 'Saved');
    await eventually(async () => (await getMail()).hasPassword).toBe(true);
  });

  step('show a preview of a text in a frame where nothing runs', async () => {
    const text = 'Hello {recipientName} <b>not bold</b>';
    await page.getByRole('textbox', { name: 'Invitation to an album' }).fill(text);
    await press(page, 'Preview of “Invitation to an album”');
    const frame = page.locator('iframe');
    await eventually(() => frame.getAttribute('sandbox')).toBe('');
    await page.frameLocator('iframe').getByText('Hello Jane Doe <b>not bold</b>').waitFor();
    await page.keyboard.press('Escape');
  });

  step('refuse a placeholder that does not exist, beside its text', async () => {
    await page.getByRole('textbox', { name: 'Invitation to an album' }).fill('Hello {nobody}');
    await press(page, 'Save');
    await page.getByText('Unknown placeholder: {nobody}').waitFor();
    await page.reload();
    await page.getByLabel('Server', { exact: true }).waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });
});

chapter('what an account is told', () => {
  step('is chosen in the settings', async () => {
    await go(page, 'Settings');
    await page.getByLabel('A backup failed').uncheck();
    await page.getByLabel('Mail about new photos').uncheck();
    await until('both choices', async () => {
      const { notifications, emailNotifications } = await api('GET', '/users/me/preferences');
      return !notifications.backupFailed && !emailNotifications.albumUpdate;
    });
    await page.getByLabel('Send me mail').uncheck();
    await eventually(() => page.getByLabel('Mail when an album').isDisabled()).toBe(true);
    const saved = await api('GET', '/users/me/preferences');
    expect(saved.notifications).toMatchObject({ jobFailed: true, albumInvite: true });
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });
});

chapter('on a phone', () => {
  step('the mail settings fit', async () => {
    const phone = await enterAgain(stage, ada, { ...PHONE, reducedMotion: 'reduce' });
    await phone.page.goto('/admin/mail');
    await phone.page.getByLabel('Server', { exact: true }).waitFor();
    const card = await phone.page.getByRole('textbox', { name: 'Welcome' }).boundingBox();
    expect(card!.x + card!.width).toBeLessThan(PHONE.viewport.width);
    await leavePhone(phone);
  });
});
