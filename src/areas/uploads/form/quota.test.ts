import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import {
  FORM_TYPE,
  photoForm,
  toSha1Hex,
  randomFileBytes,
  upload,
} from '../../../../test/support/forms.ts';
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
let listener: Listener;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
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

describe('the upload quota', () => {
  const send = (as: TestUser, bytes: Uint8Array, query?: { length: number }) =>
    upload(app, photoForm(bytes), {
      as,
      ...(query && { headers: { 'content-length': String(query.length) } }),
    });

  test('includes trashed and hidden assets', async () => {
    const user = await seed(database).user(['all'], { quotaBytes: 1000 });
    const { body } = await send(user, randomFileBytes(600));
    await database.sql`update asset set trashed_at = now() where id = ${body.id}`;
    const reply = await leavesNothing(() => send(user, randomFileBytes(401)));
    expect(reply).toMatchObject({ status: 400, body: { message: 'Quota has been exceeded!' } });
    expect(await send(user, randomFileBytes(400))).toMatchObject({ status: 201 });
  });

  test('does not refuse a duplicate', async () => {
    const user = await seed(database).user(['all'], { quotaBytes: 1000 });
    const bytes = randomFileBytes(1000);
    await send(user, bytes);
    expect(await send(user, bytes)).toMatchObject({ status: 400 });
    const headers = { 'x-immich-checksum': toSha1Hex(bytes) };
    const reply = await upload(app, photoForm(bytes), { as: user, headers });
    expect(reply).toMatchObject({ status: 200, body: { status: 'duplicate' } });
  });

  test('is not exceeded by concurrent uploads', async () => {
    const user = await seed(database).user(['all'], { quotaBytes: 25_000 });
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => send(user, randomFileBytes(10_000))),
    );
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([
      201, 201, 400, 400, 400, 400,
    ]);
    const [used] = await database.sql`
      select sum(file_size) as bytes from asset where owner_id = ${user.id}`;
    expect(used).toEqual({ bytes: '20000' });
  });

  test('refuses a body that is too long by its Content-Length alone', async () => {
    const user = await seed(database).user(['all'], { quotaBytes: 1000 });
    const { status, received } = await rawUpload(
      `x-api-key: ${user.key}\r\nexpect: 100-continue\r\ncontent-length: 50000000`,
      [],
    );
    expect(status).toBe(400);
    expect(received).toContain('Quota has been exceeded!');
    expect(received).not.toContain('100 Continue');
  });
});

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
