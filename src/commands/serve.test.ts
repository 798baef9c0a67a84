import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { createDatabase, dropDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { serveFrom } from '../../test/support/served.ts';
import { until } from '../../test/support/until.ts';
import { socketUrl } from '../db/address.ts';
import { withConnection } from '../db/databases.ts';

// A fresh database waits for the disk.
setDefaultTimeout(300_000);

const folder = createMemoryFolder('serve-test-');
const dataDir = join(folder, 'data');
const pidFile = join(dataDir, 'postgres', 'postmaster.pid');

const served = serveFrom(folder);
beforeAll(() => addDatabase(dataDir));
afterEach(() => served.stopAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a server on the data folder and waits until it is ready. */
const serve = (...args: string[]) => served.serve('--data', dataDir, ...args);

async function outcome(...args: string[]) {
  const child = served.spawn(...args);
  const words = await new Response(child.stderr).text();
  return { code: await child.exited, words };
}

const answers = async (url: string) => (await fetch(`${url}/api/openapi.json`)).status;

test('serves a new data folder, exits with code 0 on SIGTERM, and starts again', async () => {
  const [newFolder, newPidFile] = [
    join(folder, 'new'),
    join(folder, 'new/postgres/postmaster.pid'),
  ];
  const first = await served.serve('--data', newFolder);
  expect(await answers(first.url)).toBe(200);
  expect(existsSync(newPidFile)).toBe(true);
  const page = await fetch(first.url, { headers: { accept: 'text/html' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/html') as never,
  ]);
  const discovery = await fetch(`${first.url}/.well-known/immich?x=1`);
  expect(await discovery.json()).toEqual({ api: { endpoint: '/api' } });
  first.child.kill('SIGTERM');
  expect(await first.child.exited).toBe(0);
  expect(existsSync(newPidFile)).toBe(false);

  const second = await served.serve('--data', newFolder);
  expect(await answers(second.url)).toBe(200);
  expect(second.lines.map(({ message }) => message).join('\n')).not.toContain('repairs');
  second.child.kill('SIGINT');
  expect(await second.child.exited).toBe(0);
});

test('refuses a second server on the same data folder, and the first continues', async () => {
  const { url } = await serve();
  const { code, words } = await outcome('serve', '--data', dataDir, '--port', '0');
  expect(code).toBe(1);
  expect(words).toContain('is running on');
  expect(words).not.toContain('    at ');
  expect(await answers(url)).toBe(200);
});

test('exits with code 1 and stops the database when the port is in use', async () => {
  const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  const port = String(other.port);
  const address = ['--host', '127.0.0.1', '--port', port];
  const { code, words } = await outcome('serve', '--data', dataDir, ...address);
  await other.stop();
  expect(words).toContain(`port ${port}: another program does already`);
  expect(code).toBe(1);
  expect(existsSync(pidFile)).toBe(false);
});

test('names a certificate that cannot be read and does not start', async () => {
  const tls = ['--tls-cert', '/nowhere.pem', '--tls-key', '/nowhere.key'];
  const { code, words } = await outcome('serve', '--data', dataDir, '--port', '0', ...tls);
  expect([code, words]).toEqual([1, expect.stringContaining('/nowhere.pem') as never]);
});

test('continues after its database was killed and restarted', async () => {
  const { url, lines } = await serve();
  const pid = Number((await Bun.file(pidFile).text()).split('\n')[0]);
  process.kill(pid, 'SIGKILL');
  const until = Date.now() + 120_000;
  while (!lines.some(({ message }) => message === 'the database server runs again')) {
    expect(Date.now()).toBeLessThan(until);
    await Bun.sleep(10);
  }
  expect((await fetch(`${url}/api/server/ping`)).status).toBeLessThan(500);
});

test('worker requires the URL of a database that has the schema', async () => {
  expect((await outcome('worker')).code).toBe(2);
  await serve();
  const socketDir = (await Bun.file(pidFile).text()).split('\n')[4]!;
  const empty = socketUrl(socketDir, 'safelight', 'postgres');
  const { code, words } = await outcome('worker', '--data', dataDir, '--database-url', empty);
  expect(words).toContain('The database has no schema');
  expect(code).toBe(1);
});

test('a worker ends when a database of another version takes the place of its own', async () => {
  const name = await createDatabase('worker');
  const url = toDatabaseUrl(name);
  try {
    const ownFolder = join(folder, 'worker');
    const worker = served.spawn('worker', '--data', ownFolder, '--database-url', url);
    const words = new Response(worker.stderr).text();
    await withConnection(url, async (sql) => {
      await until(async () => {
        const pools = await sql`select from pg_stat_activity
          where application_name = 'safelight worker' and datname = ${name}`;
        return pools.length > 0;
      });
      await sql`insert into schema_migration (name, checksum) values ('9999_later', 'x')`;
    });
    expect(await worker.exited).toBe(1);
    expect(await words).toMatch(/schema of another version|has the schema 9999_later/);
  } finally {
    await dropDatabase(name);
  }
});
