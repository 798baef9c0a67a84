import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { addAccount } from '../../../test/support/accounts.ts';
import { call, testApp } from '../../../test/support/harness.ts';
import {
  HOST,
  LOGIN_PAGE,
  MOBILE,
  MOBILE_OVERRIDE,
  openSignOn,
} from '../../../test/support/sign-on.ts';
import { sessions, users } from '../../db/tables/identity.ts';
import { toCodeChallenge } from '../openid/index.ts';

let world: Awaited<ReturnType<typeof openSignOn>>;
beforeAll(async () => {
  world = await openSignOn();
});
beforeEach(async () => {
  world.provider.people.clear();
  await world.configure();
});
afterAll(() => world.close());

const addPerson = (id: string, claims: object = {}) => {
  const email = `${id}-${crypto.randomUUID()}@example.com`;
  const sub = `${id} ${email}`;
  world.provider.people.set(sub, { email, email_verified: true, name: id, ...claims });
  return { sub, email };
};
const getUser = async (id: string) => {
  const [row] = await world.database.db.select().from(users).where(eq(users.id, id));
  return row!;
};

describe('a login by the provider', () => {
  test('creates an account once, and opens a session that works', async () => {
    const eve = addPerson('eve', { email: `EVE-${crypto.randomUUID()}@Example.com` });
    const reply = await world.logIn(eve.sub);
    expect(reply).toMatchObject({
      status: 201,
      body: { name: 'eve', isAdmin: false, isOnboarded: false, shouldChangePassword: false },
    });
    expect(reply.body.userEmail).toStartWith('eve-');
    const session = { token: reply.body.accessToken };
    const me = await call(world.app, 'GET /users/me', { session });
    expect(me.body).toMatchObject({ id: reply.body.userId, oauthId: eve.sub });
    const status = await call(world.app, 'GET /auth/status', { session });
    expect(status.body.password).toBe(false);

    const again = await world.logIn(eve.sub);
    expect(again.body.userId).toBe(reply.body.userId);
    const rows = await world.database.db
      .select()
      .from(sessions)
      .where(eq(sessions.userId, reply.body.userId));
    expect(rows).toHaveLength(2);
    expect(rows.every(({ oauthIdToken, oauthSid }) => oauthIdToken && oauthSid)).toBe(true);
    expect(JSON.stringify(rows)).not.toContain(reply.body.accessToken);
  });

  test('keeps its secrets in cookies of the browser, and removes them afterwards', async () => {
    const eve = addPerson('eve');
    const { status, body, headers } = await world.authorize();
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['url']);
    const address = new URL(body.url);
    expect(address.origin).toBe(world.provider.issuer);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: LOGIN_PAGE,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    });
    const cookies = headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual([
      'immich_oauth_state',
      'immich_oauth_code_verifier',
    ]);
    for (const cookie of cookies) expect(cookie).toContain('; HttpOnly; SameSite=Lax');
    const reply = await world.logIn(eve.sub);
    const names = reply.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    expect(names).toContain('immich_auth_type=oauth');
    expect(names).toContain('immich_oauth_state=');
    expect(names).toContain('immich_oauth_code_verifier=');
  });

  test('links the account that has the verified address', async () => {
    const known = await addAccount(world.database);
    const eve = addPerson('eve', { email: known.email.toUpperCase() });
    const reply = await world.logIn(eve.sub);
    expect(reply.body.userId).toBe(known.id);
    expect((await getUser(known.id)).oauthId).toBe(eve.sub);
    // From now on the subject counts: the address at the provider may change.
    world.provider.people.set(eve.sub, { email: 'new@example.com', email_verified: false });
    expect((await world.logIn(eve.sub)).body.userId).toBe(known.id);
  });

  test('reads name, role, quota and storage label from the configured claims', async () => {
    const mary = addPerson('mary', {
      name: undefined,
      given_name: 'Mary',
      family_name: 'Jones',
      preferred_username: `mary.jones/${crypto.randomUUID().slice(0, 8)}`,
      immich_role: 'admin',
      immich_quota: 2.5,
    });
    const { body } = await world.logIn(mary.sub);
    expect(body).toMatchObject({ name: 'Mary Jones', isAdmin: true });
    const row = await getUser(body.userId);
    expect(row.quotaBytes).toBe(2.5 * 1024 ** 3);
    expect(row.storageLabel).toMatch(/^maryjones\w{8}$/);
    // Another account has this label already.
    const other = addPerson('other', { preferred_username: row.storageLabel });
    const created = await world.logIn(other.sub);
    expect((await getUser(created.body.userId)).storageLabel).toBeNull();

    await world.configure({ roleClaim: '', defaultStorageQuota: 1 });
    const eve = addPerson('eve', { immich_role: 'admin', immich_quota: 'lots' });
    const plain = await world.logIn(eve.sub);
    expect(plain.body.isAdmin).toBe(false);
    expect((await getUser(plain.body.userId)).quotaBytes).toBe(1024 ** 3);
  });
});

