import { expect, test } from 'bun:test';
import { rename } from 'node:fs/promises';
import { mountReadOnly, unmount } from '../../../test/support/mounts.ts';
import { startS3Server } from '../../../test/support/s3-server.ts';
import { until } from '../../../test/support/until.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, seed } from '../../../test/support/harness.ts';
import { skipWithout } from '../../../test/support/requirements.ts';
import { noteFault } from '../../core/fault-time.ts';
import { NODE_ID } from '../../jobs/node-id.ts';
import { requireReady } from './readiness.domain.ts';

const { database, app } = await useApp();
const { sql, deps } = database;
const askAgain = () => call(app, 'GET /server/ready');
/** As after a request that has met a fault: what was proven a moment ago is not believed. */
const ask = () => {
  noteFault();
  return askAgain();
};
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

test('is no longer true while the database takes no writes, or a table that each change reads is unreadable', async () => {
  await sql.unsafe(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception using errcode = '58P01', message = 'could not load library'; end $$;
    create trigger refused before insert on write_probe execute function refuse()`);
  await expectNotReady();
  await sql`drop trigger refused on write_probe`;
  expect((await ask()).status).toBe(200);
  await sql`alter table live_listener rename to away`;
  await expectNotReady();
  await sql`alter table away rename to live_listener`;
  expect((await ask()).status).toBe(200);
});

skipWithout('read-only mounts').test(
  'is no longer true while a folder takes no files, although it can be read',
  async () => {
    for (const folder of [deps.paths.originals, deps.paths.derived, deps.paths.backups]) {
      expect((await ask()).status).toBe(200);
      mountReadOnly(folder, folder);
      try {
        await expectNotReady();
      } finally {
        unmount(folder);
      }
    }
    expect((await ask()).status).toBe(200);
  },
);

test('is no longer true within 5 s while the object store hangs', async () => {
  const server = startS3Server();
  const isReady = () =>
    requireReady({ ...deps, settings: { ...deps.settings, ...server.settings } }).then(
      () => true,
      () => false,
    );
  const [row] = await sql`update instance set object_store_marked_at = now() returning id`;
  const bytes = new TextEncoder().encode(row!['id']);
  server.objects.set('.safelight', { bytes, modifiedAt: new Date() });
  noteFault();
  expect(await isReady()).toBe(true);
  const hanging = Promise.withResolvers<undefined>();
  server.fault = () => hanging.promise;
  noteFault();
  expect(await isReady()).toBe(false);
  hanging.resolve(undefined);
  server.fault = undefined;
  await until(isReady);
  await server.stop();
  await sql`update instance set object_store_marked_at = null`;
});

test('is proven by a write every few seconds at most, and by each process for itself', async () => {
  const readTimes = () => sql`select node_id, written_at from write_probe`;
  const old = crypto.randomUUID();
  await sql`insert into write_probe (node_id) values (${old})`;
  await sql`alter table write_probe disable trigger write_probed`;
  await sql`update write_probe set written_at = now() - interval '2 days' where node_id = ${old}`;
  await sql`alter table write_probe enable trigger write_probed`;
  expect((await ask()).status).toBe(200);
  const first = await readTimes();
  expect(first.map((row) => row['node_id'])).toEqual([NODE_ID]);
  expect((await askAgain()).status).toBe(200);
  expect([...(await readTimes())]).toEqual([...first]);
  expect((await ask()).status).toBe(200);
  expect([...(await readTimes())]).not.toEqual([...first]);
});
