import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { signUp } from '../../test/e2e/server.ts';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { runCommand } from '../../test/support/command-line.ts';
import { createSeededRandom } from '../../test/support/effort.ts';
import type { Json } from '../../test/support/json.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { isReady, serveFrom } from '../../test/support/served.ts';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { type DataPaths, dataPaths } from '../core/paths.ts';
import { runningCluster, startCluster } from '../db/cluster.ts';
import { getDatabaseName } from '../core/postgres-url.ts';
import { createEmpty, listDatabases, withAdmin } from '../db/databases.ts';
import { readState, writeState } from './state.ts';
import { signToken } from './token.ts';

// Every state that survives a restart ends without a person: README.md lists them.

setDefaultTimeout(300_000);

const folder = createMemoryFolder('interrupted-test-');
const served = serveFrom(folder);
const random = createSeededRandom('interrupted maintenance');
let dataDir: string;
let paths: DataPaths;
beforeEach(async () => {
  dataDir = mkdtempSync(join(folder, 'data-'));
  paths = dataPaths(dataDir);
  await addDatabase(dataDir);
});
afterEach(() => served.stopAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const serve = () => served.serve('--data', dataDir);
const getFile = () => join(paths.maintenance, 'state.json');
const DAY_MS = 24 * 3_600_000;

const getAgeMs = () => Date.now() - statSync(getFile()).mtimeMs;

/** Lets it seem to have been entered at that time. */
function setEntered(ageMs: number): void {
  const at = new Date(Date.now() - ageMs);
  utimesSync(getFile(), at, at);
}

test('a restore that was killed at any moment is told, and the library is served again', async () => {
  const first = await serve();
  const { apiKey } = await signUp(first.url);
  const ask = async (url: string, path: string, init: RequestInit = {}): Promise<Json> =>
    (await fetch(`${url}/api${path}`, { ...init, headers: { 'x-api-key': apiKey } })).json();
  const backup = await runCommand(folder, ['maintenance', 'backup', '--data', dataDir]);
  const restore = { action: 'restore_database', backup: basename(backup.out) } as const;
  writeState(paths, restore);
  await until(() => readState(paths)?.interrupted !== undefined, 120_000);
  await Bun.sleep(random.below(1500));
  first.child.kill('SIGKILL');
  await first.child.exited;

  const wasRunning = existsSync(getFile());
  const { url } = await serve();
  await until(() => isReady(url), 120_000);
  await until(() => !existsSync(getFile()));
  const listTold = async (): Promise<{ description: string }[]> =>
    (await ask(url, '/notifications')).filter(
      ({ title }: { title: string }) => title === 'Maintenance interrupted',
    );
  await until(async () => (await listTold()).length === (wasRunning ? 1 : 0));
  for (const { description } of await listTold()) {
    expect(description).toMatch(/was interrupted.* (Nothing has changed|was complete)/);
  }
  expect((await ask(url, '/users/me')).email).toBe('admin@example.com');
  await until(async () => (await listUnfinished()).length === 0);
});

async function listUnfinished(): Promise<string[]> {
  const url = runningCluster(dataDir)!;
  const names = await withAdmin(url, (admin) => listDatabases(admin, getDatabaseName(url)));
  return names.filter((name) => /_(next|drill|failed)$/.test(name));
}

test('databases that an interrupted restore or drill has left are dropped at the next start', async () => {
  const cluster = await startCluster({ dataDir, log: silentLog });
  for (const ending of ['next', 'drill', 'failed']) {
    await withAdmin(cluster.url, (admin) =>
      createEmpty(admin, `${getDatabaseName(cluster.url)}_${ending}`),
    );
  }
  expect(await listUnfinished()).toHaveLength(3);
  await cluster.stop();
  await serve();
  await until(async () => (await listUnfinished()).length === 0);
});

test('maintenance mode ends by itself a day after an administrator was there, at a start and while it runs', async () => {
  writeState(paths, { action: 'start' });
  setEntered(DAY_MS + 60_000);
  const first = await serve();
  await until(() => isReady(first.url), 60_000);
  await until(() => !existsSync(getFile()));

  const { secret } = writeState(paths, { action: 'start' });
  const status = async (cookie = '') => {
    const headers = { cookie: `immich_maintenance_token=${cookie}` };
    const response = await fetch(`${first.url}/api/admin/maintenance/status`, { headers });
    return ((await response.json()) as { active: boolean }).active;
  };
  await until(() => status(), 60_000);
  setEntered(DAY_MS - 60_000);
  // A stranger is no administrator.
  expect(await status('x')).toBe(true);
  expect(getAgeMs()).toBeGreaterThan(DAY_MS / 2);
  expect(await status(signToken(secret, { username: 'Ada' }, new Date()))).toBe(true);
  expect(getAgeMs()).toBeLessThan(DAY_MS / 2);

  await served.stopAll();
  const second = await serve();
  expect(second.lines.at(-1)!.message).toContain('maintenance mode');
  setEntered(DAY_MS + 60_000);
  await until(() => isReady(second.url), 60_000);
});

test('a state file that is damaged is put aside, and the library is served', async () => {
  mkdirSync(paths.maintenance, { recursive: true });
  writeFileSync(getFile(), '{"action":');
  const { url } = await serve();
  await until(() => isReady(url));
  expect(existsSync(`${getFile()}.damaged`)).toBe(true);
});
