import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import { call, NOW, seed, testApp, type TestUser } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { until } from '../../../../test/support/until.ts';
import { parseS3Address } from '../../../core/s3-address.ts';
import { openDatabase } from '../../../db/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { MOVE_POOL } from '../../../storage/objects.ts';
import { handleMeasureStorage } from './handlers.ts';
import { LARGE_BYTES } from '../../../core/large-files.ts';

const { database, app } = await useApp();
let admin: TestUser;
let jane: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true, name: 'Ada' });
  jane = await seed(database).user(['all'], { name: 'Jane' });
});
beforeEach(async () => {
  await database.sql`delete from asset`;
  await database.sql`delete from storage_use`;
});

const add = (over: object, of = jane) => seed(database).asset({ ownerId: of.id, ...over });
const addFile = (id: string, kind: string, size: number) => database.sql`
  insert into asset_file (asset_id, kind, name, mime_type, size, tag)
  values (${id}, ${kind}, ${`${id} ${kind}`}, 'image/jpeg', ${size}, 'x')`;
const read = async (as = admin) => (await call(app, 'GET /admin/storage', { as })).body;
const measure = async () => {
  const commit = await handleMeasureStorage(jobCtx(database), {});
  await inTransaction(database.deps, ({ db }) => commit!(db));
};
/** Bytes by kind. */
const toBytes = (uses: readonly { kind: string; bytes: number }[] = []) =>
  Object.fromEntries(uses.map(({ kind, bytes }) => [kind, bytes]));
const readJane = async () => {
  const { accounts } = await read();
  return accounts.find(({ userId }: { userId: string }) => userId === jane.id)?.uses;
};

test('before the first measurement nothing is told, and a measurement is one job', async () => {
  expect(await read()).toEqual({ measuredAt: null, server: [], accounts: [], own: [] });
  for (let n = 0; n < 2; n++) {
    const { status, body } = await call(app, 'POST /admin/storage', { as: admin });
    expect([status, body]).toEqual([200, { requestedAt: NOW.toISOString() }]);
  }
  const [jobs] = await database.sql`
    select count(*)::int as count from job where name = 'server.measureStorage'`;
  expect(jobs!['count']).toBe(1);
});

test('files are told by kind and account', async () => {
  await add({ fileSize: 10 });
  await add({ fileSize: 200, fileName: 'a.CR3' });
  await add({ fileSize: 3000, type: 'VIDEO', fileName: 'a.mov' });
  await add({ fileSize: 40_000, trashedAt: NOW });
  await add({ fileSize: 500_000, type: 'AUDIO', fileName: 'a.mp3' });
  await add({ fileSize: 7 }, admin);
  const id = await add({ fileSize: 1 });
  await addFile(id, 'thumbnail', 2);
  await addFile(id, 'edited_preview', 3);
  await addFile(id, 'encoded_video', 40);
  await addFile(id, 'sidecar', 5);
  await measure();
  const { measuredAt, accounts, server } = await read();
  expect(measuredAt).toBe(NOW.toISOString());
  expect(toBytes(await readJane())).toEqual({
    photo: 11,
    raw: 200,
    video: 3000,
    trash: 40_000,
    other: 500_005,
    preview: 5,
    transcode: 40,
  });
  expect(accounts.map(({ userName }: { userName: string }) => userName)).toEqual(['Ada', 'Jane']);
  expect(toBytes(server)['database']).toBeGreaterThan(0);
});

test('nothing tells the kinds of what is in Locked, or files of external libraries', async () => {
  const id = await add({ fileSize: 100, type: 'VIDEO', lockedAt: NOW });
  await addFile(id, 'encoded_video', 10);
  await add({ fileSize: LARGE_BYTES, lockedAt: NOW }, admin);
  const libraryId = crypto.randomUUID();
  await database.sql`insert into library (id, owner_id, name, import_paths, exclusion_patterns)
    values (${libraryId}, ${jane.id}, 'x', '{}', '{}')`;
  await add({ fileSize: 5, libraryId, folder: '/x', isCopy: true });
  await measure();
  expect(toBytes(await readJane())).toEqual({ other: 110 });
  expect((await read()).own).toEqual([]);
});

