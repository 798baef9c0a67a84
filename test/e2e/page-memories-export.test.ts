import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { addMemoryExport } from '../support/memories.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { type MemoryStage, menu, open, openMemoryStage, player } from './memories.ts';
import { type Api, getDialog, go } from './people.ts';
import { until } from './server.ts';
import { TIMEOUT_MS } from './stage.ts';
import { routeUntil } from './routes.ts';

// Exports of the originals of memories, in a real browser.

let world: MemoryStage;
let page: Page;
let api: Api;

beforeEach(async () => {
  world = await openMemoryStage();
  ({ page, api } = world);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(world.ada.problems.filter((text) => !/status of 507/.test(text))).toEqual([]);
  await world.stage.close();
}, TIMEOUT_MS);

/** Adds an export that no job works on. */
const addRun = (memoryId: string): Promise<string> =>
  addMemoryExport(world.stage.database, memoryId, 'running', 3);
const exports = () => page.getByRole('list', { name: 'Exports' }).getByRole('listitem');

const { step } = journey('an owner exports the originals of a memory', TIMEOUT_MS);

step('an archive is made from the menu of the player, and downloaded', async () => {
  await open(page, 'Spring walk');
  await menu(page, 'Export');
  await getDialog(page)
    .getByRole('button', { name: /3 originals/ })
    .click();
  const link = exports().getByRole('link', { name: 'Download' });
  await link.waitFor();
  await eventually(() => exports().getByRole('button', { name: 'Save to library' }).count()).toBe(
    0,
  );
  const download = page.waitForEvent('download');
  await link.click();
  expect((await download).suggestedFilename()).toBe('Spring walk.zip');
  const bytes = await Bun.file(await (await download).path()).bytes();
  expect(String.fromCharCode(...bytes.slice(0, 2))).toBe('PK');
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('an export shows how far it has come, also outside the player, and is cancelled', async () => {
  const { sql } = world.stage.database;
  const id = await addRun(world.spring);
  await exports().getByText('0 of 3 pictures').waitFor();
  await sql`update operation set progress = progress || '{"processed": 2}' where id = ${id}`;
  await exports().getByText('2 of 3 pictures').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await player(page).getByRole('button', { name: 'Close' }).click();
  await go(page, 'Memories');
  await exports().getByText('2 of 3 pictures').waitFor();
  await exports().getByRole('link', { name: 'Spring walk' }).first().waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await exports().getByRole('button', { name: 'Cancel' }).click();
  await until('the run is cancelled', async () => {
    const { status } = await api('GET', `/memories/exports/${id}`);
    return status === 'cancelling';
  });
  await sql`update operation set state = 'cancelled' where id = ${id}`;
  await until('the other one only', async () => (await exports().count()) === 1);
});

step('an export that fails, or that the server has no space for, says why', async () => {
  const { sql } = world.stage.database;
  const id = await addRun(world.spring);
  await exports().getByRole('link', { name: 'Spring walk' }).first().click();
  await page.waitForURL(`**/memories/${world.spring}?exports`);
  await exports().getByText('0 of 3 pictures').waitFor();
  await sql`update operation set state = 'failed', error = 'The disk has no space left'
    where id = ${id}`;
  await exports().getByText('The disk has no space left').waitFor();
  const end = await routeUntil(page, '**/exports', (route) =>
    route.fulfill({ status: 507, json: { message: 'The export needs 400 MiB of disk space' } }),
  );
  await getDialog(page).getByRole('button', { name: /^Film/ }).click();
  await getDialog(page).getByText('The server has too little free disk space').waitFor();
  end();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  const failed = exports().filter({ hasText: 'has failed' });
  await failed.getByRole('button', { name: 'Delete this export' }).click();
  await until('no failed export', async () => (await failed.count()) === 0);
});

step('closing the exports leaves the player at the memory', async () => {
  await page.keyboard.press('Escape');
  await page.waitForURL(`**/memories/${world.spring}`);
  await player(page).getByText('1 of 3').waitFor();
  await page.keyboard.press('Escape');
});

step('the film is opened in the studio instead', async () => {
  await go(page, 'Photos');
  await open(page, 'Spring walk');
  await menu(page, 'Export');
  await getDialog(page)
    .getByRole('button', { name: /^Preview in the studio/ })
    .click();
  await page.waitForURL(/\/studio\/[\da-f-]+$/);
  const [project] = await api('GET', '/studio/projects');
  expect(project.name).toBe('Spring walk');
  const { document } = await api('GET', `/studio/projects/${project.id}`);
  // Its title and three pictures.
  expect(document.clips).toHaveLength(4);
  expect(await listFaultsOfLooks(page)).toEqual([]);
});
