import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser, testApp } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { backupDevices, reconciliations } from '../../db/tables/backup.ts';

const { database, app } = await useApp();
let alice: TestUser;
let bob: TestUser;
beforeAll(async () => {
  alice = await seed(database).user();
  bob = await seed(database).user();
});

const DEVICES = '/users/me/backup-devices' as const;
const list = (user: TestUser, query = '') => call(app, `GET ${DEVICES}${query}`, { as: user });
const report = (user: TestUser, body: object) => call(app, `POST ${DEVICES}`, { as: user, body });
const history = (user: TestUser, id: string, query = '') =>
  call(app, `GET ${DEVICES}/${id}/reconciliations${query}`, { session: user });
const keys = async (user: TestUser) =>
  (await list(user)).body.items.map((item: { deviceKey: string }) => item.deviceKey);

test('EP-001: a device keeps its id, and its key means another device for another account', async () => {
  const me = await seed(database).user();
  const first = await report(me, {
    deviceKey: 'iphone:1.a-b_c',
    name: 'Phone',
    platform: 'ios',
    appVersion: '1.2',
    lastSuccessAt: '2026-01-01T02:00:00+02:00',
    pendingCount: 12,
  });
  expect(first).toMatchObject({ status: 200 });
  expect(first.body).toEqual({
    id: expect.any(String),
    deviceKey: 'iphone:1.a-b_c',
    name: 'Phone',
    platform: 'ios',
    appVersion: '1.2',
    lastSuccessAt: '2026-01-01T00:00:00.000Z',
    pendingCount: 12,
    reportedAt: NOW.toISOString(),
    isVerified: false,
    lastReconciliation: null,
    createdAt: NOW.toISOString(),
    updatedAt: NOW.toISOString(),
  });
  const later = new Date(NOW.getTime() + 60_000);
  const again = await call(testApp(database, { now: () => later }), `POST ${DEVICES}`, {
    as: me,
    body: { deviceKey: 'iphone:1.a-b_c', name: 'My phone', pendingCount: 0 },
  });
  expect(again.status).toBe(200);
  expect(again.body).toEqual({
    ...first.body,
    name: 'My phone',
    pendingCount: 0,
    reportedAt: later.toISOString(),
    updatedAt: later.toISOString(),
  });
  const other = await report(bob, { deviceKey: 'iphone:1.a-b_c', name: 'Other' });
  expect(other.body.id).not.toBe(first.body.id);
  expect((await list(me)).body).toMatchObject({ total: 1, items: [{ name: 'My phone' }] });
});

test('a late report does not reset the last success; null resets the other fields', async () => {
  const me = await seed(database).user();
  const send = async (over: object) =>
    (await report(me, { deviceKey: 'k', name: 'n', ...over })).body;
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  await send({ lastSuccessAt: late, pendingCount: 5, appVersion: '1', platform: 'web' });
  expect((await send({ lastSuccessAt: early })).lastSuccessAt).toBe(late);
  const cleared = { lastSuccessAt: null, pendingCount: null, appVersion: null };
  expect(await send(cleared)).toMatchObject({
    lastSuccessAt: late,
    pendingCount: null,
    appVersion: null,
    platform: 'web',
  });
});

