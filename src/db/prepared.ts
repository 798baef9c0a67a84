import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Sql } from 'postgres';

const dialect = new PgDialect();

/**
 * Runs a statement that the server plans once per connection: for hot reads, whose planning would
 * cost more than their running. The text must come from a small fixed set, for it is kept as long as
 * the connection. Column names of the answer are those of the statement; instants arrive as text.
 */
export async function preparedRows<Row extends object>(sql: Sql, query: SQL): Promise<Row[]> {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return [...(await sql.unsafe<Row[]>(text, params as never[], { prepare: true }))] as Row[];
}
