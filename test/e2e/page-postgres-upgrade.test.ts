import { afterAll, expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/core/log.ts';
import { startCluster } from '../../src/db/cluster.ts';
import { mountNewerPostgres, NEWER } from '../support/newer-postgres.ts';
import { visit } from './browser.ts';
import { listFaultsOfLooks } from './faults.ts';
import { getDialog, goToAdmin, logIn, press } from './people.ts';
import { plainEnvironment, readyUrl, signUp } from './server.ts';
import { getProgram } from '../support/program.ts';
import { getSharedBrowser } from './shared.ts';
import { TIMEOUT_MS } from './stage.ts';
import { skipWithout } from '../support/requirements.ts';

// The page of a server on a machine where a newer PostgreSQL was installed.

const folder = mkdtempSync(join(tmpdir(), 'page-postgres-'));
const prefix = mountNewerPostgres(folder);
let server: Bun.Subprocess | undefined;
afterAll(async () => {
  server?.kill('SIGTERM');
  await server?.exited;
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

skipWithout('older PostgreSQL', 'mount namespaces').test(
  'an administrator moves the database to the newer PostgreSQL',
  async () => {
    const dataDir = join(folder, 'data');
    await createOlderCluster(dataDir);
    const url = await serve(dataDir, prefix);
    const { email, password } = await signUp(url);
    const { page, context } = await visit(await getSharedBrowser(), url);
    try {
      await page.goto('/');
      await logIn(page, email, password);
      await press(page, 'Close');
      await goToAdmin(page, 'Updates & backups');
      await press(page, `Upgrade to PostgreSQL ${NEWER} …`);
      expect(await listFaultsOfLooks(page)).toEqual([]);
      await getDialog(page).getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByRole('heading', { name: 'Temporarily unavailable' }).waitFor();
      await page.waitForURL(({ pathname }) => pathname !== '/maintenance', { timeout: TIMEOUT_MS });
      await goToAdmin(page, 'Updates & backups');
      await page.getByText(`PostgreSQL ${NEWER}.`).waitFor();
      expect(await page.getByRole('button', { name: /^Upgrade to PostgreSQL/ }).count()).toBe(0);
    } finally {
      await context.close();
    }
  },
  TIMEOUT_MS,
);

/** Creates an empty database as a server does where only the older PostgreSQL is installed. */
async function createOlderCluster(dataDir: string): Promise<void> {
  const log = createLog({ level: 'warn', format: 'pretty' });
  const cluster = await startCluster({ dataDir, durability: 'none', log });
  await cluster.stop();
}

function serve(dataDir: string, prefix: readonly string[]): Promise<string> {
  const flags = [`--data=${dataDir}`, '--host=127.0.0.1', '--port=0', '--log-format=json'];
  const child = Bun.spawn([...prefix, ...getProgram(), 'serve', ...flags], {
    cwd: folder,
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server = child;
  return readyUrl(child.stderr, []);
}
