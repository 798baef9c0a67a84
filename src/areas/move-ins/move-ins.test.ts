import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type FakeImmich, startFakeImmich } from '../../../test/support/fake-immich.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { until } from '../../../test/support/until.ts';
import type { Effect } from '../../jobs/define.ts';
import { timing } from './account.domain.ts';
import { findKey, forgetKey } from './keys.ts';
import { pauses } from './patience.ts';
import { handleRunMoveIn } from './run.handlers.ts';

// An administrator moves: this machine is what accounts may not name.

const { database, app } = await useApp();
let immich: FakeImmich;
let me: TestUser;

beforeAll(() => {
  Object.assign(timing, { attempts: 1, pauseMs: 1 });
  pauses.first = 20;
});
beforeEach(async () => {
  me = await seed(database).user(['all'], { isAdmin: true });
  immich = await startFakeImmich({
    albums: { 'Été/2021': ['a.jpg', 'c.jpg'] },
    tags: { Travel: ['b.jpg'] },
  });
});
afterEach(async () => {
  await immich.stop();
  await database.sql`delete from operation`;
  await database.sql`delete from job`;
});

const check = (body: object = {}, as = me) =>
  call(app, 'POST /move-ins', { as, body: { url: immich.url, key: immich.key, ...body } });
const start = (id: string, body: object = {}, as = me) =>
  call(app, `POST /move-ins/${id}/start`, { as, body });
const pause = (id: string, as = me) => call(app, `POST /move-ins/${id}/pause`, { as });
const remove = (id: string, as = me) => call(app, `DELETE /move-ins/${id}`, { as });
const list = async (as = me) => (await call(app, 'GET /move-ins', { as })).body;
const read = async (id: string) =>
  (await list()).find((moveIn: { id: string }) => moveIn.id === id);

const commit = async (effect: Effect | void) => {
  const after = await database.db.transaction(async (tx) => effect?.(tx));
  await after?.();
};
const run = async (operationId: string) =>
  commit(await handleRunMoveIn(jobCtx(database), { operationId }));
const begin = async () => {
  const { id } = (await check()).body;
  expect((await start(id)).status).toBe(200);
  return id as string;
};
const listNames = async () =>
  (await database.sql`select file_name as name from asset where owner_id = ${me.id}`).map((row) =>
    String(row['name']),
  );

describe('a check', () => {
  test('tells what the other account has and whether there is room, and takes nothing', async () => {
    const { status, body } = await check();
    expect(status).toBe(201);
    expect(body).toMatchObject({
      url: immich.url,
      status: 'waiting',
      reason: null,
      needsKey: false,
      found: { photos: 3, videos: 0, albums: 1, tags: 1, people: 2, bytes: 6144 },
      fitsQuota: true,
      fitsDisk: true,
    });
    expect(await list()).toEqual([body]);
    expect(immich.downloads).toEqual([]);
    await database.sql`update app_user set quota_bytes = 6143 where id = ${me.id}`;
    expect(await read(body.id)).toMatchObject({ fitsQuota: false, fitsDisk: true });
  });

  test.each([
    ['ftp://nas', undefined, 'url', 'address_invalid'],
    ['http://me:pass@127.0.0.1', undefined, 'url', 'address_invalid'],
    ['http://127.0.0.1:1', undefined, 'url', 'unreachable'],
    ['http://169.254.169.254', undefined, 'url', 'address_refused'],
    [undefined, 'wrong', 'key', 'key_refused'],
  ])('of %p with the key %p names the field %s', async (url, key, field, code) => {
    const { status, body } = await check({ ...(url && { url }), ...(key && { key }) });
    expect([status, body.errors[0]]).toMatchObject([400, { path: [field], code }]);
    expect(JSON.stringify(body)).not.toContain(immich.key);
    expect(await list()).toEqual([]);
  });

  test('of this machine is refused to who is no administrator', async () => {
    const other = await seed(database).user(['all']);
    const { status, body } = await check({}, other);
    expect([status, body.errors[0].code]).toEqual([400, 'address_refused']);
  });

  test('needs every permission that a move uses', async () => {
    const weak = await seed(database).user(['asset.upload', 'album.create'], { isAdmin: true });
    expect((await check({}, weak)).status).toBe(403);
    expect((await check({}, { ...weak, key: '' })).status).toBeGreaterThanOrEqual(401);
  });
});

