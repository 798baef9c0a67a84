import { afterAll, beforeAll, expect } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { getDialog, go, press } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { until } from './server.ts';

// Backups, a restore and maintenance mode, in a real browser.

let stage: Stage;
let visitor: Visitor;
let page: Page;
/** Of a backup. */
let bytes: Buffer;
beforeAll(async () => {
  stage = await openStage();
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
}, TIMEOUT_MS);
afterAll(() => stage?.close(), TIMEOUT_MS);

const card = () => page.getByRole('region', { name: 'Backups of the database', exact: true });
const backups = () => card().getByRole('listitem');
const createTag = (name: string) => stage.api('POST', '/tags', { name });
const listTags = async () =>
  ((await stage.api('GET', '/tags')) as any[]).map(({ name }) => name as string);
const isServed = async () =>
  (await fetch(`${stage.server.url}/api/admin/maintenance/status`)
    .then((response) => response.json())
    .then(({ active }: any) => !active)) as boolean;

const { step } = journey('an administrator backs up and restores the database', 4 * TIMEOUT_MS);

step('a backup is made and downloaded', async () => {
  await createTag('before');
  await go(page, 'Updates & backups');
  await card().getByText('There is no backup yet').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Back up now');
  await card()
    .getByText(/Last backup: (just now|.* ago)/)
    .waitFor();
  await eventually(() => backups().count()).toBe(1);
  expect(await listFaultsOfLooks(page)).toEqual([]);
  const download = page.waitForEvent('download');
  await card()
    .getByRole('link', { name: /^Download safelight/ })
    .click();
  const file = await download;
  bytes = await readFile(await file.path());
  expect(bytes.subarray(0, 5).toString()).toBe('PGDMP');
  const copy = { name: 'mine.dump', mimeType: 'application/octet-stream', buffer: bytes };
  await page.locator('input[type=file][accept=".dump"]').setInputFiles(copy);
  await backups().filter({ hasText: 'uploaded-mine.dump' }).waitFor();
});

step('a backup is proved by a restore drill, and a broken one is told', async () => {
  const drill = card().getByRole('status').filter({ hasText: 'restored' });
  await press(page, 'Restore drill of uploaded-mine.dump');
  await drill.getByText('uploaded-mine.dump can be restored, with 1 account.').waitFor();
  const buffer = bytes.subarray(0, bytes.length / 2);
  const broken = { name: 'broken.dump', mimeType: 'application/octet-stream', buffer };
  await page.locator('input[type=file][accept=".dump"]').setInputFiles(broken);
  await backups().filter({ hasText: 'uploaded-broken.dump' }).waitFor();
  await press(page, 'Restore drill of uploaded-broken.dump');
  await drill.getByText(/^uploaded-broken\.dump cannot be restored: .*error/).waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Delete uploaded-broken.dump');
  await getDialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
  await backups().filter({ hasText: 'broken.dump' }).waitFor({ state: 'detached' });
});

step('the schedule is changed beside the backups', async () => {
  await card()
    .getByText(/Next backup: /)
    .waitFor();
  const schedule = page.getByRole('region', { name: 'Schedule', exact: true });
  await schedule.getByLabel('Back up the database by itself').uncheck();
  await schedule.getByRole('button', { name: 'Save', exact: true }).click();
  await card()
    .getByText(/Next backup: /)
    .waitFor({ state: 'detached' });
});

step('a backup is restored in maintenance mode, which leads back', async () => {
  await createTag('after');
  await page.getByRole('button', { name: 'Restore uploaded-mine.dump', exact: true }).click();
  await getDialog(page).getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByRole('heading', { name: 'Temporarily unavailable' }).waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await page.waitForURL((url) => url.pathname !== '/maintenance', { timeout: 2 * TIMEOUT_MS });
  await eventually(listTags).toEqual(['before']);
});

step('a backup is deleted after a question', async () => {
  await go(page, 'Updates & backups');
  await page.getByRole('button', { name: 'Delete uploaded-mine.dump', exact: true }).click();
  await getDialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
  // There may be another: the restored database was dumped by a job that it lets run again.
  await backups().filter({ hasText: 'uploaded-mine.dump' }).waitFor({ state: 'detached' });
});

