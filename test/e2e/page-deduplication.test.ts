import { afterAll, beforeAll, expect } from 'bun:test';
import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { makeFolder } from '../support/libraries.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { getDialog, goToAdmin, press, toast } from './people.ts';
import { until } from './server.ts';
import { daysOfMay, enter, openOwnStage, type Stage, TIMEOUT_MS } from './stage.ts';
import type { Visitor } from './browser.ts';

// Physical deduplication in a real browser.

let stage: Stage;
let visitor: Visitor;
let page: Page;
let folder: string;

beforeAll(async () => {
  // The plan is that of a whole server.
  [stage, folder] = await Promise.all([openOwnStage(), makeFolder()]);
  for (const { name, buffer } of await Promise.all(daysOfMay(2))) {
    await Bun.write(join(folder, 'kept', name), buffer);
    await Bun.write(join(folder, 'copies', name), buffer);
  }
  // The server may run as another user.
  for (const name of ['', 'kept', 'copies']) await chmod(join(folder, name), 0o777);
  const library = await stage.api('POST', '/libraries', {
    ownerId: stage.account.id,
    importPaths: [folder],
  });
  await stage.api('POST', `/libraries/${library.id}/scan`);
  await until('all files are read', async () => {
    const [row] = await stage.database.sql`
      select count(sha256)::int as files from library_file where asset_id is not null`;
    return row!['files'] === 4;
  });
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  ({ page } = visitor);
}, TIMEOUT_MS);

afterAll(async () => {
  await stage?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

const rows = () => page.getByRole('table').locator('tbody tr');
const choices = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}: `) });
const countFiles = async () =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jpg')).length;

const { step } = journey('an administrator frees the space of copies', TIMEOUT_MS);

step('a preview shows copies beside the files that are kept', async () => {
  await goToAdmin(page, 'Deduplication');
  await press(page, 'Look for copies');
  await rows().first().waitFor();
  await eventually(() => rows().count()).toBe(2);
  await rows().first().getByText(folder).first().waitFor();
  await eventually(() => rows().first().locator('img').count()).toBe(2);
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('decisions are made by keys', async () => {
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('r');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('a');
  await page.getByText('1 copy approved', { exact: false }).waitFor();
  await eventually(() => choices('Reject').first().getAttribute('aria-pressed')).toBe('true');
  await eventually(() => choices('Approve').last().getAttribute('aria-pressed')).toBe('true');
  await until('the decisions are saved', async () => {
    const saved = await stage.database.sql`
      select decision from deduplication_copy where decision <> 'undecided'`;
    return saved.length === 2;
  });
});

step('the plan is applied to approved copies, and one is restored', async () => {
  await page.getByLabel('Master account').selectOption({ label: 'Admin' });
  await page.getByLabel('Files of copies').selectOption('quarantine');
  await until('the options are saved', async () => {
    const { physicalDeduplication: saved } = await stage.api('GET', '/admin/config/safelight');
    return saved.masterUserId !== null && saved.formerFiles === 'quarantine';
  });
  await press(page, 'Apply');
  await getDialog(page).getByText('read again before').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await getDialog(page).getByRole('button', { name: 'Apply', exact: true }).click();
  await toast(page, 'Started');
  await page.getByText('1 of 1 items').waitFor();
  await eventually(countFiles).toBe(3);
  await press(page, 'Check the files');
  await page.getByText('All kept files are intact').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await page.getByRole('button', { name: /^Restore / }).click();
  await toast(page, 'Restored');
  await eventually(countFiles).toBe(4);
});

step('a phone shows the same', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await listFaultsOfLooks(page)).toEqual([]);
  expect(visitor.problems).toEqual([]);
});
