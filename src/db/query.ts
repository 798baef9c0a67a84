import { type Query, type SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Db } from './client.ts';

const dialect = new PgDialect();

/** Fills the `sql.placeholder`s of a prepared query. */
export type QueryValues = Readonly<Record<string, unknown>>;
export type PreparedQuery<Row> = (db: Db, values?: QueryValues) => Promise<Row[]>;

/**
 * Returns the rows of a statement that the query builder cannot express, on the pool or in a
 * transaction. `Row` names the columns as the statement does: `timestamptz` and `date` arrive as text,
 * `bigint` and `numeric` too. The server plans the statement for these values.
 */
export async function queryRows<Row extends object>(db: Db, query: SQL): Promise<Row[]> {
  return [...((await db.execute(query)) as unknown as Row[])];
}

/** Returns the first row of a statement that always has one. Throws when it has none. */
export function getRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('A statement that always has a row returned none');
  return row;
}

/**
 * Returns a statement that is rendered once, and that the server parses and plans once per connection:
 * half the cost of `queryRows` where planning costs more than running. On the pool each call may take
 * another connection.
 */
export function prepareQuery<Row extends object>(query: SQL): PreparedQuery<Row> {
  const rendered = dialect.sqlToQuery(query);
  return (db, values) => runPrepared(db, rendered, values);
}

/**
 * Returns the rows of a statement that is rendered for each call and prepared like `prepareQuery`: for
 * statements that depend on who asks. Each connection keeps every text it has seen, so there must be few.
 */
export const queryPrepared = <Row extends object>(db: Db, query: SQL): Promise<Row[]> =>
  runPrepared(db, dialect.sqlToQuery(query));

async function runPrepared<Row>(db: Db, query: Query, values: QueryValues = {}): Promise<Row[]> {
  // The driver names the statement itself and finds it by its text: any name says "prepare".
  const statement = db._.session.prepareQuery(query, undefined, 'prepared', false);
  return [...((await statement.execute(values)) as Row[])];
}
