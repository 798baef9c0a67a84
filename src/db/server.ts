import { existsSync } from 'node:fs';
import type { Sql } from 'postgres';
import { requireAccess } from '../core/access-remedy.ts';
import { Failure } from '../core/command-line.ts';
import { enterDataFolder } from '../core/data-folder.ts';
import type { Log } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import { connect } from './address.ts';
import {
  type Cluster,
  ClusterError,
  FolderInUse,
  runningCluster,
  startCluster,
} from './cluster.ts';
import { reopenAbandoned } from './databases.ts';
import { getFirst } from '../core/required.ts';
import { getRow } from './query.ts';

/** The PostgreSQL this process works with, whoever runs it. */
export type DatabaseServer = {
  readonly url: string;
  /** Undefined: somebody else runs the server, and upgrades it. */
  readonly upgrade?: Cluster['upgrade'];
  /** Ends the server if it was ours to start. */
  stop(): Promise<void>;
};

const OLDEST = 150_000;

/**
 * For the server process: with DATABASE_URL that server, else our own, which no other process may
 * run on the same data folder.
 */
export const startDatabase = (settings: Settings, log: Log): Promise<DatabaseServer> =>
  settings.databaseUrl
    ? useExternal(settings.databaseUrl)
    : startCluster({ dataDir: settings.dataDir, log });

/** For commands beside a server: joins the one that runs on the data folder, or starts it for now. */
export async function joinDatabase(settings: Settings, log: Log): Promise<DatabaseServer> {
  const { databaseUrl, dataDir } = settings;
  if (!databaseUrl && !existsSync(dataPaths(dataDir).postgres)) {
    // Others cannot see whether there is one.
    requireAccess(dataDir, 'read');
    throw new Failure(`There is no library in ${dataDir}: 'safelight serve' makes one`);
  }
  enterDataFolder(settings);
  const server = await startDatabase(settings, log).catch((error: unknown) => {
    const url = error instanceof FolderInUse && runningCluster(settings.dataDir);
    if (!url) throw error;
    return { url, stop: async () => {} };
  });
  try {
    await reopenAbandoned(server.url);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Returns the address of the database that a server on this data folder works with. Throws Failure. */
export function findDatabaseUrl({ databaseUrl, dataDir }: Settings): string {
  const url = databaseUrl ?? runningCluster(dataDir);
  if (!url) throw new Failure(`No database is running on ${dataDir}`);
  return url;
}

async function useExternal(url: string): Promise<DatabaseServer> {
  await reopenAbandoned(url);
  await checkServer(url);
  return { url, stop: async () => {} };
}

export type ServerFacts = { readonly version: string; readonly number: number };

/** Throws ClusterError, in words for the owner, when the server is not one that we can use. */
export async function checkServer(url: string): Promise<ServerFacts> {
  const sql = connect(url, { max: 2, connect_timeout: 10, onnotice: () => {} });
  try {
    await requireOwnSessions(sql);
    const { version, number, encoding } = getRow(
      await sql<{ version: string; number: number; encoding: string }[]>`
        select current_setting('server_version') as version,
          current_setting('server_version_num')::int as number,
          current_setting('server_encoding') as encoding`,
    );
    if (number < OLDEST) {
      throw new ClusterError(`DATABASE_URL is PostgreSQL ${version}: 15 or newer is needed.`);
    }
    if (encoding !== 'UTF8') {
      throw new ClusterError(
        `The database of DATABASE_URL has the encoding ${encoding}: UTF8 is needed.`,
      );
    }
    return { version, number };
  } catch (error) {
    if (error instanceof ClusterError) throw error;
    const { message, code } = error as Error & { code?: string };
    throw new ClusterError(`The database cannot be reached: ${message || code}`, { cause: error });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Throws ClusterError behind a pooler that gives the session of one connection to another between transactions: locks,
 * notifications and prepared statements would be lost.
 */
async function requireOwnSessions(sql: Sql): Promise<void> {
  const [one, other] = [await sql.reserve(), await sql.reserve()];
  // The protocol of simple queries needs nothing of a session.
  const getProcess = async (connection: Sql) =>
    getFirst(await connection<{ pid: number }[]>`select pg_backend_pid() as pid`.simple()).pid;
  try {
    const pid = await getProcess(one);
    await other`begin`.simple();
    const isShared = (await getProcess(other)) === pid;
    await other`rollback`.simple();
    if (isShared) throw new ClusterError(POOLED);
  } finally {
    one.release();
    other.release();
  }
}

const POOLED =
  'DATABASE_URL leads to a connection pooler that shares sessions (transaction or statement mode): ' +
  'connect to PostgreSQL itself, or to a pooler in session mode.';

/** The name of the last migration of a database as it is; undefined for an empty one. */
export async function schemaVersion(sql: Sql): Promise<string | undefined> {
  const [table] = await sql`select to_regclass('schema_migration') is not null as there`;
  if (!table?.['there']) return undefined;
  const [row] = await sql<{ name: string }[]>`
    select name from schema_migration order by name desc limit 1`;
  return row?.name;
}
