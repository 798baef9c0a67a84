// Callers move to query.ts; this file goes with the last of them.
import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Sql } from 'postgres';
import { fillPlaceholders } from 'drizzle-orm';

const dialect = new PgDialect();
export function prepareRows<Row extends object>(query: SQL) {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return async (pool: Sql, values: Readonly<Record<string, unknown>> = {}): Promise<Row[]> => {
    const filled = fillPlaceholders(params, values) as never[];
    return [...(await pool.unsafe<Row[]>(text, filled, { prepare: true }))] as Row[];
  };
}
export const preparedRows = <Row extends object>(pool: Sql, query: SQL): Promise<Row[]> =>
  prepareRows<Row>(query)(pool);
export { prepareQuery as prepareWork } from './query.ts';
