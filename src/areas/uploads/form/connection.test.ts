import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { DATES, FORM_TYPE, photoForm, randomFileBytes } from '../../../../test/support/forms.ts';
import {
  seed,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../../test/support/harness.ts';
import type { App } from '../../../app.ts';
import { silentLog } from '../../../core/log.ts';
import { type Listener, startListener } from '../../../http/listener.ts';

let database: TestDatabase;
let app: App;
let alice: TestUser;
let listener: Listener;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  alice = await seed(database).user();
  listener = await startListener({ fetch: app.fetch, host: '127.0.0.1', port: 0, log: silentLog });
});
afterAll(async () => {
  await listener.stop(0);
  await database.close();
});

/** Every row and every file that an upload could have left. */
async function traces(): Promise<object> {
  const { sql, deps } = database;
  const [rows] = await sql`select
    (select count(*) from asset) as assets, (select count(*) from original) as originals,
    (select count(*) from job) as jobs, (select count(*) from asset_file) as files,
    (select count(*) from asset_metadata) as metadata`;
  const entries = await readdir(deps.paths.root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  return { ...rows, names: files.sort() };
}

async function leavesNothing<T>(work: () => Promise<T>): Promise<T> {
  const before = await traces();
  const result = await work();
  expect(await traces()).toEqual(before);
  return result;
}

/** Sends exactly these bytes, then disconnects or waits. Returns the response. */
async function rawUpload(headers: string, body: readonly Uint8Array[], hangUp = false) {
  const socket = connect(listener.port, '127.0.0.1');
  let received = '';
  const ended = Promise.withResolvers<void>();
  socket.on('data', (chunk: Uint8Array) => {
    received += Buffer.from(chunk).toString();
    if (/\r\n\r\n\{.*\}/s.test(received)) ended.resolve();
  });
  socket.on('error', () => ended.resolve());
  socket.on('close', () => ended.resolve());
  socket.write(
    `POST /api/assets HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${FORM_TYPE}\r\n${headers}\r\n\r\n`,
  );
  for (const chunk of body) socket.write(chunk);
  if (hangUp) await until(async () => (await incomingNames()).length > 0);
  if (hangUp) socket.destroy();
  await ended.promise;
  socket.destroy();
  return { received, status: Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]) };
}

const incomingNames = () => readdir(database.deps.paths.incoming).catch(() => []);

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 5000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('waited in vain');
    await Bun.sleep(5);
  }
}

test('a client that disconnects leaves no file and no row', async () => {
  await leavesNothing(async () => {
    const form = photoForm(randomFileBytes(3_000_000));
    const head = `x-api-key: ${alice.key}\r\ncontent-length: ${form.length}`;
    await rawUpload(head, [form.subarray(0, 2_000_000)], true);
    await until(async () => (await incomingNames()).length === 0);
  });
});

test('refuses an unsupported file before its body is complete', async () => {
  await leavesNothing(async () => {
    const form = photoForm(randomFileBytes(500_000), [], 'a.exe');
    const head = `x-api-key: ${alice.key}\r\ncontent-length: ${form.length}`;
    const { status, received } = await rawUpload(head, [form.subarray(0, 1000)]);
    expect(status).toBe(400);
    expect(received).toContain('Unsupported file type a.exe');
  });
});

test('a connection is reusable after an accepted or refused upload', async () => {
  const url = `${listener.url}/api/assets`;
  for (const [name, status] of [
    ['a.jpg', 201],
    ['a.exe', 400],
    ['b.jpg', 201],
  ] as const) {
    const body = new FormData();
    body.set('assetData', new Blob([Buffer.from(randomFileBytes(900_000))]), name);
    for (const { name: field, value } of DATES) body.set(field, value!);
    const reply = await fetch(url, { method: 'POST', headers: { 'x-api-key': alice.key }, body });
    expect(reply.status).toBe(status);
    await reply.json();
  }
});
