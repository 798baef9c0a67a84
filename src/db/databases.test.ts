import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { type Cluster, startCluster } from './cluster.ts';
import {
  dropDatabase,
  listDatabases,
  NOT_ACCEPTING,
  toUrl,
  whileClosed,
  withConnection,
} from './databases.ts';
import { getSqlState } from './errors.ts';

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

test('while a database is closed, clients of before are gone and cannot come back', async () => {
  const victim = toUrl(url, 'victim');
  const write = () =>
    withConnection(victim, (sql) => sql`insert into written values (2)`).then(
      () => undefined,
      (error: unknown) => getSqlState(error),
    );
  const [written, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await withConnection(url, async (sql) => {
    await sql`create database victim`;
    await withConnection(victim, (client) => client`create table written (n int)`);
    const writing = withConnection(victim, (client) =>
      client.begin(async (tx) => {
        await tx`insert into written values (1)`;
        written.resolve();
        await closed.promise;
      }),
    ).then(
      () => 'written',
      () => 'lost',
    );
    await written.promise;
    await whileClosed(sql, 'victim', async () => {
      closed.resolve();
      expect(await writing).toBe('lost');
      expect(await write()).toBe(NOT_ACCEPTING);
    });
    expect(await write()).toBeUndefined();
    const rows = await withConnection(victim, (client) => client`select n from written`);
    expect([...rows]).toEqual([{ n: 2 }]);
  });
});
