import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { runCommand } from '../../test/support/command-line.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { sha256 } from '../core/hash.ts';
import { silentLog } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { originalPath } from '../storage/stored-file.ts';
import { connect } from '../db/address.ts';
import { type Cluster, startCluster } from '../db/cluster.ts';
import { dropDatabase, withAdmin } from '../db/databases.ts';

// Commands beside a server that runs on the same data folder; `restore.test.ts` has those that replace its database. Each test finds a database without rows.
setDefaultTimeout(300_000);

const folder = createMemoryFolder('commands-test-');
const dataDir = join(folder, 'data');
const paths = dataPaths(dataDir);
const flags = ['--data', dataDir];
let cluster: Cluster;
beforeAll(async () => {
  await addDatabase(dataDir);
  cluster = await startCluster({ dataDir, durability: 'none', log: silentLog });
  await copyDatabase('safelight', 'model');
});
beforeEach(async () => {
  await copyDatabase('model', 'safelight');
  rmSync(paths.backups, { recursive: true, force: true });
});
afterAll(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

const safelight = (...args: string[]) => runCommand(folder, args);

/** Rows of the last of these statements. */
async function query(text: string): Promise<Record<string, unknown>[]> {
  const sql = connect(cluster.url, { max: 1 });
  try {
    return [...(await sql.unsafe(text))] as Record<string, unknown>[];
  } finally {
    await sql.end();
  }
}

const copyDatabase = (from: string, name: string) =>
  withAdmin(cluster.url, async (admin) => {
    await dropDatabase(admin, name);
    await admin`create database ${admin(name)} template ${admin(from)}`;
  });
const dropSchema = () => query('drop schema public cascade; create schema public');
const migrate = () => safelight('migrate', ...flags);
const verify = (...more: string[]) => safelight('maintenance', 'verify', ...flags, ...more);
const createAdmin = () =>
  safelight('admin', 'create', 'Ada@Example.org', '--name', 'Ada', ...flags);

const originals = ['one', 'two', 'three'].map((text) => ({ text, digest: sha256(text) }));

/** Each with its file. */
async function addOriginals(): Promise<void> {
  for (const { text, digest } of originals) {
    const path = originalPath(paths, digest);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    const hex = Buffer.from(digest).toString('hex');
    await query(`insert into original (sha256, size) values ('\\x${hex}', ${text.length})`);
  }
}

test('migrate applies every migration once', async () => {
  await dropSchema();
  expect((await migrate()).out).toMatch(/^applied: 0001_identity, /);
  expect((await migrate()).out).toBe('nothing to apply');
  expect((await safelight('doctor', ...flags)).out).toMatch(/^ok +database .* schema \d{4}_/m);
});

test('admin create creates the first administrator and closes the sign-up', async () => {
  const made = await createAdmin();
  expect(made).toMatchObject({ code: 0, err: '' });
  const password = /password: (\S{20})/.exec(made.out)![1]!;
  const [row] = await query(
    `select email, name, is_admin, password_hash, i.admin_id = u.id as first
     from app_user u, instance i`,
  );
  expect(row).toMatchObject({
    email: 'ada@example.org',
    name: 'Ada',
    is_admin: true,
    first: true,
  });
  expect(await Bun.password.verify(password, row!['password_hash'] as string)).toBe(true);

  const again = await safelight('admin', 'create', 'ada@example.org', ...flags);
  expect(again).toMatchObject({
    code: 1,
    err: 'There is an account for ada@example.org already',
  });
  expect((await safelight('admin', 'list', ...flags)).out).toBe('ada@example.org  admin  Ada');
});

test('admin reset-password sets the password and ends all sessions of the account', async () => {
  await createAdmin();
  await query(`insert into session (user_id, token_hash) select id, sha256('token') from app_user`);
  const file = join(folder, 'password');
  writeFileSync(file, 'correct horse\r\nanother line\n');
  const args = ['admin', 'reset-password', 'ada@example.org', '--password-file'];
  const reset = await safelight(...args, file, ...flags);
  expect(reset).toMatchObject({ code: 0, err: '' });
  expect(reset.out).not.toContain('horse');
  const [row] = await query(
    'select password_hash, (select count(*)::int from session) as sessions from app_user',
  );
  expect(row!['sessions']).toBe(0);
  expect(await Bun.password.verify('correct horse', row!['password_hash'] as string)).toBe(true);

  const piped = await runCommand(folder, [...args, '-', ...flags], {
    input: new Blob(['from standard input\n']),
  });
  expect(piped.code).toBe(0);
  const [after] = await query('select password_hash from app_user');
  const hash = after!['password_hash'] as string;
  expect(await Bun.password.verify('from standard input', hash)).toBe(true);

  const missing = await safelight(...args, join(folder, 'nothing'), ...flags);
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('Cannot read') });
  const unknown = await safelight('admin', 'reset-password', 'eve@example.org', ...flags);
  expect(unknown).toMatchObject({ code: 1, err: 'There is no account for eve@example.org' });
});

