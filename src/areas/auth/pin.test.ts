import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed } from '../../../test/support/harness.ts';
import { hashSecret } from '../../access/secrets.ts';

const { database, app } = await useApp({ now: () => now });
let now: Date;
let hashes: { passwordHash: string; pinHash: string };
beforeAll(async () => {
  hashes = {
    passwordHash: await hashSecret('password'),
    pinHash: await hashSecret('123456'),
  };
});
beforeEach(() => {
  now = NOW;
});

const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);
const person = (over: object = hashes) => seed(database).user(['all'], over);
type Person = Awaited<ReturnType<typeof person>>;

const unlock = (session: Person, body: object = { pinCode: '123456' }) =>
  call(app, 'POST /auth/session/unlock', { session, body });
const status = async (session: Person) => (await call(app, 'GET /auth/status', { session })).body;

test('a PIN can be created, changed and deleted', async () => {
  const me = await person({ passwordHash: hashes.passwordHash });
  expect(await status(me)).toEqual({ pinCode: false, password: true, isElevated: false });
  const set = (pinCode: string) =>
    call(app, 'POST /auth/pin-code', { session: me, body: { pinCode } });
  expect((await set('12345')).status).toBe(400);
  expect((await set('12345a')).status).toBe(400);
  expect((await set('111111')).status).toBe(204);
  expect(await set('222222')).toMatchObject({
    status: 400,
    body: { message: 'User already has a PIN code' },
  });

  const change = (body: object) => call(app, 'PUT /auth/pin-code', { session: me, body });
  expect((await change({ newPinCode: '333333' })).status).toBe(400);
  expect((await change({ newPinCode: '333333', pinCode: '222222' })).status).toBe(400);
  expect((await change({ newPinCode: '333333', pinCode: '111111' })).status).toBe(204);
  expect((await change({ newPinCode: '444444', password: 'password' })).status).toBe(204);
  expect((await unlock(me, { pinCode: '333333' })).status).toBe(400);
  expect((await unlock(me, { pinCode: '444444' })).status).toBe(204);
  expect((await status(me)).isElevated).toBe(true);

  const reset = (body: object) => call(app, 'DELETE /auth/pin-code', { session: me, body });
  expect((await reset({ password: 'wrong' })).status).toBe(400);
  expect((await reset({ pinCode: '444444' })).status).toBe(204);
  expect(await status(me)).toMatchObject({ pinCode: false, isElevated: false });
  expect((await unlock(me)).body.message).toBe('User does not have a PIN code');
});

test('a new PIN locks what the old one unlocked, in every session', async () => {
  const me = await person();
  const other = (await call(app, 'POST /sessions', { session: me, body: {} })).body;
  for (const session of [me, other]) expect((await unlock(session)).status).toBe(204);
  const body = { newPinCode: '333333', pinCode: '123456' };
  expect((await call(app, 'PUT /auth/pin-code', { session: me, body })).status).toBe(204);
  for (const session of [me, other]) expect((await status(session)).isElevated).toBe(false);
  // Somebody else's stay as they are.
  const stranger = await person();
  await unlock(stranger);
  await call(app, 'PUT /auth/pin-code', {
    session: me,
    body: { newPinCode: '444444', pinCode: '333333' },
  });
  expect((await status(stranger)).isElevated).toBe(true);
});

test('of ten concurrent first PINs one is set', async () => {
  const me = await person({ passwordHash: hashes.passwordHash });
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      call(app, 'POST /auth/pin-code', { session: me, body: { pinCode: `11111${n}` } }),
    ),
  );
  expect(replies.filter((reply) => reply.status === 204)).toHaveLength(1);
  const winner = replies.findIndex((reply) => reply.status === 204);
  expect((await unlock(me, { pinCode: `11111${winner}` })).status).toBe(204);
});

describe('unlocking', () => {
  test('AU-017: lasts for 15 minutes, for this session only', async () => {
    const me = await person();
    const other = (
      await call(app, 'POST /sessions', { session: me, body: { deviceType: 'other' } })
    ).body;
    expect((await unlock(me)).status).toBe(204);
    expect(await status(me)).toEqual({
      pinCode: true,
      password: true,
      isElevated: true,
      pinExpiresAt: later(15).toISOString(),
    });
    expect((await status(other)).isElevated).toBe(false);
    now = later(15);
    expect((await status(me)).isElevated).toBe(false);
  });

  test('accepts the password instead of the PIN', async () => {
    const me = await person();
    expect((await unlock(me, { password: 'password' })).status).toBe(204);
    expect((await unlock(me, {})).status).toBe(400);
  });

  test('AU-016: an API key unlocks only together with a session and with all permissions', async () => {
    const me = await person();
    const limited = await seed(database).user(['tag.read']);
    const body = { pinCode: '123456' };
    expect(await call(app, 'POST /auth/session/unlock', { as: me, body })).toMatchObject({
      status: 403,
      body: { message: 'A session is required' },
    });
    const both = { as: me, session: me, body };
    expect((await call(app, 'POST /auth/session/unlock', both)).status).toBe(204);
    expect((await call(app, 'GET /auth/status', { as: me })).body.isElevated).toBe(false);
    expect((await call(app, 'GET /auth/status', { as: me, session: me })).body.isElevated).toBe(
      true,
    );
    const foreign = { as: limited, session: me, body };
    expect((await call(app, 'POST /auth/session/unlock', foreign)).status).toBe(401);
    const own = { as: limited, session: limited, body };
    expect((await call(app, 'POST /auth/session/unlock', own)).status).toBe(403);
  });

  test('ends at once when the session is locked', async () => {
    const me = await person();
    await unlock(me);
    expect((await call(app, 'POST /auth/session/lock', { session: me })).status).toBe(204);
    expect((await status(me)).isElevated).toBe(false);
    expect((await call(app, 'POST /auth/session/lock', { as: me })).status).toBe(403);
  });

  test('after five wrong PINs a session waits, also one that has given the right one before', async () => {
    const me = await person();
    expect((await unlock(me)).status).toBe(204);
    const replies = [];
    for (let n = 0; n < 8; n++) replies.push((await unlock(me, { pinCode: `00000${n}` })).status);
    expect(replies).toEqual([400, 400, 400, 400, 400, 400, 429, 429]);
    expect((await unlock(me)).status).toBe(429);
  });

  test('after five wrong PINs the wait grows to a minute', async () => {
    const me = await person();
    const tried = await Promise.all(
      Array.from({ length: 30 }, (_, n) => unlock(me, { pinCode: String(n).padStart(6, '0') })),
    );
    expect(tried.filter((reply) => reply.status === 400)).toHaveLength(6);
    expect(tried.filter((reply) => reply.status === 429)).toHaveLength(24);
    // Also the right one has to wait, or the answer would tell.
    expect(await unlock(me)).toMatchObject({ status: 429 });
    // Neither a change nor a reset is another way past the limit.
    const body = { pinCode: '123456', newPinCode: '000000' };
    expect((await call(app, 'PUT /auth/pin-code', { session: me, body })).status).toBe(429);
    expect((await call(app, 'DELETE /auth/pin-code', { session: me, body })).status).toBe(429);
    // The owner still has the password, and is let in after a minute at the latest.
    expect((await unlock(me, { password: 'password' })).status).toBe(204);
    now = later(1);
    expect((await unlock(me)).status).toBe(204);
  });
});
