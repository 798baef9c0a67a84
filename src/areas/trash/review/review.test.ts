import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import {
  call,
  type Caller,
  NOW,
  seed,
  testApp,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { seedHousehold, unlock } from '../../../../test/support/household.ts';
import { partners } from '../../../db/tables/identity.ts';
import type { Action } from '../schemas.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (values: object = {}) => seed(database).asset({ ownerId: me.id, ...values });
const addTrashed = (values: object = {}) => add({ trashedAt: NOW, ...values });
const several = (make: () => Promise<string>, count: number) =>
  Promise.all(Array.from({ length: count }, make));

const review = (action: Action, more: object = {}, who: Caller = { as: me }) =>
  call(app, 'POST /trash/review', { ...who, body: { action, ...more } });
const apply = (action: Action, token: string, more: object = {}, who: Caller = { as: me }) =>
  call(app, 'POST /trash/apply', { ...who, body: { action, token, ...more } });

/** Returns the rows of all users. */
const everything = async () => ({
  assets: [...(await database.sql`select * from asset order by id`)],
  files: [...(await database.sql`select * from removed_file`)],
  activity: [...(await database.sql`select * from utility_activity`)],
});
const trashedAmong = async (ids: readonly string[]) => {
  const rows = await database.sql<{ id: string; is_trashed: boolean }[]>`
    select id, trashed_at is not null as is_trashed from asset where id = any(${ids as string[]})`;
  const byId = new Map(rows.map((row) => [row.id, row.is_trashed]));
  return ids.map((id) => byId.get(id));
};

describe('a review returns the effects of an action and changes nothing', () => {
  const cases: [string, Action, boolean][] = [
    ['ST-045', 'trash', false],
    ['ST-046', 'restore', true],
    ['ST-047', 'restore-all', true],
    ['ST-048', 'delete', true],
    ['ST-049', 'empty', true],
  ];
  for (const [id, action, isTrashed] of cases) {
    test(`${id}: ${action}`, async () => {
      const other = await seed(database).user();
      const shared = await seed(database).asset({ ownerId: other.id });
      const [bytes] = await database.sql`select sha256, sha1 from asset where id = ${shared}`;
      await database.db.insert(partners).values({ sharerId: other.id, viewerId: me.id });
      const state = isTrashed ? { trashedAt: NOW } : {};
      const video = await add({ type: 'VIDEO', visibility: 'hidden', fileSize: 70, ...state });
      const ids = [
        await add({ fileSize: 10, ...state, sha256: bytes!['sha256'], sha1: bytes!['sha1'] }),
        await add({ fileSize: 5, ...state, visibility: 'archive' }),
        await add({ fileSize: 1, ...state, liveVideoId: video }),
      ];
      await add(isTrashed ? {} : { trashedAt: NOW });
      const before = await everything();
      const isWhole = action === 'restore-all' || action === 'empty';
      const reply = await review(action, isWhole ? {} : { assetIds: ids });
      expect(reply).toMatchObject({
        status: 200,
        body: { action, count: 3, sizeInBytes: 86, sharedOriginals: 1 },
      });
      expect(reply.body.token.length).toBeGreaterThanOrEqual(16);
      expect(reply.body.expiresAt).toBe(new Date(NOW.getTime() + 3_600_000).toISOString());
      expect(await everything()).toEqual(before);
    });
  }

  test('duplicates of other users count only where the caller can see them', async () => {
    const [other, sharer] = [await seed(database).user(), await seed(database).user()];
    await database.db.insert(partners).values({ sharerId: sharer.id, viewerId: me.id });
    const assetIds: string[] = [];
    for (const values of [
      { ownerId: other.id },
      { ownerId: sharer.id, lockedAt: NOW },
      { ownerId: sharer.id, visibility: 'archive' as const },
      { ownerId: sharer.id, trashedAt: NOW },
    ]) {
      const id = await seed(database).asset(values);
      const [bytes] = await database.sql`select sha256, sha1 from asset where id = ${id}`;
      assetIds.push(await add({ sha256: bytes!['sha256'], sha1: bytes!['sha1'] }));
    }
    expect((await review('trash', { assetIds })).body.sharedOriginals).toBe(0);
  });

  test('excludes items that the action would not change', async () => {
    const [kept, trashed] = [await add(), await addTrashed()];
    const assetIds = [kept, trashed];
    expect((await review('trash', { assetIds })).body.count).toBe(1);
    expect((await review('restore', { assetIds })).body.count).toBe(1);
    expect((await review('delete', { assetIds })).body.count).toBe(2);
    expect((await review('empty')).body.count).toBe(1);
  });

  test('includes the whole live photo for one of its halves and counts it as one item', async () => {
    const video = await add({ type: 'VIDEO', visibility: 'hidden', fileSize: 7 });
    const still = await add({ liveVideoId: video });
    for (const assetIds of [[still], [video], [still, video]]) {
      const { body } = await review('trash', { assetIds });
      expect(body).toMatchObject({ count: 1, sizeInBytes: 8 });
    }
  });
});

test('ST-050: applying trashes exactly the reviewed items', async () => {
  const ids = await several(() => add(), 3);
  const rest = [await add(), await add()];
  const { body } = await review('trash', { assetIds: ids });
  const reply = await apply('trash', body.token, { assetIds: ids.toReversed() });
  expect(reply).toMatchObject({ status: 200, body: { count: 3 } });
  expect(await trashedAmong(ids)).toEqual([true, true, true]);
  expect(await trashedAmong(rest)).toEqual([false, false]);
});

test('ST-051: an emptied trash is deleted permanently and the removal of its files is enqueued', async () => {
  const ids = await several(() => addTrashed(), 4);
  const kept = await add();
  const { body } = await review('empty');
  expect(await apply('empty', body.token)).toMatchObject({ status: 200, body: { count: 4 } });
  expect(await trashedAmong(ids)).toEqual([undefined, undefined, undefined, undefined]);
  expect(await trashedAmong([kept])).toEqual([false]);
  const summary = await call(app, 'GET /trash/summary', { as: me });
  expect(summary.body).toEqual({ items: 0, sizeInBytes: 0, removing: 4 });
});

describe('refuses a set that has changed since the review', () => {
  const changes: [string, (ids: string[]) => Promise<unknown>][] = [
    ['ST-052: another item was trashed', () => addTrashed()],
    [
      'one was restored',
      (ids) => database.sql`update asset set trashed_at = null where id = ${ids[0]!}`,
    ],
    [
      'one was locked',
      (ids) => database.sql`update asset set locked_at = now() where id = ${ids[0]!}`,
    ],
    [
      'one was archived',
      (ids) => database.sql`update asset set visibility = 'archive' where id = ${ids[0]!}`,
    ],
    [
      'one became a favorite',
      (ids) => database.sql`update asset set is_favorite = true where id = ${ids[0]!}`,
    ],
    ['one was deleted permanently', (ids) => database.sql`delete from asset where id = ${ids[0]!}`],
    [
      'one was restored and trashed again',
      async (ids) => {
        await database.sql`update asset set trashed_at = null where id = ${ids[0]!}`;
        await database.sql`update asset set trashed_at = ${NOW.toISOString()} where id = ${ids[0]!}`;
      },
    ],
  ];
  for (const [name, change] of changes) {
    test(name, async () => {
      for (const action of ['empty', 'restore-all'] as const) {
        const ids = await several(() => addTrashed(), 3);
        const { body } = await review(action);
        await change(ids);
        const before = await everything();
        const reply = await apply(action, body.token);
        expect(reply).toMatchObject({ status: 409, body: { code: 'review_changed' } });
        expect(await everything()).toEqual(before);
      }
    });
  }

  for (const id of ['ST-053', 'ER-005']) {
    test(`${id}: one of three named items was restored in the meantime`, async () => {
      for (const action of ['restore', 'delete'] as const) {
        const ids = await several(() => addTrashed(), 3);
        const { body } = await review(action, { assetIds: ids });
        await call(app, 'POST /trash/restore/assets', { as: me, body: { ids: [ids[1]] } });
        const before = await everything();
        const reply = await apply(action, body.token, { assetIds: ids });
        expect(reply).toMatchObject({ status: 409, body: { code: 'review_changed' } });
        expect(await everything()).toEqual(before);
      }
    });
  }
});

test('ST-054: a token is valid for its user, action and set, once, and for an hour', async () => {
  const ids = await several(() => addTrashed(), 2);
  const assetIds = ids;
  const fresh = async () => (await review('restore', { assetIds })).body.token as string;
  const token = await fresh();
  const other = await seed(database).user();
  const mine = await seed(database).asset({ ownerId: other.id, trashedAt: NOW });
  const foreign = (await review('restore', { assetIds: [mine] }, { as: other })).body.token;
  const before = await everything();
  const refused: [string, () => Promise<unknown>][] = [
    ['review_changed', () => apply('restore', foreign, { assetIds })],
    ['review_changed', () => apply('restore', token, { assetIds: [mine] }, { as: other })],
    ['review_changed', () => apply('delete', token, { assetIds })],
    ['review_changed', () => apply('empty', token)],
    ['review_changed', () => apply('restore', `${token.slice(0, -1)}!`, { assetIds })],
    ['review_changed', () => apply('restore', token, { assetIds: [ids[0]] })],
    ['review_changed', () => apply('restore', 'x'.repeat(43), { assetIds })],
  ];
  for (const [code, request] of refused) {
    expect(await request()).toMatchObject({ status: 409, body: { code } });
  }
  expect(await everything()).toEqual(before);

  const late = testApp(database, { now: () => new Date(NOW.getTime() + 3_600_000) });
  const body = { action: 'restore', token, assetIds };
  const tooLate = await call(late, 'POST /trash/apply', { as: me, body });
  expect(tooLate).toMatchObject({ status: 409, body: { code: 'review_expired' } });
  expect(await everything()).toEqual(before);

  expect((await apply('restore', token, { assetIds })).status).toBe(200);
  const again = await apply('restore', token, { assetIds });
  expect(again).toMatchObject({ status: 409, body: { code: 'review_expired' } });
});

test('only one of two concurrent requests with the same token succeeds', async () => {
  const ids = await several(() => addTrashed(), 20);
  const { body } = await review('empty');
  const replies = await Promise.all(Array.from({ length: 6 }, () => apply('empty', body.token)));
  const statuses = replies.map((reply) => reply.status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([200, 409, 409, 409, 409, 409]);
  expect((await trashedAmong(ids)).every((state) => state === undefined)).toBe(true);
  const [row] = await database.sql`select sum(items)::int as items from removed_file
    where owner_id = ${me.id}`;
  expect(row!['items']).toBe(20);
});

test('locked items can be reviewed in an unlocked session only', async () => {
  const locked = await addTrashed({ lockedAt: NOW });
  await addTrashed();
  expect((await review('empty')).body.count).toBe(1);
  const named = await review('restore', { assetIds: [locked] });
  expect(named).toMatchObject({ status: 400, body: { code: 'no_access' } });
  await unlock(database, me);
  const { body } = await review('empty', {}, { session: me });
  expect(body.count).toBe(2);
  // The session that applies it must see the same.
  expect((await apply('empty', body.token)).status).toBe(409);
  const reply = await apply('empty', body.token, {}, { session: me });
  expect(reply).toMatchObject({ status: 200, body: { count: 2 } });
});

test('refuses a tool or ids that do not fit the action', async () => {
  const id = await add();
  const cases: [Action, object][] = [
    ['trash', {}],
    ['restore', {}],
    ['delete', {}],
    ['empty', { assetIds: [id] }],
    ['restore-all', { assetIds: [id] }],
    ['trash', { assetIds: [] }],
    ['trash', { assetIds: [id, id] }],
    ['delete', { assetIds: [id], tool: 'duplicates' }],
    ['trash', { assetIds: [id], tool: 'nothing' }],
  ];
  for (const [action, more] of cases) {
    for (const request of [review(action, more), apply(action, 'x'.repeat(20), more)]) {
      const { status, body } = await request;
      expect([status, body.message]).toEqual([400, 'Validation failed']);
    }
  }
});

test('requires the owner and the permission', async () => {
  const house = await seedHousehold(database);
  const assetIds = [house.ids.plain];
  for (const who of [house.member, house.viewer, house.partner, house.stranger]) {
    for (const action of ['trash', 'delete', 'restore'] as const) {
      expect((await review(action, { assetIds }, { as: who })).status).toBe(400);
    }
  }
  const weak = await seed(database).user(['asset.read', 'asset.update']);
  expect((await review('empty', {}, { as: weak })).status).toBe(403);
  expect((await apply('empty', 'x'.repeat(20), {}, { as: weak })).status).toBe(403);
  expect((await review('empty', {}, {})).status).toBe(401);
  const body = { action: 'empty' };
  expect((await call(app, 'POST /trash/review?slug=album', { body })).status).toBe(403);
});
