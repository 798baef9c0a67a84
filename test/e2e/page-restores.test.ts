import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { getDialog, goToAdmin, press } from './people.ts';
import { openSession, until } from './server.ts';
import { enter, openOwnStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Restoring the database of a server, and its maintenance mode, in a real browser.

const DESKTOP = { width: 1440, height: 900 };

let stage: Stage;
let visitor: Visitor;
let page: Page;
let dump: { mimeType: string; buffer: Buffer };

beforeAll(async () => {
  stage = await openOwnStage();
  visitor = await enter(stage, { viewport: DESKTOP });
  ({ page } = visitor);
  await createTag('before');
  dump = { mimeType: 'application/octet-stream', buffer: await backUp() };
}, TIMEOUT_MS);

beforeEach(async () => {
  for (const { id, name } of await stage.api('GET', '/tags')) {
    if (name !== 'before') await stage.api('DELETE', `/tags/${id}`);
  }
  await page.goto('/');
  await goToAdmin(page, 'Updates & backups');
}, TIMEOUT_MS);

afterEach(() => {
  expect(visitor.problems.filter((text) => !isOfChange(text))).toEqual([]);
});

afterAll(() => stage?.close(), TIMEOUT_MS);

async function backUp(): Promise<Buffer> {
  await stage.api('POST', '/jobs', { name: 'backup-database' });
  const { filename } = await until('a backup', async () => {
    const { backups: found } = await stage.api('GET', '/admin/database-backups');
    return found[0];
  });
  const headers = { 'x-api-key': stage.account.apiKey };
  const url = `${stage.server.url}/api/admin/database-backups/${filename}`;
  return Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
}

const card = () => page.getByRole('region', { name: 'Backups of the database', exact: true });
const backups = () => card().getByRole('listitem');
const createTag = (name: string) => stage.api('POST', '/tags', { name });
const listTags = async () =>
  (await stage.api<{ name: string }[]>('GET', '/tags')).map(({ name }) => name);
const isServed = async () =>
  (await fetch(`${stage.server.url}/api/admin/maintenance/status`)
    .then((response) => response.json())
    .then(({ active }: { active: boolean }) => !active)) as boolean;
/** Pages ask every few seconds, also while the mode changes. */
const isOfChange = (text: string) =>
  /status of (?:401|503) .*\/api\/|socket\.io.* response code: 503/.test(text);

const changeMode = (action: 'start' | 'end', headers: Record<string, string>) =>
  fetch(`${stage.server.url}/api/admin/maintenance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ action }),
  });

/** Starts maintenance mode as another administrator would. Returns the function that ends it. */
async function startElsewhere(): Promise<() => Promise<unknown>> {
  await page.context().clearCookies({ name: 'immich_maintenance_token' });
  const started = await changeMode('start', await openSession(stage.server.url, stage.account));
  const cookie = started.headers.get('set-cookie')!.split(';')[0]!;
  return () => changeMode('end', { cookie });
}

const { step, chapter } = journey('an administrator restores the database', 4 * TIMEOUT_MS);

chapter('a backup', () => {
  step('a backup is restored in maintenance mode, which leads back', async () => {
    await createTag('after');
    const upload = page.locator('input[type=file][accept=".dump,.sql,.gz"]');
    await upload.setInputFiles({ name: 'mine.dump', ...dump });
    await page.getByRole('button', { name: 'Restore uploaded-mine.dump', exact: true }).click();
    await getDialog(page).getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByRole('heading', { name: 'Temporarily unavailable' }).waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await page.waitForURL((url) => url.pathname !== '/maintenance', { timeout: 2 * TIMEOUT_MS });
    await eventually(listTags).toEqual(['before']);
  });

  step('a backup is deleted after a question', async () => {
    await goToAdmin(page, 'Updates & backups');
    await page.getByRole('button', { name: 'Delete uploaded-mine.dump', exact: true }).click();
    await getDialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
    // There may be another: the restored database was dumped by a job that it lets run again.
    await backups().filter({ hasText: 'uploaded-mine.dump' }).waitFor({ state: 'detached' });
  });
});

chapter('maintenance mode', () => {
  step('maintenance mode restores a backup without the application, and is ended', async () => {
    await createTag('later');
    await press(page, 'Start maintenance mode');
    await getDialog(page).getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Logged in as Admin').waitFor();
    expect(await isServed()).toBe(false);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await listFaultsOfLooks(page)).toEqual([]);
    const copies = page.getByRole('listitem');
    await copies.filter({ hasText: 'safelight-manual-' }).first().waitFor();
    await page.getByLabel('Upload a backup:').setInputFiles({ name: 'again.dump', ...dump });
    await copies.filter({ hasText: 'uploaded-again.dump' }).waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Restore: uploaded-again.dump' }).click();
    await page.waitForURL((url) => url.pathname !== '/maintenance', { timeout: 2 * TIMEOUT_MS });
    await eventually(listTags).toEqual(['before']);
    await page.setViewportSize(DESKTOP);
  });

  step('maintenance mode shows the log, and is ended', async () => {
    await goToAdmin(page, 'Updates & backups');
    await press(page, 'Start maintenance mode');
    await getDialog(page).getByRole('button', { name: 'Start', exact: true }).click();
    const log = page.getByRole('region', { name: 'Log', exact: true });
    await log.getByText('Safelight is in maintenance mode').waitFor();
    expect(await log.textContent()).not.toMatch(/token=\w/);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await press(page, 'Download the log');
    expect((await download).suggestedFilename()).toBe('safelight.log');
    await press(page, 'End maintenance mode');
    await until('the application', isServed);
    await page.waitForURL((url) => url.pathname !== '/maintenance', { timeout: 2 * TIMEOUT_MS });
  });
});

chapter('another window', () => {
  step(
    'a page that was open elsewhere is led through maintenance mode, and nowhere else',
    async () => {
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
    },
  );
});
