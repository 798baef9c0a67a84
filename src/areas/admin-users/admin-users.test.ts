import { beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import {
  call,
  type Caller,
  NOW,
  seed,
  testApp,
  type TestUser,
} from '../../../test/support/harness.ts';
import { enableMail, listMail } from '../../../test/support/notifications.ts';
import type { App } from '../../app.ts';
import { sessions, users } from '../../db/tables/identity.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true, name: 'Admin' });
});

let made = 0;
const newUser = (over: object = {}) => ({
  email: `new${made++}@example.com`,
  name: 'New',
  password: 'password',
  ...over,
});
const create = (over: object = {}) =>
  call(app, 'POST /admin/users', { session: admin, body: newUser(over) });
const put = (id: string, body: object, caller: Caller = { session: admin }) =>
  call(app, `PUT /admin/users/${id}`, { ...caller, body });
const remove = (id: string, body: object = {}, as = admin) =>
  call(app, `DELETE /admin/users/${id}`, { as, body });

test('a new account gets a welcome mail if it is asked for, once', async () => {
  await create({ notify: true });
  expect(await listMail(database)).toEqual([]);
  await enableMail(database);
  const { id } = (await create({ notify: true })).body;
  await create({ notify: false });
  await create();
  expect((await create({ notify: true, email: admin.email })).status).toBe(400);
  const stranger = await seed(database).user();
  const body = newUser({ notify: true });
  expect((await call(app, 'POST /admin/users', { as: stranger, body })).status).toBe(403);
  expect(await listMail(database)).toEqual([`welcome ${id}`]);
});

test('an account lives from POST to its removal', async () => {
  const created = await create({
    quotaSizeInBytes: 1e12,
    storageLabel: '../Al ice',
    shouldChangePassword: true,
    avatarColor: 'pink',
    notify: true,
  });
  expect(created).toMatchObject({
    status: 201,
    body: {
      isAdmin: false,
      quotaSizeInBytes: 1e12,
      quotaUsageInBytes: 0,
      storageLabel: 'Al ice',
      shouldChangePassword: true,
      avatarColor: 'pink',
      status: 'active',
    },
  });
  const { id, email } = created.body;
  const login = { body: { email, password: 'password' } };
  const { body } = await call(app, 'POST /auth/login', login);
  const session = { token: body.accessToken };

  const changed = await put(id, { name: 'Changed', quotaSizeInBytes: null, storageLabel: null });
  expect(changed.body).toMatchObject({
    name: 'Changed',
    email,
    quotaSizeInBytes: null,
    storageLabel: null,
  });

  expect(await remove(id)).toMatchObject({
    status: 200,
    body: { status: 'deleted', deletedAt: NOW.toISOString() },
  });
  expect((await call(app, 'GET /users/me', { session })).status).toBe(401);
  expect((await call(app, 'POST /auth/login', login)).status).toBe(401);
  const list = async (query = '') =>
    (await call(app, `GET /admin/users${query}`, { as: admin })).body.map(
      (user: { id: string }) => user.id,
    );
  expect(await list()).not.toContain(id);
  expect(await list('?withDeleted=true')).toContain(id);
  expect(await list(`?withDeleted=true&id=${id}`)).toEqual([id]);
  expect((await call(app, `GET /admin/users/${id}`, { as: admin })).body.status).toBe('deleted');

  expect(await call(app, `POST /admin/users/${id}/restore`, { as: admin })).toMatchObject({
    status: 200,
    body: { status: 'active', deletedAt: null },
  });
  // Sessions from before the removal stay ended.
  expect((await call(app, 'GET /users/me', { session })).status).toBe(401);
  expect((await call(app, 'POST /auth/login', login)).status).toBe(201);

  expect((await remove(id, { force: true })).body.status).toBe('removing');
  expect((await call(app, `POST /admin/users/${id}/restore`, { as: admin })).status).toBe(400);
});

