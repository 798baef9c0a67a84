import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signUp } from '../../test/e2e/server.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { runCommand } from '../../test/support/command-line.ts';
import { isReady, serveFrom } from '../../test/support/served.ts';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { type DataPaths, dataPaths } from '../core/paths.ts';
import { connect } from '../db/address.ts';
import { runningCluster, startCluster } from '../db/cluster.ts';
import { withConnection } from '../db/databases.ts';
import { readServerState } from './server-state.ts';
import { readState, writeState } from './state.ts';

setDefaultTimeout(300_000);

const folder = createMemoryFolder('pending-test-');
let dataDir: string;
let paths: DataPaths;
beforeEach(async () => {
  dataDir = mkdtempSync(join(folder, 'data-'));
  paths = dataPaths(dataDir);
  await addDatabase(dataDir);
});
const served = serveFrom(folder);
afterEach(() => served.stopAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const serve = () => served.serve('--data', dataDir);
const safelight = (...args: string[]) => runCommand(folder, [...args, '--data', dataDir]);
const ask = (url: string, path: string, key = '') =>
  fetch(`${url}/api${path}`, { headers: { 'x-api-key': key } });
const listBackups = () => readdirSync(paths.backups).filter((name) => name.endsWith('.dump'));

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

test('an older database is backed up and updated before it is served, a newer one is refused', async () => {
  const first = await serve();
  const { apiKey } = await signUp(first.url);
  await served.stopAll();

  await makeOlder();
  expect((await safelight('admin', 'list')).err).toContain('start the server to update it');
  const second = await serve();
  expect((await ask(second.url, '/users/me', apiKey)).status).toBe(200);
  expect(readState(paths)).toBeUndefined();
  const backups = listBackups();
  expect(backups).toEqual([expect.stringMatching(/^safelight-before-\d/)]);
  await served.stopAll();

  await change(`insert into schema_migration (name, checksum) values ('9999_later', 'x')`);
  const third = await serve();
  expect(readState(paths)!.error).toContain('schema 9999_later');
  expect((await ask(third.url, '/albums')).status).toBe(503);
  await served.stopAll();

  // It is of the version before.
  const restored = await safelight('maintenance', 'restore', join(paths.backups, backups[0]!));
  expect(restored.code).toBe(0);
  const fourth = await serve();
  expect((await ask(fourth.url, '/users/me', apiKey)).status).toBe(200);
});

test('a migration that fails leaves the server in maintenance mode, and ending it or a start tries again', async () => {
  const { url: before } = await serve();
  await signUp(before);
  await served.stopAll();
  // In the way of the migration.
  await makeOlder('create view oauth_logout_token as select 1 as jti');
  const first = await serve();
  expect(first.lines.at(-1)!.message).toContain('is in maintenance mode');
  const [backup] = listBackups();
  const expectTold = () => {
    const { error = '' } = readState(paths)!;
    expect(error).toMatch(/failed at the migration 0030_oauth: .*already exists/);
    expect(error).toContain(backup!);
    expect(readServerState(paths).mode).toMatchObject({ kind: 'maintenance', reason: error });
  };
  expectTold();
  await safelight('maintenance', 'end');
  await until(() => readState(paths) === undefined);
  await until(() => readState(paths)?.error !== undefined);
  await until(async () => !(await isReady(first.url)));
  expectTold();
  await served.stopAll();

  await change('drop view oauth_logout_token');
  const { url } = await serve();
  await until(() => isReady(url));
  expect(readState(paths)).toBeUndefined();
  expect(listBackups()).toEqual([backup!]);
});

test('a start that waits for the folder of backups says so, lets administrators in, and goes on by itself', async () => {
  const { url: before } = await serve();
  await signUp(before);
  await served.stopAll();
  await makeOlder();
  const marker = join(paths.backups, '.safelight');
  const mark = await Bun.file(marker).text();
  rmSync(marker);
  const serving = serve();
  const isTold = () => {
    const { mode } = readServerState(paths);
    return mode.kind === 'starting' && mode.reason?.includes('is its disk mounted') === true;
  };
  await until(isTold, 60_000);
  expect((await safelight('maintenance', 'start')).code).toBe(0);
  const { url } = await serving;
  await until(async () => (await ask(url, '/admin/maintenance/status')).status === 200, 60_000);
  writeFileSync(marker, mark);
  await safelight('maintenance', 'end');
  await until(() => isReady(url), 120_000);
});

test('the backup can be made by the new version while the database is served', async () => {
  const { url, child } = await serve();
  await signUp(url);
  const backUp = () => safelight('maintenance', 'backup', '--before-update');
  expect((await backUp()).out).toBe('nothing to back up');
  // A server of the version before takes this schema for its own; this one would update it.
  child.kill('SIGSTOP');
  try {
    await withConnection(
      runningCluster(dataDir)!,
      (sql) => sql`delete from schema_migration where name = '0030_oauth'`,
    );
    const { out, code } = await backUp();
    expect([code, existsSync(out)]).toEqual([0, true]);
    expect((await safelight('migrate')).err).toContain('Stop the server');
  } finally {
    child.kill('SIGCONT');
  }
});

test.each([
  {
    action: 'start',
    error: 'The update was interrupted.',
    upgrade: { version: '0.2.0', attempts: 1 },
  },
  { action: 'start', error: 'The update failed.', upgrade: { version: '0.3.0', attempts: 3 } },
  { action: 'start', rollBack: true },
])(
  'a state of an update by 0.2.0 does not hold the library in maintenance mode: %j',
  async (state) => {
    const known = writeState(paths, { action: 'start' });
    writeFileSync(join(paths.maintenance, 'state.json'), JSON.stringify({ ...known, ...state }));
    mkdirSync(paths.maintenance, { recursive: true });
    const files = ['failed-update.json', 'served.json'].map((name) =>
      join(paths.maintenance, name),
    );
    for (const file of files) writeFileSync(file, '{}');
    const { url } = await serve();
    await until(() => isReady(url));
    expect([readState(paths), files.filter((file) => existsSync(file))]).toEqual([undefined, []]);
  },
);
