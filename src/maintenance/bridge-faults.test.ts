import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { killProcessTree } from '../../test/support/processes.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { type Cluster, startCluster } from '../db/cluster.ts';
import { toUrl, withAdmin, withConnection } from '../db/databases.ts';
import { emptyUnreadableTables } from './bridge.ts';

setDefaultTimeout(120_000);

let folder: string;
let cluster: Cluster;
let copy: string;
beforeEach(async () => {
  folder = createMemoryFolder('unlogged-test-');
  cluster = await startCluster({ dataDir: folder, durability: 'none', log: silentLog });
  await withConnection(cluster.url, async (sql) => {
    await sql`create unlogged table listener (id int primary key)`;
    await sql`create table kept (id int primary key)`;
    await sql`insert into kept values (1)`;
  });
  copy = toUrl(cluster.url, 'copy');
});
afterEach(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Ends PostgreSQL as a failure of the machine does, and waits until it serves again. */
async function crash(): Promise<void> {
  const before = cluster.pid();
  killProcessTree(before);
  await until(() => cluster.pid() !== before);
}

const addRows = () =>
  withConnection(copy, async (sql) => {
    await sql`insert into listener values (2)`;
    await sql`insert into kept values (2)`;
  });
const empty = () => withConnection(copy, emptyUnreadableTables);

test('an unlogged table that a crash has left unreadable is emptied, and nothing else', async () => {
  // As releases before 0.3 have copied databases.
  await withAdmin(
    cluster.url,
    (admin) => admin`create database copy template safelight strategy wal_log`,
  );
  await crash();
  await expect(addRows()).rejects.toThrow('unexpected zero page');
  expect(await empty()).toEqual(['listener']);
  await addRows();
  expect(await withConnection(copy, (sql) => sql`select id from kept order by id`)).toHaveLength(2);
  expect(await empty()).toEqual([]);
  await crash();
  expect(await empty()).toEqual([]);
});

test('a table that is read is kept as it is', async () => {
  await withAdmin(cluster.url, (admin) => admin`create database copy template safelight`);
  await addRows();
  expect(await empty()).toEqual([]);
  expect(await withConnection(copy, (sql) => sql`select from listener`)).toHaveLength(1);
});
