import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import {
  call,
  NOW,
  type Reply,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
} from '../../../test/support/harness.ts';
import { openBehindProxy } from '../../../test/support/callers.ts';
import { hashSecret } from '../../access/secrets.ts';
import type { App } from '../../app.ts';
import { sessions, users } from '../../db/tables/identity.ts';

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

const PASSWORD = 'correct horse';
let passwordHash: string;
beforeAll(async () => {
  passwordHash = await hashSecret(PASSWORD);
});
const person = (over: object = {}) => seed(database).user(['all'], { passwordHash, ...over });
const logIn = (email: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  call(app, 'POST /auth/login', { body: { email, password }, headers });
const getCookies = (reply: Reply) => reply.headers.getSetCookie();

describe('sign-up', () => {
  test('of ten concurrent sign-ups one creates the administrator', async () => {
    await using fresh = await testDatabase();
    const freshApp = testApp(fresh);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        call(freshApp, 'POST /auth/admin-sign-up', {
          body: { email: `Admin${n}@NAS`, name: 'Ada', password: PASSWORD },
        }),
      ),
    );
    const made = replies.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(9);
    expect(made[0]!.body).toMatchObject({
      isAdmin: true,
      name: 'Ada',
      status: 'active',
      shouldChangePassword: true,
    });
    // E-mail addresses are compared without regard to case.
    expect(made[0]!.body.email).toMatch(/^admin\d@nas$/);
    expect(JSON.stringify(made[0]!.body)).not.toContain('argon2');
    expect(await fresh.db.$count(users)).toBe(1);
  });

  test('stays closed while any administrator exists, also after the first is gone', async () => {
    await using fresh = await testDatabase();
    await seed(fresh).user(['all'], { isAdmin: true });
    await fresh.sql`update instance set admin_id = null`;
    const body = { email: 'late@nas', name: 'Late', password: PASSWORD };
    const reply = await call(testApp(fresh), 'POST /auth/admin-sign-up', { body });
    expect(reply).toMatchObject({
      status: 400,
      body: { message: 'The server already has an admin' },
    });
  });

  const wrong: [string, object][] = [
    ['no e-mail', { name: 'x', password: PASSWORD }],
    ['an e-mail that is none', { email: 'x', name: 'x', password: PASSWORD }],
    ['a short password', { email: 'a@b', name: 'x', password: '1234567' }],
    ['an empty name', { email: 'a@b', name: '', password: PASSWORD }],
    ['an endless password', { email: 'a@b', name: 'x', password: 'x'.repeat(5000) }],
  ];
  for (const [name, body] of wrong) {
    test(`${name} → 400`, async () => {
      expect(await call(app, 'POST /auth/admin-sign-up', { body })).toMatchObject({ status: 400 });
    });
  }
});

