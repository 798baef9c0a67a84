import type { PgDatabase } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import { connect } from './address.ts';

/** The pool or a transaction: a store function never knows which. */
export type Db = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>;

export type Database = { readonly db: Db; readonly sql: Sql; close(): Promise<void> };

export type PoolOptions = {
  readonly max?: number;
  /** Connections without work end after this, and their server processes with them. */
  readonly idleSeconds?: number;
};

export function openDatabase(url: string, { max = 10, idleSeconds }: PoolOptions = {}): Database {
  const idle = idleSeconds === undefined ? {} : { idle_timeout: idleSeconds };
  const sql = connect(url, { max, onnotice: () => {}, ...idle });
  return { db: drizzle(sql), sql, close: () => sql.end({ timeout: 5 }) };
}

type PostgresError = Error & { code: string; constraint_name?: string };

/** What PostgreSQL said about a failed statement: drizzle wraps it. */
function findPostgresError(error: unknown): PostgresError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return error as PostgresError;
  return findPostgresError(error.cause);
}

/** The SQLSTATE of a failed statement. */
export const sqlState = (error: unknown): string | undefined => findPostgresError(error)?.code;

/** `constraint`: only when it is this one that was violated. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  sqlState(error) === '23505' &&
  (constraint === undefined || findPostgresError(error)?.constraint_name === constraint);
export const isForeignKeyViolation = (error: unknown): boolean => sqlState(error) === '23503';

/**
 * Whether a statement failed because its connection was refused or lost, or because the server is
 * starting, stopping or full: nothing is wrong with the statement, and it may be sent again. Whether it
 * took effect is not known if it was a commit.
 */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') {
    if (CONNECTION_STATES.test(code) || DRIVER_CODES.test(code)) return true;
    // A socket's: errors of files and child processes have the same codes, but no statement.
    if ('query' in error && SOCKET_CODES.test(code)) return true;
  }
  return isConnectionFailure(error.cause);
}

/** Connection exceptions, too many connections, and operator intervention but for a cancelled query. */
const CONNECTION_STATES = /^(08...|53300|57P0[1-5])$/;
const DRIVER_CODES = /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT)$/;
const SOCKET_CODES = /^(E[A-Z]+|ERR_(SOCKET|STREAM)_[A-Z_]+)$/;