describe('what can go', () => {
  test('are own large files and raw photos with a picture of the same name and time', async () => {
    const pair = { takenAt: NOW };
    await add({ ...pair, fileName: 'IMG_1.NEF', fileSize: 20 }, admin);
    await add({ ...pair, fileName: 'img_1.jpg', fileSize: 2 }, admin);
    await add({ takenAt: new Date(0), fileName: 'IMG_2.NEF', fileSize: 30 }, admin);
    await add({ ...pair, fileName: 'IMG_2.jpg', fileSize: 3 }, admin);
    await add({ ...pair, fileName: 'IMG_3.NEF', fileSize: 40 }, admin);
    await add({ ...pair, fileName: 'IMG_3.jpg', fileSize: 4, trashedAt: NOW }, admin);
    await add({ ...pair, fileName: 'IMG_3.jpg', fileSize: 4 }, jane);
    await add({ fileSize: LARGE_BYTES, type: 'VIDEO', fileName: 'a.mov' }, admin);
    await add({ fileSize: LARGE_BYTES - 1, type: 'VIDEO', fileName: 'b.mov' }, admin);
    await add({ fileSize: LARGE_BYTES, trashedAt: NOW }, admin);
    await add({ fileSize: LARGE_BYTES, type: 'VIDEO', fileName: 'c.mov' }, jane);
    await measure();
    expect((await read()).own).toEqual([
      { kind: 'large', files: 1, bytes: LARGE_BYTES },
      { kind: 'raw_pair', files: 1, bytes: 20 },
    ]);
  });
});

test('backups count as they lie in their folder, and nothing else of it does', async () => {
  const { backups } = database.deps.paths;
  mkdirSync(join(backups, 'a folder'), { recursive: true });
  await Bun.write(join(backups, '.safelight-library'), 'a marker');
  await Bun.write(join(backups, 'two.dump.partial'), 'half of a backup');
  await Bun.write(join(backups, 'one.dump'), 'x'.repeat(70));
  await measure();
  const { server } = await read();
  expect(server.find(({ kind }: { kind: string }) => kind === 'backup')).toEqual({
    kind: 'backup',
    files: 1,
    bytes: 70,
  });
});

test('is for administrators, and of an account that is erased nothing is left', async () => {
  const weak = await seed(database).user(['server.about'], { isAdmin: true });
  for (const as of [jane, weak]) {
    expect((await call(app, 'GET /admin/storage', { as })).status).toBe(403);
    expect((await call(app, 'POST /admin/storage', { as })).status).toBe(403);
  }
  expect((await call(app, 'GET /admin/storage')).status).toBe(401);
  const gone = await seed(database).user();
  const id = await add({}, gone);
  await measure();
  await database.sql`delete from asset where id = ${id}`;
  await database.sql`delete from app_user where id = ${gone.id}`;
  expect(JSON.stringify(await read())).not.toContain(gone.id);
});

describe('places', () => {
  const readPlaces = (api = app, as: TestUser | undefined = admin) =>
    call(api, 'GET /admin/storage/places', { as });

  test('without an object store nothing is counted', async () => {
    expect((await readPlaces()).body).toEqual({ store: null });
  });

  test('with one, tells what is where, and which move runs', async () => {
    const objectStore = parseS3Address('http://127.0.0.1:1/photos');
    const withStore = testApp(database, { settings: { ...database.deps.settings, objectStore } });
    await database.sql`delete from original`;
    await database.sql`
      insert into original (sha256, size, object_key) values
        (sha256('a'), 10, 'originals/a'), (sha256('b'), 5, null), (sha256('c'), 7, null)`;
    const nothing = { others: 0 };
    const store = {
      url: 'http://127.0.0.1:1/photos',
      movingTo: null,
      files: { ...nothing, originals: 2, bytes: 12 },
      objects: { ...nothing, originals: 1, bytes: 10 },
    };
    expect((await readPlaces(withStore)).body).toEqual({ store });
    const { databaseUrl } = database.deps.settings;
    const move = openDatabase(databaseUrl!, { max: 1, name: `${MOVE_POOL}s3` });
    await move.sql`select`;
    expect((await readPlaces(withStore)).body.store.movingTo).toBe('s3');
    await move.close();
    await until(async () => (await readPlaces(withStore)).body.store.movingTo === null);
  });

  test('are for administrators with the permission', async () => {
    const weak = await seed(database).user(['server.about'], { isAdmin: true });
    for (const as of [jane, weak]) expect((await readPlaces(app, as)).status).toBe(403);
    expect((await call(app, 'GET /admin/storage/places')).status).toBe(401);
  });
});

test('a million items are read as a few rows', async () => {
  await database.sql`
    insert into storage_use (owner_id, kind, files, bytes, measured_at)
    select ${jane.id}, kind, 1000000, 4e12, now() from unnest(array['photo', 'video']) kind`;
  const plan = await database.sql`
    explain select * from storage_use left join app_user on app_user.id = owner_id`;
  expect(plan.map((row) => row['QUERY PLAN']).join()).not.toMatch(/\basset\b/);
  expect(toBytes(await readJane())).toEqual({ photo: 4e12, video: 4e12 });
});
