import { expect } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import type { App } from '../../src/app.ts';
import { silentLog } from '../../src/core/log.ts';
import { startListener } from '../../src/http/listener.ts';
import { FORM_TYPE } from './forms.ts';
import { seed, type TestDatabase, type TestUser, testApp, testDatabase } from './harness.ts';
import { until } from './until.ts';

/** A library with a real listener, for uploads as forms. */
export type FormServer = {
  readonly database: TestDatabase;
  readonly app: App;
  readonly alice: TestUser;
  readonly url: string;
  /** Expects every row and every file of the library to be after `work` what they were before. */
  readonly leavesNothing: <T>(work: () => Promise<T>) => Promise<T>;
  /** Sends exactly these bytes, then disconnects or waits. Returns the response. */
  readonly rawUpload: (
    headers: string,
    body: readonly Uint8Array[],
    hangUp?: boolean,
  ) => Promise<{ readonly received: string; readonly status: number }>;
  /** Names of files in progress. */
  readonly listIncoming: () => Promise<string[]>;
  readonly close: () => Promise<void>;
};

export async function openFormServer(): Promise<FormServer> {
  const database = await testDatabase();
  const app = testApp(database);
  const alice = await seed(database).user();
  const listener = await startListener({
    fetch: app.fetch,
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
  });
  const listIncoming = () => readdir(database.deps.paths.incoming).catch(() => []);
  return {
    database,
    app,
    alice,
    url: listener.url,
    leavesNothing: async (work) => {
      const before = await listTraces(database);
      const result = await work();
      expect(await listTraces(database)).toEqual(before);
      return result;
    },
    rawUpload: (headers, body, hangUp = false) =>
      sendRaw(listener.port, {
        headers,
        body,
        ...(hangUp && { hangUpWhen: async () => (await listIncoming()).length > 0 }),
      }),
    listIncoming,
    close: async () => {
      await listener.stop(0);
      await database.close();
    },
  };
}

/** Every row and every file that an upload could have left. */
async function listTraces({ sql, deps }: TestDatabase): Promise<object> {
  const [rows] = await sql`select
    (select count(*) from asset) as assets, (select count(*) from original) as originals,
    (select count(*) from job) as jobs, (select count(*) from asset_file) as files,
    (select count(*) from asset_metadata) as metadata`;
  const entries = await readdir(deps.paths.root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  return { ...rows, names: files.sort() };
}

type RawForm = {
  readonly headers: string;
  readonly body: readonly Uint8Array[];
  readonly hangUpWhen?: () => Promise<boolean>;
};

async function sendRaw(port: number, { headers, body, hangUpWhen }: RawForm) {
  const socket = connect(port, '127.0.0.1');
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
  if (hangUpWhen) {
    await until(hangUpWhen);
    socket.destroy();
  }
  await ended.promise;
  socket.destroy();
  return { received, status: Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]) };
}