describe('the mobile app', () => {
  const state = 'state-of-the-app';
  const codeVerifier = 'a-code-verifier-of-the-app-that-is-long-enough-for-rfc-7636';
  const start = { redirectUri: MOBILE, state, codeChallenge: toCodeChallenge(codeVerifier) };
  const finish = (url: string, over: object = {}) =>
    call(world.app, 'POST /oauth/callback', { body: { url, state, codeVerifier, ...over } });

  test('logs in with secrets of its own, without cookies', async () => {
    const eve = addPerson('eve');
    expect((await world.authorize(start)).headers.getSetCookie().join()).not.toContain('verifier');
    const { url } = await world.returnFrom(eve.sub, start);
    expect(url).toStartWith(`${MOBILE}?code=`);
    expect((await finish(url, { codeVerifier: `${codeVerifier}x` })).status).toBe(400);
    const again = await world.returnFrom(eve.sub, start);
    expect((await finish(again.url)).body.name).toBe('eve');
  });

  test('is reached through an address of the server where the provider accepts no other', async () => {
    await world.configure({ mobileOverrideEnabled: true, mobileRedirectUri: MOBILE_OVERRIDE });
    const eve = addPerson('eve');
    const { url } = await world.returnFrom(eve.sub, start);
    expect(url).toStartWith(`${MOBILE_OVERRIDE}?code=`);
    const redirect = await call(world.app, `GET /oauth/mobile-redirect${new URL(url).search}`);
    expect(redirect.status).toBe(307);
    const location = redirect.headers.get('location')!;
    expect(location).toBe(`${MOBILE}${new URL(url).search}`);
    expect((await finish(location)).body.name).toBe('eve');
  });
});

test('is off by default, and creates no accounts where that is switched off', async () => {
  const eve = addPerson('eve');
  const returned = await world.returnFrom(eve.sub);
  await world.configure({ autoRegister: false });
  expect(await world.finish(returned)).toMatchObject({
    status: 400,
    body: { message: 'OAuth authentication failed' },
  });
  await world.configure({ enabled: false });
  const off = { status: 400, body: { message: 'OAuth is not enabled' } };
  expect(await world.authorize()).toMatchObject(off);
  expect(await world.finish(returned)).toMatchObject(off);
});

test('features and configuration tell clients of it', async () => {
  await world.configure({
    autoLaunch: true,
    buttonText: 'Enter',
    accountManagementUrl: 'http://a/b',
  });
  const read = async (path: string) => (await call(world.app, `GET /${path}`)).body;
  expect(await read('server/features')).toMatchObject({ oauth: true, oauthAutoLaunch: true });
  expect(await read('server/config')).toMatchObject({
    oauthButtonText: 'Enter',
    oauthAccountManagementUrl: 'http://a/b',
  });
  expect((await read('public/config')).oauth).toEqual({
    enabled: true,
    autoLaunch: true,
    buttonText: 'Enter',
  });
});

test('tells that the provider cannot be reached, and strangers nothing more', async () => {
  const { issuerUrl } = world.provider.config;
  for (const over of [
    { issuerUrl: 'http://127.0.0.1:1' },
    { issuerUrl, allowInsecureRequests: false },
  ]) {
    await world.configure(over);
    const { status, body } = await world.authorize();
    expect([status, body]).toEqual([500, { message: 'Error in OAuth discovery' }]);
  }
});

test('a server behind a proxy sets secure cookies', async () => {
  const settings = { ...world.database.deps.settings, tlsCert: 'cert.pem' };
  const app = testApp(world.database, { settings });
  const reply = await call(app, 'POST /oauth/authorize', {
    headers: { host: HOST },
    body: { redirectUri: LOGIN_PAGE },
  });
  expect(reply.headers.getSetCookie().every((cookie) => cookie.endsWith('; Secure'))).toBe(true);
});
