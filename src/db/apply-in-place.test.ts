import { afterEach, beforeEach, expect, test } from 'bun:test';
import { migrations } from '../../migrations/index.ts';
import { type TestDatabase, testDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { type Database, openDatabase } from './client.ts';
import { listPendingMigrations, migrate, OWN_SCHEMA } from './migrate.ts';
import { applyInPlace } from './apply-in-place.ts';

let database: TestDatabase;
let migrator: Database;
beforeEach(async () => {
  database = await testDatabase();
  const [row] = await database.sql`select current_database() as name`;
  migrator = openDatabase(toDatabaseUrl(row!['name']), { max: 1 });
});
afterEach(async () => {
  await migrator.close();
  await database.close();
});

const toMigration = (sql: string) => ({ name: '9999_extra', sql, online: OWN_SCHEMA });
const column = toMigration('alter table tag add column extra int;');
const index = toMigration(
  'create index concurrently tag_extra on tag (value);\ncreate unique index concurrently tag_more on tag (id, value);\n',
);
const apply = (migration: ReturnType<typeof toMigration>) => applyInPlace(migrator.sql, migration);
const isPending = async (migration: ReturnType<typeof toMigration>) =>
  (await listPendingMigrations(database.sql, [...migrations, migration])).length > 0;
const listIndexes = async () =>
  (
    await database.sql`select relname as name, indisvalid as "isValid", indisunique as "isUnique"
      from pg_index join pg_class on oid = indexrelid
      where relname in ('tag_extra', 'tag_more') order by relname`
  ).map((row) => ({ ...row }));
const BUILT = [
  { name: 'tag_extra', isValid: true, isUnique: false },
  { name: 'tag_more', isValid: true, isUnique: true },
];

test('applies a migration once, and records which programs go on', async () => {
  await apply(column);
  await apply(column);
  expect(await isPending(column)).toBe(false);
  const [row] = await database.sql`
    select served_from from schema_migration where name = '9999_extra'`;
  expect(row!['served_from']).toBe(OWN_SCHEMA);
});

test('waits for a lock for two seconds only, and changes nothing then', async () => {
  await database.sql.begin(async (tx) => {
    await tx`lock table tag in access share mode`;
    await expect(apply(column)).rejects.toThrow('lock timeout');
  });
  expect(await isPending(column)).toBe(true);
  await apply(column);
  expect(await isPending(column)).toBe(false);
});

test('builds indexes beside a transaction that writes', async () => {
  const isBuilding = async () =>
    (
      await database.sql`select from pg_stat_progress_create_index where datname = current_database()`
    ).length > 0;
  let building: Promise<void> | undefined;
  await database.sql.begin(async (tx) => {
    await tx`lock table tag in row exclusive mode`;
    building = apply(index);
    while (!(await isBuilding())) await Bun.sleep(20);
    // Not held up by the index.
    await tx`update tag set value = value`;
    await database.sql`update tag set value = value`;
    expect(await isPending(index)).toBe(true);
  });
  await building;
  expect(await listIndexes()).toEqual(BUILT);
  expect(await isPending(index)).toBe(false);
});

test('builds an index anew that an interrupted attempt has left', async () => {
  const blocking = Promise.withResolvers<void>();
  const isBlocked = Promise.withResolvers<void>();
  const writing = database.sql.begin(async (tx) => {
    await tx`lock table tag in row exclusive mode`;
    isBlocked.resolve();
    await blocking.promise;
  });
  await isBlocked.promise;
  const failure = apply(index).catch((error: unknown) => error);
  const cancel = () =>
    database.sql`select pg_cancel_backend(pid) from pg_stat_progress_create_index
      where datname = current_database() and phase like 'waiting for writers%'`;
  while ((await cancel()).length === 0) await Bun.sleep(20);
  expect(String(await failure)).toContain('9999_extra failed');
  blocking.resolve();
  await writing;
  expect(await listIndexes()).toEqual([{ ...BUILT[0]!, isValid: false }]);
  await apply(index);
  expect(await listIndexes()).toEqual(BUILT);
});

test('a migration of indexes is applied in one transaction with others where nothing else runs', async () => {
  expect(await migrate(database.sql, [...migrations, index])).toEqual(['9999_extra']);
  expect(await listIndexes()).toEqual(BUILT);
});