test('a new password or PIN locks the sessions of the account, which an administrator ends', async () => {
  const user = await seed(database).user();
  await database.db
    .update(sessions)
    .set({ elevatedUntil: new Date(NOW.getTime() + 10 * 60_000) })
    .where(eq(sessions.userId, user.id));
  await put(user.id, { pinCode: '123456' });
  expect((await call(app, 'GET /auth/status', { session: user })).body).toMatchObject({
    pinCode: true,
    isElevated: false,
  });
  await put(user.id, { password: 'given by the admin' });
  expect((await call(app, 'GET /users/me', { session: user })).status).toBe(200);
  const end = (caller: object, id = user.id) =>
    call(app, `DELETE /admin/users/${id}/sessions`, caller);
  const stranger = await seed(database).user();
  expect((await end({ session: stranger })).status).toBe(403);
  expect((await end({ session: user })).status).toBe(403);
  expect((await end({})).status).toBe(401);
  expect((await end({ session: admin }, crypto.randomUUID())).status).toBe(400);
  expect((await end({ session: admin }, admin.id)).status).toBe(204);
  expect((await call(app, 'GET /users/me', { session: user })).status).toBe(200);
  expect((await end({ session: admin })).status).toBe(204);
  expect((await call(app, 'GET /users/me', { session: user })).status).toBe(401);
  expect((await call(app, 'GET /users/me', { session: stranger })).status).toBe(200);
  const body = { email: user.email, password: 'given by the admin' };
  expect((await call(app, 'POST /auth/login', { body })).status).toBe(201);
  await put(admin.id, { name: 'Admin' });
  expect((await call(app, 'GET /users/me', { session: admin })).status).toBe(200);
});

describe('refusals', () => {
  const cases: [string, () => Promise<{ status: number }>][] = [
    ['an e-mail that is taken', () => create({ email: admin.email.toUpperCase() })],
    ['no password', () => create({ password: undefined })],
    ['an empty password', () => create({ password: '' })],
    ['an empty password for another', () => put(admin.id, { password: '' })],
    ['a negative quota', () => create({ quotaSizeInBytes: -1 })],
    ['a quota beyond all numbers', () => create({ quotaSizeInBytes: 1e300 })],
    ['a PIN that is none', () => create({ pinCode: '12' })],
    ['an unknown account', () => put(crypto.randomUUID(), { name: 'x' })],
    ['an unknown account to remove', () => remove(crypto.randomUUID())],
  ];
  for (const [name, attempt] of cases) {
    test(`${name} → 400`, async () => {
      expect((await attempt()).status).toBe(400);
    });
  }

  test('a storage label that is taken → 400', async () => {
    expect((await create({ storageLabel: 'one' })).status).toBe(201);
    const message = 'Storage label already in use by another account';
    const taken = { status: 400, body: { message } };
    expect(await create({ storageLabel: 'one' })).toMatchObject(taken);
    expect(await put(admin.id, { storageLabel: 'one' })).toMatchObject(taken);
  });

  test('an e-mail that is taken is refused in the words of Immich', async () => {
    const { email } = await seed(database).user();
    expect((await create({ email })).body.message).toBe('User exists');
    const message = 'Email already in use by another account';
    expect((await put(admin.id, { email })).body.message).toBe(message);
  });
});

test('counts come with every filter, and other accounts are not in them', async () => {
  const user = await seed(database).user();
  const add = (over: object) => seed(database).asset({ ownerId: user.id, ...over });
  await add({});
  await add({ isFavorite: true, visibility: 'archive' });
  await add({ type: 'VIDEO' });
  await add({ type: 'AUDIO' });
  await add({ trashedAt: NOW });
  await add({ lockedAt: NOW });
  await add({ type: 'VIDEO', visibility: 'hidden' });
  await seed(database).asset({ ownerId: admin.id });
  const count = async (query = '') =>
    (await call(app, `GET /admin/users/${user.id}/statistics${query}`, { as: admin })).body;

  expect(await count()).toEqual({ images: 2, videos: 1, audio: 1, total: 4 });
  expect(await count('?isFavorite=true')).toMatchObject({ images: 1, total: 1 });
  expect(await count('?isFavorite=false')).toMatchObject({ images: 1, total: 3 });
  expect(await count('?isTrashed=true')).toMatchObject({ images: 1, total: 1 });
  expect(await count('?visibility=archive')).toMatchObject({ total: 1 });
  expect(await count('?visibility=hidden')).toMatchObject({ videos: 1, total: 1 });
  expect(await count('?visibility=locked')).toEqual({ message: 'Elevated permission is required' });
  expect((await call(app, 'GET /admin/users', { as: admin })).body).toContainEqual(
    expect.objectContaining({ id: user.id, quotaUsageInBytes: 7 }),
  );
});

