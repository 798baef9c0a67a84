import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { JWTPayload } from 'jose';
import { call } from '../../../test/support/harness.ts';
import { CLIENT_ID } from '../../../test/support/openid-provider.ts';
import { createVisitor } from '../../../test/support/provider-visitor.ts';
import { openSignOn } from '../../../test/support/sign-on.ts';
import { until } from '../../../test/support/until.ts';
import { sessions } from '../../db/tables/identity.ts';

let world: Awaited<ReturnType<typeof openSignOn>>;
beforeAll(async () => {
  world = await openSignOn();
  for (const id of ['eve', 'bob']) {
    world.provider.people.set(id, { email: `${id}@example.com`, email_verified: true });
  }
});
beforeEach(() => world.configure());
afterAll(() => world.close());

type Login = { token: string };
const logIn = async (user: string, visitor = createVisitor()): Promise<Login> => {
  const reply = await world.finish(await world.returnFrom(user, undefined, visitor));
  return { token: reply.body.accessToken };
};
const isIn = async (session: Login) =>
  (await call(world.app, 'GET /users/me', { session })).status === 200;
const logOut = async (session: Login, type: string) => {
  const headers = { cookie: `immich_auth_type=${type}` };
  return (await call(world.app, 'POST /auth/logout', { session, headers })).body;
};
const LOGIN_PAGE = '/auth/login?autoLaunch=0';

describe('logging out', () => {
  test('leads to the page of the provider, which then ends all sessions of its own', async () => {
    const visitor = createVisitor();
    const [first, second] = [await logIn('eve', visitor), await logIn('eve', visitor)];
    const [elsewhere, bob] = [await logIn('eve'), await logIn('bob')];
    const { successful, redirectUri } = await logOut(first, 'oauth');
    expect(successful).toBe(true);
    const address = new URL(redirectUri);
    expect(address.origin).toBe(world.provider.issuer);
    expect(address.searchParams.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect([await isIn(first), await isIn(second)]).toEqual([false, true]);
    await visitor.logOut(redirectUri);
    await until(async () => !(await isIn(second)));
    // The provider knows these by other sessions.
    expect([await isIn(elsewhere), await isIn(bob)]).toEqual([true, true]);
  });

  test('leads to our page after a login by password, and where sign-on is off', async () => {
    expect((await logOut(await logIn('eve'), 'password')).redirectUri).toBe(LOGIN_PAGE);
    const session = await logIn('eve');
    await world.configure({ enabled: false });
    expect((await logOut(session, 'oauth')).redirectUri).toBe(LOGIN_PAGE);
  });

  test('leads to the configured page, and works while the provider is away', async () => {
    const endSessionEndpoint = 'https://id.example/bye?from=photos';
    await world.configure({ endSessionEndpoint });
    const { redirectUri } = await logOut(await logIn('eve'), 'oauth');
    expect(redirectUri).toStartWith(`${endSessionEndpoint}&id_token_hint=`);
    const session = await logIn('eve');
    await world.configure({ issuerUrl: 'http://127.0.0.1:1' });
    expect((await logOut(session, 'oauth')).redirectUri).toBe(LOGIN_PAGE);
    expect(await isIn(session)).toBe(false);
  });
});

describe('a logout token', () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const claims = (over: object = {}): JWTPayload => ({
    iss: world.provider.issuer,
    aud: CLIENT_ID,
    iat: seconds(),
    exp: seconds() + 100,
    jti: crypto.randomUUID(),
    sub: 'eve',
    events: EVENTS,
    ...over,
  });
  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    world.app.handle(
      new Request('http://localhost/api/oauth/backchannel-logout', {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      }),
    );
  const present = (token: string) => post(new URLSearchParams({ logout_token: token }).toString());
  const countSessions = () => world.database.db.$count(sessions);

  test('that names an account ends all its sessions, and no others', async () => {
    const [eve, bob] = [await logIn('eve'), await logIn('bob')];
    const response = await present(await world.provider.sign(claims()));
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect([await isIn(eve), await isIn(bob)]).toEqual([false, true]);
  });

  test('is taken as JSON too, and is refused where there is none', async () => {
    const wrong = (received: string) => ({
      message: 'Validation failed',
      errors: [
        {
          code: 'invalid_type',
          path: ['logout_token'],
          message: `Invalid input: expected string, received ${received}`,
        },
      ],
    });
    const [eve, bob] = [await logIn('eve'), await logIn('bob')];
    const JSON_TYPE = 'application/json; charset=utf-8';
    for (const body of ['{}', 'null', '[]', '', '"x"']) {
      const refused = await post(body, JSON_TYPE);
      expect([body, refused.status, await refused.json()]).toEqual([body, 400, wrong('undefined')]);
    }
    expect(await (await post('a=b')).json()).toEqual(wrong('undefined'));
    expect(await (await post('{"logout_token":5}', JSON_TYPE)).json()).toEqual(wrong('number'));
    expect(await (await post('{"logout_token":null}', JSON_TYPE)).json()).toEqual(wrong('null'));
    const empty = await post('{"logout_token":""}', JSON_TYPE);
    const message = 'Error backchannel logout: token validation failed';
    expect([empty.status, await empty.json()]).toEqual([400, { message }]);
    expect((await post('{', JSON_TYPE)).status).toBe(400);
    const token = await world.provider.sign(claims());
    expect((await post(JSON.stringify({ logout_token: token }), JSON_TYPE)).status).toBe(200);
    expect([await isIn(eve), await isIn(bob)]).toEqual([false, true]);
  });

  test('is refused unless all its claims are right', async () => {
    const eve = await logIn('eve');
    const before = await countSessions();
    const wrong: object[] = [
      { aud: 'another' },
      { iss: 'https://evil.example' },
      { nonce: 'n' },
      { nonce: '' },
      { events: undefined },
      { events: { 'http://schemas.openid.net/event/other': {} } },
      { events: 'http://schemas.openid.net/event/backchannel-logout' },
      { jti: undefined },
      { iat: undefined },
      { iat: seconds() - 1000 },
      { iat: seconds() + 1000 },
      { exp: seconds() - 100 },
      { sub: undefined },
      { sub: undefined, sid: 5 },
    ];
    for (const over of wrong) {
      const response = await present(await world.provider.sign(claims(over)));
      expect([response.status, over]).toEqual([400, over]);
    }
    const unsigned = [{ alg: 'none' }, claims()].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    expect((await present(`${unsigned.join('.')}.`)).status).toBe(400);
    expect((await present('no token')).status).toBe(400);
    expect((await post('')).status).toBe(400);
    expect((await post('{}', 'text/plain')).status).toBe(415);
    expect(await countSessions()).toBe(before);
    expect(await isIn(eve)).toBe(true);
  });

  test('works once', async () => {
    const token = await world.provider.sign(claims());
    expect((await present(token)).status).toBe(200);
    const eve = await logIn('eve');
    expect((await present(token)).status).toBe(400);
    expect(await isIn(eve)).toBe(true);
  });

  test('that names a session of somebody else ends nothing', async () => {
    const bob = await logIn('bob');
    const [{ oauthSid } = {}] = (await world.database.db.select().from(sessions)).slice(-1);
    const token = await world.provider.sign(claims({ sid: oauthSid ?? undefined }));
    expect((await present(token)).status).toBe(200);
    expect(await isIn(bob)).toBe(true);
  });

  test('is refused while sign-on is off', async () => {
    const token = await world.provider.sign(claims());
    await world.configure({ enabled: false });
    expect((await present(token)).status).toBe(400);
  });
});
