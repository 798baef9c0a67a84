import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { type Migration, migrations } from '../../migrations/index.ts';
import { CONTRACT, ONLINE } from '../../test/fixtures/next-migrations.ts';
import { dropDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { addManyAssets } from '../../test/support/many-assets.ts';
import { listBreaches } from '../../test/support/online-migrations.ts';
import { type Database, openDatabase } from './client.ts';
import { withAdmin } from './databases.ts';
import { migrate, OWN_SCHEMA } from './migrate.ts';

// Each online migration is applied to a database with rows, and the version before must be able to go on.

setDefaultTimeout(300_000);

/** Migrations after this one say whether they are online. */
const FIRST_RELEASE = '0044_search_pages';
/** Parts of the schema that contract steps remove, as 'column asset.note': the release before no longer uses them. */
const REMOVED: Readonly<Record<string, readonly string[]>> = {};
/** Breaches that harm nobody, as indexes without which the version before finds the same. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  // The indexes of 0045 serve the same reads.
  '0046_merged_indexes': [
    'removes index asset.asset_archive_size',
    'removes index asset.asset_archive_type',
    'removes index asset.asset_size',
    'removes index asset.asset_type',
  ],
};
const ROWS = 2000;

let name: string;
let database: Database;
beforeEach(async () => {
  name = `online_${crypto.randomUUID().slice(0, 8)}`;
  const url = toDatabaseUrl(name);
  await withAdmin(url, (admin) => admin`create database ${admin(name)}`);
  database = openDatabase(url, { max: 1 });
});
afterEach(async () => {
  await database.close();
  await dropDatabase(name);
});

/** Applies the migrations, the later ones to rows, and returns the breaches by migration. */
async function findBreaches(
  all: readonly Migration[],
  removed: Readonly<Record<string, readonly string[]>> = {},
): Promise<Record<string, readonly string[]>> {
  const { sql } = database;
  const first = all.findIndex(({ name: one }) => one === FIRST_RELEASE);
  await migrate(sql, all.slice(0, first + 1));
  const [user] = await sql`
    insert into app_user (email, name) values ('ada@example.org', 'Ada') returning id`;
  await addManyAssets(database, user!['id'], ROWS);
  await sql`insert into asset_exif (asset_id) select id from asset`;
  const found: Record<string, readonly string[]> = {};
  for (const [at, migration] of all.entries()) {
    if (at <= first) continue;
    if (typeof migration.online !== 'number') await migrate(sql, all.slice(0, at + 1));
    else {
      const { name: own } = migration;
      const breaches = await listBreaches(sql, migration, removed[own], HARMLESS[own]);
      if (breaches.length > 0) found[migration.name] = breaches;
    }
  }
  return found;
}

test('each migration says whether it is online, and which programs go on', () => {
  const later = migrations.filter((migration) => migration.name > FIRST_RELEASE);
  expect(later.filter(({ online }) => online === undefined)).toEqual([]);
  const isEarlier = ({ name: own, online }: Migration) =>
    typeof online !== 'number' || (online >= 44 && online < Number.parseInt(own, 10));
  expect(later.filter((migration) => !isEarlier(migration))).toEqual([]);
});

test('the version before can live with each online migration', async () => {
  expect(await findBreaches(migrations, REMOVED)).toEqual({});
});

test('a migration may add what the version before does not see, and remove what it no longer uses', async () => {
  const all = [...migrations, ...ONLINE, CONTRACT];
  const removes = [
    'relation next_thing',
    'column next_thing.id',
    'column next_thing.asset_id',
    'constraint next_thing.next_thing_pkey',
    'constraint next_thing.next_thing_asset_id_fkey',
    'unique index next_thing.next_thing_pkey',
    'column node.next_note',
  ];
  expect(await findBreaches(all, { [CONTRACT.name]: removes })).toEqual({});
});

test('finds what the version before cannot live with', async () => {
  const statements: readonly (readonly [sql: string, ...breaches: string[]])[] = [
    ['drop table tag cascade;', 'removes relation tag'],
    ['alter table asset drop column file_size;', 'removes column asset.file_size'],
    ['alter table tag rename column value to path;', 'removes column tag.value'],
    ['alter table tag alter column color type varchar(3);', 'changes column tag.color'],
    ['alter table tag alter column color set not null;', 'changes column tag.color'],
    [
      'alter table asset alter column is_favorite drop not null;',
      'changes column asset.is_favorite',
    ],
    ['alter table tag add column extra int not null;', 'adds column tag.extra'],
    [
      'alter table asset add constraint sized check (file_size >= 0);',
      'adds constraint asset.sized',
      'reads all of asset, which is locked',
    ],
    [
      'create index asset_bytes on asset (file_size);',
      'adds index asset.asset_bytes',
      'reads all of asset, which is locked',
    ],
    [
      'create unique index concurrently asset_one on asset (id, file_size);',
      'adds unique index asset.asset_one',
    ],
    [
      'create index concurrently asset_one on asset (id);\ncreate table extra (id int);',
      'builds indexes and does something else',
    ],
    ['drop function without_texts;', 'removes function without_texts(list text[], others text[])'],
    ['alter table asset add column extra float not null default random();', 'rewrites asset'],
    [
      'alter table asset_exif alter column iso type numeric;',
      'changes column asset_exif.iso',
      'rewrites asset_exif',
    ],
    ['update asset_exif set description = $$a$$;', 'writes all of asset_exif'],
    [
      'alter table node drop constraint node_role_check, add constraint node_role_check check (role in ($$server$$));',
      'changes constraint node.node_role_check',
    ],
  ];
  await findBreaches(migrations);
  for (const [text, ...expected] of statements) {
    const migration = { name: '9999_extra', sql: `${text}\n`, online: OWN_SCHEMA };
    const breaches = await listBreaches(database.sql, migration);
    expect(breaches, text).toEqual(expect.arrayContaining(expected));
    await database.sql`delete from schema_migration where name = '9999_extra'`;
  }
  const sql = 'alter table asset drop column damage;';
  const migration = { name: '9999_extra', sql, online: OWN_SCHEMA };
  // Also where the version before does not use it.
  const breaches = await listBreaches(database.sql, migration, ['column asset.damage']);
  expect(breaches).toContain('removes column asset.damage');
});

test('a check that admits more takes the place of another one without reading the table', async () => {
  const extra = {
    name: '9999_extra',
    online: OWN_SCHEMA,
    sql: `alter table node drop constraint node_role_check;
      alter table node add constraint node_role_check check (role in ('server', 'worker', 'cache')) not valid;`,
  };
  expect(await findBreaches([...migrations, extra])).toEqual({});
});
