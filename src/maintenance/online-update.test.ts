import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { type Migration, migrations } from '../../migrations/index.ts';
import { type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { listPendingMigrations, type MigrationFailure, OWN_SCHEMA } from '../db/migrate.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { listNodes } from '../nodes/store.ts';
import { requireOnlyNode, updateOnline } from './online-update.ts';

setDefaultTimeout(120_000);

let database: TestDatabase;
let url: string;
let isStopping: boolean;
let reasons: string[];
let failures: MigrationFailure[];
let running: Promise<boolean>[];
beforeEach(async () => {
  database = await testDatabase();
  url = database.deps.settings.databaseUrl!;
  [isStopping, reasons, failures, running] = [false, [], [], []];
});
afterEach(async () => {
  isStopping = true;
  await Promise.all(running);
  await database.close();
});

const online = (sql: string, from = OWN_SCHEMA): Migration[] => [
  ...migrations,
  { name: '9999_extra', sql, online: from },
];
const EXTRA = online('create table extra (id int)');

function update(wanted = EXTRA): Promise<boolean> {
  const updating = updateOnline({
    url,
    log: silentLog,
    address: 'http://127.0.0.1:1',
    isStopping: () => isStopping,
    onWait: (reason) => void reasons.push(reason),
    onFailure: (error) => void failures.push(error),
    wanted,
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
  expect(failures).toEqual([]);
});

test('a migration that fails is told, and tried again', async () => {
  await database.sql`create table extra (id int)`;
  const updating = update();
  await until(() => failures.length > 1);
  expect(failures[0]!.migration).toBe('9999_extra');
  expect((await findOwn())?.reason).toContain('already exists');
  await database.sql`drop table extra`;
  expect(await updating).toBe(true);
});

test('processes that update at once apply each migration once', async () => {
  expect(await Promise.all([update(), update(), update()])).toEqual([true, true, true]);
  expect(failures).toEqual([]);
});

test('a database is replaced only while no other node runs', async () => {
  const options = { leavingMs: 300, pauseMs: 20 };
  await addNode({ state: 'refused' });
  await requireOnlyNode(url, options);
  const worker = await addNode({ role: 'worker', schema: null });
  await expect(requireOnlyNode(url, options)).rejects.toThrow('worker on attic (0.1.0)');
  const waiting = requireOnlyNode(url, { ...options, leavingMs: 60_000 });
  await worker.remove();
  await waiting;
  await database.sql`drop table node cascade`;
  await requireOnlyNode(url, options);
});
