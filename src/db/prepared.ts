import { fillPlaceholders, type SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Sql } from 'postgres';
import type { Db } from './client.ts';

const dialect = new PgDialect();

export type Statement<Row> = (
  pool: Sql,
  values?: Readonly<Record<string, unknown>>,
) => Promise<Row[]>;

/**
 * A statement that is written once and that the server plans once per connection: for hot reads, whose
 * planning would cost more than their running. `values` fill its `sql.placeholder`s. The text must be
 * one of few, for it is kept as long as the connection. Columns of the answer are named as in the
 * statement; instants arrive as text.
 */
export function prepareRows<Row extends object>(query: SQL): Statement<Row> {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return async (pool, values = {}) => {
    const filled = fillPlaceholders(params, values) as never[];
    return [...(await pool.unsafe<Row[]>(text, filled, { prepare: true }))] as Row[];
  };
}

/**
 * The same within a transaction, and for changes. Where `db` is the pool, each call may take another
 * connection.
 */
export function prepareWork<Row extends object>(query: SQL) {
  const written = dialect.sqlToQuery(query);
  return async (db: Db, values: Readonly<Record<string, unknown>> = {}): Promise<Row[]> => {
    const statement = db._.session.prepareQuery(written, undefined, 'work', false);
    return [...((await statement.execute(values)) as Row[])];
  };
}

/** The same for a statement that is written anew each time. */
export const preparedRows = <Row extends object>(pool: Sql, query: SQL): Promise<Row[]> =>
  prepareRows<Row>(query)(pool);
