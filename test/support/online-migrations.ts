import type { Sql, TransactionSql } from 'postgres';
import type { Migration } from '../../migrations/index.ts';
import { applyMigration, CONCURRENT_INDEX } from '../../src/db/migrate.ts';
import { applyInPlace } from '../../src/db/apply-in-place.ts';

// Finds what an online migration may not do: the version before works on the schema meanwhile, and after it.

/** A statement that touches more rows keeps others waiting in a library of a million. */
const MAX_ROWS = 1000;

/** Definitions by name, as 'column asset.type'. */
type Schema = ReadonlyMap<string, string>;

const readSchema = async (sql: Sql | TransactionSql): Promise<Schema> =>
  new Map(
    (
      await sql<{ name: string; definition: string }[]>`
      with own as (
        select oid, relname, relkind from pg_class where relnamespace = 'public'::regnamespace
      )
      select 'relation ' || relname as name, relkind::text as definition from own
        where relkind in ('r', 'p', 'v', 'm', 'S')
      union all
      select 'column ' || relname || '.' || attname, format_type(atttypid, atttypmod)
        || case when attnotnull then ' not null' else '' end
        || case when atthasdef or attidentity <> '' then ' default' else '' end
      from pg_attribute join own on own.oid = attrelid and relkind in ('r', 'p')
      where attnum > 0 and not attisdropped
      union all
      select 'constraint ' || relname || '.' || conname, pg_get_constraintdef(pg_constraint.oid)
      from pg_constraint join own on own.oid = conrelid
      union all
      select case when indisunique then 'unique index ' else 'index ' end || relname || '.' ||
        indexrelid::regclass, pg_get_indexdef(indexrelid)
      from pg_index join own on own.oid = indrelid
      union all
      select 'trigger ' || relname || '.' || tgname, pg_get_triggerdef(pg_trigger.oid)
      from pg_trigger join own on own.oid = tgrelid where not tgisinternal
      union all
      select 'function ' || proname || '(' || pg_get_function_identity_arguments(oid) || ')',
        prorettype::regtype || ' ' || prokind::text
      from pg_proc where pronamespace = 'public'::regnamespace`
    ).map(({ name, definition }) => [name, definition]),
  );

/**
 * Returns the tables whose rows functions take. In sessions that are open these fail with 42703, "attribute of type record
 * has been dropped", after a column was.
 */
const listRowTypes = async (sql: Sql): Promise<ReadonlySet<string>> =>
  new Set(
    (
      await sql<{ name: string }[]>`
      select relname as name from pg_class join pg_type on pg_type.oid = reltype
      where relkind = 'r' and exists (select from pg_proc
        where reltype = any(proargtypes) or typarray = any(proargtypes))`
    ).map(({ name }) => name),
  );

/** Returns the table of a part of one: of 'column asset.type'. */
const getTable = (name: string): string => / (\w+)\./.exec(name)?.[1] ?? '';

function compareSchemas(before: Schema, after: Schema, isConcurrent: boolean): string[] {
  const isOnExisting = (name: string) => before.has(`relation ${getTable(name)}`);
  const removed = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, definition]) => {
    const old = before.get(name);
    // A constraint that admits more replaces a checked one: it applies to new rows only, so that no rows are read.
    if (name.startsWith('constraint ') && /^CHECK .* NOT VALID$/.test(definition)) return false;
    return old !== undefined && old !== definition;
  });
  const added = [...after].filter(([name]) => !before.has(name) && isOnExisting(name));
  const narrowing = added.filter(
    ([name, definition]) =>
      /^(?:constraint|unique index) /.test(name) ||
      (name.startsWith('index ') && !isConcurrent) ||
      (name.startsWith('column ') && definition.endsWith(' not null')),
  );
  return [
    ...removed.map((name) => `removes ${name}`),
    ...changed.map(([name]) => `changes ${name}`),
    ...narrowing.map(([name]) => `adds ${name}`),
  ];
}

type Use = {
  readonly table: string;
  readonly file: string;
  readonly isLocked: boolean;
  readonly read: number;
  readonly written: number;
};

/** Returns the tables with what the transaction has done to each so far. */
const readUse = (tx: TransactionSql) => tx<Use[]>`
  select relname as table, pg_relation_filenode(relid)::text as file,
    exists (select from pg_locks where pid = pg_backend_pid() and relation = relid and mode in
      ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')) as "isLocked",
    (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read,
    (n_tup_ins + n_tup_upd + n_tup_del)::int as written
  from pg_stat_xact_user_tables order by relname`;

/**
 * Applies an online migration to a database with rows, or returns what the version before cannot live with, or its
 * requests would wait for. `removes`: what that version no longer uses, as 'column asset.note'. `harmless`: breaches that
 * harm nobody.
 */
export async function listBreaches(
  sql: Sql,
  migration: Migration,
  removes: readonly string[] = [],
  harmless: readonly string[] = [],
): Promise<string[]> {
  const rowTypes = await listRowTypes(sql);
  const isAllowed = (breach: string) =>
    removes.some((name) => breach === `removes ${name}` && !rowTypes.has(getTable(name)));
  const before = await readSchema(sql);
  const isConcurrent = migration.sql.search(CONCURRENT_INDEX) >= 0;
  if (isConcurrent) {
    const others = migration.sql.replaceAll(CONCURRENT_INDEX, '').replaceAll(/--.*/g, '').trim();
    if (others !== '') return ['builds indexes and does something else'];
    await applyInPlace(sql, migration);
    return compareSchemas(before, await readSchema(sql), true);
  }
  let breaches: string[] = [];
  await sql
    .begin(async (tx) => {
      const unused = new Map((await readUse(tx)).map((row) => [row.table, row]));
      await applyMigration(tx, migration);
      const used = compareUse(unused, await readUse(tx));
      const changes = compareSchemas(before, await readSchema(tx), false);
      breaches = [...changes.filter((breach) => !isAllowed(breach)), ...used].filter(
        (breach) => !harmless.includes(breach),
      );
      if (breaches.length > 0) throw new Refused();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
    });
  return breaches;
}

class Refused extends Error {}

const compareUse = (before: ReadonlyMap<string, Use>, after: readonly Use[]): string[] =>
  after.flatMap(({ table, file, isLocked, read, written }) => {
    const old = before.get(table);
    if (!old) return [];
    return [
      ...(file === old.file ? [] : [`rewrites ${table}`]),
      ...(isLocked && read - old.read > MAX_ROWS ? [`reads all of ${table}, which is locked`] : []),
      ...(written - old.written > MAX_ROWS ? [`writes all of ${table}`] : []),
    ];
  });
