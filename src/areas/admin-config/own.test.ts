import { afterEach, beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { DEFAULTS, OWN_DEFAULTS, readConfig } from '../system-config/index.ts';

const SECRET = 'a long enough secret';
const HOSTS = ['Hooks.example.com', 'nas', '192.168.1.5', '10.0.0.0/8', 'fd00::/8', '[::1]'];

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterEach(async () => {
  await database.sql`truncate system_config`;
});

const put = (hosts: string[], secret = '', as = admin) =>
  call(app, 'PUT /admin/config/safelight', {
    session: as,
    body: { ...OWN_DEFAULTS, webhooks: { hosts, secret } },
  });
const get = (as = admin) => call(app, 'GET /admin/config/safelight', { as });
const readStored = async () => (await readConfig(database.db, 'webhooks')).webhooks;

test('hosts of webhooks are replaced; the secret is kept, and never shown', async () => {
  expect((await get()).body).toEqual(OWN_DEFAULTS);
  const { status, body } = await put(HOSTS, SECRET);
  expect([status, body]).toEqual([
    200,
    { ...OWN_DEFAULTS, webhooks: { hosts: HOSTS, secret: '' } },
  ]);
  await put(['nas']);
  expect(await readStored()).toEqual({ hosts: ['nas'], secret: SECRET });
  await put(['nas'], `other ${SECRET}`);
  expect((await readStored()).secret).toBe(`other ${SECRET}`);
  expect((await get()).body).toEqual({
    ...OWN_DEFAULTS,
    webhooks: { hosts: ['nas'], secret: '' },
  });
});

test('is no part of the document of Immich, which leaves it as it is', async () => {
  await put(['nas'], SECRET);
  expect((await call(app, 'GET /admin/config', { as: admin })).body).toEqual(DEFAULTS);
  await call(app, 'PUT /admin/config', { as: admin, body: DEFAULTS });
  expect(await readStored()).toEqual({ hosts: ['nas'], secret: SECRET });
});

test('refuses what is no host, and hosts without a secret', async () => {
  for (const host of [
    'https://nas',
    'nas/path',
    'nas:8123',
    '*.example.com',
    '-nas',
    '10.0.0',
    '10.0.0.0/33',
    '0x7f.1',
    'a b',
    '',
  ]) {
    const { status, body } = await put(['nas', host], SECRET);
    expect([host, status, body.errors?.[0].path]).toEqual([host, 400, ['webhooks', 'hosts', 1]]);
  }
  for (const secret of ['', 'short']) {
    const { status, body } = await put(['nas'], secret);
    expect([status, body.errors[0].path]).toEqual([400, ['webhooks', 'secret']]);
  }
  expect(await readStored()).toEqual({ hosts: [], secret: '' });
});

test('the master account of physical deduplication is one that exists', async () => {
  const save = (masterUserId: string) =>
    call(app, 'PUT /admin/config/safelight', {
      as: admin,
      body: { ...OWN_DEFAULTS, physicalDeduplication: { masterUserId, formerFiles: 'leave' } },
    });
  const { status, body } = await save(crypto.randomUUID());
  expect([status, body.errors[0].path]).toEqual([400, ['physicalDeduplication', 'masterUserId']]);
  expect((await get()).body).toEqual(OWN_DEFAULTS);
  expect((await save(admin.id)).body.physicalDeduplication.masterUserId).toBe(admin.id);
});

test('is for administrators with the permission', async () => {
  const reader = await seed(database).user(['adminConfig.read'], { isAdmin: true });
  const byKey = { as: reader, body: OWN_DEFAULTS };
  expect((await get(reader)).status).toBe(200);
  expect((await call(app, 'PUT /admin/config/safelight', byKey)).status).toBe(403);
  const user = await seed(database).user(['all']);
  expect((await get(user)).status).toBe(403);
  expect((await put(['nas'], SECRET, user)).status).toBe(403);
  expect((await call(app, 'GET /admin/config/safelight')).status).toBe(401);
  expect((await readStored()).hosts).toEqual([]);
});
