import { type ExtractTablesWithRelations, sql } from 'drizzle-orm';
import { PgDatabase, PgDialect, PgPreparedQuery, PgSession } from 'drizzle-orm/pg-core';
import type { PreparedQueryConfig } from 'drizzle-orm/pg-core';
import type { PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import { connect, getAddress } from './address.ts';
import type { Database, Db } from './client.ts';
import { column } from './columns.ts';
import { getSession, prepareQuery } from './query.ts';

type Reader = Pick<Database, 'db' | 'sql'> & { readonly signal: AbortSignal };
type Session = Db['_']['session'];
type PrepareArguments = Parameters<Session['prepareQuery']>;

type NoSchema = Record<string, never>;
type NoTables = ExtractTablesWithRelations<NoSchema>;

const dialect = new PgDialect();

/**
 * Returns the same pool for the reads of one request: once `signal` is aborted, PostgreSQL cancels the
 * statement that runs, no other begins, and the caller gets the reason of the signal. Statements that
 * write are refused. Transactions are those of the pool and are not cancelled.
 *
 * A cancellation names a server process, not a statement. So each statement has a connection to itself,
 * which goes back to the pool when the cancellation has arrived: nobody else's statement can be hit.
 */
export const cancelQueryOnAbort = (pool: Pick<Database, 'db' | 'sql'>, signal: AbortSignal): Db =>
  new PgDatabase(dialect, new CancellableSession({ ...pool, signal }), undefined);

class CancellableSession extends PgSession<PostgresJsQueryResultHKT, NoSchema, NoTables> {
  readonly #reader: Reader;
  constructor(reader: Reader) {
    super(dialect);
    this.#reader = reader;
  }
  override prepareQuery<T extends PreparedQueryConfig>(
    ...args: PrepareArguments
  ): PgPreparedQuery<T> {
    return new CancellableQuery<T>(this.#reader, args);
  }
  override transaction: Session['transaction'] = (...args) =>
    getSession(this.#reader.db).transaction(...args);
}

class CancellableQuery<T extends PreparedQueryConfig> extends PgPreparedQuery<T> {
  readonly #reader: Reader;
  readonly #args: PrepareArguments;
  constructor(reader: Reader, args: PrepareArguments) {
    super(args[0], undefined, undefined);
    this.#reader = reader;
    this.#args = args;
  }
  override execute(values?: Record<string, unknown>): Promise<T['execute']> {
    return runCancellable(this.#reader, (tx) => {
      const statement = getSession(tx).prepareQuery(...this.#args);
      // The query builder noted here which joined tables may have no row.
      return Object.assign(statement, this).execute(values);
    });
  }
}

async function runCancellable<T>(
  { db, sql: pool, signal }: Reader,
  run: (tx: Db) => Promise<T>,
): Promise<T> {
  let cancelled: Promise<void> | undefined;
  const work = db.transaction(async (tx) => {
    signal.throwIfAborted();
    const [{ pid }] = (await beginReading(tx)) as [{ pid: number; set_config: string }];
    signal.throwIfAborted();
    const cancel = () => {
      cancelled = cancelBackend(pool, pid);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await run(tx);
    } finally {
      signal.removeEventListener('abort', cancel);
      await cancelled;
    }
  });
  return work.catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
}

const beginReading = prepareQuery(
  { pid: column.integer, set_config: column.text },
  sql`
  select pg_backend_pid() as pid, set_config('transaction_read_only', 'on', true)`,
);

/** On a connection of its own: the pool may be busy with what is to be cancelled. */
async function cancelBackend(pool: Sql, pid: number): Promise<void> {
  const connection = connect(getAddress(pool), { max: 1, onnotice: () => {} });
  try {
    await connection`select pg_cancel_backend(${pid})`;
  } catch {
    // The statement runs to its end, as it would have without us.
  } finally {
    await connection.end({ timeout: 1 });
  }
}
