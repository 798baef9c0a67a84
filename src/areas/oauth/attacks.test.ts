import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { generateKeyPair, SignJWT } from 'jose';
import { addAccount } from '../../../test/support/accounts.ts';
import { openBehindProxy } from '../../../test/support/callers.ts';
import { call, NOW } from '../../../test/support/harness.ts';
import { HOST, LOGIN_PAGE, openSignOn, type Returned } from '../../../test/support/sign-on.ts';
import { sessions, users } from '../../db/tables/identity.ts';

let world: Awaited<ReturnType<typeof openSignOn>>;
const SUB = 'mallory';
const EMAIL = 'mallory@example.com';
beforeAll(async () => {
  world = await openSignOn();
});
beforeEach(async () => {
  world.provider.people.clear();
  world.provider.people.set(SUB, { email: EMAIL, email_verified: true, name: 'Mallory' });
  world.provider.tamperWith(undefined);
  await world.configure();
  await world.database.db.delete(users).where(eq(users.oauthId, SUB));
});
afterAll(() => world.close());

const countUsers = () => world.database.db.$count(users);
const countSessions = () => world.database.db.$count(sessions);

/** Refused, and nothing was created. */
async function expectRefused(returned: Returned, message = 'OAuth login failed'): Promise<void> {
  const [accounts, logins] = [await countUsers(), await countSessions()];
  const reply = await world.finish(returned);
  expect(reply).toMatchObject({ status: 400, body: { message } });
  expect(reply.headers.getSetCookie().join()).not.toContain('immich_access_token');
  expect([await countUsers(), await countSessions()]).toEqual([accounts, logins]);
}

const withParameter = ({ url, cookie }: Returned, name: string, value: string): Returned => {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return { url: changed.href, cookie };
};

describe('an authorization response', () => {
  test('of another issuer is refused before the code is sent anywhere (mix-up, RFC 9207)', async () => {
    const returned = await world.returnFrom(SUB);
    const before = world.provider.countTokenRequests();
    await expectRefused(withParameter(returned, 'iss', 'https://evil.example'));
    const { url, cookie } = returned;
    await expectRefused({ url: url.replace(/&iss=[^&]*/, ''), cookie });
    expect(world.provider.countTokenRequests()).toBe(before);
  });

  test('with another state, or for another browser, is refused', async () => {
    const returned = await world.returnFrom(SUB);
    const before = world.provider.countTokenRequests();
    await expectRefused(withParameter(returned, 'state', 'mine'));
    const victim = await world.returnFrom(SUB);
    await expectRefused({ url: returned.url, cookie: victim.cookie });
    await expectRefused({ url: returned.url, cookie: '' }, 'OAuth state is missing');
    const stateOnly = returned.cookie.split('; ')[0]!;
    await expectRefused({ url: returned.url, cookie: stateOnly }, 'OAuth code verifier is missing');
    expect(world.provider.countTokenRequests()).toBe(before);
  });

  test('whose code was stolen is worthless without the code verifier', async () => {
    const returned = await world.returnFrom(SUB);
    const cookie = returned.cookie.replace(/verifier=.*/, `verifier=${'a'.repeat(43)}`);
    await expectRefused({ ...returned, cookie });
  });

  test('works once', async () => {
    const returned = await world.returnFrom(SUB);
    expect((await world.finish(returned)).status).toBe(201);
    await expectRefused(returned);
  });

  test('of a provider that reports an error logs nobody in', async () => {
    const { url, cookie } = await world.returnFrom(SUB);
    await expectRefused({ url: url.replace(/code=[^&]*/, 'error=access_denied'), cookie });
    const reply = await world.finish({ url: 'no address', cookie });
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ path: ['url'] }] } });
  });

  test('is not redeemed for a network that sends very many', async () => {
    const proxy = await openBehindProxy(world.app);
    const state = 'mine';
    const url = `${LOGIN_PAGE}?code=guess&state=${state}&iss=${world.provider.issuer}`;
    const body = { url, state, codeVerifier: 'a'.repeat(43) };
    const send = (address: string) => call(proxy.from(address), 'POST /oauth/callback', { body });
    const before = world.provider.countTokenRequests();
    const statuses = new Set<number>();
    for (let n = 0; n < 35; n += 1) statuses.add((await send('203.0.113.9')).status);
    expect([...statuses]).toEqual([400, 429]);
    expect(world.provider.countTokenRequests() - before).toBeLessThan(35);
    expect((await send('198.51.100.7')).status).toBe(400);
    await proxy.stop();
  });

  test('cannot be handed in by another site', async () => {
    const returned = await world.returnFrom(SUB);
    const reply = await world.finish(returned, { 'sec-fetch-site': 'cross-site' });
    expect(reply.status).toBe(403);
  });
});

