import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  call,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../test/support/harness.ts';
import { LOGIN, startSmtpServer, type TestSmtpServer } from '../../../test/support/smtp-server.ts';
import type { App } from '../../app.ts';

let database: TestDatabase;
let app: App;
let admin: TestUser;
let server: TestSmtpServer;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
  server = await startSmtpServer();
});
afterAll(async () => {
  await server.stop();
  await database.close();
});
beforeEach(async () => {
  server.received.length = 0;
  await database.sql`delete from system_config`;
});

const TEXTS = { albumInviteTemplate: '', albumUpdateTemplate: '', welcomeTemplate: '' };
const save = (over: object = {}) =>
  call(app, 'PUT /admin/notifications/mail', {
    session: admin,
    body: { externalDomain: '', smtp: server.smtp(), templates: TEXTS, ...over },
  });
const read = async () => (await call(app, 'GET /admin/notifications/mail', { as: admin })).body;

describe('settings', () => {
  test('are off at first; what is saved is tried before, and its password never comes back', async () => {
    expect(await read()).toMatchObject({ smtp: { enabled: false }, hasPassword: false });
    const secret = { ...server.smtp(LOGIN), replyTo: 'admin@example.com' };
    const saved = await save({ smtp: secret, externalDomain: 'https://photos.example.com/' });
    expect(saved.status).toBe(200);
    expect(saved.body).toEqual({
      externalDomain: 'https://photos.example.com',
      smtp: { ...secret, transport: { ...secret.transport, password: '' } },
      templates: TEXTS,
      hasPassword: true,
    });
    expect(await read()).toEqual(saved.body);
  });

  test('an empty password keeps the stored one, for the same login only', async () => {
    await save({ smtp: server.smtp(LOGIN) });
    const stored = async () =>
      (
        await database.sql`select value #>> '{smtp,transport,password}' as password
        from system_config where section = 'notifications'`
      )[0]!['password'];
    await save({ smtp: server.smtp({ username: LOGIN.username }) });
    expect(await stored()).toBe(LOGIN.password);
    const other = await startSmtpServer();
    const elsewhere = { username: LOGIN.username, port: other.port };
    const asked = await save({ smtp: server.smtp(elsewhere) });
    await other.stop();
    expect([asked.status, await stored()]).toEqual([400, LOGIN.password]);
    await save({ smtp: server.smtp() });
    expect(await stored()).toBeNull();
  });

  test('a server that cannot be used is refused in its own words, and nothing is saved', async () => {
    const wrong = await save({ smtp: server.smtp({ ...LOGIN, password: 'wrong' }) });
    expect(wrong.status).toBe(400);
    expect(wrong.body.message).toBe('Invalid SMTP configuration: 535 5.7.8 Wrong password');
    expect((await save({ smtp: server.smtp({ port: 1 }) })).body.message).toContain('ECONNREFUSED');
    for (const [field, over] of [
      ['smtp.transport.host', { smtp: server.smtp({ host: '' }) }],
      ['smtp.from', { smtp: { ...server.smtp(), from: 'nobody' } }],
      ['templates.welcomeTemplate', { templates: { ...TEXTS, welcomeTemplate: '{albumName}' } }],
      ['externalDomain', { externalDomain: 'javascript:alert(1)' }],
    ] as const) {
      const reply = await save(over);
      expect(reply.status).toBe(400);
      expect(reply.body.errors[0].path.join('.')).toBe(field);
    }
    expect((await read()).smtp.enabled).toBe(false);
  });

  test('a server that is down keeps nobody from saving the rest, and is not accepted anew', async () => {
    const other = await startSmtpServer();
    await save({ smtp: other.smtp() });
    await other.stop();
    expect((await save({ smtp: other.smtp(), externalDomain: 'https://nas' })).status).toBe(200);
    expect((await read()).externalDomain).toBe('https://nas');
    const changed = { ...other.smtp(), from: 'b@example.com' };
    expect((await save({ smtp: changed })).status).toBe(400);
    expect((await read()).smtp.from).toBe(other.smtp().from);
  });

  test('are for administrators with every permission', async () => {
    const weak = await seed(database).user(['systemConfig.update'], { isAdmin: true });
    const user = await seed(database).user(['all']);
    const body = { externalDomain: '', smtp: server.smtp(), templates: TEXTS };
    for (const as of [weak, user]) {
      expect((await call(app, 'PUT /admin/notifications/mail', { as, body })).status).toBe(403);
      expect((await call(app, 'GET /admin/notifications/mail', { as })).status).toBe(403);
    }
    expect((await read()).smtp.enabled).toBe(false);
  });
});

describe('the test message', () => {
  const test_ = (body: object, as: TestUser = admin) =>
    call(app, 'POST /admin/notifications/test-email', { as, body });

  test('goes to the caller by the given settings, which are not saved', async () => {
    const reply = await test_({ ...server.smtp(), enabled: false });
    expect([reply.status, reply.body]).toEqual([200, { messageId: expect.any(String) }]);
    expect(server.received).toHaveLength(1);
    expect(server.received[0]!.parsed.messageId).toBe(reply.body.messageId);
    expect(server.received[0]!.parsed.subject).toBe('Test message from Safelight');
    expect((await read()).smtp.transport.host).toBe('');
  });

  test('a failure is told in the words of the server', async () => {
    const password = 'of another server';
    const reply = await test_(server.smtp({ ...LOGIN, password }));
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.body)).not.toContain(password);
    expect(reply.body.message).toBe(
      'Failed to verify SMTP configuration: 535 5.7.8 Wrong password',
    );
  });

  test('AU-006 is for administrators with every permission', async () => {
    const weak = await seed(database).user(['notification.create'], { isAdmin: true });
    expect((await test_(server.smtp(), weak)).status).toBe(403);
    expect((await test_(server.smtp(), await seed(database).user())).status).toBe(403);
    expect(server.received).toEqual([]);
  });
});

test('a template is shown with example values, and nothing is sent', async () => {
  const show = (name: string, template: string) =>
    call(app, `POST /admin/notifications/templates/${name}`, { as: admin, body: { template } });
  for (const name of ['welcome', 'album-invite', 'album-update']) {
    const reply = await show(name, '');
    expect([reply.status, reply.body.name]).toEqual([200, name]);
    expect(reply.body.html).toContain('Jane Doe');
  }
  expect((await show('album-update', 'In <i>{albumName}</i>')).body.html).toContain(
    'In &lt;i&gt;Summer by the sea&lt;/i&gt;',
  );
  await save({ templates: { ...TEXTS, welcomeTemplate: 'Good day {displayName}' } });
  expect((await show('welcome', '')).body.html).toContain('Good day Jane Doe');
  expect((await show('reset-password', '')).status).toBe(400);
  expect((await show('welcome', '{albumName}')).body.message).toContain('{albumName}');
  expect(server.received).toEqual([]);
});
