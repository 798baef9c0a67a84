import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { addAccount, createCheapHash, logIn, PASSWORD } from '../../../test/support/accounts.ts';
import { call } from '../../../test/support/harness.ts';

const { database, app } = await useApp();

describe('change of password', () => {
  const change = (token: string, body: object) =>
    call(app, 'POST /auth/change-password', { session: { token }, body });

  test('requires the old password, and ends other sessions on request', async () => {
    const me = await addAccount(database, { shouldChangePassword: true });
    const [mine, other] = [
      (await logIn(app, me.email)).body.accessToken,
      (await logIn(app, me.email)).body.accessToken,
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
    expect((await logIn(app, me.email)).status).toBe(401);
    expect((await logIn(app, me.email, 'third password')).status).toBe(201);
  });

  test('locks every session, because the old password could unlock the Locked folder', async () => {
    const pinHash = await createCheapHash('123456');
    const me = await addAccount(database, { pinHash });
    const tokens = [
      (await logIn(app, me.email)).body.accessToken,
      (await logIn(app, me.email)).body.accessToken,
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
    const me = await addAccount(database);
    const { token } = me;
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        change(token, { password: PASSWORD, newPassword: `new password ${n}` }),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = replies.findIndex(({ status }) => status === 200);
    expect((await logIn(app, me.email, `new password ${winner}`)).status).toBe(201);
  });

  test('a child session that changes the password outlives its parent', async () => {
    const me = await addAccount(database);
    const parent = (await logIn(app, me.email)).body.accessToken;
    const child = await call(app, 'POST /sessions', { session: { token: parent }, body: {} });
    const body = { password: PASSWORD, newPassword: 'another one', invalidateSessions: true };
    expect((await change(child.body.token, body)).status).toBe(200);
    const get = (token: string) => call(app, 'GET /users/me', { session: { token } });
    expect((await get(child.body.token)).status).toBe(200);
    expect((await get(parent)).status).toBe(401);
  });

  test('slows down guesses of the old password', async () => {
    const me = await addAccount(database);
    const token = (await logIn(app, me.email)).body.accessToken;
    const attempt = (password: string) => change(token, { password, newPassword: 'new password' });
    for (let n = 0; n < 11; n++) expect((await attempt(`guess${n}`)).status).toBe(400);
    expect((await attempt(PASSWORD)).status).toBe(429);
  });
});