describe('an ID token', () => {
  type Payload = Record<string, unknown>;
  const finishWith = async (change: (payload: Payload) => Payload): Promise<void> => {
    world.provider.tamperWith(({ payload }) => world.provider.sign(change(payload as Payload)));
    await expectRefused(await world.returnFrom(SUB));
  };

  test('is accepted when the same key has signed the same claims', async () => {
    world.provider.tamperWith(({ payload }) => world.provider.sign(payload));
    expect((await world.finish(await world.returnFrom(SUB))).status).toBe(201);
  });

  test('with another nonce, or none, is refused', async () => {
    await finishWith((payload) => ({ ...payload, nonce: 'another' }));
    await finishWith((payload) => ({ ...payload, nonce: undefined }));
  });

  test('that has expired is refused', async () => {
    await finishWith((payload) => ({ ...payload, iat: 1000, exp: 2000 }));
  });

  test('of another issuer or for another client is refused', async () => {
    await finishWith((payload) => ({ ...payload, iss: 'https://evil.example' }));
    await finishWith((payload) => ({ ...payload, aud: 'another' }));
    await finishWith((payload) => ({ ...payload, aud: ['safelight', 'another'], azp: 'another' }));
  });

  test('without a signature, or with one of another key, is refused', async () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    world.provider.tamperWith(
      ({ payload }) => `${encode({ alg: 'none' })}.${encode(payload as object)}.`,
    );
    await expectRefused(await world.returnFrom(SUB));
    const { privateKey } = await generateKeyPair('RS256');
    world.provider.tamperWith(({ header, payload }) =>
      new SignJWT(payload).setProtectedHeader(header).sign(privateKey),
    );
    await expectRefused(await world.returnFrom(SUB));
  });

  test('is not read with a signature that nobody can verify, as Immich says it', async () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    world.provider.tamperWith(
      ({ payload }) => `${encode({ alg: 'none' })}.${encode(payload as object)}.`,
    );
    for (const over of [
      { signingAlgorithm: 'none' },
      { signingAlgorithm: 'something-that-does-not-work' },
      { profileSigningAlgorithm: 'HS256' },
    ]) {
      await world.configure(over);
      const returned = await world.returnFrom(SUB);
      const logins = await countSessions();
      const { status, body } = await world.finish(returned);
      expect([status, body]).toEqual([500, { message: 'Failed to finish oauth' }]);
      expect(await countSessions()).toBe(logins);
    }
  });

  test('that is signed with the client secret is accepted only where that is configured', async () => {
    const { clientSecret } = world.provider.config;
    const signWith = (secret: string) =>
      world.provider.tamperWith(({ payload }) =>
        new SignJWT(payload)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(secret)),
      );
    signWith(clientSecret);
    await expectRefused(await world.returnFrom(SUB));
    await world.configure({ signingAlgorithm: 'HS256' });
    signWith('another secret of forty-two letters and digits');
    await expectRefused(await world.returnFrom(SUB));
    signWith(clientSecret);
    expect((await world.finish(await world.returnFrom(SUB))).status).toBe(201);
  });
});

