import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { effort } from '../../../test/support/effort.ts';
import {
  NOW,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  call,
} from '../../../test/support/harness.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { shareAlbum } from '../../../test/support/shared-album.ts';
import { startSmtpServer, type TestSmtpServer } from '../../../test/support/smtp-server.ts';
import { until } from '../../../test/support/until.ts';
import type { App } from '../../app.ts';
import { handleDeliverMail } from '../../../test/support/mail.ts';
import { queueMail } from './index.ts';
import type { Smtp } from './schemas.ts';
import { takeMessage } from './store.ts';

let database: TestDatabase;
let app: App;
let server: TestSmtpServer;
/** Responses of the server to recipients, by address. */
const answers = new Map<string, { readonly code: number; readonly words: string }>();
let open = 0;
let mostOpen = 0;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  server = await startSmtpServer({
    onConnect: (_session, done) => {
      mostOpen = Math.max(mostOpen, ++open);
      done();
    },
    onClose: () => open--,
    onRcptTo: ({ address }, _session, done) => {
      const answer = answers.get(address);
      done(answer ? Object.assign(new Error(answer.words), { responseCode: answer.code }) : null);
    },
  });
});
afterAll(async () => {
  await server.stop();
  await database.close();
});
beforeEach(async () => {
  server.received.length = 0;
  answers.clear();
  await database.sql`delete from mail_message`;
  await database.sql`delete from system_config`;
});

/** Saves settings without trying them. */
async function save({
  externalDomain = '',
  smtp = server.smtp(),
}: { externalDomain?: string; smtp?: Smtp } = {}) {
  await database.sql`insert into system_config (section, value) values
    ('server', ${JSON.stringify({ externalDomain })}::text::jsonb),
    ('notifications', ${JSON.stringify({ smtp })}::text::jsonb)
    on conflict (section) do update set value = excluded.value`;
}
const deliver = (after = 0) =>
  handleDeliverMail(jobCtx(database, { now: () => new Date(NOW.getTime() + after) }), {});
const messages = () => database.sql`select status, attempts, error from mail_message order by key`;
const findMessage = async (userId: string) =>
  (
    await database.sql`select status, attempts, error from mail_message where user_id = ${userId}`
  )[0];
const MINUTE = 60_000;
/** From the first attempt to each further one: the pauses double. */
const RETRIES = [5, 10, 20, 40, 80, 160, 320, 640, 1280, 1365].map((at) => at * MINUTE);

async function invite(over: object = {}) {
  const [owner, guest] = [await seed(database).user(), await seed(database).user()];
  const albumId = await shareAlbum(database, owner, guest, over);
  const data = { albumId, senderId: owner.id };
  const event = { key: `album-invite ${albumId} ${guest.id}`, userId: guest.id, data } as const;
  await queueMail(database.db, { ...event, template: 'album-invite' }, NOW);
  return { owner, guest, albumId, event };
}

