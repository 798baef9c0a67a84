import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { signUp } from '../../test/e2e/server.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { runCommand } from '../../test/support/command-line.ts';
import { serveFrom } from '../../test/support/served.ts';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { connect } from '../db/address.ts';
import { startCluster } from '../db/cluster.ts';
import { readState } from './state.ts';

setDefaultTimeout(300_000);

const folder = createMemoryFolder('pending-test-');
let dataDir: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(folder, 'data-'));
  await addDatabase(dataDir);
});
const served = serveFrom(folder);
afterEach(() => served.stopAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const serve = () => served.serve('--data', dataDir);
const safelight = (...args: string[]) => runCommand(folder, [...args, '--data', dataDir]);
const ask = (url: string, path: string, key = '') =>
  fetch(`${url}/api${path}`, { headers: { 'x-api-key': key } });
const isActive = async (url: string) =>
  ((await (await ask(url, '/admin/maintenance/status')).json()) as { active: boolean }).active;

/** Changes the database while no server runs on it. */
async function change(...statements: string[]): Promise<void> {
  const cluster = await startCluster({ dataDir, log: silentLog });
  const sql = connect(cluster.url, { max: 1, onnotice: () => {} });
  for (const statement of statements) await sql.unsafe(statement);
  await sql.end();
  await cluster.stop();
}

/** As a version without the migration 0030_oauth has left it. */
const makeOlder = (...more: string[]) =>
  change(
    'drop table oauth_logout_token',
    'drop index session_oauth_sid',
    `delete from schema_migration where name = '0030_oauth'`,
    ...more,
  );

test('an older database is updated before it is served, a newer one is refused, and both go on', async () => {
  const first = await serve();
  const { apiKey } = await signUp(first.url);
  const isServed = async (url: string) => (await ask(url, '/users/me', apiKey)).status === 200;
  await served.stopAll();

  await makeOlder();
  expect((await safelight('admin', 'list')).err).toContain('start the server to update it');
  const second = await serve();
  expect(await isActive(second.url)).toBe(true);
  await until(async () => !(await isActive(second.url)), 200_000);
  expect(await isServed(second.url)).toBe(true);
  expect(readState(dataPaths(dataDir))).toBeUndefined();
  await served.stopAll();

  await change(`insert into schema_migration (name, checksum) values ('9999_later', 'x')`);
  const third = await serve();
  expect(await isActive(third.url)).toBe(true);
  expect(readState(dataPaths(dataDir))!.error).toContain('schema 9999_later');
  expect((await ask(third.url, '/albums')).status).toBe(503);
});

test('a migration that fails leaves the server in maintenance mode, and ending it tries again', async () => {
  await serve();
  await served.stopAll();
  // In the way of the migration.
  await makeOlder('create view oauth_logout_token as select 1 as jti');
  const { url, lines } = await serve();
  await until(() => readState(dataPaths(dataDir))?.error?.includes('already exists') ?? false);
  // The log comes by a pipe.
  const failed = 'updating the database failed, nothing has changed';
  await until(() => lines.some(({ message }) => message === failed));
  expect(await isActive(url)).toBe(true);
  await served.stopAll();

  await change('drop view oauth_logout_token');
  const again = await serve();
  expect(await isActive(again.url)).toBe(true);
  await safelight('maintenance', 'end');
  await until(async () => !(await isActive(again.url)), 200_000);
  expect((await ask(again.url, '/albums')).status).toBe(401);
});

test('a server that is killed during an update goes on with it when it starts again', async () => {
  await serve();
  await served.stopAll();
  await makeOlder();
  const { child } = await serve();
  child.kill('SIGKILL');
  await child.exited;
  const { url } = await serve();
  await until(async () => !(await isActive(url)), 200_000);
  expect((await ask(url, '/albums')).status).toBe(401);
  expect(readState(dataPaths(dataDir))).toBeUndefined();
});
