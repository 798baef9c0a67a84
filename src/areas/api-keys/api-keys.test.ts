import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { newSecret, sha256 } from '../../core/hash.ts';
import { apiKeys } from '../../db/tables/identity.ts';

const { database, app } = await useApp();
let bob: TestUser;
beforeAll(async () => {
  bob = await seed(database).user();
});

/** A further key of the same person. */
async function addKey(userId: string, permissions: string[]) {
  const key = newSecret();
  const [row] = await database.db
    .insert(apiKeys)
    .values({ userId, name: 'k', keyHash: sha256(key), permissions })
    .returning({ id: apiKeys.id });
  return { id: row!.id, key };
}
const status = async (key: string) =>
  (await call(app, 'POST /auth/validateToken', { as: { key } })).status;

test('a key can be created, changed and deleted, and shows its secret once', async () => {
  const me = await seed(database).user();
  const created = await call(app, 'POST /api-keys', {
    session: me,
    body: { name: 'CLI', permissions: ['asset.upload', 'user.read', 'user.read'] },
  });
  expect(created).toMatchObject({
    status: 201,
    body: {
      name: 'CLI',
      permissions: ['asset.upload', 'user.read'],
      apiKey: { name: 'CLI', permissions: ['asset.upload', 'user.read'] },
    },
  });
  const { id, secret } = created.body;
  const key = { key: secret };
  expect(await call(app, 'GET /api-keys/me', { as: key })).toMatchObject({
    status: 200,
    body: { id, permissions: ['asset.upload', 'user.read'] },
  });
  expect((await call(app, 'GET /users/me', { as: key })).status).toBe(200);
  expect((await call(app, 'GET /sessions', { as: key })).status).toBe(403);

  const stored = await database.db.select().from(apiKeys);
  expect(stored.map((row) => JSON.stringify(row)).join()).not.toContain(secret);
  const listed = await call(app, 'GET /api-keys', { session: me });
  expect(listed.body.map((item: { id: string }) => item.id)).toContain(id);
  expect(listed.body).toHaveLength(2);
  expect(JSON.stringify(listed.body)).not.toMatch(/secret|hash/i);

  const renamed = await call(app, `PUT /api-keys/${id}`, { session: me, body: { name: 'Phone' } });
  expect(renamed).toMatchObject({
    status: 200,
    body: { name: 'Phone', permissions: ['asset.upload', 'user.read'] },
  });
  const less = { permissions: ['user.read'] };
  await call(app, `PUT /api-keys/${id}`, { session: me, body: less });
  expect((await call(app, `GET /api-keys/${id}`, { session: me })).body).toMatchObject(less);

  expect((await call(app, `DELETE /api-keys/${id}`, { session: me })).status).toBe(204);
  expect(await status(secret)).toBe(401);
  expect((await call(app, `GET /api-keys/${id}`, { session: me })).status).toBe(400);
});

test('rotating ends the old secret at once', async () => {
  const me = await seed(database).user();
  const old = await addKey(me.id, ['user.read']);
  const rotated = await call(app, `POST /api-keys/${old.id}/rotate`, { session: me });
  expect(rotated).toMatchObject({ status: 200, body: { id: old.id, permissions: ['user.read'] } });
  expect(await status(old.key)).toBe(401);
  expect(await status(rotated.body.secret)).toBe(200);
});

test('a session has no key of its own', async () => {
  expect((await call(app, 'GET /api-keys/me', { session: bob })).status).toBe(403);
});