step('maintenance mode restores a backup without the application, and is ended', async () => {
  await createTag('later');
  await press(page, 'Start maintenance mode');
  await getDialog(page).getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Logged in as Admin').waitFor();
  expect(await isServed()).toBe(false);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await listFaultsOfLooks(page)).toEqual([]);
  const copies = page.getByRole('listitem');
  await copies.filter({ hasText: 'safelight-scheduled-' }).first().waitFor();
  const dump = { mimeType: 'application/octet-stream', buffer: bytes };
  await page.getByLabel('Upload a backup:').setInputFiles({ name: 'again.dump', ...dump });
  await copies.filter({ hasText: 'uploaded-again.dump' }).waitFor();
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Restore: uploaded-again.dump' }).click();
  await page.waitForURL((url) => url.pathname !== '/maintenance', { timeout: 2 * TIMEOUT_MS });
  await eventually(listTags).toEqual(['before']);
  await page.setViewportSize({ width: 1440, height: 900 });
});

step('a restore is rolled back after what is lost was shown', async () => {
  await createTag('lost');
  await createTag('lost too');
  await go(page, 'Updates & backups');
  await press(page, 'Roll back …');
  await getDialog(page).getByText('3 → 2').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await getDialog(page).getByRole('button', { name: 'Roll back', exact: true }).click();
  await page.getByRole('heading', { name: 'Temporarily unavailable' }).waitFor();
  await page.waitForURL((url) => url.pathname !== '/maintenance', { timeout: 2 * TIMEOUT_MS });
  expect((await listTags()).sort()).toEqual(['before', 'later']);
});

step('maintenance mode shows the log, rolls back and is ended', async () => {
  await go(page, 'Updates & backups');
  await press(page, 'Start maintenance mode');
  await getDialog(page).getByRole('button', { name: 'Start', exact: true }).click();
  const log = page.getByRole('region', { name: 'Log', exact: true });
  await log.getByText('Safelight is in maintenance mode').waitFor();
  expect(await log.textContent()).not.toMatch(/token=\w/);
  expect(await listFaultsOfLooks(page)).toEqual([]);
  const download = page.waitForEvent('download');
  await press(page, 'Download the log');
  expect((await download).suggestedFilename()).toBe('safelight.log');
  page.once('dialog', (dialog) => {
    expect(dialog.message()).toMatch(/All changes since then are lost/);
    void dialog.accept();
  });
  await press(page, 'Roll back');
  await page.waitForURL((url) => url.pathname !== '/maintenance', { timeout: 2 * TIMEOUT_MS });
  expect((await listTags()).sort()).toEqual(['before', 'lost', 'lost too']);
  await go(page, 'Updates & backups');
  await press(page, 'Start maintenance mode');
  await getDialog(page).getByRole('button', { name: 'Start', exact: true }).click();
  await press(page, 'End maintenance mode');
  await until('the application', isServed);
  await page.waitForURL((url) => url.pathname !== '/maintenance', { timeout: 2 * TIMEOUT_MS });
});

const changeMode = (action: 'start' | 'end', headers: Record<string, string>) =>
  fetch(`${stage.server.url}/api/admin/maintenance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ action }),
  });

/** Starts maintenance mode as another program would. Returns the function that ends it. */
async function startElsewhere(): Promise<() => Promise<unknown>> {
  await page.context().clearCookies({ name: 'immich_maintenance_token' });
  const started = await changeMode('start', { 'x-api-key': stage.account.apiKey });
  const cookie = started.headers.get('set-cookie')!.split(';')[0]!;
  return () => changeMode('end', { cookie });
}

step(
  'a page that was open elsewhere is led through maintenance mode, and nowhere else',
  async () => {
    await go(page, 'Updates & backups');
    const { pathname, origin } = new URL(page.url());
    const end = await startElsewhere();
    await page.getByRole('heading', { name: 'Temporarily unavailable' }).waitFor();
    await end();
    await page.waitForURL((url) => url.pathname === pathname, { timeout: 2 * TIMEOUT_MS });
    await card().waitFor();
    const endAgain = await startElsewhere();
    await until('maintenance mode', async () => !(await isServed()));
    await page.goto(`/maintenance?${new URLSearchParams({ continue: '/\t/example.com/' })}`);
    await endAgain();
    await page.waitForURL((url) => url.pathname !== '/maintenance', { timeout: 2 * TIMEOUT_MS });
    expect(new URL(page.url()).origin).toBe(origin);
    expect(visitor.problems.filter((text) => !isOfChange(text))).toEqual([]);
  },
);

/** Pages ask every few seconds, also while the mode changes. */
const isOfChange = (text: string) =>
  /status of (?:401|503) .*\/api\/|socket\.io.* response code: 503/.test(text);
