import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { PERMISSIONS } from '../../access/permissions.ts';
import { notify } from './index.ts';

const { database, app } = await useApp();
let admin: TestUser;
let me: TestUser;
let id: string;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
  me = await seed(database).user();
  await notify(database.db, { userId: me.id, kind: 'integrity', title: 'mine' }, NOW);
  id = (await read())[0]!['id'];
});

const read = () =>
  database.sql`select id, owner_id, title, type, data, key, read_at, updated_at
    from notification where owner_id = ${me.id} order by created_at`;
/** All operations that change something, for this id, with these bodies. */
const listWrites = (over: object = {}) =>
  [
    [`PUT /notifications/${id}`, { readAt: NOW.toISOString(), ...over }],
    ['PUT /notifications', { ids: [id], readAt: NOW.toISOString(), ...over }],
    [`DELETE /notifications/${id}`, undefined],
    ['DELETE /notifications', { ids: [id], ...over }],
  ] as const;

test('neither a shared link nor a key without the permission reaches a notification', async () => {
  const before = await read();
  const body = { type: 'INDIVIDUAL', assetIds: [await seed(database).asset({ ownerId: me.id })] };
  const { key } = (await call(app, 'POST /shared-links', { as: me, body })).body;
  const weak = (await seed(database).user(['asset.read'])).key;
  await database.sql`update api_key set user_id = ${me.id} where permissions = '{asset.read}'`;
  const reads = [
    ['GET /notifications', undefined],
    [`GET /notifications/${id}`, undefined],
  ] as const;
  for (const [route, body] of [...reads, ...listWrites()]) {
    const guest = await call(app, `${route}?key=${key}` as 'GET /x', { body });
    expect([route, guest.status]).toEqual([route, 403]);
    const reply = await call(app, route as 'GET /x', { as: { key: weak }, body });
    expect([route, reply.status]).toEqual([route, 403]);
    expect(JSON.stringify([guest.body, reply.body])).not.toContain('mine');
  }
  expect(await read()).toEqual(before);
});

test('AU-006 an administrator’s key with every permission except all administers no notifications', async () => {
  const permissions = PERMISSIONS.filter((permission) => permission !== 'all');
  const as = await seed(database).user([...permissions], { isAdmin: true });
  const settings = (await call(app, 'GET /admin/notifications/mail', { as: admin })).body;
  for (const [route, body] of [
    ['POST /admin/notifications', { userId: me.id, title: 'x' }],
    ['POST /admin/notifications/templates/welcome', { template: '' }],
    ['POST /admin/notifications/test-email', settings.smtp],
    ['GET /admin/notifications/mail', undefined],
    ['PUT /admin/notifications/mail', settings],
  ] as const) {
    expect([route, (await call(app, route, { as, body })).status]).toEqual([route, 403]);
  }
  expect(await read()).toHaveLength(1);
});

test('an administrator reaches no notification of another account', async () => {
  const before = await read();
  for (const [route, body] of [[`GET /notifications/${id}`, undefined], ...listWrites()] as const) {
    const { status } = await call(app, route as 'GET /x', { as: admin, body });
    expect([route, status]).toEqual([route, 400]);
  }
  expect((await call(app, `GET /notifications?id=${id}`, { as: admin })).body).toEqual([]);
  expect(await read()).toEqual(before);
});

test('members that are none of an update change nothing', async () => {
  const over = { ownerId: admin.id, userId: admin.id, title: 'other', type: 'Custom', key: 'k' };
  for (const [route, body] of listWrites(over).slice(0, 2)) {
    expect((await call(app, route as 'GET /x', { as: me, body })).status).toBeLessThan(300);
  }
  expect(await read()).toMatchObject([{ owner_id: me.id, title: 'mine', key: null }]);
});

test('a list of ids has one at least and 65,000 at most, all of them ids', async () => {
  const before = await read();
  const many = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
  const lists = [[], [id, 'x'], [id, null], id, [id, ...many(65_000)], [id, ...many(64_999)]];
  for (const ids of lists) {
    for (const route of ['PUT /notifications', 'DELETE /notifications'] as const) {
      const reply = await call(app, route, { as: me, body: { ids, readAt: null } });
      expect(reply.status).toBe(400);
    }
  }
  expect(await read()).toEqual(before);
});

test('what no text or time can be is refused', async () => {
  const bodies = [
    { title: 'a\u0000b' },
    { description: '\u0000' },
    { data: { text: '\u0000' } },
    { data: { '\u0000': 1 } },
    { data: [1] },
    { data: 'text' },
    { level: 'loud' },
    { type: 'albumInvite' },
    { readAt: '2026-02-30T00:00:00Z' },
    { readAt: '2026-02-03T00:00:00' },
    { readAt: '999999-01-01T00:00:00Z' },
    { userId: 'x' },
    { title: 7 },
  ];
  for (const over of bodies) {
    const body = { userId: me.id, title: 'x', ...over };
    const reply = await call(app, 'POST /admin/notifications', { as: admin, body });
    expect([over, reply.status]).toEqual([over, 400]);
  }
  for (const readAt of ['0000-01-01T00:00:00Z', '10000-01-01T00:00:00Z', 5, '']) {
    const { status } = await call(app, `PUT /notifications/${id}`, { as: me, body: { readAt } });
    expect([readAt, status]).toEqual([readAt, 400]);
  }
});

test('an id that is none is refused on each path', async () => {
  for (const bad of ['x', '1', `${id}0`, '%00', "' or 1=1"]) {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const body = method === 'PUT' ? { readAt: null } : undefined;
      const route = `${method} /notifications/${encodeURIComponent(bad)}` as const;
      expect([route, (await call(app, route, { as: me, body })).status]).toEqual([route, 400]);
    }
  }
});