describe('CVE-2026-23896: a key never grants what it lacks', () => {
  const RIGHTS = ['apiKey.create', 'apiKey.update', 'apiKey.rotate', 'apiKey.delete', 'tag.read'];
  const MESSAGE = 'Cannot grant permissions you do not have';
  const refused = { status: 400, body: { message: MESSAGE } };

  test('when it creates another', async () => {
    const me = await seed(database).user(RIGHTS);
    const create = (permissions: string[]) =>
      call(app, 'POST /api-keys', { as: me, body: { permissions } });
    for (const wanted of [['all'], ['tag.create'], ['tag.read', 'tag.create']]) {
      expect(await create(wanted)).toMatchObject(refused);
    }
    expect((await create(['tag.read'])).status).toBe(201);
    expect(await database.db.$count(apiKeys)).toBeGreaterThan(0);
  });

  test('when it changes itself or another', async () => {
    const me = await seed(database).user();
    const limited = await addKey(me.id, RIGHTS);
    for (const id of [limited.id, (await addKey(me.id, ['tag.read'])).id]) {
      const put = (body: object) => call(app, `PUT /api-keys/${id}`, { as: limited, body });
      expect(await put({ permissions: ['all'] })).toMatchObject(refused);
      expect(await put({ permissions: [...RIGHTS, 'tag.create'] })).toMatchObject(refused);
      expect((await put({ permissions: RIGHTS })).status).toBe(200);
    }
  });

  test('when it rotates a stronger one, whose new secret it would learn', async () => {
    const me = await seed(database).user();
    const limited = await addKey(me.id, RIGHTS);
    const strong = await addKey(me.id, ['all']);
    const rotate = (id: string, as: { key: string }) =>
      call(app, `POST /api-keys/${id}/rotate`, { as });
    expect(await rotate(strong.id, limited)).toMatchObject({
      status: 400,
      body: { message: 'Cannot rotate an API Key with permissions you do not have' },
    });
    expect(await status(strong.key)).toBe(200);
    expect((await rotate(limited.id, strong)).status).toBe(200);
  });

  test('also beside a session, and also with every single permission', async () => {
    const limited = await seed(database).user(RIGHTS);
    const body = { permissions: ['all'] };
    expect(
      await call(app, 'POST /api-keys', { as: limited, session: limited, body }),
    ).toMatchObject(refused);
    expect((await call(app, 'POST /api-keys', { session: limited, body })).status).toBe(201);
  });

  test('nor by a shared link, whose guests look at items of the account and do no more than the key', async () => {
    const RIGHTS_OF_LINKS = ['sharedLink.create', 'sharedLink.read', 'sharedLink.update'];
    const me = await seed(database).user();
    const assetId = await seed(database).asset({ ownerId: me.id });
    const keyWith = (...more: string[]) => addKey(me.id, [...RIGHTS_OF_LINKS, ...more]);
    const create = (as: { key: string }, over: object = {}) =>
      call(app, 'POST /shared-links', {
        as,
        body: {
          type: 'INDIVIDUAL',
          assetIds: [assetId],
          allowDownload: false,
          allowUpload: false,
          ...over,
        },
      });
    const missing = (permission: string) => ({
      status: 403,
      body: { message: `Missing required permission: ${permission}` },
    });
    const count = async () => (await call(app, 'GET /shared-links', { session: me })).body.length;

    const viewer = await keyWith();
    expect(await create(viewer, { allowUpload: true })).toMatchObject(missing('asset.upload'));
    expect(await count()).toBe(0);
    // Allowed downloads are the default of clients that say nothing.
    const { status, body: link } = await create(viewer, { allowDownload: true });
    expect([status, link.allowDownload]).toEqual([201, false]);

    const patch = (as: { key: string }, body: object) =>
      call(app, `PATCH /shared-links/${link.id}`, { as, body });
    expect(await patch(viewer, { allowDownload: true })).toMatchObject(missing('asset.download'));
    expect((await patch(viewer, { description: 'x' })).status).toBe(200);
    const { body: open } = await create({ key: me.key }, { allowDownload: true });
    expect(open.allowDownload).toBe(true);
    const rename = { as: viewer, body: { slug: 'mine' } };
    const renamed = await call(app, `PATCH /shared-links/${open.id}`, rename);
    expect(renamed).toMatchObject(missing('asset.download'));
    const add = { as: viewer, body: { assetIds: [assetId] } };
    const added = await call(app, `PUT /shared-links/${open.id}/assets`, add);
    expect(added).toMatchObject(missing('asset.download'));
  });

  test('and cannot set the password of its account', async () => {
    const limited = await seed(database).user(['user.update']);
    const put = (body: object) => call(app, 'PUT /users/me', { as: limited, body });
    expect((await put({ password: 'mine now' })).status).toBe(403);
    expect((await put({ name: 'New name' })).status).toBe(200);
  });
});

const WRONG: [string, object][] = [
  ['no permissions', { name: 'x' }],
  ['an empty list of them', { permissions: [] }],
  ['an unknown one', { permissions: ['tag.fly'] }],
];
for (const [name, body] of WRONG) {
  test(`${name} → 400`, async () => {
    expect((await call(app, 'POST /api-keys', { session: bob, body })).status).toBe(400);
  });
}

test('returns the error of an unknown key for keys of others', async () => {
  const me = await seed(database).user();
  const foreign = await addKey(bob.id, ['all']);
  for (const id of [foreign.id, crypto.randomUUID()]) {
    for (const route of [
      `GET /api-keys/${id}`,
      `PUT /api-keys/${id}`,
      `POST /api-keys/${id}/rotate`,
      `DELETE /api-keys/${id}`,
    ] as const) {
      const body = route.startsWith('PUT') ? { name: 'mine' } : undefined;
      expect(await call(app, route, { session: me, body })).toMatchObject({
        status: 400,
        body: { message: 'API Key not found' },
      });
    }
  }
  expect(await status(foreign.key)).toBe(200);
});
