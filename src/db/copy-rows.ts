import { pipeline } from 'node:stream/promises';
import type { Sql } from 'postgres';
import { Failure } from '../core/command-line.ts';
import type { SequenceValue, TableRows } from './data-script.ts';

/** Returns the columns of each table that can be filled, and the sequences. */
export async function listTables(sql: Sql) {
  const rows = await sql<{ table: string; columns: string[] }[]>`
    select relname as table, array_agg(attname::text) as columns from pg_class
    join pg_attribute on attrelid = pg_class.oid and attnum > 0
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and not attisdropped and attgenerated = '' group by relname`;
  const sequences = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'S'`;
  return {
    columns: new Map(rows.map(({ table, columns }) => [table, columns])),
    sequences: new Set(sequences.map(({ name }) => name)),
  };
}

/** Adds the rows to a table without rows; nothing is sent where there are none. Throws Failure unless it has these columns. */
export async function copyRows(
  sql: Sql,
  { table, columns, rows }: TableRows,
  known: readonly string[],
): Promise<void> {
  const unknown = columns.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Failure(
      `The dump fills a column ${table}.${unknown}, which the schema does not have`,
    );
  }
  const chunks = rows[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  async function* readAll(): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  await sql.begin(async (tx) => {
    // The rows of a table that begins in this transaction are not written to the log, and are frozen.
    await tx`truncate only ${tx(`public.${table}`)}`;
    const target = await tx`
      copy ${tx(`public.${table}`)} (${tx(columns as string[])}) from stdin (freeze)`.writable();
    await pipeline(readAll, target);
  });
}

export async function setSequences(sql: Sql, values: readonly SequenceValue[]): Promise<void> {
  for (const { name, value, isCalled } of values) {
    await sql`select setval(${`public.${name}`}::regclass, ${value}::bigint, ${isCalled})`;
  }
}
