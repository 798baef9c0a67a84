import { beforeEach, describe, expect, test } from 'bun:test';
import { addAccount, logIn, PASSWORD, proveSessions } from '../../../test/support/accounts.ts';
import { configWith } from '../../../test/support/config.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, type TestUser } from '../../../test/support/harness.ts';

const { database, app } = await useApp({ now: () => now });
let now: Date;
let me: TestUser;
beforeEach(async () => {
  now = NOW;
  await database.sql`truncate system_config`;
  me = await addAccount(database, { isAdmin: true });
  await proveSessions(database, me, null);
});

type Session = { readonly token: string };
const BODY = configWith({ passwordLogin: { enabled: false } });
/** Whether the session may change who is who. */
const isProven = async (session: Session = me) => {
  const { status } = await call(app, 'PUT /system-config', { session, body: BODY });
  await database.sql`truncate system_config`;
  return status === 200;
};
const prove = (body: object, session: Session = me) =>
  call(app, 'POST /auth/session/proof', { session, body });
const setPin = (pinCode = '111111') =>
  call(app, 'POST /auth/pin-code', { session: me, body: { pinCode } });
const minutesLater = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

test('the password proves who uses the session, for ten minutes and for this session only', async () => {
  const other = (await call(app, 'POST /sessions', { session: me, body: {} })).body;
  expect(await prove({ password: 'wrong' })).toMatchObject({ status: 400 });
  expect(await isProven()).toBe(false);
  expect((await prove({ password: PASSWORD })).status).toBe(204);
  expect(await isProven()).toBe(true);
  expect(await isProven(other)).toBe(false);
  now = minutesLater(9);
  expect(await isProven()).toBe(true);
  now = minutesLater(10);
  expect(await isProven()).toBe(false);
});

test('a login is a proof, a session that another one has made is none', async () => {
  const { body } = await logIn(app, me.email);
  const session = { token: body.accessToken as string };
  expect(await isProven(session)).toBe(true);
  const child = (await call(app, 'POST /sessions', { session, body: {} })).body;
  expect(await isProven(child)).toBe(false);
});

test('a new password or PIN ends what the old one has proven, but for the session that sets it', async () => {
  const other = { token: (await logIn(app, me.email)).body.accessToken as string };
  const passwords = { password: PASSWORD, newPassword: 'another horse' };
  const pins = { pinCode: '111111', newPinCode: '222222' };
  for (const [route, body] of [
    ['POST /auth/change-password', passwords],
    ['POST /auth/pin-code', { pinCode: '111111' }],
    ['PUT /auth/pin-code', pins],
    ['DELETE /auth/pin-code', { pinCode: '222222' }],
    [`PUT /admin/users/${me.id}`, { password: 'a third horse' }],
    [`PUT /admin/users/${me.id}`, { pinCode: '333333' }],
  ] as const) {
    await proveSessions(database, me, NOW);
    const { status } = await call(app, route, { session: me, body });
    expect([route, status < 300, await isProven(), await isProven(other)]).toEqual([
      route,
      true,
      true,
      false,
    ]);
  }
  expect((await prove({ password: PASSWORD })).status).toBe(400);
  expect((await prove({ password: 'a third horse' })).status).toBe(204);
});

test('a session that changes the password without a recent proof stays without one', async () => {
  const change = { password: PASSWORD, newPassword: 'another horse' };
  await call(app, 'POST /auth/change-password', { session: me, body: change });
  expect(await isProven()).toBe(false);
});

describe('the PIN', () => {
  test('that was set after a login is a proof, also where it opens Locked', async () => {
    await prove({ password: PASSWORD });
    await setPin();
    await proveSessions(database, me, null);
    expect((await prove({ pinCode: '222222' })).status).toBe(400);
    expect(await isProven()).toBe(false);
    expect((await prove({ pinCode: '111111' })).status).toBe(204);
    expect(await isProven()).toBe(true);
    await proveSessions(database, me, null);
    const body = { pinCode: '111111' };
    await call(app, 'POST /auth/session/unlock', { session: me, body });
    expect(await isProven()).toBe(true);
  });

  test('that a session without a proof or a key has set proves nothing, until the password has changed it', async () => {
    for (const caller of [{ session: me }, { as: me }]) {
      await call(app, 'POST /auth/pin-code', { ...caller, body: { pinCode: '111111' } });
      expect(await prove({ pinCode: '111111' })).toMatchObject({
        status: 400,
        body: { errors: [{ path: ['pinCode'] }] },
      });
      const unlock = { session: me, body: { pinCode: '111111' } };
      expect((await call(app, 'POST /auth/session/unlock', unlock)).status).toBe(204);
      expect(await isProven()).toBe(false);
      const change = { pinCode: '111111', newPinCode: '222222' };
      await call(app, 'PUT /auth/pin-code', { session: me, body: change });
      expect((await prove({ pinCode: '222222' })).status).toBe(400);
      await call(app, 'DELETE /auth/pin-code', { session: me, body: { pinCode: '222222' } });
    }
    await setPin();
    const change = { password: PASSWORD, newPinCode: '333333' };
    await call(app, 'PUT /auth/pin-code', { session: me, body: change });
    expect((await prove({ pinCode: '333333' })).status).toBe(204);
    expect(await isProven()).toBe(true);
  });

  test('that an administrator has set is none for the account', async () => {
    const user = await addAccount(database);
    await prove({ password: PASSWORD });
    const body = { pinCode: '123456' };
    await call(app, `PUT /admin/users/${user.id}`, { session: me, body });
    expect((await prove(body, user)).status).toBe(400);
  });
});

test('a key gives no proof, also not beside the session', async () => {
  const body = { password: PASSWORD };
  expect((await call(app, 'POST /auth/session/proof', { as: me, body })).status).toBe(403);
  await prove(body);
  expect((await call(app, 'PUT /system-config', { as: me, body: BODY })).status).toBe(403);
});

test('wrong passwords are slowed down as everywhere', async () => {
  const tried = await Promise.all(
    Array.from({ length: 12 }, (_, n) => prove({ password: `wrong ${n}` })),
  );
  expect(tried.some(({ status }) => status === 429)).toBe(true);
  expect((await prove({ password: PASSWORD })).status).toBe(429);
});