test('a move saves the faces with names, and has people named by them', async () => {
  const box = { boundingBoxX1: 1, boundingBoxY1: 1, boundingBoxX2: 3, boundingBoxY2: 4 };
  const faces = [{ ...box, imageWidth: 10, imageHeight: 10 }];
  await immich.stop();
  immich = await startFakeImmich({ people: { 'b.jpg': [{ name: 'Ada', faces }] } });
  await run(await begin());
  const rows = await database.sql`
    select asset.file_name, move_in_face.name, x1, y2 from move_in_face
    join asset on asset.id = asset_id where owner_id = ${me.id}`;
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { file_name: 'b.jpg', name: 'Ada', x1: 0.1, y2: 0.4 },
  ]);
  const jobs = await database.sql`select from job where name = 'moveIns.nameFaces'`;
  expect(jobs).toHaveLength(1);
});

describe('a move', () => {
  test('takes the account in, with albums and tags, and forgets the key', async () => {
    const id = await begin();
    expect(await read(id)).toMatchObject({ status: 'queued', needsKey: false });
    await run(id);
    expect(await read(id)).toMatchObject({
      status: 'completed',
      done: { assets: 3, albums: 1, tags: 1 },
      taken: 3,
      takenBytes: 6144,
      duplicates: 0,
      failures: 0,
      albumItems: 2,
    });
    expect((await listNames()).toSorted()).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
    expect(findKey(id)).toBeUndefined();
    expect((await start(id)).status).toBe(409);
    expect((await pause(id)).status).toBe(409);
    expect((await remove(id)).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  test('is cancelled in the middle; what it has taken stays', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const id = await begin();
    immich.gate = promise;
    const running = handleRunMoveIn(jobCtx(database), { operationId: id });
    await until(async () => (await read(id)).status === 'running');
    expect((await remove(id)).status).toBe(204);
    await commit(await running);
    resolve();
    expect(await read(id)).toMatchObject({ status: 'cancelled', taken: 0 });
    expect(findKey(id)).toBeUndefined();
    expect((await start(id)).status).toBe(409);
  });

  test('is paused and continued without the key, as long as the process remembers it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const id = await begin();
    immich.gate = promise;
    const running = handleRunMoveIn(jobCtx(database), { operationId: id });
    await until(async () => (await read(id)).status === 'running');
    expect((await pause(id)).body).toMatchObject({ status: 'paused', needsKey: false });
    // Continued before the first run has noticed the pause: that one ends.
    expect((await start(id)).status).toBe(200);
    await commit(await running);
    resolve();
    await run(id);
    expect(await read(id)).toMatchObject({ status: 'completed', taken: 3, duplicates: 0 });
    expect(await listNames()).toHaveLength(3);
  });

  test('waits for the key after the process was killed, and takes nothing twice', async () => {
    const id = await begin();
    immich.refused['b.jpg'] = 404;
    await run(id);
    await database.sql`update operation set state = 'running', finished_at = null`;
    immich.refused = {};
    forgetKey(id);
    await run(id);
    expect(await read(id)).toMatchObject({
      status: 'paused',
      reason: 'interrupted',
      needsKey: true,
    });
    const without = await start(id);
    expect([without.status, without.body.code]).toEqual([409, 'key_required']);
    const wrong = await start(id, { key: 'wrong' });
    expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, ['key']]);
    immich.downloads.length = 0;
    expect((await start(id, { key: immich.key })).status).toBe(200);
    await run(id);
    expect(immich.downloads).toEqual(['b.jpg']);
    expect(await read(id)).toMatchObject({ status: 'completed', taken: 3, duplicates: 0 });
    expect(await listNames()).toHaveLength(3);
  });

  test('is continued with a key of the same account only', async () => {
    const { id } = (await check()).body;
    forgetKey(id);
    immich.userId = crypto.randomUUID();
    const { status, body } = await start(id, { key: immich.key });
    expect([status, body.errors[0]]).toMatchObject([400, { code: 'other_account' }]);
  });

  test('lists the files that the other server does not give, and takes the others', async () => {
    Object.assign(immich.refused, { 'a.jpg': 404, 'c.jpg': 500 });
    const id = await begin();
    await run(id);
    expect(await read(id)).toMatchObject({ status: 'completed', taken: 1, failures: 2 });
    const getPage = async (query: string, as = me) =>
      call(app, `GET /move-ins/${id}/failures?${query}`, { as });
    const { body } = await getPage('size=1');
    expect(body).toEqual({
      failures: [{ position: 0, name: expect.any(String), reason: expect.any(String) }],
      hasNextPage: true,
    });
    const next = (await getPage('size=1&after=0')).body;
    expect(next).toMatchObject({ failures: [{ position: 1 }], hasNextPage: false });
    expect(new Set([body.failures[0].name, next.failures[0].name])).toEqual(
      new Set(['a.jpg', 'c.jpg']),
    );
    const other = await seed(database).user(['all']);
    expect((await getPage('', other)).status).toBe(404);
  });

  test('lists by its name what the other server describes oddly, and takes all else', async () => {
    immich.odd.assets.push(
      { id: 'x', originalFileName: 'no-date.jpg', fileCreatedAt: 'yesterday' },
      { id: { $ne: 1 }, originalFileName: 'no-id.jpg' },
      'nothing',
    );
    immich.odd.albums.push({ id: 'y', albumName: 7 });
    immich.odd.stacks.push({ primaryAssetId: 'z', assets: 'all' });
    const id = await begin();
    await run(id);
    expect(await read(id)).toMatchObject({ status: 'completed', taken: 3, failures: 5 });
    expect(await read(id)).toMatchObject({ albumItems: 2, done: { tags: 1 } });
    const { body } = await call(app, `GET /move-ins/${id}/failures`, { as: me });
    expect(body.failures.map(({ name }: { name: string }) => name)).toEqual([
      'no-date.jpg',
      'no-id.jpg',
      '/search/metadata 6',
      'y',
      'z',
    ]);
    expect(body.failures[0].reason).toContain('cannot be read');
  });

  test('waits while the other server is away, and no file fails', async () => {
    const id = await begin();
    immich.status = 503;
    const running = run(id);
    await until(async () => (await read(id)).isAway);
    immich.status = undefined;
    await running;
    expect(await read(id)).toMatchObject({
      status: 'completed',
      isAway: false,
      taken: 3,
      failures: 0,
    });
  });

  test('is paused when the other server refuses the key', async () => {
    const id = await begin();
    immich.key = 'another';
    await run(id);
    expect(await read(id)).toMatchObject({
      status: 'paused',
      reason: 'key_refused',
      needsKey: true,
    });
  });

  test('downloads nothing that the quota has no room for, whatever size is told', async () => {
    await database.sql`update app_user set quota_bytes = 2047 where id = ${me.id}`;
    const id = await begin();
    await run(id);
    expect(await read(id)).toMatchObject({ status: 'paused', reason: 'quota_exceeded', taken: 0 });
    expect(immich.downloads).toEqual([]);
    immich.toldBytes = 1;
    await start(id);
    await run(id);
    expect(await read(id)).toMatchObject({ status: 'paused', reason: 'quota_exceeded', taken: 0 });
  });

  test('is paused when the quota is used up, and continues with a greater one', async () => {
    await database.sql`update app_user set quota_bytes = 4096 where id = ${me.id}`;
    const id = await begin();
    await run(id);
    expect(await read(id)).toMatchObject({ status: 'paused', reason: 'quota_exceeded', taken: 2 });
    await database.sql`update app_user set quota_bytes = null where id = ${me.id}`;
    expect((await start(id)).status).toBe(200);
    await run(id);
    expect(await read(id)).toMatchObject({ status: 'completed', taken: 3, duplicates: 0 });
  });
});

test('another account, and a weaker key, see nothing of a move and change nothing', async () => {
  const id = await begin();
  const other = await seed(database).user(['all'], { isAdmin: true });
  expect(await list(other)).toEqual([]);
  for (const reply of [await start(id, {}, other), await pause(id, other), await remove(id, other)])
    expect(reply.status).toBe(404);
  expect(await read(id)).toMatchObject({ status: 'queued' });
});

test('the key is in no row of the database', async () => {
  const id = await begin();
  const tables = await database.sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'`;
  const search = async () => {
    for (const { name } of tables) {
      const rows = await database.sql.unsafe(
        `select from "${name}" row where row::text like '%${immich.key}%'`,
      );
      expect([name, rows.length]).toEqual([name, 0]);
    }
  };
  await search();
  await run(id);
  await search();
});
