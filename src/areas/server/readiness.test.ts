import { expect, test } from 'bun:test';
import { rename } from 'node:fs/promises';
import { useApp } from '../../../test/support/database.ts';
import { call, seed } from '../../../test/support/harness.ts';

const { database, app } = await useApp();
const { sql } = database;
const ask = () => call(app, 'GET /server/ready');
const expectNotReady = async () => {
  const { status, headers, body } = await ask();
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  expect(body.message).toBe('The server is not ready');
};

test('is told to anybody, without details', async () => {
  expect(await ask()).toMatchObject({ status: 200, body: { res: 'ready' } });
  const { id } = await seed(database).user();
  await sql`update app_user set deleted_at = now() where id = ${id}`;
  expect((await ask()).status).toBe(200);
});

test('is no longer true without the data folder', async () => {
  const { root } = database.deps.paths;
  await rename(root, `${root}-away`);
  await expectNotReady();
  await rename(`${root}-away`, root);
  expect((await ask()).status).toBe(200);
});

test('is no longer true with the schema of another version', async () => {
  const [row] = await sql`
    update schema_migration set checksum = 'x' where name = (select min(name) from schema_migration)
    returning name, (select checksum from schema_migration order by name limit 1) as checksum`;
  await expectNotReady();
  await sql`update schema_migration set checksum = ${row!['checksum']} where name = ${row!['name']}`;
  expect((await ask()).status).toBe(200);
});

test('is no longer true while the database hangs, for however many that ask', async () => {
  const held = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = sql.begin(async (tx) => {
    await tx`lock table schema_migration in access exclusive mode`;
    isHeld.resolve();
    await held.promise;
  });
  await isHeld.promise;
  await Promise.all([expectNotReady(), expectNotReady(), expectNotReady()]);
  const [row] = await sql`select count(*)::int as count from pg_locks
    where not granted and relation = 'schema_migration'::regclass`;
  expect(row!['count']).toBe(1);
  held.resolve();
  await holding;
  expect((await ask()).status).toBe(200);
});
