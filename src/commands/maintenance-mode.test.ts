import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../test/support/command-line.ts';
import { useDatabase } from '../../test/support/database.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { dataPaths } from '../core/paths.ts';
import { readState } from '../maintenance/state.ts';

// The machine of a server that is stopped, and whose database others share.

setDefaultTimeout(120_000);

const database = await useDatabase();
const { sql } = database;
const { databaseUrl } = database.deps.settings;
const folder = createMemoryFolder('maintenance-mode-');
const elsewhere = mkdtempSync(join(folder, 'elsewhere-'));
const run = (action: string, url = databaseUrl!) =>
  runCommand(folder, ['maintenance', action, '--data', elsewhere, '--database-url', url]);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the command line follows the mode of all servers, and says what it can do without the database', async () => {
  const paths = dataPaths(elsewhere);
  expect((await run('url')).err).toContain('Maintenance mode is off');
  await run('start');
  const before = await sql`select revision, secret from maintenance_mode`;
  rmSync(paths.maintenance, { recursive: true });
  expect((await run('url')).code).toBe(0);
  expect(readState(paths)).toMatchObject(before[0]!);
  expect((await run('start')).code).toBe(0);
  expect(await sql`select revision, secret from maintenance_mode`).toEqual(before);

  // Another server has ended it.
  await sql`truncate maintenance_mode`;
  expect((await run('url')).err).toContain('Maintenance mode is off');
  expect(readState(paths)).toBeUndefined();

  const nowhere = 'postgres://nobody@127.0.0.1:1/none';
  expect((await run('end', nowhere)).err).toContain('does not answer');
  const { code, err } = await run('start', nowhere);
  expect([code, err]).toEqual([0, expect.stringContaining('this server alone')]);
  expect(readState(paths)?.revision).toBeUndefined();
  expect((await run('end', nowhere)).code).toBe(0);
  expect(readState(paths)).toBeUndefined();
});

test('a restore that runs is neither ended nor changed, and its login is printed', async () => {
  await sql`insert into maintenance_mode (action, secret, node_id, host, is_running)
    values ('restore_database', 'its-secret', gen_random_uuid(), 'attic', true)`;
  const before = await sql`select * from maintenance_mode`;
  expect((await run('end')).err).toContain('The server on attic restores a backup');
  expect((await run('start')).out).toContain('/maintenance?token=');
  expect(await sql`select * from maintenance_mode`).toEqual(before);
  await sql`truncate maintenance_mode`;
});

test('where the schema does not know the mode of all servers, it is that of one', async () => {
  await sql`alter table maintenance_mode rename to gone`;
  expect((await run('start')).code).toBe(0);
  expect(readState(dataPaths(elsewhere))?.action).toBe('start');
  expect((await run('end')).code).toBe(0);
  expect(readState(dataPaths(elsewhere))).toBeUndefined();
  await sql`alter table gone rename to maintenance_mode`;
});
