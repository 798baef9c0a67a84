import type { TestDatabase } from './harness.ts';

const statements = new WeakMap<TestDatabase['sql'], Map<string, string>>();

/**
 * Deletes the rows of these tables and of those that refer to them, without triggers: TRUNCATE CASCADE, which takes
 * longer where there are few rows, since it makes new files for each of a hundred tables and its indexes. The row of
 * the installation stays, without its administrator.
 */
export async function emptyTables(
  { sql }: Pick<TestDatabase, 'sql'>,
  ...tables: readonly string[]
): Promise<void> {
  const ofDatabase = statements.get(sql) ?? new Map<string, string>();
  statements.set(sql, ofDatabase);
  const key = tables.join();
  const statement = ofDatabase.get(key) ?? (await composeDeletion(sql, tables));
  ofDatabase.set(key, statement);
  await sql.begin((tx) => tx.unsafe(`set local session_replication_role = replica; ${statement}`));
}

async function composeDeletion(sql: TestDatabase['sql'], tables: readonly string[]) {
  const rows = await sql<{ name: string }[]>`
    with recursive reached (id) as (
      select name::regclass::oid from unnest(${tables as string[]}::text[]) name
      union
      select conrelid from pg_constraint join reached on confrelid = reached.id
      where contype = 'f' and conrelid <> 'instance'::regclass)
    select id::regclass::text as name from reached`;
  return [
    ...rows.map(({ name }) => `delete from ${name}`),
    'update instance set admin_id = null',
  ].join(';');
}
