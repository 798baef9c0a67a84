import { afterAll, beforeAll, expect } from 'bun:test';
import { randomUUIDv7 } from 'bun';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { getDialog, goToAdmin, press } from './people.ts';
import { daysOfMay, enter, openOwnStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The checks of all files of a server, in a real browser.

let stage: Stage;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  stage = await openOwnStage();
  await stage.add(daysOfMay(2));
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const card = (name: string) => page.getByRole('region', { name, exact: true });
const entries = (name: string) => card(name).getByRole('listitem');

const { step } = journey('an administrator checks the files', TIMEOUT_MS);

step('a check that finds nothing says when it was complete', async () => {
  await goToAdmin(page, 'Integrity');
  await card('Damaged files').getByText('Not checked completely yet').waitFor();
  await card('Damaged files').getByRole('button', { name: 'Check now' }).click();
  await card('Damaged files')
    .getByText(/0 files · Last complete check: (just now|.* ago)/)
    .waitFor();
  await eventually(() => card('Damaged files').getByRole('button').count()).toBe(1);
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('what was found is listed and can be downloaded', async () => {
  const { sql } = stage.database;
  for (const name of ['one.jpg', 'two.jpg', '=three.jpg']) {
    const id = randomUUIDv7();
    await sql`insert into integrity_report (id, type, path, scan_id, created_at)
      values (${id}, 'untracked_file', ${`originals/${name}`}, ${id}, now())`;
  }
  await entries('Untracked files').filter({ hasText: 'originals/one.jpg' }).waitFor();
  await eventually(() => entries('Untracked files').count()).toBe(3);
  await eventually(() => entries('Missing files').count()).toBe(0);
  const download = page.waitForEvent('download');
  await card('Untracked files').getByRole('link', { name: 'Download the list' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('untracked_file.csv');
  expect(await readFile(await file.path(), 'utf8')).toContain('originals/two.jpg');
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('an entry is deleted after a question, and others by looking again', async () => {
  await page.getByRole('button', { name: 'Delete one.jpg', exact: true }).click();
  await getDialog(page).getByText('deleted after 30 days').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Cancel');
  await eventually(() => entries('Untracked files').count()).toBe(3);
  await page.getByRole('button', { name: 'Delete one.jpg', exact: true }).click();
  await getDialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
  await card('Untracked files').getByText('2 files').waitFor();
  // Their files are gone.
  await card('Untracked files').getByRole('button', { name: 'Check these again' }).click();
  await card('Untracked files').getByText('0 files').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await listFaultsOfLooks(page)).toEqual([]);
  expect(visitor.problems).toEqual([]);
});
