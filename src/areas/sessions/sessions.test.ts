import { beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser, testApp } from '../../../test/support/harness.ts';
import { newSecret, sha256 } from '../../core/hash.ts';
import { sessions } from '../../db/tables/identity.ts';

const { database, app } = await useApp();
let bob: TestUser;
beforeAll(async () => {
  bob = await seed(database).user();
});

/** A further login of the same person. */
async function addSession(userId: string, over: object = {}) {
  const token = newSecret();
  const [row] = await database.db
    .insert(sessions)
    .values({ userId, tokenHash: sha256(token), ...over })
    .returning({ id: sessions.id });
  return { id: row!.id, token };
}
const isIn = async (session: { token: string }) =>
  (await call(app, 'GET /users/me', { session })).status === 200;

test("lists only the caller's live sessions, and marks the current one", async () => {
  const me = await seed(database).user();
  const other = await addSession(me.id, { deviceType: 'Firefox', deviceOs: 'Linux' });
  const expired = await addSession(me.id, { expiresAt: NOW });
  const { status, body } = await call(app, 'GET /sessions', { session: me });
  expect(status).toBe(200);
  expect(body).toHaveLength(2);
  expect(body.map((session: { id: string }) => session.id)).not.toContain(expired.id);
  expect(body.filter((session: { current: boolean }) => session.current)).toHaveLength(1);
  expect(body.find((session: { id: string }) => session.id === other.id)).toMatchObject({
    deviceType: 'Firefox',
    deviceOS: 'Linux',
    appVersion: null,
    current: false,
    isPendingSyncReset: false,
  });
  expect(JSON.stringify(body)).not.toMatch(/token|hash/i);
  // A key is no session: none is the current one.
  const byKey = (await call(app, 'GET /sessions', { as: me })).body;
  expect(byKey.some((session: { current: boolean }) => session.current)).toBe(false);
});

test('refuses a revoked session at once', async () => {
  const me = await seed(database).user();
  const other = await addSession(me.id);
  expect(await isIn(other)).toBe(true);
  expect((await call(app, `DELETE /sessions/${other.id}`, { session: me })).status).toBe(204);
  expect(await isIn(other)).toBe(false);
  expect(await isIn(me)).toBe(true);
});

test('ending all others keeps the current session, and sessions of other accounts', async () => {
  const me = await seed(database).user();
  const others = [await addSession(me.id), await addSession(me.id)];
  expect((await call(app, 'DELETE /sessions', { session: me })).status).toBe(204);
  for (const other of others) expect(await isIn(other)).toBe(false);
  expect(await isIn(me)).toBe(true);
  expect(await isIn(bob)).toBe(true);
});

describe('a session for another device', () => {
  test('works until it expires, and ends with the session that created it', async () => {
    const me = await seed(database).user();
    const made = await call(app, 'POST /sessions', {
      session: me,
      body: { deviceType: 'TV', deviceOS: 'cast', duration: 60 },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { deviceType: 'TV', deviceOS: 'cast', current: false },
    });
    expect(made.body.expiresAt).toBe(new Date(NOW.getTime() + 60_000).toISOString());
    expect(await isIn(made.body)).toBe(true);
    const minuteLater = testApp(database, { now: () => new Date(NOW.getTime() + 60_000) });
    expect((await call(minuteLater, 'GET /users/me', { session: made.body })).status).toBe(401);

    const { body } = await call(app, 'POST /sessions', { session: me, body: {} });
    expect(body.expiresAt).toBeUndefined();
    await call(app, 'POST /auth/logout', { session: me });
    expect(await isIn(body)).toBe(false);
  });

  test('does not outlive the session that created it', async () => {
    const me = await seed(database).user();
    const soon = new Date(NOW.getTime() + 5000);
    const short = await addSession(me.id, { expiresAt: soon });
    const made = await call(app, 'POST /sessions', { session: short, body: { duration: 3600 } });
    expect(made.body.expiresAt).toBe(soon.toISOString());
  });

  test('cannot be created by an API key, because it would have more permissions', async () => {
    const me = await seed(database).user();
    const limited = await seed(database).user(['session.create']);
    expect((await call(app, 'POST /sessions', { as: me, body: {} })).status).toBe(400);
    const both = { as: limited, session: limited, body: {} };
    expect((await call(app, 'POST /sessions', both)).status).toBe(400);
    expect((await call(app, 'GET /sessions', { session: limited })).body).toHaveLength(1);
  });
});

test('a session can be locked from another one', async () => {
  const me = await seed(database).user();
  const elevatedUntil = new Date(NOW.getTime() + 10 * 60_000);
  const other = await addSession(me.id, { elevatedUntil });
  const isElevated = async () =>
    (await call(app, 'GET /auth/status', { session: other })).body.isElevated;
  expect(await isElevated()).toBe(true);
  expect((await call(app, `POST /sessions/${other.id}/lock`, { session: me })).status).toBe(204);
  expect(await isElevated()).toBe(false);
});

test('a device can be asked to sync from the start', async () => {
  const me = await seed(database).user();
  const other = await addSession(me.id);
  const put = (body: object) => call(app, `PUT /sessions/${other.id}`, { session: me, body });
  expect(await put({ isPendingSyncReset: true })).toMatchObject({
    status: 200,
    body: { isPendingSyncReset: true },
  });
  expect((await put({})).body.isPendingSyncReset).toBe(true);
});

test('returns the error of an unknown session for sessions of others', async () => {
  const me = await seed(database).user();
  const foreign = await addSession(bob.id);
  for (const id of [foreign.id, crypto.randomUUID()]) {
    for (const [route, permission] of [
      [`DELETE /sessions/${id}`, 'authDevice.delete'],
      [`PUT /sessions/${id}`, 'session.update'],
      [`POST /sessions/${id}/lock`, 'session.lock'],
    ] as const) {
      expect(await call(app, route, { session: me, body: {} })).toMatchObject({
        status: 400,
        body: { message: `Not found or no ${permission} access` },
      });
    }
  }
  const rows = await database.db.select().from(sessions).where(eq(sessions.id, foreign.id));
  expect(rows).toHaveLength(1);
});
