import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { addAccount, getCookies, logIn, PASSWORD } from '../../../test/support/accounts.ts';
import { effort } from '../../../test/support/effort.ts';
import {
  call,
  NOW,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
} from '../../../test/support/harness.ts';
import { openBehindProxy } from '../../../test/support/callers.ts';
import { hashSecret } from '../../access/secrets.ts';
import type { App } from '../../app.ts';
import { sessions } from '../../db/tables/identity.ts';

let database: TestDatabase;
let app: App;
let proxy: Awaited<ReturnType<typeof openBehindProxy>>;
let now: Date;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database, { now: () => now });
  proxy = await openBehindProxy(app);
});
beforeEach(() => {
  now = NOW;
});
afterAll(async () => {
  await proxy.stop();
  await database.close();
});

describe('login', () => {
  test('returns a working token and the account it belongs to', async () => {
    const me = await addAccount(database, { name: 'Eve', shouldChangePassword: true });
    const reply = await logIn(app, me.email.toUpperCase());
    expect(reply).toMatchObject({
      status: 201,
      body: {
        userId: me.id,
        userEmail: me.email,
        name: 'Eve',
        isAdmin: false,
        isOnboarded: false,
        shouldChangePassword: true,
        profileImagePath: '',
      },
    });
    const session = { token: reply.body.accessToken };
    expect((await call(app, 'GET /users/me', { session })).body.id).toBe(me.id);
    const rows = await database.db.select().from(sessions).where(eq(sessions.userId, me.id));
    expect(JSON.stringify(rows)).not.toContain(reply.body.accessToken);
  });

  test('sets cookies that scripts cannot read and other sites cannot use', async () => {
    const me = await addAccount(database);
    const plain = getCookies(await logIn(app, me.email));
    expect(plain).toHaveLength(3);
    const [token, type, flag] = plain as [string, string, string];
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=34560000']) {
      expect(token).toContain(part);
    }
    expect(token).toStartWith('immich_access_token=');
    expect(type).toStartWith('immich_auth_type=password; Max-Age=34560000; Path=/; Expires=');
    expect(type).toEndWith('GMT; HttpOnly; SameSite=Lax');
    expect(flag).toStartWith('immich_is_authenticated=true;');
    expect(flag).not.toContain('HttpOnly');
    expect(plain.join()).not.toContain('Secure');

    const body = { email: me.email, password: PASSWORD };
    const headers = { 'x-forwarded-proto': 'https' };
    const behindProxy = getCookies(
      await call(proxy.from('203.0.113.9'), 'POST /auth/login', { body, headers }),
    );
    expect(behindProxy).toHaveLength(3);
    for (const cookie of behindProxy) expect(cookie).toContain('; Secure');
    // Forwarding headers from an address that is no trusted proxy are ignored.
    expect(getCookies(await logIn(app, me.email, PASSWORD, headers)).join()).not.toContain(
      'Secure',
    );
    const value = token.slice(0, token.indexOf(';'));
    expect((await call(app, 'GET /users/me', { headers: { cookie: value } })).status).toBe(200);
  });

  test('returns the same error for a wrong password, an unknown and a deleted account', async () => {
    const me = await addAccount(database);
    const gone = await addAccount(database, { deletedAt: NOW });
    const without = await addAccount(database, { passwordHash: '' });
    const replies = [
      await logIn(app, me.email, 'wrong'),
      await logIn(app, 'nobody@example.com'),
      await logIn(app, gone.email),
      await logIn(app, without.email, ''),
    ];
    for (const reply of replies) {
      expect(reply).toMatchObject({
        status: 401,
        body: { message: 'Incorrect email or password' },
      });
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
  });

  test('an unknown account costs the same work as a wrong password', async () => {
    const me = await addAccount(database, { passwordHash: await hashSecret(PASSWORD) });
    const verify = spyOn(Bun.password, 'verify');
    await logIn(app, me.email, 'wrong');
    await logIn(app, 'nobody@example.com', 'wrong');
    // The method and its costs, without the salt and the hash.
    const works = verify.mock.calls.map(([, hash]) => (hash as string).split('$').slice(1, -2));
    verify.mockRestore();
    expect(works).toHaveLength(2);
    expect(works[0]).toContain('argon2id');
    expect(works[1]).toEqual(works[0]!);
  });

  test('slows down guesses until the wait is over, and hides whether the password was right', async () => {
    const me = await addAccount(database);
    for (let n = 0; n < 11; n++) expect((await logIn(app, me.email, `guess${n}`)).status).toBe(401);
    const refused = await logIn(app, me.email);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    // A restart forgets nothing.
    const restarted = testApp(database, { now: () => now });
    const body = { email: me.email, password: PASSWORD };
    expect((await call(restarted, 'POST /auth/login', { body })).status).toBe(429);

    now = new Date(NOW.getTime() + 1000);
    expect((await logIn(app, me.email)).status).toBe(201);
    expect((await logIn(app, me.email, 'wrong')).status).toBe(401);
    expect((await logIn(app, me.email)).status).toBe(201);
  });

  describe('under attack', () => {
    const logInFrom = async (address: string, email: string, password = PASSWORD, headers = {}) => {
      const body = { email, password };
      const reply = await call(proxy.from(address), 'POST /auth/login', { body, headers });
      return reply.status;
    };
    const atOnce = (times: number, work: () => Promise<number>) =>
      Promise.all(Array.from({ length: times }, work));

    test('a hundred concurrent correct logins from one network all succeed', async () => {
      const me = await addAccount(database);
      const statuses = await atOnce(100, () => logInFrom('198.51.100.1', me.email));
      expect(new Set(statuses)).toEqual(new Set([201]));
      const rows = await database.db.$count(sessions, eq(sessions.userId, me.id));
      expect(rows).toBe(101);
    });

    test('refuses the network of an attacker, and lets the owner in from any other', async () => {
      const me = await addAccount(database);
      for (let second = 0; second < effort({ quick: 4, full: 10 }); second++) {
        now = new Date(NOW.getTime() + second * 1000);
        await atOnce(20, () => logInFrom('198.51.100.2', me.email, 'guess'));
        expect(await logInFrom(`198.51.101.${second}`, me.email)).toBe(201);
      }
      expect(await logInFrom('198.51.100.2', me.email)).toBe(429);
    });

    test('lets a browser that signed in before in, even from the network of the attacker', async () => {
      const me = await addAccount(database);
      const device = { 'x-safelight-device': 'a1'.repeat(32) };
      expect(await logInFrom('198.51.100.3', me.email, PASSWORD, device)).toBe(201);
      await atOnce(30, () => logInFrom('198.51.100.4', me.email, 'guess'));
      expect(await logInFrom('198.51.100.4', me.email)).toBe(429);
      // Too short to be random, or of nobody.
      for (const token of ['a1', 'b2'.repeat(32)]) {
        const headers = { 'x-safelight-device': token };
        expect(await logInFrom('198.51.100.4', me.email, PASSWORD, headers)).toBe(429);
      }
      expect(await logInFrom('198.51.100.4', me.email, PASSWORD, device)).toBe(201);
      const stored = await database.sql`select client from known_client where user_id = ${me.id}`;
      expect(JSON.stringify(stored)).not.toContain('a1a1');
    });

    test('ignores forwarded addresses from hosts that are no trusted proxies', async () => {
      const me = await addAccount(database);
      const settings = { ...database.deps.settings, trustedProxies: [] };
      const open = await openBehindProxy(testApp(database, { settings }));
      const statuses: number[] = [];
      for (let n = 0; n < 12; n++) {
        const body = { email: me.email, password: 'guess' };
        const forged = open.from(`203.0.113.${n}`);
        statuses.push((await call(forged, 'POST /auth/login', { body })).status);
      }
      expect(statuses).toEqual([...Array<number>(11).fill(401), 429]);
      await open.stop();
    });
  });

  test('another site can neither log a browser in nor sign up', async () => {
    const me = await addAccount(database);
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'http://evil.example' }]) {
      expect((await logIn(app, me.email, PASSWORD, headers)).status).toBe(403);
      const body = { email: 'a@b', name: 'x', password: PASSWORD };
      expect((await call(app, 'POST /auth/admin-sign-up', { body, headers })).status).toBe(403);
    }
    expect((await logIn(app, me.email, PASSWORD, { 'sec-fetch-site': 'same-origin' })).status).toBe(
      201,
    );
  });

  test('reads JSON only, because another site could send a form of any size', async () => {
    const me = await addAccount(database);
    const login = { email: me.email, password: PASSWORD };
    const ask = async (type: string | undefined, body: BodyInit) =>
      app.handle(
        new Request('http://localhost/api/auth/login', {
          method: 'POST',
          body,
          ...(type && { headers: { 'content-type': type } }),
        }),
      );
    const refused = [
      await ask('application/x-www-form-urlencoded', new URLSearchParams(login).toString()),
      await ask('text/plain', JSON.stringify(login)),
      await ask('application/octet-stream', JSON.stringify(login)),
      await ask(
        undefined,
        Object.entries(login).reduce((form, [name, value]) => {
          form.set(name, value);
          return form;
        }, new FormData()),
      ),
    ];
    expect(refused.map((response) => response.status)).toEqual([415, 415, 415, 415]);
    const typeless = await ask(undefined, new TextEncoder().encode(JSON.stringify(login)));
    expect(typeless.status).toBe(415);
    expect((await ask('application/json; charset=utf-8', JSON.stringify(login))).status).toBe(201);
  });

  test('returns 400 for a text that contains NUL', async () => {
    expect((await logIn(app, 'a\u0000b@example.com')).status).toBe(400);
  });

  test('the session is named after the device', async () => {
    const me = await addAccount(database);
    const phone = await logIn(app, me.email, PASSWORD, {
      'user-agent': 'Immich_Android_3.1.0',
      devicemodel: 'Pixel 9',
      devicetype: 'Android',
    });
    await logIn(app, me.email, PASSWORD, {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    });
    const { body } = await call(app, 'GET /sessions', {
      session: { token: phone.body.accessToken },
    });
    expect(body).toContainEqual(
      expect.objectContaining({
        deviceType: 'Pixel 9',
        deviceOS: 'Android',
        appVersion: '3.1.0',
        current: true,
      }),
    );
    expect(body).toContainEqual(
      expect.objectContaining({ deviceType: 'Firefox', deviceOS: 'Linux', current: false }),
    );
  });
});

test('validates any kind of credential, and returns 401 for a wrong one', async () => {
  const me = await seed(database).user(['tag.read']);
  expect(await call(app, 'POST /auth/validateToken', { as: me })).toMatchObject({
    status: 200,
    body: { authStatus: true },
  });
  expect((await call(app, 'POST /auth/validateToken', { session: me })).status).toBe(200);
  expect((await call(app, 'POST /auth/validateToken')).status).toBe(401);
  expect((await call(app, 'POST /auth/validateToken', { as: { key: 'x' } })).status).toBe(401);
});
