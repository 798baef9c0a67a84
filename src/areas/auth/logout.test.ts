import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
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
