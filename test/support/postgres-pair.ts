import { appendFileSync, chmodSync, chownSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { migrate } from '../../src/db/migrate.ts';
import { type Database, openDatabase, type PoolOptions } from '../../src/db/client.ts';
import { startCluster } from '../../src/db/cluster.ts';
import { findNewestTool } from '../../src/db/tools.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { findFreePort } from './free-port.ts';
import { NOW, type TestDatabase } from './harness.ts';
import { createMemoryFolder } from './memory-folder.ts';
import { until } from './until.ts';

export type PostgresServer = {
  readonly url: string;
  /** A connection to this server, for its settings and functions. */
  readonly sql: postgres.Sql;
  pid(): number;
  start(): Promise<void>;
  /** SIGKILL to all of its processes at once. */
  kill(): Promise<void>;
};

/** A primary with a migrated library, and a standby that follows it by streaming: real servers of their own. */
export type PostgresPair = {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** The address of both. */
  readonly url: string;
  /** Starts another standby of the primary. */
  addStandby(): Promise<PostgresServer>;
  /** A pool on an address, with the dependencies of a process. */
  open(url: string, options?: PoolOptions): TestDatabase;
  /** Resolves when the standbys show all that the primary has committed. */
  waitForReplay(): Promise<void>;
  stop(): Promise<void>;
};

export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = createMemoryFolder('pair-');
  chmodSync(folder, 0o755);
  await (await startCluster({ dataDir: folder, durability: 'none', log: silentLog })).stop();
  const first = join(folder, 'postgres');
  const owner = statSync(first);
  appendFileSync(
    join(first, 'pg_hba.conf'),
    '\nhost all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n',
  );
  const primary = await createServerIn(first, owner);
  await primary.start();
  const library = openDatabase(primary.url, { max: 1 });
  await migrate(library.sql);
  await library.close();
  const standbys: PostgresServer[] = [];
  async function addStandby(): Promise<PostgresServer> {
    const copy = join(folder, `standby-${standbys.length}`);
    mkdirSync(copy, { mode: 0o700 });
    chownSync(copy, owner.uid, owner.gid);
    const options = `--dbname ${primary.url} --write-recovery-conf --checkpoint fast --no-sync`;
    const copying = Bun.spawn(
      asOwner(owner, ['pg_basebackup', '--pgdata', copy, ...options.split(' ')]),
      { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] },
    );
    if ((await copying.exited) !== 0) throw new Error('pg_basebackup failed');
    const standby = await createServerIn(copy, owner);
    standbys.push(standby);
    await standby.start();
    return standby;
  }
  const standby = await addStandby();
  const pools: Database[] = [];
  return {
    primary,
    standby,
    url: joinHosts([primary, standby]),
    addStandby,
    open(url, options = {}) {
      const pool = openDatabase(url, { max: 4, ...options });
      pools.push(pool);
      const settings = { ...defaultSettings(), dataDir: folder, databaseUrl: url };
      const paths = dataPaths(folder);
      const deps = { ...pool, now: () => NOW, paths, settings, log: silentLog };
      return { ...pool, deps, [Symbol.asyncDispose]: () => pool.close() };
    },
    async waitForReplay() {
      const [row] = await primary.sql`select pg_current_wal_lsn()::text as lsn`;
      for (const { sql } of standbys) {
        await until(async () => {
          const [state] = await sql`
            select pg_last_wal_replay_lsn() >= ${row!['lsn']}::pg_lsn as is_there`;
          return state!['is_there'] === true;
        });
      }
    },
    async stop() {
      for (const pool of pools) await pool.close();
      for (const server of [primary, ...standbys]) {
        await server.sql.end({ timeout: 1 });
        await server.kill();
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the address of the library on several servers, of which one is the primary. */
export const joinHosts = (servers: readonly PostgresServer[]): string => {
  const hosts = servers.map(({ url }) => new URL(url).host);
  return `postgres://safelight@${hosts.join(',')}/safelight`;
};

type Owner = { readonly uid: number; readonly gid: number };

/** PostgreSQL does not run as root. */
function asOwner({ uid, gid }: Owner, [tool = '', ...args]: readonly string[]): string[] {
  const path = join(findNewestTool('pg_dump'), '..', tool);
  const user =
    process.getuid!() === 0 ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
  return ['setpriv', ...user, '--pdeathsig', 'KILL', '--', path, ...args];
}

async function createServerIn(folder: string, owner: Owner): Promise<PostgresServer> {
  const port = findFreePort();
  const url = `postgres://safelight@127.0.0.1:${port}/safelight`;
  const flags = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    wal_receiver_status_interval: '100ms',
    wal_retrieve_retry_interval: '100ms',
    shared_buffers: '32MB',
  };
  const settings = Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let child: Bun.Subprocess | undefined;
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return {
    url,
    sql,
    pid: () => child?.pid ?? 0,
    async start() {
      child = Bun.spawn(asOwner(owner, ['postgres', '-D', folder, ...settings]), {
        cwd: '/',
        stdio: ['ignore', 'ignore', 'ignore'],
        detached: true,
      });
      await until(async () => {
        const probe = postgres(url, { max: 1, connect_timeout: 1, onnotice: () => {} });
        const isAnswering = await probe`select 1`.then(
          () => true,
          () => false,
        );
        await probe.end({ timeout: 1 });
        return isAnswering;
      });
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      // Its backends notice the death of the postmaster.
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}
