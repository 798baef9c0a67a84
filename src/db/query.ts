import { type Query, type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Db } from './client.ts';
import { type Columns, type DescribedColumn, type InferRow, verifyColumns } from './columns.ts';

const dialect = new PgDialect();

/** Tests compare what PostgreSQL describes with the schema at each execution, also where no row comes. */
const isVerified = process.env['SAFELIGHT_TEST_COLUMNS'] === 'verify';

/** Fills the `sql.placeholder`s of a prepared query. */
export type QueryValues = Readonly<Record<string, unknown>>;
/** A row of a statement without a schema: there is one, and nothing of it is read. */
type NoColumns = Readonly<Record<never, never>>;
export type PreparedQuery<Row> = (db: Db, values?: QueryValues) => Promise<Row[]>;

/**
 * Returns the rows of a statement that the query builder cannot express, on the pool or in a
 * transaction. `columns` names them and their types as the statement does; a statement whose rows are only
 * counted has none. The server plans the statement for these values.
 */
export function queryRows<Schema extends Columns>(
  db: Db,
  columns: Schema,
  query: SQL,
): Promise<InferRow<Schema>[]>;
export function queryRows(db: Db, query: SQL): Promise<NoColumns[]>;
export async function queryRows(db: Db, ...statement: Statement): Promise<unknown> {
  const [columns, query] = split(statement);
  return toRows(columns, await db.execute(query));
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
export function prepareQuery<Schema extends Columns>(
  columns: Schema,
  query: SQL,
): PreparedQuery<InferRow<Schema>>;
export function prepareQuery(query: SQL): PreparedQuery<NoColumns>;
export function prepareQuery(...statement: Statement): PreparedQuery<unknown> {
  const [columns, query] = split(statement);
  const rendered = dialect.sqlToQuery(query);
  return (db, values) => runPrepared(db, columns, rendered, values);
}

/**
 * Returns the rows of a statement that is rendered for each call and prepared like `prepareQuery`: for
 * statements that depend on who asks. Each connection keeps every text it has seen, so there must be few.
 */
export function queryPrepared<Schema extends Columns>(
  db: Db,
  columns: Schema,
  query: SQL,
): Promise<InferRow<Schema>[]>;
export function queryPrepared(db: Db, query: SQL): Promise<NoColumns[]>;
export function queryPrepared(db: Db, ...statement: Statement): Promise<unknown> {
  const [columns, query] = split(statement);
  return runPrepared(db, columns, dialect.sqlToQuery(query));
}

/**
 * Returns the rows of a prepared statement whose columns the caller does not know, with the types that PostgreSQL
 * describes.
 */
export async function queryDescribed(db: Db, query: SQL): Promise<DescribedRows> {
  const result = await executePrepared(db, dialect.sqlToQuery(query));
  return { rows: [...result], columns: result.columns ?? [] };
}

export type DescribedRow = Record<string, unknown>;
export type DescribedRows = {
  readonly rows: readonly DescribedRow[];
  readonly columns: readonly DescribedColumn[];
};

async function runPrepared(
  db: Db,
  columns: Columns | undefined,
  query: Query,
  values?: QueryValues,
): Promise<unknown[]> {
  return toRows(columns, await executePrepared(db, query, values));
}

async function executePrepared(db: Db, query: Query, values: QueryValues = {}): Promise<Result> {
  // The driver names the statement itself and finds it by its text: any name says "prepare".
  const statement = getSession(db).prepareQuery(query, undefined, 'prepared', false);
  return (await statement.execute(values)) as Result;
}

/**
 * The session of drizzle, which its types declare for code beside it: drizzle itself prepares only what its builders
 * make. Here and in cancel.ts alone.
 */
export const getSession = (db: Db): Db['_']['session'] => db._.session;

type Statement = [query: SQL] | [columns: Columns, query: SQL];

const split = (statement: Statement): [Columns | undefined, SQL] =>
  statement.length === 1 ? [undefined, statement[0]] : statement;

/** The rows of the driver, and the columns that PostgreSQL described before it sent them. */
type Result = Iterable<Record<string, unknown>> & {
  readonly columns: readonly DescribedColumn[] | null;
};

function toRows(columns: Columns | undefined, result: unknown): unknown[] {
  const rows = result as Result;
  if (isVerified && columns) verifyColumns(columns, rows.columns ?? []);
  return [...rows];
}

/** Returns the conjunction of conditions, of which undefined ones are left out. */
export const joinWithAnd = (first: SQL, ...others: readonly (SQL | undefined)[]): SQL =>
  join([first, ...others], sql` and `);

/** Returns the disjunction of conditions, of which undefined ones are left out. */
export const joinWithOr = (first: SQL, ...others: readonly (SQL | undefined)[]): SQL =>
  join([first, ...others], sql` or `);

const join = (conditions: readonly (SQL | undefined)[], operator: SQL): SQL =>
  sql`(${sql.join(
    conditions.filter((condition) => condition !== undefined),
    operator,
  )})`;
