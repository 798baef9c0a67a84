import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { runCommand } from '../../test/support/command-line.ts';
import { useDatabase } from '../../test/support/database.ts';
import { openDatabase } from '../db/client.ts';
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
    expect(await listNodes(newer.db)).toMatchObject([
      { state: 'refused', isLeader: false, reason: expect.stringContaining('9999_later') },
    ]);
  },
);

/** A connection of a server of a later version, on the database that it has updated. */
async function serveNewer() {
  const { sql } = database;
  await sql`insert into schema_migration (name, checksum) values ('9999_later', 'x')`;
  const server = openDatabase(databaseUrl!, { max: 1, name: 'server' });
  await server.sql`select 1`;
  return {
    db: database.db,
    async [Symbol.asyncDispose]() {
      await server.close();
      await sql`delete from schema_migration where name = '9999_later'`;
      await sql`truncate node`;
    },
  };
}