test('admin api-key prints a key that is stored as a digest only', async () => {
  await createAdmin();
  const args = ['api-key', 'ada@example.org', '--permissions', 'asset.read,asset.upload'];
  const { out, code } = await safelight('admin', ...args, ...flags);
  expect(code).toBe(0);
  const [row] = await query('select key_hash, permissions from api_key');
  expect(row).toEqual({
    key_hash: Buffer.from(sha256(out)),
    permissions: ['asset.read', 'asset.upload'],
  });
});

test('maintenance verify reports exactly the missing and the damaged originals', async () => {
  await addOriginals();
  expect(await verify()).toMatchObject({
    code: 0,
    out: '3 originals are right, 0 are not',
  });

  const [one, two] = originals.map(({ digest }) => originalPath(paths, digest));
  writeFileSync(one!, 'oen');
  rmSync(two!);
  const { code, out } = await verify();
  expect(code).toBe(1);
  expect(out.split('\n').sort()).toEqual(
    [`damaged: ${one}`, `missing: ${two}`, '1 originals are right, 2 are not'].sort(),
  );
  const slices = await Promise.all([1, 2, 3].map((at) => verify('--slice', `${at}/3`, '--json')));
  expect(slices.flatMap((slice) => slice.out.split('\n').filter(Boolean))).toHaveLength(2);

  const missing = () =>
    query(`select sha256 from original where missing_at is not null order by sha256`);
  const bad = originals.slice(0, 2).map(({ digest }) => ({ sha256: Buffer.from(digest) }));
  expect(await missing()).toEqual(bad.sort((a, b) => Buffer.compare(a.sha256, b.sha256)));
  writeFileSync(one!, 'one');
  writeFileSync(two!, 'two');
  expect((await verify()).code).toBe(0);
  expect(await missing()).toEqual([]);
});

/** Titles and descriptions of all notifications of a kind, oldest first. */
const listTold = (kind: string) =>
  query(`select title, description, data - 'kind' as data from notification
    where data ->> 'kind' = '${kind}' order by created_at`);
const markAsRead = () => query('update notification set read_at = now()');

test('maintenance verify tells administrators what it finds first, and what cannot be read', async () => {
  await createAdmin();
  await addOriginals();
  await verify();
  expect(await listTold('integrity')).toEqual([]);
  const [one, two, three] = originals.map(({ digest }) => originalPath(paths, digest));
  writeFileSync(one!, 'oen');
  await verify();
  const told = (damaged: number, unreadable: number, text: string) => ({
    title: 'Files missing or damaged',
    description: `${text}. 'safelight maintenance verify' lists them`,
    data: { damaged, unreadable },
  });
  const first = told(1, 0, '1 originals are missing or damaged: upload them again');
  expect(await listTold('integrity')).toEqual([first]);
  await markAsRead();
  await verify();
  expect(await listTold('integrity')).toEqual([first]);
  rmSync(two!);
  rmSync(three!);
  // Permissions do not stop root.
  symlinkSync(three!, three!);
  await verify('--json');
  rmSync(three!);
  const text = '2 originals are missing or damaged: upload them again. 1 originals cannot be read';
  expect(await listTold('integrity')).toEqual([first, told(2, 1, text)]);
});

test('maintenance backup tells administrators of a failure, once a day until one succeeds', async () => {
  await createAdmin();
  const backup = () => safelight('maintenance', 'backup', ...flags);
  const fail = async () => {
    rmSync(paths.backups, { recursive: true, force: true });
    writeFileSync(paths.backups, '');
    const outcome = await backup();
    rmSync(paths.backups);
    await markAsRead();
    return outcome;
  };
  expect(await fail()).toMatchObject({ code: 1, err: expect.stringContaining('backups') });
  const [told, ...more] = await listTold('backupFailed');
  expect(more).toEqual([]);
  expect(told).toMatchObject({ title: 'Backup Failed', data: {} });
  expect(told!['description']).toContain('The backup of the database failed with error: ');
  await fail();
  expect(await listTold('backupFailed')).toHaveLength(1);
  await query(`update instance set backup_warned_at = now() - interval '25 hours'`);
  await fail();
  expect(await listTold('backupFailed')).toHaveLength(2);
  expect((await backup()).code).toBe(0);
  await fail();
  expect(await listTold('backupFailed')).toHaveLength(3);
  const unwanted = { notifications: { backupFailed: false } };
  await query(`update app_user set preferences = '${JSON.stringify(unwanted)}'`);
  expect((await backup()).code).toBe(0);
  await fail();
  expect(await listTold('backupFailed')).toHaveLength(3);
});

test('maintenance backup of a database of another version works without telling anybody', async () => {
  await dropSchema();
  await query('create table schema_migration (name text)');
  const { code, out } = await safelight('maintenance', 'backup', ...flags);
  expect([code, out]).toEqual([0, expect.stringContaining('.dump')]);
});