describe('an account', () => {
  const refused = 'OAuth authentication failed';

  test('is not taken over by an address that the provider has not verified', async () => {
    const victim = await addAccount(world.database);
    for (const email_verified of [false, undefined, 'false', 1]) {
      world.provider.people.set(SUB, { email: victim.email, email_verified });
      await expectRefused(await world.returnFrom(SUB), refused);
    }
    const me = await call(world.app, 'GET /users/me', { session: victim });
    expect(me.body.oauthId).toBe('');
  });

  test('that is linked is not linked to another subject with the same address', async () => {
    const link = { oauthIssuer: world.provider.issuer, oauthId: 'the owner' };
    const victim = await addAccount(world.database, link);
    world.provider.people.set(SUB, { email: victim.email, email_verified: true });
    await expectRefused(await world.returnFrom(SUB), refused);
  });

  test('is not that of the same subject at another provider, nor are its sessions', async () => {
    const other = { oauthIssuer: 'https://former.example', oauthId: SUB };
    const victim = await addAccount(world.database, { ...other, isAdmin: true });
    const reply = await world.finish(await world.returnFrom(SUB));
    expect(reply.status).toBe(201);
    expect(reply.body.userId).not.toBe(victim.id);
    expect(reply.body.isAdmin).toBe(false);
    // Known by its address neither: it is linked to somebody else.
    await world.database.db.delete(users).where(eq(users.id, reply.body.userId));
    world.provider.people.set(SUB, { email: victim.email, email_verified: true });
    await expectRefused(await world.returnFrom(SUB), refused);
  });

  test('that is deleted stays closed, by its subject and by its address', async () => {
    const link = { oauthIssuer: world.provider.issuer, oauthId: SUB };
    const gone = await addAccount(world.database, { ...link, deletedAt: NOW });
    await expectRefused(await world.returnFrom(SUB), refused);
    world.provider.people.set('other', { email: gone.email, email_verified: true });
    await expectRefused(await world.returnFrom('other'), refused);
  });

  test('is not created without an address', async () => {
    const message = 'OAuth profile does not have an email address';
    for (const email of [undefined, '', 'nobody', 'a b@c.d', ['a@b.cd']]) {
      world.provider.people.set(SUB, { email, email_verified: true });
      await expectRefused(await world.returnFrom(SUB), message);
    }
  });

  test('has no rights and no quota by claims that are not configured or make no sense', async () => {
    world.provider.people.set(SUB, {
      email: EMAIL,
      name: ['Mallory'],
      isAdmin: true,
      immich_role: ['admin'],
      immich_quota: -1,
    });
    const { body } = await world.finish(await world.returnFrom(SUB));
    expect(body).toMatchObject({ isAdmin: false, name: EMAIL });
    const [row] = await world.database.db.select().from(users).where(eq(users.id, body.userId));
    expect(row).toMatchObject({ quotaBytes: null, isAdmin: false });
  });
});

test('the provider is not asked to send anybody elsewhere', async () => {
  for (const redirectUri of [
    'https://evil.example/auth/login',
    `https://${HOST}.evil.example/auth/login`,
    `https://${HOST}@evil.example/`,
    `https://me:pass@${HOST}/auth/login`,
    'javascript:alert(1)',
    'app.immich:///oauth-callback.evil',
    'https://evil.example/?app.immich:///oauth-callback',
    'auth/login',
    '',
  ]) {
    const reply = await world.authorize({ redirectUri });
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ path: ['redirectUri'] }] } });
    expect(reply.headers.getSetCookie()).toEqual([]);
  }
});

test('the redirect to the mobile app leads nowhere else', async () => {
  for (const query of ['', '?url=https://evil.example', '?//evil.example', '?a=1&redirect=x?y=z']) {
    const { status, headers } = await call(world.app, `GET /oauth/mobile-redirect${query}`);
    expect(status).toBe(307);
    expect(headers.get('location')).toBe(`app.immich:///oauth-callback${query || '?'}`);
  }
});

test('discovery follows no redirect, and accepts no metadata of another issuer', async () => {
  let redirected = false;
  const elsewhere = Bun.serve({
    port: 0,
    fetch: (): Response => {
      redirected = true;
      return Response.json({ issuer: world.provider.issuer });
    },
  });
  const imposter = Bun.serve({
    port: 0,
    fetch: ({ url }): Response | Promise<Response> =>
      new URL(url).pathname.startsWith('/moved')
        ? Response.redirect(`http://127.0.0.1:${elsewhere.port}/`)
        : fetch(`${world.provider.issuer}/.well-known/openid-configuration`),
  });
  try {
    for (const path of ['', '/moved']) {
      await world.configure({ issuerUrl: `http://127.0.0.1:${imposter.port}${path}` });
      expect((await world.authorize()).status).toBe(500);
    }
    expect(redirected).toBe(false);
    await world.configure({ allowInsecureRequests: false });
    expect((await world.authorize()).status).toBe(500);
  } finally {
    await Promise.all([elsewhere.stop(true), imposter.stop(true)]);
  }
});
