import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useClusters } from '../../test/support/clusters.ts';
import { until } from '../../test/support/until.ts';
import { findBinaries } from './cluster/binaries.ts';
import { asAccount, CHILD_ENV, INHERITED, openFolder } from './cluster/launch.ts';

// Servers and their supervisors that are killed. They wait for a disk to sync, which others may keep busy.
setDefaultTimeout(300_000);

const CHILD = join(import.meta.dir, '../../test/support/cluster-child.ts');

const the = useClusters();
const { start, stopLast, pool, readLog, writeRow, listRows } = the;

/** A supervisor in a process of its own. */
async function startChild() {
  const child = Bun.spawn([process.execPath, CHILD, the.dataDir], {
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

const isRunning = (pid: number) => existsSync(`/proc/${pid}/exe`);

test('kill -9 of the supervisor stops the server cleanly, and no row is lost', async () => {
  const { child, url, pid } = await startChild();
  await writeRow(url);
  child.kill('SIGKILL');
  await child.exited;
  await until(() => !isRunning(pid));
  expect(await listRows((await start()).url)).toEqual([{ id: 1 }]);
  expect(readLog()).not.toContain('repairs itself');
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
  expect(readLog()).toContain('repairs itself');
});

test('a process that outlives the killed server and ends by no signal of its own is no reason to wait', async () => {
  const { child, url, pid } = await startChild();
  const sql = await writeRow(url);
  const [row] = await sql`select pg_backend_pid() as pid`;
  const stuck = Number(row!['pid']);
  process.kill(stuck, 'SIGSTOP');
  child.kill('SIGSTOP');
  process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
  await child.exited;
  expect(await listRows((await start()).url)).toEqual([{ id: 1 }]);
  expect(isRunning(stuck)).toBe(false);
});

test('a server that dies while it is stopped leaves no process that a start waits for', async () => {
  const { child, url, pid } = await startChild();
  const sql = await writeRow(url);
  const [row] = await sql`select pg_backend_pid() as pid`;
  process.kill(Number(row!['pid']), 'SIGSTOP');
  child.kill('SIGKILL');
  await child.exited;
  const starting = start();
  await until(() => readLog().includes('left running'));
  process.kill(pid, 'SIGKILL');
  expect(await listRows((await starting).url)).toEqual([{ id: 1 }]);
});

test('restarts a server that died, and the pool reconnects', async () => {
  const cluster = await start();
  const sql = await writeRow(cluster.url);
  const pid = cluster.pid();
  process.kill(pid, 'SIGKILL');
  await until(() => cluster.pid() !== pid);
  expect([...(await sql`select id from kept`)]).toEqual([{ id: 1 }]);
  expect(readLog()).toContain('starting it again');
});

test('a session that dies ends the server, which is started again after a pause', async () => {
  const cluster = await start();
  const sql = await writeRow(cluster.url);
  const pid = cluster.pid();
  const [row] = await sql`select pg_backend_pid() as pid`;
  process.kill(row!['pid'], 'SIGKILL');
  await until(() => cluster.pid() !== pid);
  expect([...(await sql`select id from kept`)]).toEqual([{ id: 1 }]);
  expect(readLog()).toContain('starting it again');
});

test('starts although the pid file names another living process', async () => {
  await start();
  await stopLast();
  const other = Bun.spawn(['sleep', '60']);
  const pidFile = join(the.dataDir, 'postgres', 'postmaster.pid');
  writeFileSync(
    pidFile,
    `${other.pid}\n${join(the.dataDir, 'postgres')}\n1\n5432\n/tmp\n\n0 0\nready\n`,
  );
  const { url } = await start();
  expect([...(await pool(url)`select 1 as one`)]).toEqual([{ one: 1 }]);
  expect(isRunning(other.pid)).toBe(true);
  other.kill();
});

test('stops an orphaned server of the folder before starting its own', async () => {
  await writeRow((await start()).url);
  await stopLast();
  const clusterDir = join(the.dataDir, 'postgres');
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
  expect(readLog()).toContain('was left running');
});
