import { afterAll, beforeAll, expect } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { getDialog, goToAdmin, press } from './people.ts';
import { enter, openOwnStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Backups of the database of a server, in a real browser.

let stage: Stage;
let visitor: Visitor;
let page: Page;
/** The bytes of a backup. */
let bytes: Buffer;
beforeAll(async () => {
  stage = await openOwnStage();
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
}, TIMEOUT_MS);
afterAll(() => stage?.close(), TIMEOUT_MS);

const card = () => page.getByRole('region', { name: 'Backups of the database', exact: true });
const backups = () => card().getByRole('listitem');

const { step } = journey('an administrator backs up the database', TIMEOUT_MS);

step('a backup is made and downloaded', async () => {
  await goToAdmin(page, 'Updates & backups');
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
  await page.locator('input[type=file][accept=".dump,.sql,.gz"]').setInputFiles(copy);
  await backups().filter({ hasText: 'uploaded-mine.dump' }).waitFor();
});

step('a backup is proved by a restore drill, and a broken one is told', async () => {
  const drill = card().getByRole('status').filter({ hasText: 'restored' });
  await press(page, 'Restore drill of uploaded-mine.dump');
  await drill.getByText('uploaded-mine.dump can be restored, with 1 account.').waitFor();
  const buffer = bytes.subarray(0, bytes.length / 2);
  const broken = { name: 'broken.dump', mimeType: 'application/octet-stream', buffer };
  await page.locator('input[type=file][accept=".dump,.sql,.gz"]').setInputFiles(broken);
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
  await schedule.getByLabel('Back up the database automatically').uncheck();
  await schedule.getByRole('button', { name: 'Save', exact: true }).click();
  await card()
    .getByText(/Next backup: /)
    .waitFor({ state: 'detached' });
  expect(visitor.problems).toEqual([]);
});