describe('login', () => {
  test('returns a working token and the account it belongs to', async () => {
    const me = await person({ name: 'Eve', shouldChangePassword: true });
    const reply = await logIn(me.email.toUpperCase());
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
    const me = await person();
    const plain = getCookies(await logIn(me.email));
    expect(plain).toHaveLength(3);
    const [token, type, flag] = plain as [string, string, string];
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=34560000']) {
      expect(token).toContain(part);
    }
    expect(token).toStartWith('immich_access_token=');
    expect(type).toStartWith('immich_auth_type=password; HttpOnly');
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
    expect(getCookies(await logIn(me.email, PASSWORD, headers)).join()).not.toContain('Secure');
    const value = token.slice(0, token.indexOf(';'));
    expect((await call(app, 'GET /users/me', { headers: { cookie: value } })).status).toBe(200);
  });

  test('returns the same error for a wrong password, an unknown and a deleted account', async () => {
    const me = await person();
    const gone = await person({ deletedAt: NOW });
    const without = await person({ passwordHash: '' });
    const replies = [
      await logIn(me.email, 'wrong'),
      await logIn('nobody@example.com'),
      await logIn(gone.email),
      await logIn(without.email, ''),
    ];
    for (const reply of replies) {
      expect(reply).toMatchObject({
        status: 401,
        body: { message: 'Incorrect email or password' },
      });
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
  });

  test('an unknown account takes as long as a wrong password', async () => {
    const me = await person();
    await logIn('warm@example.com');
    const time = async (email: string) => {
      const from = performance.now();
      await logIn(email, 'wrong');
      return performance.now() - from;
    };
    const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!;
    const known: number[] = [];
    const unknown: number[] = [];
    for (let n = 0; n < 5; n++) {
      known.push(await time(me.email));
      unknown.push(await time(`nobody${n}@example.com`));
    }
    // Without the decoy an unknown account is answered ten times as fast.
    expect(median(unknown)).toBeGreaterThan(median(known) / 3);
  });

  test('slows down guesses until the wait is over, and hides whether the password was right', async () => {
    const me = await person();
    for (let n = 0; n < 11; n++) expect((await logIn(me.email, `guess${n}`)).status).toBe(401);
    const refused = await logIn(me.email);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    // A restart forgets nothing.
    const restarted = testApp(database, { now: () => now });
    const body = { email: me.email, password: PASSWORD };
    expect((await call(restarted, 'POST /auth/login', { body })).status).toBe(429);

    now = new Date(NOW.getTime() + 1000);
    expect((await logIn(me.email)).status).toBe(201);
    expect((await logIn(me.email, 'wrong')).status).toBe(401);
    expect((await logIn(me.email)).status).toBe(201);
  });

  describe('under attack', () => {
    // As cheap as can be: what is tested is who is let in.
    const cheap = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 } as const;
    const victim = async () => person({ passwordHash: await Bun.password.hash(PASSWORD, cheap) });
    const logInFrom = async (address: string, email: string, password = PASSWORD, headers = {}) => {
      const body = { email, password };
      const reply = await call(proxy.from(address), 'POST /auth/login', { body, headers });
      return reply.status;
    };
    const atOnce = (times: number, work: () => Promise<number>) =>
      Promise.all(Array.from({ length: times }, work));

    test('a hundred concurrent correct logins from one network all succeed', async () => {
      const me = await victim();
      const statuses = await atOnce(100, () => logInFrom('198.51.100.1', me.email));
      expect(new Set(statuses)).toEqual(new Set([201]));
      const rows = await database.db.$count(sessions, eq(sessions.userId, me.id));
      expect(rows).toBe(101);
    });

    test('refuses the network of an attacker, and lets the owner in from any other', async () => {
      const me = await victim();
      for (let second = 0; second < 10; second++) {
        now = new Date(NOW.getTime() + second * 1000);
        await atOnce(20, () => logInFrom('198.51.100.2', me.email, 'guess'));
        expect(await logInFrom(`198.51.101.${second}`, me.email)).toBe(201);
      }
      expect(await logInFrom('198.51.100.2', me.email)).toBe(429);
    });

    test('lets a browser that signed in before in, even from the network of the attacker', async () => {
      const me = await victim();
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
      const me = await victim();
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
    const me = await person();
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'http://evil.example' }]) {
      expect((await logIn(me.email, PASSWORD, headers)).status).toBe(403);
      const body = { email: 'a@b', name: 'x', password: PASSWORD };
      expect((await call(app, 'POST /auth/admin-sign-up', { body, headers })).status).toBe(403);
    }
    expect((await logIn(me.email, PASSWORD, { 'sec-fetch-site': 'same-origin' })).status).toBe(201);
  });

  test('reads JSON only, because another site could send a form of any size', async () => {
    const me = await person();
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
    expect((await logIn('a\u0000b@example.com')).status).toBe(400);
  });

  test('the session is named after the device', async () => {
    const me = await person();
    const phone = await logIn(me.email, PASSWORD, {
      'user-agent': 'Immich_Android_3.1.0',
      devicemodel: 'Pixel 9',
      devicetype: 'Android',
    });
    await logIn(me.email, PASSWORD, {
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

test('logout ends the session at once and deletes the cookies', async () => {
  const me = await person();
  const session = { token: (await logIn(me.email)).body.accessToken };
  const reply = await call(app, 'POST /auth/logout', { session });
  expect(reply).toMatchObject({
    status: 200,
    body: { successful: true, redirectUri: '/auth/login?autoLaunch=0' },
  });
  expect(getCookies(reply).map((cookie) => cookie.split('=')[0])).toEqual([
    'immich_access_token',
    'immich_auth_type',
    'immich_is_authenticated',
  ]);
  for (const cookie of getCookies(reply)) expect(cookie).toContain('Max-Age=0');
  expect((await call(app, 'GET /users/me', { session })).status).toBe(401);
});

test('accepts an empty body of any type: the phone app sends text/plain', async () => {
  const me = await seed(database).user();
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': '0' };
  const reply = await call(app, 'POST /auth/validateToken', { as: me, headers });
  expect(reply.status).toBe(200);
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

describe('change of password', () => {
  const change = (token: string, body: object) =>
    call(app, 'POST /auth/change-password', { session: { token }, body });

  test('requires the old password, and ends other sessions on request', async () => {
    const me = await person({ shouldChangePassword: true });
    const [mine, other] = [
      (await logIn(me.email)).body.accessToken,
      (await logIn(me.email)).body.accessToken,
    ];
    expect(await change(mine, { password: 'wrong', newPassword: 'new password' })).toMatchObject({
      status: 400,
      body: { message: 'Wrong password' },
    });
    expect((await change(mine, { password: PASSWORD, newPassword: 'short' })).status).toBe(400);

    const kept = await change(mine, { password: PASSWORD, newPassword: 'second password' });
    expect(kept).toMatchObject({ status: 200, body: { shouldChangePassword: false } });
    expect((await call(app, 'GET /users/me', { session: { token: other } })).status).toBe(200);

    const body = { password: 'second password', newPassword: 'third password' };
    expect((await change(mine, { ...body, invalidateSessions: true })).status).toBe(200);
    expect((await call(app, 'GET /users/me', { session: { token: other } })).status).toBe(401);
    expect((await call(app, 'GET /users/me', { session: { token: mine } })).status).toBe(200);
    expect((await logIn(me.email)).status).toBe(401);
    expect((await logIn(me.email, 'third password')).status).toBe(201);
  });

  test('locks every session, because the old password could unlock the Locked folder', async () => {
    const pinHash = await hashSecret('123456');
    const me = await person({ pinHash });
    const tokens = [
      (await logIn(me.email)).body.accessToken,
      (await logIn(me.email)).body.accessToken,
    ];
    const isElevated = async (token: string) =>
      (await call(app, 'GET /auth/status', { session: { token } })).body.isElevated;
    for (const token of tokens) {
      const body = { password: PASSWORD };
      await call(app, 'POST /auth/session/unlock', { session: { token }, body });
      expect(await isElevated(token)).toBe(true);
    }
    await change(tokens[0], { password: PASSWORD, newPassword: 'second password' });
    for (const token of tokens) expect(await isElevated(token)).toBe(false);
  });

  test('of ten concurrent changes with the old password one succeeds', async () => {
    const me = await person();
    const { token } = me;
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        change(token, { password: PASSWORD, newPassword: `new password ${n}` }),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = replies.findIndex(({ status }) => status === 200);
    expect((await logIn(me.email, `new password ${winner}`)).status).toBe(201);
  });

  test('a child session that changes the password outlives its parent', async () => {
    const me = await person();
    const parent = (await logIn(me.email)).body.accessToken;
    const child = await call(app, 'POST /sessions', { session: { token: parent }, body: {} });
    const body = { password: PASSWORD, newPassword: 'another one', invalidateSessions: true };
    expect((await change(child.body.token, body)).status).toBe(200);
    const get = (token: string) => call(app, 'GET /users/me', { session: { token } });
    expect((await get(child.body.token)).status).toBe(200);
    expect((await get(parent)).status).toBe(401);
  });

  test('slows down guesses of the old password', async () => {
    const me = await person();
    const token = (await logIn(me.email)).body.accessToken;
    const attempt = (password: string) => change(token, { password, newPassword: 'new password' });
    for (let n = 0; n < 11; n++) expect((await attempt(`guess${n}`)).status).toBe(400);
    expect((await attempt(PASSWORD)).status).toBe(429);
  });
});
