import { expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { addAccount, getCookies, logIn } from '../../../test/support/accounts.ts';
import { call, seed } from '../../../test/support/harness.ts';

const { database, app } = await useApp();

test('logout ends the session at once and deletes the cookies', async () => {
  const me = await addAccount(database);
  const session = { token: (await logIn(app, me.email)).body.accessToken };
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
