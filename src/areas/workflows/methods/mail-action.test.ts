import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { configWith } from '../../../../test/support/config.ts';
import {
  call,
  NOW,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { startSmtpServer, type TestSmtpServer } from '../../../../test/support/smtp-server.ts';
import {
  addWorkflow,
  own,
  readLog,
  runWorkflows,
  tagAssets,
} from '../../../../test/support/workflows.ts';
import type { App } from '../../../app.ts';
import { handleDeliverMail } from '../../../../test/support/mail.ts';
import { takeMessage } from '../../mail/store.ts';
import { saveConfig } from '../../system-config/config.domain.ts';

const MINUTE_MS = 60_000;

let database: TestDatabase;
let app: App;
let server: TestSmtpServer;
let me: TestUser;
let photos: string[];
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  server = await startSmtpServer();
});
afterAll(async () => {
  await server.stop();
  await database.close();
});
beforeEach(async () => {
  server.received.length = 0;
  await database.sql`truncate mail_message`;
  me = await seed(database).user();
  photos = [await addPhoto('Lisbon'), await addPhoto('Lisbon'), await addPhoto('Porto')];
  await configureMail(true);
});

const addPhoto = (city: string) => seed(database).asset({ ownerId: me.id, exif: { city } });

async function configureMail(enabled: boolean): Promise<void> {
  const smtp = { ...server.smtp(), enabled };
  const { notifications, server: address } = configWith({
    notifications: { smtp },
    server: { externalDomain: 'https://photos.example.com' },
  });
  await saveConfig(database.db, { notifications, server: address }, NOW);
}

async function run(config: object, over: object = {}): Promise<string> {
  const id = await addWorkflow(app, me, [own('mail', config)], over);
  await tagAssets(app, me, photos);
  await runWorkflows(database);
  return id;
}

const deliver = (minutes: number) =>
  handleDeliverMail(
    jobCtx(database, { now: () => new Date(database.deps.now().getTime() + minutes * MINUTE_MS) }),
    {},
  );

test('many items are one message to the owner, a minute after the last', async () => {
  await run({ message: 'New from {{city}}{{state}}' }, { name: 'Towns' });
  await deliver(0);
  expect(server.received).toEqual([]);
  await deliver(2);
  const [mail] = server.received;
  expect(server.received).toHaveLength(1);
  expect(mail!.to).toBe(me.email);
  expect(mail!.parsed.subject).toBe('Towns');
  expect(mail!.parsed.text!.match(/New from \w+/g)!.toSorted()).toEqual([
    'New from Lisbon',
    'New from Porto',
  ]);
  expect(mail!.parsed.text).toContain('Photos and videos: 3');
  expect(photos).toContain(/photos\.example\.com\/photos\/(.*)/.exec(mail!.parsed.text!)![1]!);
  await deliver(10);
  expect(server.received).toHaveLength(1);

  await tagAssets(app, me, [photos[0]!]);
  await runWorkflows(database);
  await deliver(2);
  expect(server.received[1]!.parsed.text).toContain('Photos and videos: 1');
});

test('an item that comes while the message is sent is not lost: it has a message of its own', async () => {
  await run({ message: 'New from {{city}}' });
  const { now } = database.deps;
  const later = (minutes: number) => new Date(now().getTime() + minutes * MINUTE_MS);
  expect(await takeMessage(database.db, later(2), later(7))).toBeDefined();
  await tagAssets(app, me, [await addPhoto('Faro')]);
  await runWorkflows(database);
  await deliver(2);
  expect(server.received.map(({ parsed }) => parsed.text!.match(/New from \w+/g))).toEqual([
    ['New from Faro'],
  ]);
});

test('steps and workflows have messages of their own', async () => {
  const steps = [own('mail', { message: 'one', subject: 'S1' }), own('mail', { message: 'two' })];
  await addWorkflow(app, me, steps);
  const other = await seed(database).user();
  await addWorkflow(app, other, [own('mail', { message: 'theirs' })]);
  await tagAssets(app, me, photos);
  await runWorkflows(database);
  await deliver(2);
  const sent = server.received.map(({ to, parsed }) => `${parsed.subject} to ${to}`);
  expect(sent.toSorted()).toEqual([`S1 to ${me.email}`, `Safelight to ${me.email}`]);
});

test('leaves out what is locked or trashed meanwhile, and is not sent without the rest', async () => {
  await run({ message: 'From {{city}}' });
  await database.sql`update asset set locked_at = now() where id = ${photos[2]!}`;
  await database.sql`update asset set trashed_at = now() where id = ${photos[1]!}`;
  await deliver(2);
  const text = server.received[0]!.parsed.text!;
  expect(text).toContain('From Lisbon');
  expect(text).not.toContain('Porto');
  expect(text).toContain('Photos and videos: 1');
  expect(text).toContain(photos[0]!);

  await run({ message: 'Again' });
  await database.sql`update asset set locked_at = now() where owner_id = ${me.id}`;
  await deliver(2);
  expect(server.received).toHaveLength(1);
});

test('the message and the subject are text', async () => {
  await run({ message: '<img src=x> {subject} {count}', subject: 'a\nBcc: other@example.com' });
  await deliver(2);
  const { parsed } = server.received[0]!;
  expect(parsed.subject).toBe('a Bcc: other@example.com');
  expect(parsed.bcc).toBeUndefined();
  expect(parsed.html).toContain('&lt;img src=x&gt; {subject} {count}');
});

test('fails with the reason in the log while no mail server is set up', async () => {
  await configureMail(false);
  const id = await run({ message: 'm' });
  expect((await readLog(app, me, id))[0]).toMatchObject({
    result: 'error',
    error: 'No mail server is set up',
    lastStep: { index: 0, method: 'safelight#mail' },
  });
  expect(await database.sql`select 1 from mail_message`).toHaveLength(0);
});

test('refuses an unknown placeholder', async () => {
  const body = { trigger: 'AssetCreate', steps: [own('mail', { message: '{{password}}' })] };
  const reply = await call(app, 'POST /workflows', { as: me, body });
  expect([reply.status, reply.body.errors[0].path.join('.')]).toEqual([
    400,
    'steps.0.config.message',
  ]);
});
