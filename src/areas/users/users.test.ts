import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import {
  call,
  NOW,
  seed,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../test/support/harness.ts';
import { hashSecret } from '../../access/secrets.ts';

const { database, app } = await useApp();
let alice: TestUser;
let bob: TestUser;
let gone: TestUser;
beforeAll(async () => {
  alice = await seed(database).user(['all'], { name: 'Alice', passwordHash: '$argon2id$secret' });
  bob = await seed(database).user(['all'], { name: 'Bob' });
  gone = await seed(database).user(['all'], { name: 'Gone', deletedAt: NOW });
});

test('lists active accounts without private fields', async () => {
  await using fresh = await testDatabase();
  const ada = await seed(fresh).user(['all'], { name: 'Ada', passwordHash: '$argon2id$secret' });
  await seed(fresh).user(['all'], { name: 'Ben' });
  await seed(fresh).user(['all'], { name: 'Gone', deletedAt: NOW });
  const { status, body } = await call(testApp(fresh), 'GET /users', { as: ada });
  expect(status).toBe(200);
  expect(body.map((user: { name: string }) => user.name)).toEqual(['Ada', 'Ben']);
  expect(Object.keys(body[0]).toSorted()).toEqual(
    ['avatarColor', 'email', 'id', 'name', 'profileChangedAt', 'profileImagePath'].toSorted(),
  );
});

test('returns an account by id, and the error of an unknown one for a deleted account', async () => {
  expect((await call(app, `GET /users/${bob.id}`, { as: alice })).body.name).toBe('Bob');
  for (const id of [gone.id, crypto.randomUUID()]) {
    expect(await call(app, `GET /users/${id}`, { as: alice })).toMatchObject({
      status: 400,
      body: { message: 'User not found' },
    });
  }
  expect((await call(app, 'GET /users/1', { as: alice })).status).toBe(400);
});

test('a deleted account loses access at once', async () => {
  expect((await call(app, 'GET /users/me', { as: gone })).status).toBe(401);
  expect((await call(app, 'GET /users/me', { session: gone })).status).toBe(401);
});

describe('the own account', () => {
  test('has every member that clients require, null included', async () => {
    const me = await seed(database).user(['all'], { quotaBytes: 5000 });
    await seed(database).asset({ ownerId: me.id, fileSize: 1200 });
    await seed(database).asset({ ownerId: me.id, fileSize: 300, trashedAt: NOW });
    await seed(database).asset({ ownerId: alice.id, fileSize: 7 });
    const { body } = await call(app, 'GET /users/me', { as: me });
    expect(body).toEqual({
      id: me.id,
      email: me.email,
      name: 'user',
      avatarColor: 'primary',
      profileImagePath: '',
      profileChangedAt: expect.any(String),
      clusterGroupId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      deletedAt: null,
      isAdmin: false,
      license: null,
      oauthId: '',
      quotaSizeInBytes: 5000,
      quotaUsageInBytes: 1500,
      shouldChangePassword: false,
      status: 'active',
      storageLabel: null,
    });
  });

  test('can be changed, but cannot become an administrator', async () => {
    const me = await seed(database).user();
    const body = { name: 'New', email: 'NEW@Example.com', avatarColor: 'red', isAdmin: true };
    expect(await call(app, 'PUT /users/me', { session: me, body })).toMatchObject({
      status: 200,
      body: { name: 'New', email: 'new@example.com', avatarColor: 'red', isAdmin: false },
    });
    const left = { name: 'Only this' };
    expect((await call(app, 'PUT /users/me', { as: me, body: left })).body).toMatchObject({
      name: 'Only this',
      email: 'new@example.com',
    });
  });

  test('the address and the password are changed after a recent login only', async () => {
    const me = await seed(database).user(['all'], { shouldChangePassword: true });
    const later = testApp(database, { now: () => new Date(NOW.getTime() + 11 * 60_000) });
    for (const [field, value] of [
      ['email', 'thief@example.com'],
      ['password', 'chosen by a thief'],
    ] as const) {
      const body = { [field]: value, name: 'Thief' };
      const refused = {
        status: 403,
        body: { errors: [{ code: 'proof_required', path: [field] }] },
      };
      expect(await call(app, 'PUT /users/me', { as: me, body })).toMatchObject(refused);
      expect(await call(later, 'PUT /users/me', { session: me, body })).toMatchObject(refused);
    }
    // Clients send the address with everything else.
    const body = { email: me.email.toUpperCase(), name: 'Renamed' };
    expect(await call(later, 'PUT /users/me', { as: me, body })).toMatchObject({
      status: 200,
      body: { name: 'Renamed', email: me.email, shouldChangePassword: true },
    });
  });

  test('replaces the initial password by its own, which then logs in', async () => {
    const me = await seed(database).user(['all'], { shouldChangePassword: true });
    const body = { password: 'chosen by me' };
    expect(
      (await call(app, 'PUT /users/me', { session: me, body })).body.shouldChangePassword,
    ).toBe(false);
    const login = { email: me.email, password: 'chosen by me' };
    expect((await call(app, 'POST /auth/login', { body: login })).status).toBe(201);
  });

  test('changes the address after replacing the initial password', async () => {
    const me = await seed(database).user(['all'], { shouldChangePassword: true });
    for (const body of [{ password: 'chosen by me' }, { email: 'after@example.com' }]) {
      expect((await call(app, 'PUT /users/me', { session: me, body })).status).toBe(200);
    }
  });

  test("setting an own password ends sessions that were opened with the administrator's", async () => {
    const passwordHash = await hashSecret('given by the admin');
    const me = await seed(database).user(['all'], { shouldChangePassword: true, passwordHash });
    const elsewhere = await call(app, 'POST /auth/login', {
      body: { email: me.email, password: 'given by the admin' },
    });
    const token = elsewhere.body.accessToken;
    expect((await call(app, 'GET /users/me', { session: { token } })).status).toBe(200);
    await call(app, 'PUT /users/me', { session: me, body: { password: 'chosen by me' } });
    expect((await call(app, 'GET /users/me', { session: { token } })).status).toBe(401);
    expect((await call(app, 'GET /users/me', { session: me })).status).toBe(200);
  });

  test('an administrator always has to give the current password', async () => {
    const me = await seed(database).user(['all'], { shouldChangePassword: true, isAdmin: true });
    const body = { password: 'chosen by a thief' };
    const answer = await call(app, 'PUT /users/me', { session: me, body });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: ['password'] }] } });
  });

  test('without the current password a chosen one is not replaced, and nothing else of the request is stored', async () => {
    const me = await seed(database).user(['all']);
    const body = { password: 'chosen by a thief', name: 'Thief' };
    const answer = await call(app, 'PUT /users/me', { session: me, body });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: ['password'] }] } });
    expect((await call(app, 'GET /users/me', { as: me })).body.name).toBe('user');
  });

  test('cannot use the e-mail address of another account', async () => {
    const body = { email: bob.email.toUpperCase() };
    expect(await call(app, 'PUT /users/me', { session: alice, body })).toMatchObject({
      status: 400,
      body: { message: 'Email already in use by another account' },
    });
  });

  for (const [name, body] of [
    ['a short password', { password: '1234567' }],
    ['an empty name', { name: '' }],
    ['an e-mail that is none', { email: 'x' }],
    ['an unknown color', { avatarColor: 'ultraviolet' }],
    ['a time zone that is none', { timeZone: 'Mars/Phobos' }],
    ['a time zone that is no text', { timeZone: 7 }],
    ['a language that the server does not have', { language: 'tlh' }],
  ] as const) {
    test(`${name} → 400`, async () => {
      const reply = await call(app, 'PUT /users/me', { as: alice, body });
      expect(reply).toMatchObject({
        status: 400,
        body: { errors: [{ path: Object.keys(body) }] },
      });
    });
  }

  test('the time zone is kept, and is no member of the answer', async () => {
    const me = await seed(database).user();
    const zone = async () =>
      (await database.sql`select time_zone from app_user where id = ${me.id}`)[0]!['time_zone'];
    for (const timeZone of ['Europe/Berlin', 'America/New_York']) {
      const reply = await call(app, 'PUT /users/me', { as: me, body: { timeZone } });
      expect([reply.status, await zone(), reply.body.timeZone]).toEqual([200, timeZone, undefined]);
    }
    await call(app, 'PUT /users/me', { as: me, body: { name: 'Else' } });
    expect(await zone()).toBe('America/New_York');
    const weak = await seed(database).user(['user.read']);
    const body = { timeZone: 'Europe/Berlin' };
    expect((await call(app, 'PUT /users/me', { as: weak, body })).status).toBe(403);
  });
});

test('the language is kept, and is no member of the answer', async () => {
  const me = await seed(database).user();
  const reply = await call(app, 'PUT /users/me', { as: me, body: { language: 'pt-BR' } });
  expect([reply.status, reply.body.language]).toEqual([200, undefined]);
  await call(app, 'PUT /users/me', { as: me, body: { name: 'Else' } });
  const [row] = await database.sql`select language from app_user where id = ${me.id}`;
  expect(row!['language']).toBe('pt-BR');
});

test('the introduction is shown once, and can be reset', async () => {
  const me = await seed(database).user();
  const seen = async () => (await call(app, 'GET /users/me/onboarding', { as: me })).body;
  expect(await seen()).toEqual({ isOnboarded: false });
  const body = { isOnboarded: true };
  expect(await call(app, 'PUT /users/me/onboarding', { as: me, body })).toMatchObject({
    status: 200,
    body,
  });
  expect(await seen()).toEqual({ isOnboarded: true });
  expect((await call(app, 'DELETE /users/me/onboarding', { as: me })).status).toBe(204);
  expect(await seen()).toEqual({ isOnboarded: false });
  expect((await call(app, 'PUT /users/me/onboarding', { as: me, body: {} })).status).toBe(400);
});
