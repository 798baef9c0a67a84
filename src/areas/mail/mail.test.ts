import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  call,
  NOW,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../test/support/harness.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { LOGIN, startSmtpServer, type TestSmtpServer } from '../../../test/support/smtp-server.ts';
import type { App } from '../../app.ts';
import { handleDeliverMail } from './deliver.handlers.ts';
import { queueMail } from './index.ts';

let database: TestDatabase;
let app: App;
let admin: TestUser;
let server: TestSmtpServer;
/** Address that the server refuses. */
let refused: string | undefined;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
  server = await startSmtpServer({
    onRcptTo: ({ address }, _session, done) =>
      done(address === refused ? new Error('5.1.1 Nobody of that name') : null),
  });
});
afterAll(async () => {
  await server.stop();
  await database.close();
});
beforeEach(async () => {
  server.received.length = 0;
  refused = undefined;
  await database.sql`delete from mail_message`;
  await database.sql`delete from system_config`;
});

const TEXTS = { albumInviteTemplate: '', albumUpdateTemplate: '', welcomeTemplate: '' };
const save = (over: object = {}, as: TestUser = admin) =>
  call(app, 'PUT /admin/notifications/mail', {
    as,
    body: { externalDomain: '', smtp: server.smtp(), templates: TEXTS, ...over },
  });
const read = async () => (await call(app, 'GET /admin/notifications/mail', { as: admin })).body;
const deliver = (after = 0) =>
  handleDeliverMail(jobCtx(database, { now: () => new Date(NOW.getTime() + after) }), {});
