import { expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { useClusters } from '../../test/support/clusters.ts';
import { until } from '../../test/support/until.ts';
import { FolderInUse, runningCluster, startCluster } from './cluster.ts';

// A start waits for a disk to sync, which others may keep busy. `cluster-faults.test.ts` kills the server.
setDefaultTimeout(300_000);

const the = useClusters();
const { start, stopLast, pool, readLog, writeRow, listRows } = the;

test('the log has neither values nor statements that the database has refused', async () => {
  const cluster = await start();
  const sql = pool(cluster.url);
  await sql`create table signature (email text primary key check (length(email) < 30))`;
  await sql`insert into signature values ('anna@example.com')`;
  const values = ['anna@example.com', `anna@example.com${'x'.repeat(30)}`];
  for (const value of values) {
    await expect(sql.unsafe(`insert into signature values ('${value}')`)).rejects.toThrow();
  }
  const refused = sql.unsafe(`select '"anna\nanna"@example.com'::uuid`);
  await expect(refused).rejects.toThrow('invalid input syntax');
  await until(() => readLog().includes('invalid input syntax for type uuid'));
  expect(readLog()).toContain('duplicate key value');
  expect(readLog()).not.toContain('anna');
});

test('creates a private cluster with data checksums, owned by an unprivileged user, without the remains of an interrupted start', async () => {
  const dataDir = join(the.dataDir, '../new');
  const remains = join(dataDir, 'postgres.building-1');
  mkdirSync(join(remains, 'base'), { recursive: true });
  const cluster = await start(dataDir);
  expect(existsSync(remains)).toBe(false);
  const [row] = await pool(cluster.url)`
    select current_database() as name, current_setting('data_checksums') as checksums,
      current_setting('listen_addresses') as addresses, current_setting('jit') as jit,
      pg_encoding_to_char(encoding) as encoding, datcollate
    from pg_database where datname = current_database()`;
  expect(row).toEqual({
    name: 'safelight',
    checksums: 'on',
    addresses: '',
    jit: 'off',
    encoding: 'UTF8',
    datcollate: 'C.UTF-8',
  });
  expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(0);
  expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
  const socketDir = decodeURIComponent(new URL(cluster.url).hostname);
  expect(statSync(socketDir).mode & 0o777).toBe(0o700);
  expect(readFileSync(`/proc/${cluster.pid()}/status`, 'utf8')).not.toMatch(/^Uid:\s+0/m);
  expect(readFileSync(`/proc/${cluster.pid()}/status`, 'utf8')).toMatch(/^CapEff:\s+0+$/m);

  await stopLast();
  expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  expect(existsSync(socketDir)).toBe(false);
});

test('keeps all rows over a restart, without recovery', async () => {
  await writeRow((await start()).url);
  await stopLast();
  expect(await listRows((await start()).url)).toEqual([{ id: 1 }]);
  expect(readLog()).not.toContain('repairs itself');
});

test('refuses a second server on the same folder, and runningCluster finds the first', async () => {
  const { url } = await start();
  const second = startCluster({ dataDir: the.dataDir, log: the.log });
  await expect(second).rejects.toThrow(FolderInUse);
  await expect(second).rejects.toThrow(`(process ${process.pid}) is running on ${the.dataDir}`);
  // The server says that it is ready a moment before it writes so.
  await until(() => runningCluster(the.dataDir) === url);
  expect([...(await pool(url)`select 1 as one`)]).toEqual([{ one: 1 }]);
  await stopLast();
  expect(runningCluster(the.dataDir)).toBeUndefined();
});

test('the folder can lie below one that only its owner may enter, its path longer than a socket address', async () => {
  const closed = join(the.dataDir, 'closed');
  const folder = join(closed, 'a long name of a folder '.repeat(8), 'Fotos für Zoë');
  mkdirSync(folder, { recursive: true });
  chmodSync(closed, 0o700);
  const { url } = await start(folder);
  expect([...(await pool(url)`select 1 as one`)]).toEqual([{ one: 1 }]);
});
