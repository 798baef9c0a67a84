import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { createDatabase, dropDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { connect } from '../db/address.ts';
import { listPendingMigrations } from '../db/migrate.ts';
import { dropReplaced, listReplaced } from './replacement.ts';
import { upgradeDatabase } from './upgrade.ts';

setDefaultTimeout(300_000);

const NOW = new Date('2026-01-02T03:04:05Z');
let name: string;
let url: string;
beforeEach(async () => {
  name = await createDatabase('upgrade');
  url = toDatabaseUrl(name);
  await query(`insert into app_user (email, name) values ('ada@example.org', 'Ada')`);
  await query(`insert into tag (owner_id, value) select id, 'Trip' from app_user`);
});
afterEach(async () => {
  await dropReplaced(url, new Date('2100-01-01'));
  await dropDatabase(name);
});

async function query(text: string, address = url): Promise<Record<string, unknown>[]> {
  const sql = connect(address, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(text))] as Record<string, unknown>[];
  } finally {
    await sql.end();
  }
}

type Over = Partial<Parameters<typeof upgradeDatabase>[0]>;
const upgrade = (sql: string, over: Over = {}) =>
  upgradeDatabase({
    url,
    now: NOW,
    diskFolder: undefined,
    check: async () => {},
    onTask: () => {},
    wanted: [...migrations, { name: '9999_extra', sql }],
    ...over,
  });

const CREATE = 'create table extra (id int)';
const countTags = async (address = url) => (await query('select from tag', address)).length;
const hasExtra = async () =>
  (await query(`select to_regclass('extra') is not null as found`))[0]!['found'];
const listDatabases = () =>
  query(`select datname from pg_database where starts_with(datname, '${name}')`);

async function expectUnchanged(): Promise<void> {
  expect([await hasExtra(), await countTags()]).toEqual([false, 1]);
  expect(await listDatabases()).toEqual([{ datname: name }]);
}

test('an upgrade keeps the database from before', async () => {
  const tasks: string[] = [];
  const { kept } = await upgrade(CREATE, { onTask: (task) => void tasks.push(task) });
  expect([await hasExtra(), await countTags()]).toEqual([true, 1]);
  expect([...new Set(tasks)]).toEqual(['backup', 'migrations', 'check']);
  expect(await listReplaced(url)).toEqual([kept]);
});

test('databases from before are dropped by age', async () => {
  const { kept } = await upgrade(CREATE);
  expect(await dropReplaced(url, NOW)).toEqual([]);
  expect(await dropReplaced(url, new Date(NOW.getTime() + 1000))).toEqual([kept]);
  expect(await countTags()).toBe(1);
});

test('a migration that fails changes nothing', async () => {
  await expect(upgrade(`${CREATE}; select nonsense`)).rejects.toThrow('nonsense');
  await expectUnchanged();
});

test('a migration that hangs is ended, and changes nothing', async () => {
  const hanging = upgrade(`${CREATE}; select pg_sleep(3600)`, { limitMs: 1000 });
  await expect(hanging).rejects.toThrow('statement timeout');
  await expectUnchanged();
});

test('a migration that loses or adds rows changes nothing', async () => {
  await expect(upgrade('delete from tag')).rejects.toThrow(/number of tag of .* from 1 to 0/);
  const adding = `insert into tag (owner_id, value) select id, 'More' from app_user`;
  await expect(upgrade(adding)).rejects.toThrow(/number of tag of .* from 1 to 2/);
  await expectUnchanged();
});

test('an upgrade on which the application does not work changes nothing', async () => {
  const check = async () => {
    throw new Error('does not start');
  };
  await expect(upgrade(CREATE, { check })).rejects.toThrow('does not start');
  await expectUnchanged();
});

test('a client that is connected is disconnected, and a second upgrade is refused', async () => {
  const other = connect(url, { max: 1 });
  await other`select 1`;
  const second = Promise.withResolvers<unknown>();
  const check = async () => {
    await upgrade(CREATE).then(second.resolve, second.resolve);
  };
  await upgrade(CREATE, { check });
  expect(String(await second.promise)).toContain('The database is being replaced');
  expect(await listReplaced(url)).toHaveLength(1);
  await other.end();
});

test('without the space for a copy nothing is begun', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const mount = ['mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', folder];
  const { exitCode } = Bun.spawnSync(mount, { stderr: 'ignore' });
  try {
    if (exitCode !== 0) return console.warn('skipped: mounting is not allowed here');
    const text = /^The update needs .* of free disk space, there are 1.0 MiB\.$/;
    await expect(upgrade(CREATE, { diskFolder: folder })).rejects.toThrow(text);
    await expectUnchanged();
  } finally {
    if (exitCode === 0) Bun.spawnSync(['umount', folder]);
    rmSync(folder, { recursive: true });
  }
});

test('an empty database has nothing pending, one of a newer version is refused', async () => {
  const sql = connect(url, { max: 1, onnotice: () => {} });
  await sql`insert into schema_migration (name, checksum) values ('9999_later', 'x')`;
  await expect(listPendingMigrations(sql)).rejects.toThrow(/newer version\. Run that version, or/);
  await sql`drop table schema_migration`;
  expect(await listPendingMigrations(sql)).toEqual([]);
  await sql.end();
});