const messages = () => database.sql`select status, attempts, error from mail_message order by key`;
const MINUTE = 60_000;

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
    expect(await stored()).toBe('');
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

  test('are for administrators with every permission', async () => {
    const weak = await seed(database).user(['systemConfig.update'], { isAdmin: true });
    const user = await seed(database).user(['all']);
    for (const as of [weak, user]) {
      expect((await save({}, as)).status).toBe(403);
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
    const reply = await test_(server.smtp({ ...LOGIN, password: 'wrong' }));
    expect(reply.status).toBe(400);
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

describe('delivery', () => {
  /** An album of `owner` with a picture that has a preview, shared with `guest`. */
  async function shareAlbum(owner: TestUser, guest: TestUser, over: object = {}): Promise<string> {
    const assetId = await seed(database).asset({ ownerId: owner.id, ...over });
    const name = `${assetId}-preview.jpeg`;
    mkdirSync(database.deps.paths.derived, { recursive: true });
    writeFileSync(join(database.deps.paths.derived, name), 'picture');
    await database.sql`insert into asset_file (asset_id, kind, name, mime_type, size, tag)
      values (${assetId}, 'preview', ${name}, 'image/jpeg', 7, 't')`;
    const [album] = await database.sql`
      insert into album (owner_id, name) values (${owner.id}, 'Sea <3') returning id`;
    const albumId = album!['id'] as string;
    await database.sql`insert into album_asset (album_id, asset_id) values (${albumId}, ${assetId})`;
    await database.sql`
      insert into album_user (album_id, user_id, role) values (${albumId}, ${guest.id}, 'viewer')`;
    return albumId;
  }

  async function invite(over: object = {}) {
    const [owner, guest] = [await seed(database).user(), await seed(database).user()];
    const albumId = await shareAlbum(owner, guest, over);
    const data = { albumId, senderId: owner.id };
    const event = { key: `album-invite ${albumId} ${guest.id}`, userId: guest.id, data } as const;
    await queueMail(database.db, { ...event, template: 'album-invite' }, NOW);
    return { owner, guest, albumId, event };
  }

  test('an invitation names the album and brings its cover; the event makes one message, ever', async () => {
    await save({ externalDomain: 'https://photos.example.com' });
    const { event, albumId } = await invite();
    await queueMail(database.db, { ...event, template: 'album-invite' }, NOW);
    await deliver();
    await queueMail(database.db, { ...event, template: 'album-invite' }, NOW);
    await deliver(MINUTE);
    expect(server.received).toHaveLength(1);
    const { parsed } = server.received[0]!;
    expect(parsed.subject).toBe('You have been added to the album Sea <3');
    expect(parsed.text).toContain(`https://photos.example.com/albums/${albumId}`);
    expect(parsed.attachments.map(({ cid, content }) => [cid, content.toString()])).toEqual([
      ['cover', 'picture'],
    ]);
    expect(await messages()).toMatchObject([{ status: 'sent', attempts: 1, error: null }]);
  });

  test('a message is in the language of its recipient, or else in that of its sender', async () => {
    await save();
    const speak = (userId: string, language: string) =>
      database.sql`update app_user set language = ${language} where id = ${userId}`;
    const [first, second, third] = [await invite(), await invite(), await invite()];
    await speak(first.owner.id, 'fr');
    await speak(first.guest.id, 'ja');
    await speak(second.owner.id, 'de');
    await deliver();
    const subjects = [first, second, third].map(
      ({ guest }) => server.received.find(({ to }) => to === guest.email)?.parsed.subject,
    );
    expect(subjects).toEqual([
      'アルバム「Sea <3」に追加されました',
      'Du wurdest zum Album Sea <3 hinzugefügt',
      'You have been added to the album Sea <3',
    ]);
  });

  test('a Locked or trashed cover is not sent', async () => {
    await save();
    await invite({ lockedAt: NOW });
    await invite({ trashedAt: NOW });
    await deliver();
    expect(server.received.flatMap(({ parsed }) => parsed.attachments)).toEqual([]);
    expect(server.received).toHaveLength(2);
  });

  test('who does not see the album any more, or wants no such mail, gets none', async () => {
    await save();
    const gone = await invite();
    await database.sql`delete from album_user where album_id = ${gone.albumId}`;
    const { guest } = await invite();
    const body = { emailNotifications: { albumInvite: false } };
    await call(app, 'PUT /users/me/preferences', { as: guest, body });
    await deliver();
    expect(server.received).toEqual([]);
    expect(await messages()).toMatchObject([{ status: 'dropped' }, { status: 'dropped' }]);
  });

  test('nothing is queued while mail is off, and what waits then is dropped', async () => {
    await invite();
    expect(await messages()).toHaveLength(0);
    await save();
    await invite();
    await save({ smtp: { ...server.smtp(), enabled: false } });
    await deliver();
    expect(await messages()).toMatchObject([{ status: 'dropped' }]);
    expect(server.received).toEqual([]);
  });

  test('a refused message is tried five times over a day; the others do not wait for it', async () => {
    await save();
    const { guest } = await invite();
    [{ email: refused }] = (await database.sql`
      select email from app_user where id = ${guest.id}`) as unknown as [{ email: string }];
    const { guest: other } = await invite();
    await deliver();
    expect(server.received).toHaveLength(1);
    for (const minutes of [1, 6, 5 + 61, 66 + 301, 367 + 1001, 2000])
      await deliver(minutes * MINUTE);
    const rows = await database.sql`
      select status, attempts, error from mail_message where user_id = ${guest.id}`;
    expect(rows).toMatchObject([{ status: 'failed', attempts: 5 }]);
    expect(rows[0]!['error']).toContain('5.1.1 Nobody of that name');
    expect(other.id).not.toBe(guest.id);
    expect(server.received).toHaveLength(1);
  });

  test('a server that is gone costs one attempt of one message, and is tried again later', async () => {
    await save();
    await invite();
    await invite();
    await database.sql`update system_config
      set value = jsonb_set(value, '{smtp,transport,port}', '1') where section = 'notifications'`;
    await deliver();
    const [first, second] = await messages();
    expect(first!['attempts'] + second!['attempts']).toBe(1);
    await save();
    await deliver(10 * MINUTE);
    expect(server.received).toHaveLength(2);
  });

  test('a process that ended in the middle of an attempt leaves the message to the next', async () => {
    await save();
    await invite();
    await database.sql`update mail_message set attempts = 1,
      next_attempt_at = ${new Date(NOW.getTime() + 5 * MINUTE).toISOString()}`;
    await deliver(MINUTE);
    expect(server.received).toEqual([]);
    await deliver(6 * MINUTE);
    expect(server.received).toHaveLength(1);
  });
});
