import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Migration, migrations } from '../../migrations/index.ts';
import { type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { openDatabase } from '../db/client.ts';
import { listPendingMigrations, OWN_SCHEMA } from '../db/migrate.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { listNodes } from '../nodes/store.ts';
import { applyPending, backUpForUpdate, updateDatabase, UpdateFailure } from './update.ts';

setDefaultTimeout(120_000);

let database: TestDatabase;
let url: string;
let isStopping: boolean;
let reasons: string[];
let steps: string[];
let folder: string;
let running: Promise<boolean>[];
beforeEach(async () => {
  database = await testDatabase();
  url = database.deps.settings.databaseUrl!;
  [isStopping, reasons, steps, running] = [false, [], [], []];
  folder = mkdtempSync(join(tmpdir(), 'update-test-'));
});
afterEach(async () => {
  isStopping = true;
  await Promise.allSettled(running);
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const online = (sql: string, from = OWN_SCHEMA): Migration[] => [
  ...migrations,
  { name: '9999_extra', sql, online: from },
];
const EXTRA = online('create table extra (id int)');

const getPaths = () => ({ backups: join(folder, 'backups') });

function update(wanted = EXTRA, { isOnlyServer = false } = {}): Promise<boolean> {
  const updating = updateDatabase({
    url,
    log: silentLog,
    paths: getPaths(),
    address: 'http://127.0.0.1:1',
    isStopping: () => isStopping,
    onWait: (reason) => void reasons.push(reason),
    onStep: (step) => void steps.push(step),
    wanted,
    isOnlyServer,
    pauseMs: 50,
    retryMs: 50,
  });
  running.push(updating);
  return updating;
}

type Other = { readonly role?: string; readonly state?: string; readonly schema?: number | null };

async function addNode({ role = 'server', state = 'ready', schema = 1 }: Other = {}) {
  const id = randomUUID();
  await database.sql`
    insert into node (id, role, host, version, schema, state, seen_at)
    values (${id}, ${role}, 'attic', '0.1.0', ${schema}, ${state}, now())`;
  return { remove: () => database.sql`delete from node where id = ${id}` };
}

const isPending = async (wanted = EXTRA) =>
  (await listPendingMigrations(database.sql, wanted)).length > 0;
const findOwn = async () => (await listNodes(database.db)).find(({ id }) => id === NODE_ID);

test('applies migrations beside nodes that can go on', async () => {
  await addNode({ schema: OWN_SCHEMA });
  await addNode({ schema: OWN_SCHEMA + 1, role: 'worker' });
  expect(await update()).toBe(true);
  expect(await isPending()).toBe(false);
});

test('neither nodes that are gone, nor those that do not serve, are waited for', async () => {
  await addNode({ state: 'gone' });
  await addNode({ state: 'refused', schema: null });
  await addNode({ state: 'starting' });
  await addNode();
  await database.sql`update node set seen_at = now() - interval '11 seconds' where state = 'ready'`;
  expect(await update()).toBe(true);
});

test.each([
  { role: 'server', schema: OWN_SCHEMA - 1 },
  { role: 'worker', schema: null },
  { role: 'server', state: 'draining' },
])('waits for a node that cannot go on, and tells it in the list of nodes: %o', async (node) => {
  const older = await addNode(node);
  const updating = update();
  await until(async () => (await findOwn())?.reason?.includes(`${node.role} on attic`) === true);
  expect(await findOwn()).toMatchObject({ state: 'starting', isLeader: false });
  expect(reasons.at(-1)).toContain(`${node.role} on attic (0.1.0)`);
  expect(await isPending()).toBe(true);
  await older.remove();
  expect(await updating).toBe(true);
  expect(await isPending()).toBe(false);
});

test('a process that stops while it waits leaves nothing behind', async () => {
  await addNode();
  const updating = update();
  await until(async () => (await findOwn()) !== undefined && reasons.length > 1);
  isStopping = true;
  expect(await updating).toBe(false);
  expect(await findOwn()).toBeUndefined();
  expect(await isPending()).toBe(true);
});

test('waits for a lock without holding up others for long', async () => {
  const wanted = online('alter table tag add column extra int');
  let updating: Promise<boolean> | undefined;
  await database.sql.begin(async (tx) => {
    await tx`lock table tag in access share mode`;
    updating = update(wanted);
    await until(() => reasons.some((text) => text.includes('lock timeout')));
    expect(await isPending(wanted)).toBe(true);
  });
  expect(await updating).toBe(true);
});

test('a migration that fails is told with its name, the backup and the way back', async () => {
  await addAccount();
  await database.sql`create table extra (id int)`;
  const failure = await update().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UpdateFailure);
  const [backup] = listBackups();
  expect(String(failure)).toMatch(/failed at the migration 9999_extra: .*already exists/);
  expect(String(failure)).toContain(
    `start the version before; if it refuses the database, restore`,
  );
  expect(String(failure)).toContain(backup!);
  expect(await findOwn()).toBeUndefined();
  await database.sql`drop table extra`;
  expect(await update()).toBe(true);
  expect(listBackups()).toEqual([backup!]);
});

test('a migration that failed leaves those before it, and the next attempt goes on with it', async () => {
  await addAccount();
  const broken = [...EXTRA, { name: '9999_more', sql: 'select nonsense', online: OWN_SCHEMA }];
  await expect(update(broken)).rejects.toThrow('9999_more');
  const [backup] = listBackups();
  const mended = [...EXTRA, { ...broken.at(-1)!, sql: 'create table more (id int)' }];
  expect((await listPendingMigrations(database.sql, mended)).map(({ name }) => name)).toEqual([
    '9999_more',
  ]);
  expect(await update(mended)).toBe(true);
  // It shows the database before the whole update.
  expect(listBackups()).toEqual([backup!]);
});

test('processes that update at once apply each migration once', async () => {
  expect(await Promise.all([update(), update(), update()])).toEqual([true, true, true]);
});

const OFFLINE: Migration[] = [
  ...migrations,
  { name: '9999_extra', sql: 'create table extra (id int)' },
];

test('a migration that is not online waits for every other node', async () => {
  const newer = await addNode({ schema: 10_000 });
  const updating = update(OFFLINE);
  await until(() => reasons.some((text) => text.includes('server on attic')));
  expect(await isPending(OFFLINE)).toBe(true);
  await newer.remove();
  expect(await updating).toBe(true);
});

test('a migration that is not online waits for servers of a version without a list of nodes', async () => {
  await database.sql`drop table node cascade`;
  const former = openDatabase(url, { max: 1, name: 'server' });
  await former.sql`select`;
  const updating = update(OFFLINE);
  await until(() => reasons.some((text) => text.endsWith('stop them: server')));
  await former.close();
  expect(await updating).toBe(true);
});

test('a server that brings its database along does not wait for its former life', async () => {
  const id = randomUUID();
  await database.sql`
    insert into node (id, role, host, version, schema, state)
    values (${id}, 'server', 'attic', '0.1.0', 1, 'ready')`;
  const pending = { url, paths: getPaths(), wanted: OFFLINE };
  await expect(applyPending(pending)).rejects.toThrow('server on attic');
  expect(await update(OFFLINE, { isOnlyServer: true })).toBe(true);
  expect(await findOwn()).toBeUndefined();
});

const addAccount = () =>
  database.sql`insert into app_user (email, name) values ('ada@example.org', 'Ada')`;
const listBackups = () => (existsSync(getPaths().backups) ? readdirSync(getPaths().backups) : []);

test('a library with accounts is backed up before its update, one without is not', async () => {
  expect(await update()).toBe(true);
  expect([steps, listBackups()]).toEqual([['migrations'], []]);
  await addAccount();
  await database.sql`drop table extra`;
  await database.sql`delete from schema_migration where name = '9999_extra'`;
  expect(await update()).toBe(true);
  expect(steps.slice(1)).toEqual(['backup', 'migrations']);
  const [backup, ...others] = listBackups();
  expect([backup, others]).toEqual([
    expect.stringMatching(/^safelight-before-\d+\.\d+\.\d+-\d{8}T\d{6}Z\.dump$/),
    [],
  ]);
});

test('the backup that was made while the version before serves is enough for an hour', async () => {
  await addAccount();
  const pending = { url, paths: getPaths(), wanted: EXTRA };
  const made = await backUpForUpdate(pending);
  expect(listBackups()).toEqual([made!]);
  expect(await backUpForUpdate(pending)).toBe(made!);
  expect(await applyPending(pending)).toEqual(['9999_extra']);
  expect(listBackups()).toEqual([made!]);
  expect(await backUpForUpdate(pending)).toBeUndefined();
});

test('a backup that is old, damaged, of another schema, or of another database is not enough', async () => {
  await addAccount();
  const { backups } = getPaths();
  const pending = { url, paths: getPaths(), wanted: EXTRA };
  const toPath = (name: string) => join(backups, name);
  const made = (await backUpForUpdate(pending))!;
  renameSync(toPath(made), toPath('safelight-20260101T000000Z.dump'));
  await database.sql`insert into schema_migration (name, checksum, served_from) values ('9998_x', 'x', 1)`;
  const later = (await backUpForUpdate({ ...pending, wanted: EXTRA }))!;
  expect(later).not.toBe('safelight-20260101T000000Z.dump');
  const old = new Date(Date.now() - 61 * 60_000);
  renameSync(toPath(later), toPath('safelight-20260103T000000Z.dump'));
  utimesSync(toPath('safelight-20260103T000000Z.dump'), old, old);
  await database.sql`delete from schema_migration where name = '9998_x'`;
  renameSync(toPath('safelight-20260101T000000Z.dump'), toPath('uploaded-safelight-x.dump'));
  writeFileSync(toPath('safelight-20260102T000000Z.dump'), 'PGDMP, and no more');
  const before = listBackups();
  const last = (await backUpForUpdate(pending))!;
  expect(before).not.toContain(last);
});

test('an update waits while the folder of backups is away, and says so', async () => {
  await addAccount();
  const [row] = await database.sql`
    update instance set stores_marked_at = now() returning id`;
  const updating = update();
  await until(() => reasons.some((text) => text.includes('is its disk mounted')));
  expect([await isPending(), listBackups()]).toEqual([true, []]);
  mkdirSync(getPaths().backups);
  writeFileSync(join(getPaths().backups, '.safelight'), `${row!['id']}\n`);
  expect(await updating).toBe(true);
  expect(listBackups()).toHaveLength(2);
});
