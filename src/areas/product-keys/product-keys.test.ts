import { beforeEach, describe, expect, test } from 'bun:test';
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { useApp } from '../../../test/support/database.ts';
import {
  call,
  createCtx,
  createSession,
  NOW,
  seed,
  type TestUser,
} from '../../../test/support/harness.ts';
import { setServerLicense, setUserLicense, IMMICH_KEYS, isSigned } from './domain.ts';

const SERVER_KEY = 'IMSV-AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-1111-2222';
const CLIENT_KEY = 'IMCL-AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-1111-2222';

const createPair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const [client, server] = [createPair(), createPair()];
const KEYS = { client: client.publicKey, server: server.publicKey };
const activate = (licenseKey: string, { privateKey }: { privateKey: string }) => ({
  licenseKey,
  activationKey: sign('sha256', Buffer.from(licenseKey), createPrivateKey(privateKey)).toString(
    'base64url',
  ),
});

const { database, app } = await useApp();
let admin: TestUser;
let user: TestUser;
beforeEach(async () => {
  await database.sql`update instance set license = null`;
  admin = await seed(database).user(['all'], { isAdmin: true });
  user = await seed(database).user();
});

const getCtx = (userId: string) => createCtx(database, createSession(userId));
const refused = async (work: Promise<unknown>) => {
  await expect(work).rejects.toMatchObject({ status: 400, message: 'Invalid license key' });
};
const read = (path: '/server/license' | '/users/me/license', as: TestUser) =>
  call(app, `GET ${path}`, { as });

describe('a signature', () => {
  test('is that of the key, by the one who signs', () => {
    const { activationKey } = activate(SERVER_KEY, server);
    expect(isSigned(SERVER_KEY, activationKey, KEYS.server)).toBe(true);
    expect(isSigned(SERVER_KEY, activationKey, KEYS.client)).toBe(false);
    expect(isSigned(CLIENT_KEY, activationKey, KEYS.server)).toBe(false);
    expect(isSigned(SERVER_KEY, 'no base64 !', KEYS.server)).toBe(false);
    expect(isSigned(SERVER_KEY, activationKey, IMMICH_KEYS.server)).toBe(false);
  });
});

describe('the key of the server', () => {
  test('is kept, shown with the time of its activation, and removed', async () => {
    expect((await read('/server/license', admin)).status).toBe(404);
    const key = activate(SERVER_KEY, server);
    const license = { ...key, activatedAt: NOW.toISOString() };
    expect(await setServerLicense(getCtx(admin.id), key, KEYS)).toEqual(license);
    expect((await read('/server/license', admin)).body).toEqual(license);
    expect((await read('/users/me/license', admin)).status).toBe(404);
    expect((await call(app, 'DELETE /server/license', { as: admin })).status).toBe(204);
    expect((await read('/server/license', admin)).status).toBe(404);
  });

  test('must be one for servers, signed as such', async () => {
    const ctx = getCtx(admin.id);
    await refused(setServerLicense(ctx, activate(CLIENT_KEY, server), KEYS));
    await refused(setServerLicense(ctx, activate(SERVER_KEY, client), KEYS));
    await refused(setServerLicense(ctx, { licenseKey: SERVER_KEY, activationKey: '' }, KEYS));
    const body = activate(SERVER_KEY, server);
    const reply = await call(app, 'PUT /server/license', { as: admin, body });
    expect([reply.status, reply.body.message]).toEqual([400, 'Invalid license key']);
    expect((await read('/server/license', admin)).status).toBe(404);
  });

  test('is for administrators', async () => {
    const body = activate(SERVER_KEY, server);
    const weak = await seed(database).user(['userLicense.read'], { isAdmin: true });
    for (const as of [user, weak]) {
      expect((await read('/server/license', as)).status).toBe(403);
      expect((await call(app, 'PUT /server/license', { as, body })).status).toBe(403);
      expect((await call(app, 'DELETE /server/license', { as })).status).toBe(403);
    }
  });
});

describe('the key of an account', () => {
  test('is its own, may be one for servers, and is shown with the account', async () => {
    for (const key of [activate(CLIENT_KEY, client), activate(SERVER_KEY, server)]) {
      const license = { ...key, activatedAt: NOW.toISOString() };
      expect(await setUserLicense(getCtx(user.id), key, KEYS)).toEqual(license);
      expect((await read('/users/me/license', user)).body).toEqual(license);
      expect((await call(app, 'GET /users/me', { as: user })).body.license).toEqual(license);
    }
    expect((await read('/users/me/license', admin)).status).toBe(404);
    expect((await call(app, 'GET /users/me', { as: admin })).body.license).toBeNull();
    expect((await call(app, 'DELETE /users/me/license', { as: user })).status).toBe(204);
    expect((await read('/users/me/license', user)).status).toBe(404);
  });

  test('must be signed and look like a key', async () => {
    const stranger = createPair();
    await refused(setUserLicense(getCtx(user.id), activate(CLIENT_KEY, stranger), KEYS));
    for (const licenseKey of ['', 'IMXX-AAAA', `${CLIENT_KEY}-AAAA`]) {
      const body = { licenseKey, activationKey: 'x' };
      const reply = await call(app, 'PUT /users/me/license', { as: user, body });
      expect([reply.status, reply.body.errors[0].path]).toEqual([400, ['licenseKey']]);
    }
    expect((await read('/users/me/license', user)).status).toBe(404);
  });

  test('needs the permission', async () => {
    const weak = await seed(database).user(['user.read']);
    expect((await read('/users/me/license', weak)).status).toBe(403);
    expect((await call(app, 'DELETE /users/me/license', { as: weak })).status).toBe(403);
    expect((await call(app, 'GET /users/me/license')).status).toBe(401);
  });
});