describe('delivery', () => {
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

  test('a message that the server defers is tried for most of a day, later each time; the others do not wait', async () => {
    await save();
    const { guest } = await invite();
    answers.set(guest.email, { code: 450, words: '4.2.1 Try later' });
    await invite();
    await deliver();
    expect(server.received).toHaveLength(1);
    for (const [index, after] of RETRIES.entries()) {
      expect(await findMessage(guest.id)).toMatchObject({ status: 'queued', attempts: index + 1 });
      await deliver(after - MINUTE);
      expect(await findMessage(guest.id)).toMatchObject({ attempts: index + 1 });
      await deliver(after);
    }
    expect(await findMessage(guest.id)).toEqual({
      status: 'failed',
      attempts: 11,
      error: '450 4.2.1 Try later',
    });
    expect(server.received).toHaveLength(1);
  });

  test('a message is not given up by crashes and outages, however many, and one answer', async () => {
    await save();
    const { guest } = await invite();
    // Taken by processes that end before they send it.
    for (let crash = 0; crash < 5; crash++) {
      const at = new Date(NOW.getTime() + 6 * crash * MINUTE);
      const taken = await takeMessage(database.db, at, new Date(at.getTime() + 5 * MINUTE));
      expect(taken).toMatchObject({ userId: guest.id });
      expect(await takeMessage(database.db, at, at)).toBeUndefined();
    }
    const days = 3 * 24 * 60 * MINUTE;
    answers.set(guest.email, { code: 451, words: '4.3.0 Try later' });
    await deliver(days);
    expect(await findMessage(guest.id)).toEqual({
      status: 'queued',
      attempts: 1,
      error: '451 4.3.0 Try later',
    });
    answers.clear();
    await deliver(days + 6 * MINUTE);
    expect(await findMessage(guest.id)).toMatchObject({ status: 'sent', attempts: 2 });
    expect(server.received).toHaveLength(1);
  });

  test('a message that the server refuses for good is not tried again', async () => {
    await save();
    const { guest } = await invite();
    answers.set(guest.email, { code: 550, words: '5.1.1 Nobody of that name' });
    await invite();
    for (const after of [0, ...RETRIES]) await deliver(after);
    expect(await findMessage(guest.id)).toEqual({
      status: 'failed',
      attempts: 1,
      error: '550 5.1.1 Nobody of that name',
    });
    expect(server.received).toHaveLength(1);
  });

  test('a refused login ends the run and is no attempt: providers lock accounts', async () => {
    let logins = 0;
    const strict = await startSmtpServer({
      authOptional: false,
      onAuth: (_auth, _session, done) => {
        logins++;
        done(new Error('5.7.8 Wrong password'));
      },
    });
    await save({ smtp: strict.smtp({ username: 'u', password: 'secret word' }) });
    for (let n = 0; n < 5; n++) await invite();
    await deliver();
    await strict.stop();
    expect(logins).toBe(1);
    const tried = (await messages()).filter((message) => message['error'] !== null);
    expect(tried).toMatchObject([
      { status: 'queued', attempts: 0, error: '535 5.7.8 Wrong password' },
    ]);
  });

  test('many messages go by few connections, each once, also by two runs at a time', async () => {
    const many = effort({ quick: 50, full: 150 });
    await save();
    const { guest } = await invite();
    await database.sql`insert into mail_message (key, user_id, template, data, next_attempt_at)
      select 'many ' || n, ${guest.id}, 'welcome', '{}', ${NOW.toISOString()} from generate_series(1, ${many}::int) n`;
    await until(() => open === 0);
    mostOpen = 0;
    await Promise.all([deliver(), deliver()]);
    expect(mostOpen).toBeLessThanOrEqual(6);
    const ids = server.received.map(({ parsed }) => parsed.messageId);
    expect([ids.length, new Set(ids).size]).toEqual([many + 1, many + 1]);
  });

  test('a server that defers one message after the other is left alone for a while', async () => {
    await save();
    const { guest } = await invite();
    answers.set(guest.email, { code: 450, words: '4.7.1 Too many messages' });
    await database.sql`insert into mail_message (key, user_id, template, data, next_attempt_at)
      select 'many ' || n, ${guest.id}, 'welcome', '{}', ${NOW.toISOString()} from
      generate_series(1, 40) n`;
    await deliver();
    const tried = async () =>
      (await messages()).filter((message) => message['attempts'] > 0).length;
    const first = await tried();
    expect(first).toBeGreaterThanOrEqual(10);
    expect(first).toBeLessThan(15);
    answers.clear();
    await deliver(MINUTE);
    expect(server.received).toHaveLength(41 - first);
  });

  test('the messages of an account that is deleted, or will be, are not sent', async () => {
    await save();
    const [marked, gone, kept] = [await invite(), await invite(), await invite()];
    await database.sql`update app_user set deleted_at = now(), status = 'deleted'
      where id = ${marked.guest.id}`;
    await database.sql`delete from app_user where id = ${gone.guest.id}`;
    await deliver();
    expect(server.received.map(({ to }) => to)).toEqual([kept.guest.email]);
    expect(await findMessage(marked.guest.id)).toMatchObject({ status: 'dropped' });
    expect(await findMessage(gone.guest.id)).toBeUndefined();
  });

  test('a server that is gone ends the run, is no attempt, and is tried for most of a day', async () => {
    await save();
    await invite();
    await invite();
    await database.sql`update system_config
      set value = jsonb_set(value, '{smtp,transport,port}', '1') where section = 'notifications'`;
    await deliver();
    expect(await messages()).toMatchObject([{ attempts: 0 }, { attempts: 0 }]);
    expect((await messages()).filter(({ error }) => error !== null)).toHaveLength(1);
    for (const after of RETRIES.slice(0, -1)) await deliver(after);
    await save();
    await deliver(RETRIES.at(-1)! + 10 * MINUTE);
    expect(server.received).toHaveLength(2);
    expect(await messages()).toMatchObject([
      { status: 'sent', attempts: 1 },
      { status: 'sent', attempts: 1 },
    ]);
  });

  test('a message whose server is gone for longer is given up', async () => {
    const gone = server.smtp({ port: 1 });
    await save({ smtp: gone });
    const { guest } = await invite();
    for (const after of [0, ...RETRIES.slice(0, -1)]) await deliver(after);
    expect(await findMessage(guest.id)).toMatchObject({ status: 'queued', attempts: 0 });
    await deliver(RETRIES.at(-1));
    expect(await findMessage(guest.id)).toMatchObject({
      status: 'failed',
      attempts: 0,
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('a process that ended in the middle of an attempt leaves the message to the next', async () => {
    await save();
    await invite();
    await takeMessage(database.db, NOW, new Date(NOW.getTime() + 5 * MINUTE));
    await deliver(MINUTE);
    expect(server.received).toEqual([]);
    await deliver(6 * MINUTE);
    expect(server.received).toHaveLength(1);
  });
});
