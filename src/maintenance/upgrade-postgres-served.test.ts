import { afterAll, afterEach, expect, setDefaultTimeout } from 'bun:test';
import { readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { signUp } from '../../test/e2e/server.ts';
import type { Json } from '../../test/support/json.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { runCommand } from '../../test/support/command-line.ts';
import { mountNewerPostgres, NEWER, OLDER } from '../../test/support/newer-postgres.ts';
import { serveFrom } from '../../test/support/served.ts';
import { until } from '../../test/support/until.ts';
import { skipWithout } from '../../test/support/requirements.ts';
import { dataPaths } from '../core/paths.ts';
import { readState } from './state.ts';

// A server on a machine with two versions of PostgreSQL: both are mounted where Debian has them.

setDefaultTimeout(600_000);
const { test } = skipWithout('older PostgreSQL', 'mount namespaces');

const folder = createMemoryFolder('upgrade-served-');
const dataDir = join(folder, 'data');
const prefix = mountNewerPostgres(folder);

const onlyOlder = serveFrom(folder);
const both = serveFrom(folder, prefix);
const flags = ['--data', dataDir];
const safelight = (...args: string[]) => runCommand(folder, [...args, ...flags], { prefix });
afterEach(async () => {
  await onlyOlder.stopAll();
  await both.stopAll();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ask = async (url: string, path: string, key = ''): Promise<Json> =>
  (await fetch(`${url}/api${path}`, { headers: { 'x-api-key': key } })).json();

test('a server moves to the newer PostgreSQL when it is told to, and goes on where that fails', async () => {
  await addDatabase(dataDir);
  const first = await onlyOlder.serve(...flags);
  const { apiKey, accessToken } = await signUp(first.url);
  const readMajor = async (url: string) =>
    Number.parseInt((await ask(url, '/server/about', apiKey)).postgres);
  expect(await readMajor(first.url)).toBe(OLDER);
  const none = await runCommand(folder, ['maintenance', 'upgrade-postgres', ...flags]);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('nothing to upgrade')]);
  await onlyOlder.stopAll();

  const { url, lines } = await both.serve(...flags);
  expect(await readMajor(url)).toBe(OLDER);
  const getUpgrade = () => ask(url, '/admin/maintenance/postgres-upgrade', apiKey);
  const upgrade = { from: OLDER, to: NEWER };
  expect(await getUpgrade()).toEqual({ upgrade, failure: null });
  expect((await safelight('doctor')).out).toContain(`PostgreSQL ${NEWER} is installed: 'safelight`);
  const pgRestore = join(folder, 'postgresql', String(NEWER), 'bin/pg_restore');
  const target = readlinkSync(pgRestore);
  rmSync(pgRestore);
  const asked = await safelight('maintenance', 'upgrade-postgres');
  expect(asked.out).toContain(`PostgreSQL ${OLDER} → ${NEWER}: `);
  const find = (text: string) => lines.find(({ message }) => message.startsWith(text));
  await until(() => find('upgrading PostgreSQL failed') !== undefined);
  await until(async () => !(await ask(url, '/admin/maintenance/status')).active);
  expect([await readMajor(url), readState(dataPaths(dataDir))]).toEqual([OLDER, undefined]);
  expect(await getUpgrade()).toEqual({
    upgrade,
    failure: {
      failedAt: expect.any(String),
      error: expect.stringContaining('pg_restore is missing'),
    },
  });

  symlinkSync(target, pgRestore);
  const headers = { authorization: `Bearer ${accessToken}` };
  const path = `${url}/api/admin/maintenance/postgres-upgrade`;
  expect((await fetch(path, { method: 'POST', headers })).status).toBe(201);
  await until(async () => (await ask(url, '/admin/maintenance/status')).active);
  await until(async () => !(await ask(url, '/admin/maintenance/status')).active);
  expect(await readMajor(url)).toBe(NEWER);
  expect(await getUpgrade()).toEqual({ upgrade: null, failure: null });
  expect(find('replaced the database')).toMatchObject({
    kept: expect.stringContaining('postgres.replaced-'),
  });
  await both.stopAll();

  const again = await both.serve(...flags);
  expect(await readMajor(again.url)).toBe(NEWER);
  await both.stopAll();
  // As after an upgrade of the system that has taken the newer version away.
  const gone = await runCommand(folder, ['doctor', ...flags]);
  expect(gone.out).toContain(`was made by PostgreSQL ${NEWER}, which is not installed`);
});
