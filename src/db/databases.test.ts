import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { dropDatabase, listDatabases, toUrl, withConnection } from './databases.ts';

setDefaultTimeout(120_000);

let folder: string;
let cluster: Cluster;
/** The address for an owner who is no superuser. */
let url: string;
beforeEach(async () => {
  folder = createMemoryFolder('databases-test-');
  cluster = await startCluster({ dataDir: folder, durability: 'none', log: silentLog });
  await withConnection(cluster.url, async (sql) => {
    await sql`create role owner login createdb`;
    await sql`alter system set autovacuum_naptime = '1s'`;
    await sql`select pg_reload_conf()`;
  });
  url = Object.assign(new URL(toUrl(cluster.url, 'postgres')), { username: 'owner' }).href;
});
afterEach(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Makes work for an autovacuum worker that takes minutes, and waits until one is at it. */
async function keepVacuumBusy(): Promise<void> {
  await withConnection(
    toUrl(url, 'victim'),
    (sql) => sql`
      create table large with (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1) as
        select n, repeat('x', 100) as text from generate_series(1, 50000) n`,
  );
  await withConnection(toUrl(url, 'victim'), (sql) => sql`delete from large where n % 2 = 0`);
  await withConnection(cluster.url, (sql) =>
    until(async () => {
      const [worker] = await sql`select from pg_stat_activity
        where datname = 'victim' and backend_type = 'autovacuum worker'`;
      return worker !== undefined;
    }),
  );
}

test('an owner who is no superuser drops a database with a client and an autovacuum worker', async () => {
  await withConnection(url, async (sql) => {
    await sql`create database victim`;
    await keepVacuumBusy();
    await withConnection(toUrl(url, 'victim'), async (client) => {
      await client`select 1`;
      await dropDatabase(sql, 'victim');
    });
    expect(await listDatabases(sql, 'victim')).toEqual([]);
    await dropDatabase(sql, 'victim');
  });
});
