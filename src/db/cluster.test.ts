import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { createLog } from '../core/log.ts';
import { connect } from './address.ts';
import { type Cluster, FolderInUse, runningCluster, startCluster } from './cluster.ts';
import { findBinaries } from './cluster/binaries.ts';
import { asAccount, CHILD_ENV, INHERITED, openFolder } from './cluster/launch.ts';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { until } from '../../test/support/until.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';

// These wait for a disk to sync, which others may keep busy.
setDefaultTimeout(300_000);

const CHILD = join(import.meta.dir, '../../test/support/cluster-child.ts');

let dataDir: string;
let lines: string[];
let clusters: Cluster[];
let pools: Sql[];

beforeEach(async () => {
  dataDir = join(createMemoryFolder('cluster-test-'), 'data');
  [lines, clusters, pools] = [[], [], []];
  await addDatabase(dataDir);
});
afterEach(async () => {
  for (const pool of pools) await pool.end({ timeout: 1 });
  for (const cluster of clusters) await cluster.stop();
  rmSync(join(dataDir, '..'), { recursive: true, force: true });
});

const log = createLog({ level: 'debug', format: 'json', write: (line) => lines.push(line) });

async function start(folder = dataDir): Promise<Cluster> {
  const cluster = await startCluster({ dataDir: folder, log });
  clusters.push(cluster);
  return cluster;
}

function pool(url: string): Sql {
  const sql = connect(url, { max: 2, onnotice: () => {} });
  pools.push(sql);
  return sql;
}

async function stopLast(): Promise<void> {
  await pools.pop()?.end();
  await clusters.pop()!.stop();
}

/** A supervisor in a process of its own, and the rows it acknowledged before it was killed. */
async function startChild() {
  const child = Bun.spawn([process.execPath, CHILD, dataDir], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    child,
    ...(JSON.parse(new TextDecoder().decode(value)) as { url: string; pid: number }),
  };
}

async function writeRow(url: string): Promise<void> {
  const sql = pool(url);
  await sql`create table kept (id int)`;
  await sql`insert into kept values (1)`;
}

const listRows = async (url: string) => [...(await pool(url)`select id from kept`)];
const isRunning = (pid: number) => existsSync(`/proc/${pid}/exe`);

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
  await until(() => lines.some((line) => line.includes('invalid input syntax for type uuid')));
  expect(lines.join('')).toContain('duplicate key value');
  expect(lines.join('')).not.toContain('anna');
});

test('creates a private cluster with data checksums, owned by an unprivileged user', async () => {
  dataDir = join(dataDir, '../new');
  const cluster = await start();
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
  expect(lines.join('')).not.toContain('repairs itself');
});

test('kill -9 of the supervisor stops the server cleanly, and no row is lost', async () => {
  const { child, url, pid } = await startChild();
  await writeRow(url);
  child.kill('SIGKILL');
  await child.exited;
  await until(() => !isRunning(pid));
  expect(await listRows((await start()).url)).toEqual([{ id: 1 }]);
  expect(lines.join('')).not.toContain('repairs itself');
});

test('kill -9 of supervisor and server: the next start logs the recovery, and no row is lost', async () => {
  const { child, url, pid } = await startChild();
  await writeRow(url);
  // The supervisor first, or it would start the server again.
  child.kill('SIGSTOP');
  process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
  await child.exited;
  expect(await listRows((await start()).url)).toEqual([{ id: 1 }]);
  expect(lines.join('')).toContain('repairs itself');
});

test('a process that outlives the killed server and ends by no signal of its own is no reason to wait', async () => {
  const { child, url, pid } = await startChild();
  await writeRow(url);
  const [row] = await pools[0]!`select pg_backend_pid() as pid`;
  const stuck = Number(row!['pid']);
  process.kill(stuck, 'SIGSTOP');
  child.kill('SIGSTOP');
  process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
  await child.exited;
  expect(await listRows((await start()).url)).toEqual([{ id: 1 }]);
  expect(isRunning(stuck)).toBe(false);
});

