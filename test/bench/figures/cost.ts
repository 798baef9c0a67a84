import type { Sql } from 'postgres';
import { listProcessTree } from '../../../src/core/process-memory.ts';
import { openDatabase } from '../../../src/db/client.ts';
import { toDatabaseUrl } from '../../support/harness.ts';
import {
  getEndedChildrenMs,
  getEndedThreadsMs,
  getParent,
  getThreadsMs,
  listDatabaseProcesses,
  readThreadTimes,
} from '../processes.ts';

/** The cost of some work to a server and to its database. */
export type Cost = {
  readonly serverCpuMs: number;
  readonly databaseCpuMs: number;
  /** Undefined where PostgreSQL lacks pg_stat_statements, as those that follow but `ms`. */
  readonly statements: number | undefined;
  /** Times that PostgreSQL planned one. */
  readonly plans: number | undefined;
  /** Number of blocks of shared buffers, found or read. */
  readonly blocks: number | undefined;
  readonly walKiB: number | undefined;
  readonly ms: number;
};

export type Meter = {
  /** Runs the work. What other connections of the server do meanwhile is counted too. */
  readonly measure: (work: () => Promise<unknown>) => Promise<Cost>;
  readonly close: () => Promise<void>;
};

type Metered = {
  readonly serverPid: number;
  readonly databaseName: string;
  /** Backends of the measurement itself, which do not count. */
  readonly exceptPids?: readonly number[];
};

/** Part of statements of the measurement itself, which do not count. */
export const OWN_STATEMENT = '/* bench */';

/** The statistics are read through another database, so that reading them does not count. */
export async function createMeter(metered: Metered): Promise<Meter> {
  const { sql, ...database } = openDatabase(toDatabaseUrl('postgres'), { max: 1 });
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const postmaster = getParent(backend!.pid);
  const hasStatements = await enableStatements(sql);
  return {
    async measure(work) {
      if (hasStatements) await resetStatements(sql, metered.databaseName);
      const before = readTimes(metered, postmaster);
      const from = performance.now();
      await work();
      const ms = performance.now() - from;
      const after = readTimes(metered, postmaster);
      const counts = hasStatements ? await readStatements(sql, metered.databaseName) : undefined;
      return {
        serverCpuMs: getThreadsMs(before.server, after.server),
        databaseCpuMs: getDatabaseMs(before, after),
        statements: counts?.statements,
        plans: counts?.plans,
        blocks: counts?.blocks,
        walKiB: counts?.walKiB,
        ms,
      };
    },
    close: () => database.close(),
  };
}

function readTimes({ serverPid, databaseName, exceptPids = [] }: Metered, postmaster: number) {
  const backends = listDatabaseProcesses(databaseName).filter((pid) => !exceptPids.includes(pid));
  return {
    server: readThreadTimes(listProcessTree(serverPid)),
    database: readThreadTimes(backends),
    endedMs: getEndedChildrenMs(postmaster),
  };
}

type Times = ReturnType<typeof readTimes>;

/** Parallel workers have ended by then: their time is in that of ended backends. */
const getDatabaseMs = (before: Times, after: Times): number =>
  getThreadsMs(before.database, after.database) +
  Math.max(0, after.endedMs - before.endedMs - getEndedThreadsMs(before.database, after.database));

/** Returns whether statements can be counted: the module is preloaded. */
async function enableStatements(sql: Sql): Promise<boolean> {
  const [loaded] = await sql<{ has: boolean }[]>`
    select current_setting('shared_preload_libraries') like '%pg_stat_statements%' as has`;
  if (loaded!.has) await sql`create extension if not exists pg_stat_statements`;
  return loaded!.has;
}

const resetStatements = (sql: Sql, name: string): Promise<unknown> => sql`
  select pg_stat_statements_reset(0, (select oid from pg_database where datname = ${name}), 0)`;

type Counts = { readonly [Name in 'statements' | 'plans' | 'blocks' | 'walKiB']: number };

async function readStatements(sql: Sql, name: string): Promise<Counts> {
  const [counts] = await sql<Counts[]>`
    select coalesce(sum(calls), 0)::float8 as statements, coalesce(sum(plans), 0)::float8 as plans,
      coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as blocks,
      coalesce(sum(wal_bytes), 0)::float8 / 1024 as "walKiB"
    from pg_stat_statements where query not like ${`%${OWN_STATEMENT}%`}
      and dbid = (select oid from pg_database where datname = ${name})`;
  return counts!;
}
