import type { PgDatabase } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import type { Notice, Sql } from 'postgres';
import { connect } from './address.ts';
import { SESSION_QUERY, setSession } from './epoch.ts';

/** The pool or a transaction: store functions work on both. Raw statements: see query.ts. */
export type Db = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>;

export type Database = {
  readonly db: Db;
  /** The driver, only for LISTEN, schema changes, other databases and the hot path of the queue. */
  readonly sql: Sql;
  close(): Promise<void>;
};

/** In seconds. PostgreSQL cancels a statement that takes longer; one that hangs itself loses its connections. */
export type Deadlines = { readonly statement?: number; readonly answer: number };

/** A request is refused with 503 before its client gives up. */
export const REQUEST_DEADLINES: Deadlines = { statement: 30, answer: 33 };
/** Jobs have time limits of their own. */
export const JOB_DEADLINES: Deadlines = { answer: 900 };

export type PoolOptions = {
  readonly max?: number;
  /** Shown in pg_stat_activity and in metrics. */
  readonly name?: string;
  /** By default none: commands and the maintenance take what they take. */
  readonly deadlines?: Deadlines | undefined;
  /** Connections without work end after this, and their server processes with them. */
  readonly idleSeconds?: number;
  /** Standbys are wanted, not the primary. */
  readonly isReplica?: boolean;
  /** Called with what the server says beside its answers. */
  readonly onNotice?: (notice: Notice) => void;
};

/** The primary is there while a standby does not answer. */
const REPLICA_CONNECT_SECONDS = 2;

/** The beginning of the application_name of connections; the name of the pool follows. */
export const POOL_PREFIX = 'safelight ';

export function openDatabase(
  url: string,
  { max = 10, name = 'other', idleSeconds, deadlines, isReplica, onNotice }: PoolOptions = {},
): Database {
  const sql: Sql = connect(url, {
    max,
    ...(isReplica
      ? { target_session_attrs: 'standby', connect_timeout: REPLICA_CONNECT_SECONDS }
      : { session_query: SESSION_QUERY, onsession: (row) => setSession(sql, row) }),
    onnotice: onNotice ?? (() => {}),
    connection: {
      application_name: `${POOL_PREFIX}${name}`,
      ...(deadlines?.statement && { statement_timeout: deadlines.statement * 1000 }),
    },
    ...(deadlines && { query_timeout: deadlines.answer }),
    ...(idleSeconds !== undefined && { idle_timeout: idleSeconds }),
  });
  return { db: drizzle(sql), sql, close: () => sql.end({ timeout: 5 }) };
}