test('an administrator sees the sessions of an account, and its preferences without the hidden part', async () => {
  const user = await seed(database).user();
  const path = `/admin/users/${user.id}` as const;
  const listed = await call(app, `GET ${path}/sessions`, { as: admin });
  expect(listed.body).toHaveLength(1);
  expect(listed.body[0]).toMatchObject({ current: false });

  const body = { tags: { enabled: true } };
  expect((await call(app, `PUT ${path}/preferences`, { as: admin, body })).status).toBe(200);
  const { body: preferences } = await call(app, `GET ${path}/preferences`, { as: admin });
  expect(preferences.tags.enabled).toBe(true);
  expect(preferences.lockedContent).toEqual({ filterEnabled: false, ruleCount: 0 });

  await database.db
    .update(sessions)
    .set({ elevatedUntil: new Date(NOW.getTime() + 10 * 60_000) })
    .where(eq(sessions.userId, admin.id));
  const hidden = { lockedContent: { filterEnabled: true } };
  const attempt = await call(app, `PUT ${path}/preferences`, { session: admin, body: hidden });
  expect(attempt.status).toBe(401);
});

describe('a key never becomes an administrator', () => {
  const RIGHTS = ['adminUser.create', 'adminUser.read', 'adminUser.update', 'adminUser.delete'];
  const refused = { status: 403, body: { message: 'Missing required permission: all' } };

  test('it creates accounts, but no administrator', async () => {
    const limited = await seed(database).user(RIGHTS, { isAdmin: true });
    const body = newUser({ isAdmin: true });
    expect(await call(app, 'POST /admin/users', { as: limited, body })).toMatchObject(refused);
    // A session beside the key is no way around its limits.
    const both = { as: limited, session: limited, body };
    expect(await call(app, 'POST /admin/users', both)).toMatchObject(refused);
    const made = await call(app, 'POST /admin/users', { as: limited, body: newUser() });
    expect(made).toMatchObject({ status: 201, body: { isAdmin: false } });
    expect((await call(app, 'POST /admin/users', { session: limited, body })).status).toBe(201);
  });

  for (const change of [
    { isAdmin: true },
    { isAdmin: false },
    { password: 'chosen by a thief' },
    { pinCode: '000000' },
    { pinCode: null },
    { shouldChangePassword: true },
    { shouldChangePassword: false },
  ]) {
    test(`it does not set ${JSON.stringify(change)}, also not of its own account`, async () => {
      const limited = await seed(database).user(RIGHTS, { isAdmin: true });
      const victim = await seed(database).user(['all'], { isAdmin: true });
      const rows = () => database.db.select().from(users).where(eq(users.id, victim.id));
      const before = await rows();
      for (const id of [victim.id, limited.id]) {
        const given = { ...change, name: 'Changed' };
        expect(await put(id, given, { as: limited })).toMatchObject(refused);
      }
      expect(await rows()).toEqual(before);
      expect((await call(app, 'GET /users/me', { session: victim })).status).toBe(200);
      expect((await put(victim.id, { name: 'Changed' }, { as: limited })).status).toBe(200);
    });
  }
});

