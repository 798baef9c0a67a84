import type { TestDatabase } from '../support/harness.ts';

/**
 * Written by asking alone, and partly after the answer: attempts, sessions that were seen, precomputed
 * vectors, summaries of months, jobs for thumbnails, uses of links, proofs that the database takes writes.
 */
const UNCOUNTED = new Set([
  'guess',
  'session',
  'api_key',
  'person_vector',
  'month_summary',
  'job',
  'shared_link_use',
  'write_probe',
]);

export const isCounted = (table: string): boolean => !UNCOUNTED.has(table);

export type Snapshot = {
  /** Tables with other rows than when the snapshot was taken. */
  changed(): Promise<string[]>;
  /** Puts the rows of all changed tables back. */
  restore(): Promise<void>;
};

/**
 * Keeps a copy of all rows in a schema of its own. Putting back the few tables that a request has
 * changed takes a tenth of the time of copying a database. Triggers note the tables that are written, so that
 * only those are compared: other tests write to other databases of the same server, whose transaction ids and
 * statistics therefore tell nothing.
 */
export async function takeSnapshot({ sql }: TestDatabase): Promise<Snapshot> {
  const tables = await sql<{ name: string; columns: string }[]>`
    select table_name as name, string_agg(quote_ident(column_name), ',') as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
    group by table_name order by 1`;
  const columnsByTable = new Map(tables.map(({ name, columns }) => [name, columns]));
  await sql.unsafe(`create schema kept; create table kept.written (name text);
    create function kept.note() returns trigger language plpgsql as $$
      begin insert into kept.written values (tg_table_name); return null; end $$;
    ${tables.map(({ name, columns }) => watchTable(name, columns)).join(';')}`);
  const digest = async (names: readonly string[]) => {
    const rows = await sql.unsafe<{ name: string; digest: string | null }[]>(
      names
        .map(
          (name) => `select '${name}' as name,
            sum(hashtextextended(row::text, 0)) as digest from "${name}" row`,
        )
        .join(' union all '),
    );
    return new Map(rows.map((row) => [row.name, row.digest]));
  };
  const before = await digest([...columnsByTable.keys()]);
  let suspects: readonly string[] = [];
  const changed = async () => {
    const written = await sql<{ name: string }[]>`delete from kept.written returning name`;
    const names = [...new Set([...suspects, ...written.map(({ name }) => name)])];
    if (names.length === 0) return [];
    const now = await digest(names);
    suspects = names.filter((name) => now.get(name) !== before.get(name));
    return [...suspects];
  };
  return {
    changed,
    async restore() {
      const statements = (await changed()).map((name) => {
        const columns = columnsByTable.get(name)!;
        return `delete from "${name}"; insert into "${name}" (${columns})
          overriding system value select ${columns} from kept."${name}"`;
      });
      if (statements.length === 0) return;
      // Without triggers and foreign keys: the rows fit each other as they are.
      await sql.begin(async (tx) => {
        await tx.unsafe(`set local session_replication_role = replica; ${statements.join(';')}`);
      });
      suspects = [];
    },
  };
}

const watchTable = (name: string, columns: string) =>
  `create table kept."${name}" as select ${columns} from "${name}";
    create trigger noted after insert or update or delete or truncate on "${name}"
      for each statement execute function kept.note()`;