test('EP-002: a removed device is not listed, keeps its history, and returns under the same id', async () => {
  const me = await seed(database).user();
  await unlock(database, me);
  const assetId = await seed(database).asset({ ownerId: me.id });
  const { id } = (await report(me, { deviceKey: 'k', name: 'n' })).body;
  const run = {
    id: Bun.randomUUIDv7(),
    deviceId: id,
    userId: me.id,
    status: 'completed' as const,
    fingerprint: '0.0',
    deviceCount: 3,
    differingBuckets: 1,
    validatedBuckets: 1,
    matchedCount: 2,
    missingCount: 1,
    checkedAt: NOW,
    startedAt: NOW,
    completedAt: NOW,
  };
  await database.db.insert(reconciliations).values(run);
  const before = await history(me, id);
  expect(before.body).toMatchObject({ total: 1, items: [{ runId: run.id, missingCount: 1 }] });

  const remove = (user: TestUser) => call(app, `DELETE ${DEVICES}/${id}`, { as: user });
  expect(await remove(bob)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect((await remove(me)).status).toBe(204);
  expect(await remove(me)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect((await list(me)).body).toMatchObject({ items: [], total: 0 });
  expect((await history(me, id)).body).toEqual(before.body);
  expect(await database.sql`select 1 from asset where id = ${assetId}`).toHaveLength(1);
  expect((await report(me, { deviceKey: 'k', name: 'again' })).body).toMatchObject({
    id,
    name: 'again',
    lastReconciliation: {
      runId: run.id,
      status: 'completed',
      checkedAt: NOW.toISOString(),
      missingCount: 1,
      completedAt: NOW.toISOString(),
    },
  });
  expect((await list(me)).body.total).toBe(1);
});

describe('the list of devices', () => {
  test("lists only the caller's devices, the most recently reported first", async () => {
    const me = await seed(database).user();
    for (const [key, second] of [
      ['a', 3],
      ['b', 1],
      ['c', 2],
    ] as const) {
      await database.db.insert(backupDevices).values({
        userId: me.id,
        deviceKey: key,
        name: key,
        reportedAt: new Date(NOW.getTime() + second * 1000),
      });
    }
    await report(bob, { deviceKey: 'not mine', name: 'x' });
    await report(bob, { deviceKey: 'bobs', name: 'x' });
    expect(await keys(me)).toEqual(['a', 'c', 'b']);
    expect((await list(me, '?limit=1&offset=1')).body).toMatchObject({
      items: [{ deviceKey: 'c' }],
      total: 3,
      limit: 1,
      offset: 1,
    });
  });

  test('LM-003: takes these limits and offsets', async () => {
    for (const query of ['?limit=1', '?limit=200', '?offset=0', '?offset=1000000']) {
      expect([query, (await list(alice, query)).status]).toEqual([query, 200]);
    }
  });

  test('LM-004: refuses these, and names the parameter', async () => {
    for (const [name, value] of [
      ['limit', 0],
      ['limit', 201],
      ['offset', -1],
      ['offset', 1_000_001],
    ] as const) {
      const { status, body } = await list(alice, `?${name}=${value}`);
      expect([status, body.errors?.[0].path]).toEqual([400, [name]]);
    }
  });

  test('LM-005: is a hundred at a time', async () => {
    const me = await seed(database).user();
    await database.db
      .insert(backupDevices)
      .values(
        Array.from({ length: 101 }, (_, n) => ({ userId: me.id, deviceKey: `${n}`, name: 'x' })),
      );
    const { body } = await list(me);
    expect(body).toMatchObject({ total: 101, limit: 100, offset: 0 });
    expect(body.items).toHaveLength(100);
    expect((await list(me, '?offset=100')).body.items).toHaveLength(1);
  });
});

describe('the history of reconciliations', () => {
  let me: TestUser;
  let id: string;
  beforeAll(async () => {
    me = await seed(database).user();
    await unlock(database, me);
    id = (await report(me, { deviceKey: 'k', name: 'n' })).body.id;
  });

  test('LM-006: takes these limits and offsets', async () => {
    for (const query of ['?limit=1', '?limit=200', '?offset=1000000']) {
      expect([query, (await history(me, id, query)).status]).toEqual([query, 200]);
    }
  });

  test('LM-007: refuses these, and names the parameter', async () => {
    for (const [name, value] of [
      ['limit', 0],
      ['limit', 201],
      ['offset', 1_000_001],
    ] as const) {
      const { status, body } = await history(me, id, `?${name}=${value}`);
      expect([status, body.errors?.[0].path]).toEqual([400, [name]]);
    }
  });

  test('is of the own devices only', async () => {
    await unlock(database, bob);
    for (const unknown of [id, crypto.randomUUID()]) {
      expect(await history(bob, unknown)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    }
  });
});

for (const [name, body] of [
  ['no key', { name: 'n' }],
  ['an empty key', { deviceKey: '', name: 'n' }],
  ['a key of odd characters', { deviceKey: 'a b', name: 'n' }],
  ['a long key', { deviceKey: 'a'.repeat(129), name: 'n' }],
  ['no name', { deviceKey: 'k' }],
  ['an unknown platform', { deviceKey: 'k', name: 'n', platform: 'fridge' }],
  ['a time without offset', { deviceKey: 'k', name: 'n', lastSuccessAt: '2026-01-01T00:00:00' }],
  ['less than nothing pending', { deviceKey: 'k', name: 'n', pendingCount: -1 }],
  ['more pending than there can be', { deviceKey: 'k', name: 'n', pendingCount: 10_000_001 }],
] as const) {
  test(`${name} → 400`, async () => {
    expect((await report(alice, body)).status).toBe(400);
  });
}

test('nobody reports or lists devices without an account and its permission', async () => {
  const reader = await seed(database).user(['asset.read']);
  const body = { deviceKey: 'k', name: 'n' };
  expect((await call(app, `GET ${DEVICES}`)).status).toBe(401);
  expect((await call(app, `POST ${DEVICES}`, { body })).status).toBe(401);
  expect((await list(reader)).status).toBe(403);
  expect((await report(reader, body)).status).toBe(403);
  const id = crypto.randomUUID();
  expect((await call(app, `DELETE ${DEVICES}/${id}`, { as: reader })).status).toBe(403);
});