describe('access to accounts is given by whom the password has just proven', () => {
  const later = testApp(database, { now: () => new Date(NOW.getTime() + 11 * 60_000) });
  const callers = (who: TestUser): [string, App, Caller][] => [
    ['a key with all permissions', app, { as: who }],
    ['a session without a recent login', later, { session: who }],
  ];

  test('not by others: administrators, passwords, PINs and addresses', async () => {
    const boss = await seed(database).user(['all'], { isAdmin: true });
    const victim = await seed(database).user();
    const rows = () => database.db.select().from(users).orderBy(users.id);
    const before = await rows();
    for (const [, server, caller] of callers(boss)) {
      for (const [field, value] of Object.entries({
        isAdmin: true,
        password: 'chosen by a thief',
        pinCode: '000000',
        shouldChangePassword: true,
        email: 'thief@example.com',
      })) {
        const body = { [field]: value, name: 'Changed' };
        expect(
          await call(server, `PUT /admin/users/${victim.id}`, { ...caller, body }),
        ).toMatchObject({
          status: 403,
          body: { errors: [{ code: 'proof_required', path: [field] }] },
        });
      }
      const body = newUser({ isAdmin: true });
      expect((await call(server, 'POST /admin/users', { ...caller, body })).status).toBe(403);
    }
    expect(await rows()).toEqual(before);
  });

  test('what clients send unchanged is no change', async () => {
    const boss = await seed(database).user(['all'], { isAdmin: true });
    const other = await seed(database).user();
    const body = { email: other.email.toUpperCase(), isAdmin: false, name: 'Renamed' };
    for (const [, server, caller] of callers(boss)) {
      const reply = await call(server, `PUT /admin/users/${other.id}`, { ...caller, body });
      expect(reply).toMatchObject({ status: 200, body: { name: 'Renamed' } });
    }
  });
});

test('an administrator gives passwords of any length', async () => {
  const { body: user } = await create({ password: 'p' });
  const login = (password: string) =>
    call(app, 'POST /auth/login', { body: { email: user.email, password } });
  expect((await login('p')).status).toBe(201);
  expect((await put(user.id, { password: 'q' })).status).toBe(200);
  expect([(await login('p')).status, (await login('q')).status]).toEqual([401, 201]);
});

test('a new account is asked for a password of its own, unless the administrator says otherwise', async () => {
  expect((await create()).body.shouldChangePassword).toBe(true);
  expect((await create({ shouldChangePassword: false })).body.shouldChangePassword).toBe(false);
});

test('what a reset ended answers like a token that never was', async () => {
  const user = await seed(database).user();
  await call(app, `DELETE /admin/users/${user.id}/sessions`, { session: admin });
  const unknown = { token: 'never was' };
  for (const session of [user, unknown]) {
    for (const route of [
      'POST /auth/validateToken',
      'GET /users/me',
      'GET /admin/users',
    ] as const) {
      expect(await call(app, route, { session })).toMatchObject({
        status: 401,
        body: { message: 'Invalid user token' },
      });
    }
  }
});

test('preferences of a deleted account can be read, not changed, as long as it can be restored', async () => {
  const user = await seed(database).user(['all'], { preferences: { tags: { enabled: true } } });
  const path = `/admin/users/${user.id}/preferences` as const;
  expect((await remove(user.id)).status).toBe(200);
  const read = await call(app, `GET ${path}`, { as: admin });
  expect(read).toMatchObject({ status: 200, body: { tags: { enabled: true } } });
  const unknown = { status: 400, body: { message: 'User not found' } };
  const body = { tags: { enabled: false } };
  expect(await call(app, `PUT ${path}`, { as: admin, body })).toMatchObject(unknown);
  const other = `/admin/users/${crypto.randomUUID()}/preferences` as const;
  expect(await call(app, `GET ${other}`, { as: admin })).toMatchObject(unknown);
  const stranger = await seed(database).user();
  expect((await call(app, `GET ${path}`, { as: stranger })).status).toBe(403);
  const narrow = await seed(database).user(['user.read'], { isAdmin: true });
  expect((await call(app, `GET ${path}`, { as: narrow })).status).toBe(403);
});
