import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { migrations } from '../../migrations/index.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { runCommand } from '../../test/support/command-line.ts';
import { useDatabase } from '../../test/support/database.ts';
import { readState } from '../maintenance/state.ts';
import { listNodes } from './store.ts';

setDefaultTimeout(120_000);

const database = await useDatabase();
const { databaseUrl, dataDir } = database.deps.settings;
const folder = createMemoryFolder('refused-test-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(['serve', 'worker'])(
  '%s of an older version beside newer servers ends, and they list why',
  async (command) => {
    await using newer = await serveNewer();
    const { code, err } = await runCommand(folder, [
      command,
      '--data',
      dataDir,
      '--database-url',
      databaseUrl!,
      ...(command === 'serve' ? ['--port', '0'] : []),
    ]);
    expect(code).not.toBe(0);
    expect(err).toContain('9999_later');
    expect(readState(database.deps.paths)).toBeUndefined();
    expect(await newer.listRefused()).toMatchObject([
      { isLeader: false, reason: expect.stringContaining('9999_later') },
    ]);
  },
);

/** A server of a later version, on the database that it has updated. */
async function serveNewer() {
  const { sql } = database;
  await sql`insert into schema_migration (name, checksum) values ('9999_later', 'x')`;
  await sql`insert into node (id, role, host, version, state, seen_at) values
    (gen_random_uuid(), 'server', 'attic', '9.0.0', 'ready', now() + interval '1 minute')`;
  return {
    async listRefused() {
      return (await listNodes(database.db)).filter(({ state }) => state === 'refused');
    },
    async [Symbol.asyncDispose]() {
      await sql`delete from schema_migration where name = '9999_later'`;
      await sql`truncate node`;
    },
  };
}

test('migrate changes nothing that a node which runs could not live with', async () => {
  const { sql } = database;
  const { name } = migrations.at(-1)!;
  const [removed] = await sql`
    delete from schema_migration where name = ${name} returning name, checksum`;
  await sql`insert into node (id, role, host, version, state, seen_at) values
    (gen_random_uuid(), 'server', 'attic', '0.1.0', 'ready', now() + interval '1 minute')`;
  const args = ['migrate', '--data', dataDir, '--database-url', databaseUrl!];
  const { code, err } = await runCommand(folder, args);
  expect(code).toBe(1);
  expect(err).toContain('replace or stop them: server on attic (0.1.0)');
  expect(await sql`select from schema_migration where name = ${name}`).toHaveLength(0);
  await sql`insert into schema_migration ${sql(removed!)}`;
  await sql`truncate node`;
});
