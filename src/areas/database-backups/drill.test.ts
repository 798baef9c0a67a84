import { beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { drainLane } from '../../../test/support/processing.ts';
import type { HandlersByLane } from '../../job-registry.ts';
import { toUrl, withConnection } from '../../db/databases.ts';
import { writeDrill } from './drill-file.ts';
import { writeBackup } from '../../maintenance/backup-files.ts';
import { handleRunDrill } from './handlers.ts';

// Databases are made and filled.
setDefaultTimeout(180_000);

const { database, app } = await useApp();
let admin: TestUser;
let folder: string;
let url: string;
beforeAll(async () => {
  folder = database.deps.paths.backups;
  url = database.deps.settings.databaseUrl!;
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(() => rmSync(folder, { recursive: true, force: true }));

const now = new Date('2026-01-01T00:00:00Z');
const NAME = 'safelight-scheduled-20260101T000000Z.dump';
const writeOne = () =>
  writeBackup(url, folder, { kind: 'scheduled', now, signal: new AbortController().signal });
const start = (filename: string, as: TestUser | undefined = admin) =>
  call(app, 'POST /admin/database-backups/restore-drill', { as, body: { filename } });
const getState = async () =>
  (await call(app, 'GET /admin/database-backups/state', { as: admin })).body;
const drain = () =>
  drainLane(database, 'background', {
    'databaseBackups.runDrill': handleRunDrill,
  } as HandlersByLane<'background'>);
const listDrillDatabases = () =>
  withConnection(toUrl(url, 'postgres'), async (sql) => {
    const rows = await sql`select datname from pg_database where datname like '%\_drill'`;
    return rows.map(({ datname }) => datname as string);
  });

test('a backup is restored beside the database, and what differs is told', async () => {
  await writeOne();
  await seed(database).user();
  expect((await start(NAME)).status).toBe(204);
  expect((await getState()).restoreDrill).toMatchObject({ filename: NAME, status: 'waiting' });
  await drain();
  const { restoreDrill } = await getState();
  expect(restoreDrill).toMatchObject({ filename: NAME, status: 'succeeded', missing: 0 });
  const { before, now: present } = restoreDrill.changes.find(
    (one: { kind: string }) => one.kind === 'accounts',
  );
  expect([restoreDrill.accounts, present - before]).toEqual([before, 1]);
  expect(JSON.stringify(restoreDrill)).not.toContain(admin.id);
  expect(await listDrillDatabases()).not.toContain(`${new URL(url).pathname.slice(1)}_drill`);
});

test('a backup that cannot be restored is told, and leaves nothing behind', async () => {
  await writeOne();
  const bytes = readFileSync(join(folder, NAME));
  writeFileSync(join(folder, 'broken.dump'), bytes.subarray(0, bytes.length / 2));
  await start('broken.dump');
  await drain();
  expect((await getState()).restoreDrill).toMatchObject({
    filename: 'broken.dump',
    status: 'failed',
    error: expect.stringContaining('error'),
  });
  expect(await listDrillDatabases()).not.toContain(`${new URL(url).pathname.slice(1)}_drill`);
});

test('a drill whose process has ended is told as interrupted', async () => {
  await writeOne();
  const old = { filename: NAME, status: 'running', startedAt: now.toISOString() } as const;
  await writeDrill(folder, old);
  expect((await getState()).restoreDrill.status).toBe('running');
  const path = join(folder, 'restore-drill.json');
  writeFileSync(path, JSON.stringify({ ...old, writtenAt: now.toISOString() }));
  expect((await getState()).restoreDrill.status).toBe('failed');
});

test('only administrators start one, and only of a backup that is there', async () => {
  await writeOne();
  const keyOnly = await seed(database).user(['album.read'], { isAdmin: true });
  expect((await start(NAME, await seed(database).user())).status).toBe(403);
  expect((await start(NAME, keyOnly)).status).toBe(403);
  expect((await start('none.dump')).status).toBe(404);
  expect((await start('../state.json')).status).toBe(400);
  expect((await getState()).restoreDrill).toBeNull();
});
