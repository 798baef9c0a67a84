import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { useDatabase } from '../../../test/support/database.ts';

const database = await useDatabase();

const SOURCES = join(import.meta.dir, '../..');
const names = readdirSync(import.meta.dir).filter((file) => !file.endsWith('.test.ts'));
const modules = await Promise.all(
  names.map((file) => import(`./${file}`) as Promise<Record<string, unknown>>),
);
const declared = modules
  .flatMap((module) => Object.values(module))
  .filter((value): value is PgTable => is(value, PgTable))
  .map(getTableConfig);

type Column = {
  readonly type: string;
  readonly notNull: boolean;
  readonly hasDefault: boolean;
  readonly isPrimaryKey: boolean;
};

/** Columns by table, as PostgreSQL has them. */
async function listColumns(): Promise<Record<string, Record<string, Column>>> {
  const rows = await database.sql<(Column & { readonly table: string; readonly name: string })[]>`
    select relname as table, attname as name, format_type(atttypid, atttypmod) as type,
      attnotnull as "notNull", atthasdef or attidentity <> '' as "hasDefault",
      coalesce(attnum = any(conkey), false) as "isPrimaryKey"
    from pg_class join pg_attribute on attrelid = pg_class.oid
    left join pg_constraint on conrelid = pg_class.oid and contype = 'p'
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0
      and not attisdropped and relname <> 'schema_migration'`;
  const tables: Record<string, Record<string, Column>> = {};
  for (const { table, name, ...column } of rows) (tables[table] ??= {})[name] = column;
  return tables;
}

test('each declared table is imported by the sources', async () => {
  const imports: string[] = [];
  for (const path of new Glob('**/*.ts').scanSync(SOURCES)) {
    if (path.startsWith('db/tables/') || path.endsWith('.test.ts')) continue;
    const text = await Bun.file(join(SOURCES, path)).text();
    imports.push(...(text.match(/^import [^;]*\/tables\/[^;]*;/gm) ?? []));
  }
  const imported = new Set(imports.join('\n').match(/\w+/g));
  const tableNames = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (is(value, PgTable) ? [name] : [])),
  );
  expect(tableNames.filter((name) => !imported.has(name))).toEqual([]);
});

test('the declared tables match the database: columns, types, nullability, defaults and keys', async () => {
  const tables: Record<string, Record<string, Column>> = {};
  for (const { name, columns, primaryKeys } of declared) {
    const key = primaryKeys.flatMap((one) => one.columns.map((column) => column.name));
    tables[name] = {};
    for (const column of columns) {
      tables[name][column.name] = {
        type: column.getSQLType().replace(/^timestamp$/, 'timestamp without time zone'),
        notNull: column.notNull,
        hasDefault: column.hasDefault || column.generated !== undefined,
        isPrimaryKey: column.primary || key.includes(column.name),
      };
    }
  }
  const all = await listColumns();
  expect<unknown>(tables).toEqual(
    Object.fromEntries(declared.map(({ name }) => [name, all[name]])),
  );
});
