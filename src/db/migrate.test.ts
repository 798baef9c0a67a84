import { afterEach, beforeEach, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { migrations } from '../../migrations/index.ts';
import { type TestDatabase, testDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { openDatabase } from './client.ts';
import { hasServedSchema, listPendingMigrations, migrate, OWN_SCHEMA } from './migrate.ts';
import { schemaVersion } from './server.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.close());

const extra = { name: '9999_extra', sql: 'create table extra (id int)' };

test('applies nothing to a schema that is up to date', async () => {
  expect(await migrate(database.sql)).toEqual([]);
  expect(await schemaVersion(database.sql)).toBe(migrations.at(-1)!.name);
});

test('refuses a schema newer than the program and changes nothing', async () => {
  expect(await migrate(database.sql, [...migrations, extra])).toEqual(['9999_extra']);
  await expect(migrate(database.sql)).rejects.toThrow(
    '9999_extra, which this program does not know',
  );
  expect(await schemaVersion(database.sql)).toBe('9999_extra');
});

test('serves the schema of a newer version that lets this one go on', async () => {
  const next = [...migrations, { ...extra, online: OWN_SCHEMA }];
  expect(await migrate(database.sql, next)).toEqual(['9999_extra']);
  expect(await hasServedSchema(database.db)).toBe(true);
  expect(await listPendingMigrations(database.sql)).toEqual([]);
  expect(await migrate(database.sql)).toEqual([]);
});

test('refuses a schema with one migration that does not let this version go on', async () => {
  const [before, after] = [
    { name: '9998_before', sql: 'create table before (id int)', online: OWN_SCHEMA },
    { name: '9999_after', sql: 'create table after (id int)', online: OWN_SCHEMA + 1 },
  ];
  await migrate(database.sql, [...migrations, before, after]);
  expect(await hasServedSchema(database.db)).toBe(false);
  await expect(migrate(database.sql)).rejects.toThrow('9999_after, which this program does not');
  await expect(listPendingMigrations(database.sql)).rejects.toThrow('9999_after');
});

test('does not serve an older schema, an edited one, or one of before online migrations', async () => {
  const { sql, db } = database;
  await sql`update schema_migration set checksum = 'x' || checksum where name = '0001_identity'`;
  expect(await hasServedSchema(db)).toBe(false);
  await sql`update schema_migration set checksum = substr(checksum, 2) where name = '0001_identity'`;
  expect(await hasServedSchema(db)).toBe(true);
  await sql`delete from schema_migration where name = ${migrations.at(-1)!.name}`;
  expect(await hasServedSchema(db)).toBe(false);
  await sql`alter table schema_migration drop column served_from`;
  expect(await hasServedSchema(db)).toBe(false);
  await sql`drop table schema_migration`;
  expect(await hasServedSchema(db)).toBe(false);
});

test('refuses a database of a development version before the first release and changes nothing', async () => {
  const name = `test_${randomUUID().slice(0, 8)}`;
  await database.sql`create database ${database.sql(name)}`;
  const old = openDatabase(toDatabaseUrl(name), { max: 1 });
  await migrate(old.sql, [
    { name: '0001_identity', sql: 'create table app_user (id uuid)' },
    { name: '0002_assets', sql: 'create table asset (id uuid)' },
    { name: '0043_removed_album_owners', sql: 'create table album (id uuid)' },
  ]);
  await expect(migrate(old.sql)).rejects.toThrow(
    'This database was created by a development version before the first release',
  );
  const tables = await old.sql`
    select tablename from pg_tables where schemaname = 'public' order by tablename`;
  expect(tables.map(({ tablename }) => tablename)).toEqual([
    'album',
    'app_user',
    'asset',
    'schema_migration',
  ]);
  await old.close();
  await database.sql`drop database ${database.sql(name)}`;
});

test('rolls back a migration that fails', async () => {
  const broken = { name: '9999_extra', sql: `${extra.sql}; select nonsense` };
  await expect(migrate(database.sql, [...migrations, broken])).rejects.toThrow('nonsense');
  expect(await schemaVersion(database.sql)).toBe(migrations.at(-1)!.name);
  const [row] = await database.sql`select to_regclass('extra') as found`;
  expect(row!['found']).toBeNull();
});

test('names a migration that was edited after it was applied', async () => {
  await migrate(database.sql, [...migrations, extra]);
  const edited = [...migrations, { ...extra, sql: 'create table other (id int)' }];
  await expect(migrate(database.sql, edited)).rejects.toThrow('9999_extra was edited');
});

test('concurrent processes apply each migration once', async () => {
  const [{ name }] = (await database.sql`select current_database() as name`) as [{ name: string }];
  const pools = [1, 2, 3].map(() => openDatabase(toDatabaseUrl(name), { max: 1 }));
  const applied = await Promise.all(pools.map(({ sql }) => migrate(sql, [...migrations, extra])));
  expect(applied.flat()).toEqual(['9999_extra']);
  for (const pool of pools) await pool.close();
});
