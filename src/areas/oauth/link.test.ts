import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { proveSessions } from '../../../test/support/accounts.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { openSignOn, SETTINGS_PAGE } from '../../../test/support/sign-on.ts';
import { sessions } from '../../db/tables/identity.ts';

let world: Awaited<ReturnType<typeof openSignOn>>;
beforeAll(async () => {
  world = await openSignOn();
});
afterAll(() => world.close());

async function link(user: TestUser, person: string) {
  await proveSessions(world.database, user);
  const { url, cookie } = await world.returnFrom(person, { redirectUri: SETTINGS_PAGE });
  const caller = { session: user, headers: { cookie } };
  return call(world.app, 'POST /oauth/link', { ...caller, body: { url } });
}
const addPerson = (email?: string) => {
  const id = crypto.randomUUID();
  world.provider.people.set(id, { email: email ?? `${id}@example.com`, email_verified: false });
  return id;
};
const listSessions = (userId: string) =>
  world.database.db.select().from(sessions).where(eq(sessions.userId, userId));

test('an account is linked by its owner, whatever the address at the provider, and unlinked', async () => {
  const user = await seed(world.database).user();
  const person = addPerson();
  expect(await link(user, person)).toMatchObject({
    status: 200,
    body: { id: user.id, oauthId: person },
  });
  expect((await world.logIn(person)).body.userId).toBe(user.id);
  const rows = await listSessions(user.id);
  expect(rows.every(({ oauthSid, oauthIdToken }) => oauthSid && oauthIdToken)).toBe(true);

  const unlinked = await call(world.app, 'POST /oauth/unlink', { session: user });
  expect(unlinked).toMatchObject({ status: 200, body: { id: user.id, oauthId: '' } });
  const own = (await listSessions(user.id)).filter(({ oauthSid }) => oauthSid === null);
  expect(own).toHaveLength(1);
  // The person at the provider is somebody else from now on.
  expect((await world.logIn(person)).body.userId).not.toBe(user.id);
});

test('nobody links whom another account is linked to', async () => {
  const [first, second] = [await seed(world.database).user(), await seed(world.database).user()];
  const person = addPerson();
  expect((await link(first, person)).status).toBe(200);
  expect((await link(first, person)).status).toBe(200);
  expect(await link(second, person)).toMatchObject({
    status: 400,
    body: { message: 'This OAuth account has already been linked to another user.' },
  });
  const me = await call(world.app, 'GET /users/me', { session: second });
  expect(me.body.oauthId).toBe('');
});

test('linking and unlinking everybody need a recent login, whatever the permissions', async () => {
  const user = await seed(world.database).user(['all'], { isAdmin: true });
  const { url, cookie } = await world.returnFrom(addPerson(), { redirectUri: SETTINGS_PAGE });
  const routes = ['POST /oauth/link', 'POST /admin/auth/unlink-all'] as const;
  for (const provenAt of [null, new Date(Date.now() - 11 * 60_000)]) {
    await proveSessions(world.database, user, provenAt);
    for (const route of routes) {
      const caller = { headers: { cookie }, body: { url } };
      expect(await call(world.app, route, { ...caller, session: user })).toMatchObject({
        status: 403,
        body: { errors: [{ code: 'proof_required' }] },
      });
      expect((await call(world.app, route, { ...caller, as: user })).status).toBe(403);
    }
  }
  expect((await call(world.app, 'GET /users/me', { session: user })).body.oauthId).toBe('');
  // The refusals have used nothing up.
  await proveSessions(world.database, user);
  const caller = { session: user, headers: { cookie }, body: { url } };
  expect((await call(world.app, 'POST /oauth/link', caller)).status).toBe(200);
});

test('a response to another browser links nothing', async () => {
  const user = await seed(world.database).user();
  await proveSessions(world.database, user);
  const { url } = await world.returnFrom(addPerson(), { redirectUri: SETTINGS_PAGE });
  for (const headers of [{}, { cookie: 'immich_oauth_state=x; immich_oauth_code_verifier=y' }]) {
    const reply = await call(world.app, 'POST /oauth/link', {
      session: user,
      headers,
      body: { url },
    });
    expect(reply.status).toBe(400);
  }
  const otherSite = { 'sec-fetch-site': 'cross-site', cookie: `immich_access_token=${user.token}` };
  const forged = await call(world.app, 'POST /oauth/link', { headers: otherSite, body: { url } });
  expect(forged.status).toBe(403);
});

test('linking needs all permissions, unlinking everybody an administrator', async () => {
  const limited = await seed(world.database).user(['user.update']);
  for (const route of ['POST /oauth/link', 'POST /oauth/unlink'] as const) {
    const body = route.endsWith('/link') ? { url: 'x' } : undefined;
    expect((await call(world.app, route, { as: limited, body })).status).toBe(403);
    expect((await call(world.app, route, { body })).status).toBe(401);
  }
  const user = await seed(world.database).user();
  await link(user, addPerson());
  const unlinkAll = (session: TestUser) =>
    call(world.app, 'POST /admin/auth/unlink-all', { session });
  expect((await unlinkAll(user)).status).toBe(403);
  await proveSessions(world.database, world.admin);
  expect((await unlinkAll(world.admin)).status).toBe(204);
  const me = await call(world.app, 'GET /users/me', { session: user });
  expect(me.body.oauthId).toBe('');
  expect((await listSessions(user.id)).every(({ oauthSid }) => oauthSid === null)).toBe(true);
});
