import { describe, expect, test } from 'bun:test';
import { useArchiveLibrary } from '../../../test/support/archive-library.ts';
import { call, NOW, type Reply, seed, testApp } from '../../../test/support/harness.ts';
import { seedHousehold } from '../../../test/support/household.ts';
import { cleanOperations, seedOperations } from '../../../test/support/operations.ts';
import { archiveKind } from './kind.ts';

const archive = useArchiveLibrary();
const { add, create, get, post, prepare, several, states, undo, waiting, work } = archive;

const DAY_MS = 86_400_000;
const rows = () => archive.database.sql`select * from asset order by id`;

describe('preparing an archive operation', () => {
  test("ST-001: freezes the items of the caller's Timeline and changes none of them", async () => {
    await several(5);
    await several(2, { visibility: 'archive' });
    const video = await add({ type: 'VIDEO', visibility: 'hidden', lockedAt: NOW });
    await add({ lockedAt: NOW, liveVideoId: video });
    await add({ trashedAt: NOW });
    const partner = await seed(archive.database).user();
    for (let n = 0; n < 3; n++) await seed(archive.database).asset({ ownerId: partner.id });
    await archive.database.sql`
      insert into partner (sharer_id, viewer_id, in_timeline) values (${partner.id}, ${archive.me.id}, true)`;
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

  test('ST-002: an item added after the preparation is not archived', async () => {
    const ids = await several(5);
    const { id } = await prepare();
    const sixth = await add();
    expect((await get(id)).body.total).toBe(5);
    expect((await post(`/${id}/confirm`, { expectedCount: 5 })).status).toBe(200);
    await work();
    expect((await get(id)).body).toMatchObject({ status: 'completed', total: 5, archived: 5 });
    expect(await states([...ids, sixth])).toBe('AAAAAT');
  });

  test('ST-003: confirming with the right count archives every item', async () => {
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
    expect(await states(ids)).toBe('AAAAA');
  });

  test('ST-004: confirming with a different count is refused', async () => {
    const ids = await several(5);
    const { id } = await prepare();
    const reply = await post(`/${id}/confirm`, { expectedCount: 4 });
    expect(reply).toMatchObject({ status: 409, body: { code: 'count_mismatch' } });
    expect((await get(id)).body).toMatchObject({ status: 'prepared', revision: 1 });
    expect([await states(ids), await waiting()]).toEqual(['TTTTT', 0]);
  });

  test('ST-005: confirming twice returns the state of the operation and changes nothing', async () => {
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

  test('completes at once for an empty Timeline', async () => {
    const { id, total } = await prepare();
    expect(total).toBe(0);
    await post(`/${id}/confirm`, { expectedCount: 0 });
    await work();
    expect((await get(id)).body).toMatchObject({ status: 'completed', processed: 0 });
    await undo(id);
    await work();
    expect((await get(id)).body).toMatchObject({ status: 'undone', restored: 0 });
  });

  test('expires after a day without confirmation', async () => {
    const ids = await several(2);
    const { id } = await prepare();
    const at = (ms: number) =>
      testApp(archive.database, { now: () => new Date(NOW.getTime() + ms) });
    const seen = await call(at(DAY_MS - 1), `GET /archive-operations/${id}`, { as: archive.me });
    expect(seen.body.status).toBe('prepared');
    const late = at(DAY_MS);
    for (const body of [{ expectedCount: 2 }, { expectedCount: 9 }]) {
      const reply = await post(`/${id}/confirm`, body, { as: archive.me }, late);
      expect(reply).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    }
    const reply = await post(`/${id}/undo`, {}, { as: archive.me }, late);
    expect(reply).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect((await get(id)).body).toMatchObject({
      status: 'expired',
      revision: 2,
      canConfirm: false,
      canUndo: false,
      expiresAt: null,
    });
    expect(await states(ids)).toBe('TT');
  });
});

describe('archiving a selection', () => {
  test('ST-006: starts without confirmation', async () => {
    const ids = await several(3);
    const rest = await add();
    const reply = await post('', { assetIds: ids });
    expect(reply).toMatchObject({
      status: 201,
      body: { source: 'selection', status: 'queued', total: 3, expiresAt: null },
    });
    await work();
    expect((await get(reply.body.id)).body).toMatchObject({ status: 'completed', archived: 3 });
    expect(await states([...ids, rest])).toBe('AAAT');
    const confirm = await post(`/${reply.body.id}/confirm`, { expectedCount: 3 });
    expect(confirm).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  test('ST-007: an asset of another user in the selection refuses the whole request', async () => {
    const other = await seed(archive.database).user();
    const foreign = await seed(archive.database).asset({ ownerId: other.id });
    const [a, b] = (await several(2)) as [string, string];
    const locked = await add({ lockedAt: NOW });
    for (const bad of [foreign, crypto.randomUUID(), locked]) {
      const reply = await post('', { assetIds: [a, bad, b] });
      expect(reply).toMatchObject({ status: 400, body: { code: 'no_access' } });
    }
    expect((await call(archive.app, 'GET /archive-operations', { as: archive.me })).body).toEqual(
      [],
    );
    expect([await states([a, b, foreign]), await waiting()]).toEqual(['TTT', 0]);
    expect([...(await archive.database.sql`select 1 from operation_batch`)]).toEqual([]);
  });

  test('counts duplicate ids once and limits their number', async () => {
    const id = await add();
    for (const assetIds of [[], [id, id], [id, id.toUpperCase()], ['x']]) {
      expect((await post('', { assetIds })).status).toBe(400);
    }
    const many = Array.from({ length: 50_001 }, () => id);
    expect((await post('', { assetIds: many })).status).toBe(400);
  });

  test('ST-012: skips items that were archived or removed before and leaves them unchanged', async () => {
    const archived = await add({ visibility: 'archive' });
    const video = await add({ type: 'VIDEO', visibility: 'hidden' });
    const [trashed, locked, gone, plain] = (await several(4)) as [string, string, string, string];
    const { id } = await create([archived, video, trashed, locked, gone, plain]);
    await archive.database.sql`update asset set trashed_at = now() where id = ${trashed}`;
    await archive.database.sql`update asset set locked_at = now() where id = ${locked}`;
    await archive.database.sql`delete from asset where id = ${gone}`;
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
    expect(await states([archived, trashed, locked, gone, plain])).toBe('AtT-T');
  });
});

describe('a repeated request', () => {
  test('returns the same operation, also when sent concurrently', async () => {
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
    const stranger = await seed(archive.database).user();
    const theirs = await post('/prepare', { requestId }, { as: stranger });
    expect(theirs).toMatchObject({ status: 201, body: { total: 0 } });
  });
});

test("EP-027: lists the caller's latest 100 operations, newest first", async () => {
  const other = await seed(archive.database).user();
  await post('/prepare', {}, { as: other });
  await seedOperations(archive.database, archiveKind, {
    accountId: archive.me.id,
    payload: { source: 'timeline' },
    state: 'undone',
    count: 120,
  });
  const newest = await prepare();
  const list = async () =>
    (await call(archive.app, 'GET /archive-operations', { as: archive.me })).body as {
      id: string;
      total: number;
    }[];
  const found = await list();
  expect(found.map((item) => item.total)).toEqual([
    0,
    ...Array.from({ length: 99 }, (_, n) => n + 1),
  ]);
  expect(found[0]!.id).toBe(newest.id);
  await cleanOperations(archive.database);
  expect(await list()).toEqual(found);
  const [row] = await archive.database.sql`
    select count(*)::int as count from operation where account_id = ${archive.me.id}`;
  expect(row!['count']).toBe(100);
});

test('returns the same 404 for an operation of another user and an unknown one', async () => {
  const house = await seedHousehold(archive.database);
  const own = await call(archive.app, 'POST /archive-operations/prepare', {
    as: house.owner,
    body: {},
  });
  expect(own.body.total).toBe(5);
  const { id } = own.body;
  const refused: Reply[] = [];
  for (const who of [house.partner, house.viewer, house.member, house.stranger]) {
    for (const target of [id, crypto.randomUUID()]) {
      refused.push(await get(target, { as: who }));
      refused.push(await post(`/${target}/confirm`, { expectedCount: 5 }, { as: who }));
      refused.push(await post(`/${target}/undo`, {}, { as: who }));
    }
    expect((await call(archive.app, 'GET /archive-operations', { as: who })).body).toEqual([]);
    expect((await post('', { assetIds: [house.ids.plain] }, { as: who })).status).toBe(400);
  }
  expect(
    new Set(refused.map(({ status, body }) => `${status} ${body.code} ${body.message}`)),
  ).toEqual(new Set(['404 not_found Archive operation not found']));
  expect((await get(id, { as: house.owner })).body.status).toBe('prepared');
  const weak = await seed(archive.database).user(['asset.read', 'asset.delete']);
  for (const [who, status] of [
    [{ as: weak }, 403],
    [{}, 401],
  ] as const) {
    expect((await call(archive.app, 'GET /archive-operations', who)).status).toBe(status);
    expect((await post('/prepare', {}, who)).status).toBe(status);
    expect((await post(`/${id}/undo`, {}, who)).status).toBe(status);
  }
  expect((await post('/prepare?slug=album', {}, {})).status).toBe(403);
});
