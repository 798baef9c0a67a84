import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { addMany } from '../../../test/bulk.ts';
import {
  call,
  type Caller,
  NOW,
  type Reply,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../test/harness.ts';
import { seedHousehold } from '../../../test/library.ts';
import { jobCtx } from '../../../test/processing.ts';
import type { App } from '../../app.ts';
import { handleTidyArchive, handleWorkOnArchive } from './handlers.ts';
import { workOn } from './work.domain.ts';

let database: TestDatabase;
let app: App;
let me: TestUser;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate job, archive_operation cascade`;
  me = await seed(database).user();
});

const DAY_MS = 86_400_000;
const add = (values: object = {}) => seed(database).asset({ ownerId: me.id, ...values });
const several = async (count: number, values: object = {}) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await add(values));
  return ids;
};

type Route = Parameters<typeof call>[1];
const post = (path: string, body: object = {}, who: Caller = { as: me }, on: App = app) =>
  call(on, `POST /archive-operations${path}` as Route, { ...who, body });
const get = async (id: string, who: Caller = { as: me }) =>
  call(app, `GET /archive-operations/${id}`, who);
const prepare = async () => (await post('/prepare')).body;
const create = async (assetIds: readonly string[]) => (await post('', { assetIds })).body;
const undo = (id: string, body: object = {}) => post(`/${id}/undo`, body);

/** What the worker does with the jobs that wait. */
async function work(): Promise<void> {
  const jobs = await database.sql<{ payload: { operationId: string } }[]>`
    delete from job where name = 'archiveOperations.work' returning payload`;
  for (const { payload } of jobs) await handleWorkOnArchive(jobCtx(database), payload);
}
const waiting = async () => (await database.sql`select 1 from job`).length;

/** A letter for each: Timeline, archive, trash, gone. */
async function shelves(ids: readonly string[]): Promise<string> {
  const rows = await database.sql<{ id: string; shelf: string }[]>`
    select id, case when trashed_at is not null then 't' when visibility = 'archive' then 'A'
      else 'T' end as shelf from asset where id = any(${ids as string[]})`;
  const byId = new Map(rows.map((row) => [row.id, row.shelf]));
  return ids.map((id) => byId.get(id) ?? '-').join('');
}
const rows = () => database.sql`select * from asset order by id`;

describe('preparing', () => {
  test('ST-001: freezes the own Timeline and changes nothing', async () => {
    await several(5);
    await several(2, { visibility: 'archive' });
    const video = await add({ type: 'VIDEO', visibility: 'hidden', lockedAt: NOW });
    await add({ lockedAt: NOW, liveVideoId: video });
    await add({ trashedAt: NOW });
    const partner = await seed(database).user();
    for (let n = 0; n < 3; n++) await seed(database).asset({ ownerId: partner.id });
    await database.sql`
      insert into partner (sharer_id, viewer_id, in_timeline) values (${partner.id}, ${me.id}, true)`;
    const before = [...(await rows())];
    const reply = await post('/prepare');
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: expect.any(String),
      source: 'timeline',
      status: 'prepared',
      revision: 1,
      total: 5,
      processed: 0,
      archived: 0,
      skipped: 0,
      failed: 0,
      restored: 0,
      kept: 0,
      canConfirm: true,
      canUndo: true,
      createdAt: NOW.toISOString(),
      confirmedAt: null,
      startedAt: null,
      finishedAt: null,
      undoRequestedAt: null,
      undoneAt: null,
      expiresAt: new Date(NOW.getTime() + DAY_MS).toISOString(),
      error: null,
    });
    expect([...(await rows())]).toEqual(before);
    expect(await waiting()).toBe(0);
  });

  test('ST-002: what is added later is not part of it', async () => {
    const ids = await several(5);
    const { id } = await prepare();
    const sixth = await add();
    expect((await get(id)).body.total).toBe(5);
    expect((await post(`/${id}/confirm`, { expectedCount: 5 })).status).toBe(200);
    await work();
    expect((await get(id)).body).toMatchObject({ status: 'completed', total: 5, archived: 5 });
    expect(await shelves([...ids, sixth])).toBe('AAAAAT');
  });

  test('ST-003: confirmed, it archives all of it', async () => {
    const ids = await several(5);
    const { id } = await prepare();
    const { status, body } = await post(`/${id}/confirm`, { expectedCount: 5 });
    expect([status, body.status, body.revision, body.expiresAt]).toEqual([200, 'queued', 2, null]);
    expect(body).toMatchObject({
      canConfirm: false,
      canUndo: true,
      confirmedAt: NOW.toISOString(),
    });
    await work();
    expect((await get(id)).body).toMatchObject({
      status: 'completed',
      revision: 4,
      processed: 5,
      archived: 5,
      skipped: 0,
      startedAt: NOW.toISOString(),
      finishedAt: NOW.toISOString(),
    });
    expect(await shelves(ids)).toBe('AAAAA');
  });

  test('ST-004: with another count it is not confirmed', async () => {
    const ids = await several(5);
    const { id } = await prepare();
    const reply = await post(`/${id}/confirm`, { expectedCount: 4 });
    expect(reply).toMatchObject({ status: 409, body: { code: 'count_mismatch' } });
    expect((await get(id)).body).toMatchObject({ status: 'prepared', revision: 1 });
    expect([await shelves(ids), await waiting()]).toEqual(['TTTTT', 0]);
  });

  test('ST-005: confirmed again, it only says how it stands', async () => {
    await several(5);
    const { id } = await prepare();
    const confirm = (expectedCount = 5) => post(`/${id}/confirm`, { expectedCount });
    const replies = await Promise.all([confirm(), confirm(), confirm()]);
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200]);
    expect(await waiting()).toBe(1);
    await work();
    expect(await confirm()).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await waiting()).toBe(0);
    expect((await confirm(4)).body.code).toBe('count_mismatch');
  });

  test('of nothing is done at once', async () => {
    const { id, total } = await prepare();
    expect(total).toBe(0);
    await post(`/${id}/confirm`, { expectedCount: 0 });
    await work();
    expect((await get(id)).body).toMatchObject({ status: 'completed', processed: 0 });
    await undo(id);
    await work();
    expect((await get(id)).body).toMatchObject({ status: 'undone', restored: 0 });
  });

  test('lasts for a day', async () => {
    const ids = await several(2);
    const { id } = await prepare();
    const at = (ms: number) => testApp(database, { now: () => new Date(NOW.getTime() + ms) });
    const seen = await call(at(DAY_MS - 1), `GET /archive-operations/${id}`, { as: me });
    expect(seen.body.status).toBe('prepared');
    const late = at(DAY_MS);
    for (const body of [{ expectedCount: 2 }, { expectedCount: 9 }]) {
      const reply = await post(`/${id}/confirm`, body, { as: me }, late);
      expect(reply).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    }
    const reply = await post(`/${id}/undo`, {}, { as: me }, late);
    expect(reply).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect((await get(id)).body).toMatchObject({
      status: 'expired',
      revision: 2,
      canConfirm: false,
      canUndo: false,
      expiresAt: null,
    });
    expect(await shelves(ids)).toBe('TT');
  });
});

describe('a selection', () => {
  test('ST-006: needs no confirmation', async () => {
    const ids = await several(3);
    const rest = await add();
    const reply = await post('', { assetIds: ids });
    expect(reply).toMatchObject({
      status: 201,
      body: { source: 'selection', status: 'queued', total: 3, expiresAt: null },
    });
    await work();
    expect((await get(reply.body.id)).body).toMatchObject({ status: 'completed', archived: 3 });
    expect(await shelves([...ids, rest])).toBe('AAAT');
    const confirm = await post(`/${reply.body.id}/confirm`, { expectedCount: 3 });
    expect(confirm).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  test('ST-007: one foreign id, and nothing is frozen', async () => {
    const other = await seed(database).user();
    const foreign = await seed(database).asset({ ownerId: other.id });
    const [a, b] = (await several(2)) as [string, string];
    const locked = await add({ lockedAt: NOW });
    for (const bad of [foreign, crypto.randomUUID(), locked]) {
      const reply = await post('', { assetIds: [a, bad, b] });
      expect(reply).toMatchObject({ status: 400, body: { code: 'no_access' } });
    }
    expect((await call(app, 'GET /archive-operations', { as: me })).body).toEqual([]);
    expect([await shelves([a, b, foreign]), await waiting()]).toEqual(['TTT', 0]);
    expect([...(await database.sql`select 1 from archive_operation_batch`)]).toEqual([]);
  });

  test('names each id once, and not too many', async () => {
    const id = await add();
    for (const assetIds of [[], [id, id], [id, id.toUpperCase()], ['x']]) {
      expect((await post('', { assetIds })).status).toBe(400);
    }
    const many = Array.from({ length: 50_001 }, () => id);
    expect((await post('', { assetIds: many })).status).toBe(400);
  });

  test('ST-012: what was archived before, or went away, is skipped and stays as it is', async () => {
    const archived = await add({ visibility: 'archive' });
    const video = await add({ type: 'VIDEO', visibility: 'hidden' });
    const [trashed, locked, gone, plain] = (await several(4)) as [string, string, string, string];
    const { id } = await create([archived, video, trashed, locked, gone, plain]);
    await database.sql`update asset set trashed_at = now() where id = ${trashed}`;
    await database.sql`update asset set locked_at = now() where id = ${locked}`;
    await database.sql`delete from asset where id = ${gone}`;
    await work();
    expect((await get(id)).body).toMatchObject({
      status: 'completed',
      total: 6,
      processed: 6,
      archived: 1,
      skipped: 5,
    });
    await undo(id);
    await work();
    expect((await get(id)).body).toMatchObject({ status: 'undone', restored: 1, kept: 0 });
    expect(await shelves([archived, trashed, locked, gone, plain])).toBe('AtT-T');
  });
});

describe('a request that is repeated', () => {
  test('answers the same operation, also at the same time', async () => {
    const ids = await several(2);
    const requestId = crypto.randomUUID();
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => post('/prepare', { requestId })),
    );
    expect(replies.map((reply) => reply.status)).toEqual([201, 201, 201, 201]);
    expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1);
    await add();
    expect((await post('/prepare', { requestId })).body).toEqual(replies[0]!.body);

    const other = crypto.randomUUID();
    const first = await post('', { assetIds: ids, requestId: other });
    await work();
    const again = await post('', { assetIds: ids, requestId: other });
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id, status: 'completed' } });
    expect(await waiting()).toBe(0);
    expect((await post('', { assetIds: ids, requestId })).status).toBe(400);
    expect((await post('/prepare', { requestId: 'x' })).status).toBe(400);
    // Two people may have the same idea of a name.
    const stranger = await seed(database).user();
    const theirs = await post('/prepare', { requestId }, { as: stranger });
    expect(theirs).toMatchObject({ status: 201, body: { total: 0 } });
  });
});

describe('undoing', () => {
  test('ST-009: a running one is stopped first, and what it did is put back', async () => {
    await addMany(database, me.id, 1700);
    const { id, total } = await prepare();
    await post(`/${id}/confirm`, { expectedCount: total });
    await database.sql`truncate job`;
    for (let step = 0; step < 2; step++) expect(await workOn(database.deps, id)).toBe(true);
    expect((await get(id)).body).toMatchObject({
      status: 'running',
      processed: 1000,
      archived: 1000,
    });
    const reply = await undo(id);
    expect(reply).toMatchObject({
      status: 200,
      body: { status: 'stopping', undoRequestedAt: NOW.toISOString(), canUndo: false },
    });
    expect((await undo(id)).body.status).toBe('stopping');
    expect(await workOn(database.deps, id)).toBe(true);
    expect((await get(id)).body).toMatchObject({ status: 'undoing', restored: 500 });
    await work();
    const { body } = await get(id);
    expect(body).toMatchObject({
      status: 'undone',
      archived: 1000,
      restored: 1000,
      kept: 0,
      undoneAt: NOW.toISOString(),
    });
    const [row] = await database.sql`
      select count(*)::int as count from asset
      where owner_id = ${me.id} and visibility = 'archive'`;
    expect(row!['count']).toBe(0);
  });

  test('ST-010: what somebody changed since is left alone', async () => {
    const ids = await several(6);
    const { id } = await create(ids);
    await work();
    const change = (assetId: string, body: object) =>
      call(app, `PUT /assets/${assetId}`, { as: me, body });
    await change(ids[0]!, { isFavorite: true });
    await change(ids[1]!, { visibility: 'timeline' });
    await call(app, 'DELETE /assets', { as: me, body: { ids: [ids[2]] } });
    await change(ids[3]!, { visibility: 'timeline' });
    await change(ids[3]!, { visibility: 'archive' });
    expect((await undo(id)).status).toBe(200);
    await work();
    expect((await get(id)).body).toMatchObject({
      status: 'undone',
      archived: 6,
      restored: 2,
      kept: 4,
    });
    expect(await shelves(ids)).toBe('ATtATT');
  });

  test('ST-011: once more changes nothing', async () => {
    const { id } = await create(await several(2));
    await work();
    await undo(id);
    await work();
    const before = (await get(id)).body;
    expect(before.status).toBe('undone');
    const again = await undo(id, { expectedRevision: 1 });
    expect(again).toMatchObject({ status: 200, body: before });
    expect(await waiting()).toBe(0);
    const confirm = await post(`/${id}/confirm`, { expectedCount: 2 });
    expect(confirm).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  test('of a prepared one changes nothing; of a queued one too', async () => {
    const ids = await several(2);
    const { id } = await prepare();
    const reply = await undo(id);
    expect(reply).toMatchObject({ status: 200, body: { status: 'undone', expiresAt: null } });
    expect((await post(`/${id}/confirm`, { expectedCount: 2 })).status).toBe(409);
    const queued = await create(ids);
    expect((await undo(queued.id)).body.status).toBe('undoing');
    await work();
    expect((await get(queued.id)).body).toMatchObject({ status: 'undone', archived: 0 });
    expect(await shelves(ids)).toBe('TT');
  });

  test('may be bound to a revision', async () => {
    const { id } = await create(await several(1));
    const seen = (await get(id)).body.revision as number;
    await work();
    const current = (await get(id)).body.revision as number;
    expect(current).toBe(seen + 2);
    const reply = await undo(id, { expectedRevision: seen });
    expect(reply).toMatchObject({
      status: 409,
      body: { code: 'stale_revision', currentRevision: current },
    });
    expect((await undo(id, { expectedRevision: 0 })).status).toBe(400);
    expect((await undo(id, { expectedRevision: current })).body).toMatchObject({
      status: 'undoing',
      revision: current + 1,
    });
  });
});

test('ST-008: cut off anywhere, it goes on where it was, and each item is done once', async () => {
  const ids = await addMany(database, me.id, 2500);
  const { id } = await create(ids);
  const broken = async () => {
    const work = database.db.transaction(async (tx) => {
      await workOn({ ...database.deps, db: tx }, id);
      throw new Error('the power went');
    });
    await work.catch(() => {});
  };
  let steps = 0;
  do {
    await broken();
    const signal = AbortSignal.abort(new Error('stopping'));
    await handleWorkOnArchive(jobCtx(database, { signal }), { operationId: id }).catch(() => {});
    steps += 1;
  } while ((await get(id)).body.status !== 'completed');
  expect(steps).toBeGreaterThan(2);
  expect((await get(id)).body).toMatchObject({ processed: 2500, archived: 2500, skipped: 0 });
  const [row] = await database.sql`
    select min(state_revision)::int as least, max(state_revision)::int as most
    from asset where owner_id = ${me.id}`;
  expect({ ...row }).toEqual({ least: 1, most: 1 });
  await undo(id);
  await Promise.all([work(), handleWorkOnArchive(jobCtx(database), { operationId: id })]);
  expect((await get(id)).body).toMatchObject({ status: 'undone', restored: 2500, kept: 0 });
});

test('one whose job was lost is taken up again; one that failed says so and can be undone', async () => {
  const ids = await several(2);
  const { id } = await create(ids);
  await database.sql`truncate job`;
  await handleTidyArchive(jobCtx(database), {});
  expect(await waiting()).toBe(1);
  await handleTidyArchive(jobCtx(database), {});
  expect(await waiting()).toBe(1);
  await database.sql`
    create function broken() returns trigger language plpgsql as
    $$ begin raise 'disk on fire'; end $$`;
  await database.sql`create trigger broken before update on asset for each row
    execute function broken()`;
  const attempt = (isLastAttempt: boolean) =>
    handleWorkOnArchive(jobCtx(database, { isLastAttempt }), { operationId: id }).then(
      () => 'done',
      () => 'failed',
    );
  expect(await attempt(false)).toBe('failed');
  expect((await get(id)).body).toMatchObject({ status: 'queued', error: null });
  expect(await attempt(true)).toBe('failed');
  await database.sql`drop trigger broken on asset`;
  const { body } = await get(id);
  expect(body).toMatchObject({ status: 'failed', processed: 0, canUndo: true });
  expect(body.error).not.toContain('fire');
  await undo(id);
  await work();
  expect((await get(id)).body).toMatchObject({ status: 'undone', archived: 0 });
  expect(await shelves(ids)).toBe('TT');
});

test('EP-027: the list has the own ones, newest first, the latest 100', async () => {
  const other = await seed(database).user();
  await post('/prepare', {}, { as: other });
  await database.sql`
    insert into archive_operation (user_id, source, status, total, created_at)
    select ${me.id}, 'timeline', 'undone', n, ${NOW.toISOString()}::timestamptz - n * interval '1 s'
    from generate_series(1, 120) n`;
  const newest = await prepare();
  const list = async () =>
    (await call(app, 'GET /archive-operations', { as: me })).body as {
      id: string;
      total: number;
    }[];
  const found = await list();
  expect(found.map((item) => item.total)).toEqual([
    0,
    ...Array.from({ length: 99 }, (_, n) => n + 1),
  ]);
  expect(found[0]!.id).toBe(newest.id);
  await handleTidyArchive(jobCtx(database), {});
  expect(await list()).toEqual(found);
  const [row] = await database.sql`
    select count(*)::int as count from archive_operation where user_id = ${me.id}`;
  expect(row!['count']).toBe(100);
});

test('nobody else sees or moves it, and unknown reads like foreign', async () => {
  const house = await seedHousehold(database);
  const own = await call(app, 'POST /archive-operations/prepare', { as: house.owner, body: {} });
  expect(own.body.total).toBe(5);
  const { id } = own.body;
  const refused: Reply[] = [];
  for (const who of [house.partner, house.viewer, house.member, house.stranger]) {
    for (const target of [id, crypto.randomUUID()]) {
      refused.push(await get(target, { as: who }));
      refused.push(await post(`/${target}/confirm`, { expectedCount: 5 }, { as: who }));
      refused.push(await post(`/${target}/undo`, {}, { as: who }));
    }
    expect((await call(app, 'GET /archive-operations', { as: who })).body).toEqual([]);
    expect((await post('', { assetIds: [house.ids.plain] }, { as: who })).status).toBe(400);
  }
  expect(
    new Set(refused.map(({ status, body }) => `${status} ${body.code} ${body.message}`)),
  ).toEqual(new Set(['404 not_found Archive operation not found']));
  expect((await get(id, { as: house.owner })).body.status).toBe('prepared');
  const weak = await seed(database).user(['asset.read', 'asset.delete']);
  for (const [who, status] of [
    [{ as: weak }, 403],
    [{}, 401],
  ] as const) {
    expect((await call(app, 'GET /archive-operations', who)).status).toBe(status);
    expect((await post('/prepare', {}, who)).status).toBe(status);
    expect((await post(`/${id}/undo`, {}, who)).status).toBe(status);
  }
  expect((await post('/prepare?slug=album', {}, {})).status).toBe(403);
});
