import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { getDialog, goToAdmin, press } from './people.ts';
import {
  addStageAccount,
  daysOfMay,
  enter,
  openOwnStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// The jobs of a server and their runs, which all administrators see, in a real browser.

let stage: Stage;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  stage = await openOwnStage();
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const list = (name: string) => page.getByRole('list', { name, exact: true });
const runs = () => list('Runs').getByRole('listitem');

const { step } = journey('an administrator follows what was started', TIMEOUT_MS);

step('the jobs page shows that all jobs are done', async () => {
  await goToAdmin(page, 'Jobs');
  await page.getByRole('article', { name: 'Previews' }).waitFor();
  await page.getByText('All done').waitFor();
  expect(await listFaults(page)).toEqual([]);
});

step('a queue that is started again is a run with its items', async () => {
  await stage.add(daysOfMay(1));
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  await stage.api('PUT', '/jobs/thumbnailGeneration', { command: 'start', force: true });
  const run = runs().filter({ hasText: /Previews.*Started manually .* Everything again/ });
  await run.getByText('Completed').waitFor();
  await run.getByText('1 of 1 items').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('its items tell their file, attempts and outcome', async () => {
  const previews = runs().filter({ hasText: 'Previews' });
  await previews.first().getByRole('button', { name: 'Items of “Previews”' }).click();
  const item = list('Items').getByRole('listitem');
  await item.getByText('1.jpg').waitFor();
  await item.getByText('Done').waitFor();
  await item.getByText('1 attempt', { exact: false }).waitFor();
  await eventually(() => item.count()).toBe(1);
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Close');
  await eventually(() => getDialog(page).count()).toBe(0);
});

step('the failed jobs of a queue are shown with their reason, and cleared', async () => {
  const { sql } = stage.database;
  await sql`
    insert into job (name, queue, lane, payload, state, attempt, last_error, finished_at)
    values ('assets.renderImage', 'thumbnailGeneration', 'background', '{}', 'failed', 3,
      'The disk could not be read', now())`;
  await page.reload();
  const card = page.getByRole('article', { name: 'Previews' });
  await card.getByRole('button', { name: 'Show failed' }).click();
  const dialog = page.getByRole('dialog', { name: 'Failed jobs of Previews' });
  const failed = dialog.getByRole('listitem');
  await failed.getByText('The disk could not be read').waitFor();
  await failed.getByText('3 attempts', { exact: false }).waitFor();
  expect(await failed.count()).toBe(1);
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Close');
  await dialog.waitFor({ state: 'detached' });
  await card.getByRole('button', { name: 'Clear failed' }).click();
  await card.getByRole('button', { name: 'Show failed' }).waitFor({ state: 'detached' });
});

step('files of other accounts that could not be read are counted without their names', async () => {
  const other = await addStageAccount(stage);
  const [id] = await other.add([photo('secret.jpg', '2024:05:01 12:00:00')]);
  const { sql } = stage.database;
  await sql`update asset set broken_reason = 'broken: not a JPEG file' where id = ${id!}`;
  await page.reload();
  await page.getByText(/^1 file of all accounts could not be read\./).waitFor();
  expect(await page.getByRole('link', { name: 'could not be read' }).count()).toBe(0);
  expect(await page.getByText('secret.jpg').count()).toBe(0);
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('older runs are on further pages, and a failed one says why', async () => {
  const { sql } = stage.database;
  await sql`
    insert into job_run (id, name, queue, trigger, is_forced, created_at, counted_at, error)
    select gen_random_uuid(), 'memory-cleanup', 'backgroundTask', 'manual', false,
      now() - interval '1 year' - n * interval '1 minute', now(), 'No memory was left'
    from generate_series(1, 30) n`;
  await page
    .getByRole('status')
    .filter({ hasText: /^1 to 25 of / })
    .waitFor();
  await press(page, 'Older');
  await page
    .getByRole('status')
    .filter({ hasText: /^26 to / })
    .waitFor();
  await eventually(() => runs().filter({ hasText: 'Previews' }).count()).toBe(0);
  await runs().first().getByText('No memory was left').waitFor();
  await runs().first().getByText('Failed').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Newer');
  await runs().filter({ hasText: 'Previews' }).first().waitFor();
  expect(visitor.problems).toEqual([]);
});