test('restarts a server that died, and the pool reconnects', async () => {
  const cluster = await start();
  await writeRow(cluster.url);
  const sql = pools[0]!;
  const pid = cluster.pid();
  process.kill(pid, 'SIGKILL');
  await until(() => cluster.pid() !== pid);
  expect([...(await sql`select id from kept`)]).toEqual([{ id: 1 }]);
  expect(lines.join('')).toContain('starting it again');
});

test('a session that dies ends the server, which is started again after a pause', async () => {
  const cluster = await start();
  await writeRow(cluster.url);
  const sql = pools[0]!;
  const pid = cluster.pid();
  const [row] = await sql`select pg_backend_pid() as pid`;
  process.kill(row!['pid'], 'SIGKILL');
  await until(() => cluster.pid() !== pid);
  expect([...(await sql`select id from kept`)]).toEqual([{ id: 1 }]);
  expect(lines.join('')).toContain('starting it again');
});

test('starts although the pid file names another living process', async () => {
  await start();
  await stopLast();
  const other = Bun.spawn(['sleep', '60']);
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  writeFileSync(
    pidFile,
    `${other.pid}\n${join(dataDir, 'postgres')}\n1\n5432\n/tmp\n\n0 0\nready\n`,
  );
  const { url } = await start();
  expect([...(await pool(url)`select 1 as one`)]).toEqual([{ one: 1 }]);
  expect(isRunning(other.pid)).toBe(true);
  other.kill();
});

test('stops an orphaned server of the folder before starting its own', async () => {
  await writeRow((await start()).url);
  await stopLast();
  const clusterDir = join(dataDir, 'postgres');
  const owner = statSync(clusterDir);
  const account = process.getuid!() === 0 ? { uid: owner.uid, gid: owner.gid } : undefined;
  // Not tied to this process, as after a supervisor on a kernel that lost the death signal.
  const command = asAccount(account, [
    join(findBinaries(clusterDir).bin, 'postgres'),
    '-D',
    INHERITED,
  ])
    .filter((part) => part !== '--pdeathsig=INT')
    .concat(['-p', '54399', '-c', 'listen_addresses=', '-c', 'unix_socket_directories=/tmp']);
  const orphan = Bun.spawn(command, {
    cwd: '/',
    env: CHILD_ENV,
    stdio: ['ignore', 'ignore', 'ignore', openFolder(clusterDir)],
  });
  const pidFile = join(clusterDir, 'postmaster.pid');
  await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').includes('ready'));

  expect(await listRows((await start()).url)).toEqual([{ id: 1 }]);
  expect(await orphan.exited).toBe(0);
  expect(lines.join('')).toContain('was left running');
});

test('refuses a second server on the same folder, and runningCluster finds the first', async () => {
  const { url } = await start();
  const second = startCluster({ dataDir, log });
  await expect(second).rejects.toThrow(FolderInUse);
  await expect(second).rejects.toThrow(`(process ${process.pid}) is running on ${dataDir}`);
  // The server says that it is ready a moment before it writes so.
  await until(() => runningCluster(dataDir) === url);
  expect([...(await pool(url)`select 1 as one`)]).toEqual([{ one: 1 }]);
  await stopLast();
  expect(runningCluster(dataDir)).toBeUndefined();
});

test('the folder can lie below a folder that only its owner may enter', async () => {
  const closed = join(dataDir, 'closed');
  mkdirSync(join(closed, 'data'), { recursive: true });
  chmodSync(closed, 0o700);
  const { url } = await start(join(closed, 'data'));
  expect([...(await pool(url)`select 1 as one`)]).toEqual([{ one: 1 }]);
});

test('the path can be longer than a socket address', async () => {
  const { url } = await start(join(dataDir, 'a long name of a folder '.repeat(8), 'Fotos für Zoë'));
  expect([...(await pool(url)`select 1 as one`)]).toEqual([{ one: 1 }]);
});

test('removes the remains of an interrupted first start', async () => {
  dataDir = join(dataDir, '../new');
  mkdirSync(join(dataDir, 'postgres.building-1', 'base'), { recursive: true });
  await start();
  expect(existsSync(join(dataDir, 'postgres.building-1'))).toBe(false);
});
