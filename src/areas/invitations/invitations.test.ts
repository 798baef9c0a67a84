import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { openBehindProxy } from '../../../test/support/callers.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, testApp, type TestUser } from '../../../test/support/harness.ts';
import { startSmtpServer, type TestSmtpServer } from '../../../test/support/smtp-server.ts';
import { sha256, toHex } from '../../core/hash.ts';
import { invitations, users } from '../../db/tables/identity.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true, name: 'Ada' });
});
beforeEach(async () => {
  await database.db.delete(invitations);
  await database.sql`delete from system_config`;
});

const PASSWORD = 'long enough';
let made = 0;
const invitee = (over: object = {}) => ({
  email: `Jane${++made}@Example.com`,
  name: 'Jane',
  expiresInDays: 7,
  ...over,
});
const invite = (over: object = {}, as = admin) =>
  call(app, 'POST /admin/invitations', { as, body: invitee(over) });
const list = async (as = admin) => (await call(app, 'GET /admin/invitations', { as })).body;
const open = (token: string, at = app) => call(at, 'POST /invitations/open', { body: { token } });
const accept = (token: string, over: object = {}, at = app) =>
  call(at, 'POST /invitations/accept', {
    body: { token, name: 'Jane', password: PASSWORD, ...over },
  });
const refusal = {
  status: 404,
  body: { message: 'This invitation is not valid any more', code: 'invitation_invalid' },
};

