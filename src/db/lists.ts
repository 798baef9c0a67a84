import { type SQL, sql } from 'drizzle-orm';
import type { Db } from './client.ts';
import { column } from './columns.ts';
import { queryRows } from './query.ts';

/**
 * Returns the rows of a statement with these columns, as text and in its order. For many rows of values without commas:
 * PostgreSQL joins them to a list for each column, which the driver reads several times faster than rows.
 */
export async function queryLists<Name extends string>(
  db: Db,
  names: readonly Name[],
  statement: SQL,
): Promise<Record<Name, string>[]> {
  const lists = names.map((name) => {
    const quoted = sql.identifier(name);
    return sql`string_agg(${quoted}::text, ',') as ${quoted}`;
  });
  const columns = Object.fromEntries(names.map((name) => [name, column.text.orNull]));
  const [row] = await queryRows(
    db,
    columns,
    sql`select ${sql.join(lists, sql`, `)} from (${statement}) item`,
  );
  const values = names.map((name) => row?.[name]?.split(',') ?? []);
  return (values[0] ?? []).map(
    (_, at) =>
      Object.fromEntries(names.map((name, n) => [name, values[n]?.[at] ?? ''])) as Record<
        Name,
        string
      >,
  );
}
