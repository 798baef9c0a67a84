import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mountNewerPostgres, NEWER } from '../support/newer-postgres.ts';
import { serveFrom } from '../support/served.ts';
import { openBrowser, visit } from './browser.ts';
import { listFaultsOfLooks } from './faults.ts';
import { getDialog, go, logIn, press } from './people.ts';
import { signUp } from './server.ts';
import { TIMEOUT_MS } from './stage.ts';

// The page of a server on a machine where a newer PostgreSQL was installed.

const folder = mkdtempSync(join(tmpdir(), 'page-postgres-'));
const prefix = mountNewerPostgres(folder);
const served = serveFrom(folder, prefix);
const older = serveFrom(folder);
afterAll(async () => {
  await served.stopAll();
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

test(
  'an administrator moves the database to the newer PostgreSQL',
  async () => {
    if (!prefix) return;
    const flags = ['--data', join(folder, 'data')];
    const first = await older.serve(...flags);
    const { email, password } = await signUp(first.url);
    await older.stopAll();
    const { url } = await served.serve(...flags);
    const browser = await openBrowser();
    try {
      const { page } = await visit(browser, url);
      await page.goto('/');
      await logIn(page, email, password);
      await go(page, 'Updates & backups');
      await press(page, `Move to PostgreSQL ${NEWER} …`);
      expect(await listFaultsOfLooks(page)).toEqual([]);
      await getDialog(page).getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByRole('heading', { name: 'Temporarily unavailable' }).waitFor();
      await page.waitForURL(({ pathname }) => pathname !== '/maintenance', { timeout: TIMEOUT_MS });
      await go(page, 'Updates & backups');
      await page.getByText(`PostgreSQL ${NEWER}.`).waitFor();
      expect(await page.getByRole('button', { name: /^Move to PostgreSQL/ }).count()).toBe(0);
    } finally {
      await browser.close();
    }
  },
  TIMEOUT_MS,
);