describe('an invitation', () => {
  test('is opened by its link, makes the account and signs in, once', async () => {
    const { status, body } = await invite({ quotaSizeInBytes: 5e9, language: 'de' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Jane', inviterName: 'Ada', mail: 'none' });
    expect(body.email).toBe(`jane${made}@example.com`);
    expect((await open(body.token)).body).toEqual({
      email: body.email,
      name: 'Jane',
      inviterName: 'Ada',
      expiresAt: body.expiresAt,
    });
    const reply = await accept(body.token, { name: 'Jane Doe' });
    expect(reply).toMatchObject({
      status: 201,
      body: { name: 'Jane Doe', isAdmin: false, shouldChangePassword: false },
    });
    expect(reply.headers.getSetCookie()[0]).toStartWith('immich_access_token=');
    const me = await call(app, 'GET /users/me', { session: { token: reply.body.accessToken } });
    expect(me.body).toMatchObject({ email: body.email, quotaSizeInBytes: 5e9, isAdmin: false });
    const [row] = await database.db.select().from(users).where(eq(users.email, body.email));
    expect(row?.language).toBe('de');
    const login = { email: body.email, password: PASSWORD };
    expect((await call(app, 'POST /auth/login', { body: login })).status).toBe(201);
    expect(await open(body.token)).toMatchObject(refusal);
    expect(await accept(body.token)).toMatchObject(refusal);
    expect(await list()).toEqual([]);
  });

  test('makes one account, however many accept it at once', async () => {
    const { body } = await invite();
    const replies = await Promise.all(Array.from({ length: 6 }, () => accept(body.token)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(5);
    expect(await database.db.$count(users, eq(users.email, body.email))).toBe(1);
  });

  test('is stored and listed without its token', async () => {
    const { token, ...shown } = (await invite()).body;
    const [row] = await database.db.select().from(invitations);
    expect(toHex(row!.tokenHash)).toBe(toHex(sha256(token)));
    const { mail: _, ...listed } = shown;
    expect(await list()).toEqual([listed]);
    const texts = await database.sql`select row_to_json(invitation)::text as text from invitation`;
    expect(JSON.stringify(texts)).not.toContain(token);
  });

  test('is revoked by any administrator, and no longer opened', async () => {
    const { id, token } = (await invite()).body;
    const other = await seed(database).user(['all'], { isAdmin: true });
    const revoke = () => call(app, `DELETE /admin/invitations/${id}`, { as: other });
    expect((await revoke()).status).toBe(204);
    expect((await revoke()).status).toBe(404);
    expect(await open(token)).toMatchObject(refusal);
    expect(await accept(token)).toMatchObject(refusal);
  });

  test('expires, and then makes room for another', async () => {
    const email = 'again@example.com';
    const { token, expiresAt } = (await invite({ email, expiresInDays: 1 })).body;
    expect(expiresAt).toBe(new Date(NOW.getTime() + 86_400_000).toISOString());
    const twice = await invite({ email });
    expect(twice).toMatchObject({ status: 400, body: { errors: [{ path: ['email'] }] } });
    const later = testApp(database, { now: () => new Date(NOW.getTime() + 86_400_000) });
    expect(await open(token, later)).toMatchObject(refusal);
    expect(await accept(token, {}, later)).toMatchObject(refusal);
    expect((await call(later, 'GET /admin/invitations', { session: admin })).body).toEqual([]);
    const body = invitee({ email });
    expect((await call(later, 'POST /admin/invitations', { session: admin, body })).status).toBe(
      201,
    );
  });

  test('ends with the rights of the administrator who made it', async () => {
    for (const change of [{ isAdmin: false }, { deletedAt: NOW, status: 'deleted' as const }]) {
      const inviter = await seed(database).user(['all'], { isAdmin: true });
      const { token } = (await invite({}, inviter)).body;
      await database.db.update(users).set(change).where(eq(users.id, inviter.id));
      expect(await open(token)).toMatchObject(refusal);
      expect(await accept(token)).toMatchObject(refusal);
      expect(await list()).toEqual([]);
    }
  });

  test('of an address that has got an account meanwhile reads like a used one', async () => {
    const { token, email } = (await invite()).body;
    await seed(database).user(['all'], { email });
    expect(await accept(token)).toMatchObject(refusal);
  });

  test('is not made for an address that has an account, also a deleted one', async () => {
    const gone = await seed(database).user(['all'], { deletedAt: NOW, status: 'deleted' });
    for (const { email } of [admin, gone]) {
      const reply = await invite({ email });
      expect(reply).toMatchObject({ status: 400, body: { errors: [{ path: ['email'] }] } });
    }
    expect(await list()).toEqual([]);
  });
});

test('neither accounts nor keys without the permission make, see or revoke invitations', async () => {
  const stranger = await seed(database).user(['all']);
  const key = await seed(database).user(['adminUser.read'], { isAdmin: true });
  const { id } = (await invite()).body;
  expect((await invite({}, stranger)).status).toBe(403);
  expect((await call(app, 'GET /admin/invitations', { as: stranger })).status).toBe(403);
  for (const as of [stranger, key]) {
    expect((await call(app, `DELETE /admin/invitations/${id}`, { as })).status).toBe(403);
  }
  expect((await invite({}, key)).status).toBe(403);
  expect(await list(key)).toHaveLength(1);
});

test('bad input names its field, and a guessed field gives no rights', async () => {
  for (const [over, path] of [
    [{ email: 'x' }, 'email'],
    [{ name: '' }, 'name'],
    [{ expiresInDays: 0 }, 'expiresInDays'],
    [{ expiresInDays: 31 }, 'expiresInDays'],
    [{ quotaSizeInBytes: -1 }, 'quotaSizeInBytes'],
    [{ language: 'tlh' }, 'language'],
  ] as const) {
    expect(await invite(over)).toMatchObject({ status: 400, body: { errors: [{ path: [path] }] } });
  }
  const { token } = (await invite()).body;
  expect(await accept(token, { password: 'short' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: ['password'] }] },
  });
  expect((await accept(token, { isAdmin: true })).status).toBe(400);
  const reply = await accept(token);
  expect(reply.body.isAdmin).toBe(false);
});

test('wrong tokens are throttled by network, and right ones from others are not', async () => {
  const proxy = await openBehindProxy(app);
  const { token } = (await invite()).body;
  const attacker = proxy.from('203.0.113.77');
  const statuses = new Set<number>();
  for (let n = 0; n < 40; n++) statuses.add((await open(`guess ${n}`, attacker)).status);
  expect([...statuses]).toEqual([404, 429]);
  expect((await accept('guess', {}, attacker)).status).toBe(429);
  expect((await open(token, proxy.from('198.51.100.8'))).status).toBe(200);
  await proxy.stop();
});

test('is not accepted for another site', async () => {
  const { token } = (await invite()).body;
  const reply = await call(app, 'POST /invitations/accept', {
    headers: { 'sec-fetch-site': 'cross-site' },
    body: { token, name: 'Jane', password: PASSWORD },
  });
  expect(reply.status).toBe(403);
  expect((await open(token)).status).toBe(200);
});

test('where passwords do not log in, there are no invitations', async () => {
  const { token } = (await invite()).body;
  await database.sql`insert into system_config (section, value)
    values ('passwordLogin', '{"enabled":false}')`;
  expect((await invite()).status).toBe(400);
  expect((await accept(token)).status).toBe(400);
});

describe('by mail', () => {
  let server: TestSmtpServer;
  beforeAll(async () => {
    server = await startSmtpServer();
  });
  afterAll(() => server.stop());
  const configure = async (externalDomain: string, smtp: object = server.smtp()) => {
    await database.sql`insert into system_config (section, value) values
      ('server', ${JSON.stringify({ externalDomain })}::text::jsonb),
      ('notifications', ${JSON.stringify({ smtp })}::text::jsonb)`;
  };

  test('the link is sent in the language of the reader, and the token is stored nowhere', async () => {
    await configure('https://photos.example.com');
    const { body } = await invite({ sendMail: true, language: 'fr' });
    expect(body.mail).toBe('sent');
    const [mail] = server.received.splice(0);
    const text = JSON.stringify(mail);
    expect(text).toContain(body.email);
    expect(text).toContain('Votre invitation');
    const [queued] = await database.sql`select count(*)::int as count from mail_message`;
    expect(queued!['count']).toBe(0);
  });

  test('a server that refuses leaves the link, with its words', async () => {
    await configure('https://photos.example.com', {
      ...server.smtp(),
      transport: { ...server.smtp().transport, port: 1 },
    });
    const { status, body } = await invite({ sendMail: true });
    expect([status, body.mail]).toEqual([201, 'failed']);
    expect(body.mailError).toContain('ECONNREFUSED');
    expect((await open(body.token)).status).toBe(200);
  });

  test('without the address of the page no mail is sent and nothing is made', async () => {
    await configure('');
    expect(await invite({ sendMail: true })).toMatchObject({
      status: 400,
      body: { errors: [{ path: ['sendMail'] }] },
    });
    expect(server.received).toEqual([]);
    expect(await list()).toEqual([]);
  });
});
