import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { runningCluster } from '../../src/db/cluster.ts';
import {
  createEmpty,
  dropDatabase,
  toUrl,
  withAdmin,
  withConnection,
} from '../../src/db/databases.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createApi, createClient } from '../e2e/people.ts';
import { signUp, until } from '../e2e/server.ts';
import { addDatabase } from '../fixtures/data-folder.ts';
import {
  addEarlierDatabase,
  FIRST_RELEASE,
  LIBRARY,
  withCluster,
} from '../support/earlier-library.ts';
import { effort } from '../support/effort.ts';
import { isBackend, killProcessTree } from '../support/processes.ts';
import { createMemoryFolder } from '../support/memory-folder.ts';
import { isReady, serveFrom } from '../support/served.ts';
import { runCommand } from '../support/command-line.ts';

// A database that has taken the place of another is durable by itself: PostgreSQL, or one of its processes, is killed
// soon after, before a checkpoint would have come by itself, and everything that is written afterwards works.

setDefaultTimeout(600_000);

const folder = createMemoryFolder('after-replacement-');
const servers = serveFrom(folder);
let dataDir: string;
beforeEach(() => {
  dataDir = join(mkdtempSync(join(folder, 'place-')), 'data');
});
afterEach(() => servers.stopAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FLAGS = ['--models=/nonexistent', '--reserve=0'];
const serve = () => servers.serve('--data', dataDir, ...FLAGS);
type Server = Awaited<ReturnType<typeof serve>>;

const isServed = ({ url }: Server) => isReady(url).catch(() => false);
const untilServed = (server: Server) => until('the server', () => isServed(server));

/** Returns the process of PostgreSQL, and those that serve its clients. */
function listDatabaseProcesses(): { readonly postmaster: number; readonly backends: number[] } {
  const file = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8');
  const postmaster = Number(file.split('\n')[0]);
  return { postmaster, backends: listProcessTree(postmaster).filter(isBackend) };
}

const VICTIMS: Readonly<Record<string, () => void>> = {
  'one back-end': () => process.kill(listDatabaseProcesses().backends[0]!, 'SIGKILL'),
  'the whole of PostgreSQL': () => killProcessTree(listDatabaseProcesses().postmaster),
};

const makePicture = (n: number) =>
  sharp({ create: { width: 64, height: 48, channels: 3, background: { r: n, g: 9, b: 7 } } })
    .jpeg()
    .toBuffer();

/** Uploads a picture, changes it, puts it into an album, and waits for its thumbnail and its metadata. */
async function expectWritable({ url }: Server, apiKey: string): Promise<void> {
  const api = createApi(url, apiKey);
  const body = new FormData();
  const bytes = new Uint8Array(await makePicture(Math.floor(Math.random() * 256)));
  body.set('assetData', new File([bytes], 'a.jpg'));
  for (const name of ['fileCreatedAt', 'fileModifiedAt']) body.set(name, '2026-01-01T00:00:00Z');
  const headers = { 'x-api-key': apiKey };
  const response = await fetch(`${url}/api/assets`, { method: 'POST', body, headers });
  expect(response.status).toBe(201);
  const { id } = (await response.json()) as { id: string };
  const path = `/assets/${id}`;
  expect(await api('PUT', path, { isFavorite: true })).toMatchObject({ isFavorite: true });
  const album = { albumName: 'Trip', assetIds: [id] };
  expect(await api('POST', '/albums', album)).toMatchObject({ albumName: 'Trip' });
  await until('the jobs', async () => {
    const thumbnail = await fetch(`${url}/api${path}/thumbnail`, { headers });
    const { exifInfo } = await api<{ exifInfo: { exifImageWidth: number | null } }>('GET', path);
    return thumbnail.status === 200 && exifInfo.exifImageWidth === 64;
  });
}

/** In seconds after the replacement. */
const DELAYS = effort({ quick: 1, full: 2 }) === 1 ? [0] : [0, 5, 30, 60];
const CASES = Object.keys(VICTIMS).flatMap((victim) =>
  DELAYS.map((after) => [victim, after] as const),
);

const countRestarts = ({ lines }: Server): number =>
  lines.filter(({ message }) => message === 'the database server runs again').length;

/** Kills this part of PostgreSQL so many seconds after the server serves, and writes. */
async function expectSurvives(
  server: Server,
  apiKey: string,
  { victim, after }: { readonly victim: string; readonly after: number },
): Promise<void> {
  await Bun.sleep(after * 1000);
  const before = countRestarts(server);
  VICTIMS[victim]!();
  await until('PostgreSQL', async () => countRestarts(server) > before);
  await untilServed(server);
  await expectWritable(server, apiKey);
}

test.each(CASES)('after an update, %s is killed %d s later', async (victim, after) => {
  await addEarlierDatabase(dataDir);
  const server = await serve();
  await untilServed(server);
  const { apiKey } = await signUp(server.url);
  await expectSurvives(server, apiKey, { victim, after });
});

test('a library that such a crash has left unreadable is mended by the next start', async () => {
  const isListenerRead = (url: string) =>
    withConnection(url, (sql) => sql`select from live_listener`).then(
      () => true,
      (error: Error) => error.message,
    );
  await addDatabase(dataDir);
  await withCluster(dataDir, async (url) => {
    await withAdmin(url, async (admin) => {
      await createEmpty(admin, 'source');
      await withConnection(toUrl(url, 'source'), (sql) => migrate(sql, FIRST_RELEASE));
      await dropDatabase(admin, LIBRARY);
      await admin`create database ${admin(LIBRARY)} template source strategy wal_log`;
    });
    VICTIMS['the whole of PostgreSQL']!();
    await until('PostgreSQL', async () => (await isListenerRead(url)).toString().includes('zero'));
  });
  const server = await serve();
  await untilServed(server);
  const { apiKey } = await signUp(server.url);
  await expectWritable(server, apiKey);
  const emptied = server.lines.filter(({ message }) => message === 'emptied unreadable tables');
  expect(emptied).toMatchObject([{ level: 'warn', tables: 'live_listener' }]);
});

test.each(CASES)('after a restore, %s is killed %d s later', async (victim, after) => {
  await addDatabase(dataDir);
  const server = await serve();
  const { apiKey, accessToken } = await signUp(server.url);
  const { out, code } = await runCommand(folder, ['maintenance', 'backup', '--data', dataDir]);
  expect(code).toBe(0);
  const authorize = async () => ({ authorization: `Bearer ${accessToken}` });
  const api = createClient(server.url, authorize);
  const getDatabaseId = () =>
    withConnection(runningCluster(dataDir)!, async (sql) => {
      const [row] = await sql`select oid from pg_database where datname = current_database()`;
      return row?.['oid'];
    }).catch(() => undefined);
  const before = await getDatabaseId();
  const restore = { action: 'restore_database', restoreBackupFilename: basename(out) };
  await api('POST', '/admin/maintenance', restore);
  await until('the other database', async () => {
    const now = await getDatabaseId();
    return now !== undefined && now !== before;
  });
  await untilServed(server);
  await expectSurvives(server, apiKey, { victim, after });
});
