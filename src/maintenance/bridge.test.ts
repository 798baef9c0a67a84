import { afterAll, expect, test } from 'bun:test';
import { migrations } from '../../migrations/index.ts';
import { dropDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { addManyAssets } from '../../test/support/many-assets.ts';
import { openDatabase } from '../db/client.ts';
import { withAdmin } from '../db/databases.ts';
import { listPendingMigrations, migrate, SchemaFailure } from '../db/migrate.ts';
import { adoptDevelopmentSchema } from './bridge.ts';

const name = `bridge_${crypto.randomUUID().slice(0, 8)}`;
const url = toDatabaseUrl(name);
await withAdmin(url, (admin) => admin`create database ${admin(name)}`);
const database = openDatabase(url, { max: 1 });
const { sql } = database;
afterAll(async () => {
  await database.close();
  await dropDatabase(name);
});

const FORMER_INDEXES = ['trash', 'trash_name', 'trash_size', 'trash_taken', 'broken', 'damaged']
  .concat(['city', 'city_name', 'state', 'make', 'model', 'lens'].map((name) => `exif_${name}`))
  .map((name) => `asset_${name}`);

test('a library of the last development version before 0.3.0 is taken over, one of an earlier is refused', async () => {
  await migrate(sql);
  const [user] = await sql`
    insert into app_user (email, name) values ('ada@example.org', 'Ada') returning id`;
  await addManyAssets(database, user!['id'], 3);
  await sql`insert into asset_exif (asset_id) select id from asset`;
  const last = migrations.at(-1)!.name;
  await sql.unsafe(`
    delete from schema_migration where name > '0033_composites';
    insert into schema_migration (name, checksum) values ('0034_labels', 'other'), ('0070_notes', 'x');
    create index asset_exif_ownerless on asset_exif (asset_id) where asset_owner_id is null;
    drop index asset_faulty, asset_trashed;
    ${FORMER_INDEXES.map((index) => `create index ${index} on ${index.startsWith('asset_exif') ? 'asset_exif (asset_id)' : 'asset (id)'};`).join('\n')}
    update asset_exif set asset_owner_id = null, asset_taken_at = null`);
  await adoptDevelopmentSchema(sql);
  await expect(listPendingMigrations(sql)).rejects.toThrow(SchemaFailure);

  await sql`insert into schema_migration (name, checksum) values ('0079_unread_indexes', 'x')`;
  const changes = await sql`select count(*) from change`;
  await adoptDevelopmentSchema(sql);
  await adoptDevelopmentSchema(sql);
  expect(await listPendingMigrations(sql)).toEqual([]);
  const [applied] = await sql`select max(name) as last, count(*)::int from schema_migration`;
  expect(applied).toEqual({ last, count: migrations.length });
  const filled = await sql`
    select from asset join asset_exif on id = asset_id
    where asset_owner_id = owner_id and asset_taken_at = taken_at`;
  expect(filled).toHaveLength(3);
  // It is no change of their metadata.
  expect(await sql`select count(*) from change`).toEqual(changes);
});
