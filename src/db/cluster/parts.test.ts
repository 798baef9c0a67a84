import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { socketUrl } from '../address.ts';
import { findBinaries, findUpgrade, requireUpgrade } from './binaries.ts';
import { serverFlags } from './flags.ts';
import { readServerLine } from './postmaster.ts';
import { prepareSocketDir } from './socket.ts';

const folder = mkdtempSync(join(tmpdir(), 'cluster-parts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function installed(...majors: number[]): string {
  const root = mkdtempSync(join(folder, 'postgresql-'));
  for (const major of majors) {
    mkdirSync(join(root, String(major), 'bin'), { recursive: true });
    writeFileSync(join(root, String(major), 'bin', 'postgres'), '');
  }
  return root;
}

function madeBy(major: string): string {
  const clusterDir = mkdtempSync(join(folder, 'data-'));
  writeFileSync(join(clusterDir, 'PG_VERSION'), `${major}\n`);
  return clusterDir;
}

test('a new folder uses the newest installed PostgreSQL, version 15 at least', () => {
  expect(findBinaries('/nowhere', installed(13, 15, 17)).major).toBe(17);
  expect(() => findBinaries('/nowhere', installed(13))).toThrow('apt-get install postgresql-15');
});

test('a folder keeps the major version that created it, and the error names a missing one', () => {
  expect(findBinaries(madeBy('15'), installed(15, 17))).toMatchObject({ major: 15 });
  const onlyNewer = () => findBinaries(madeBy('15'), installed(17));
  expect(onlyNewer).toThrow('apt-get install postgresql-15');
  expect(onlyNewer).toThrow('puts a backup into a new one of PostgreSQL 17');
  const onlyOlder = () => findBinaries(madeBy('17'), installed(15));
  expect(onlyOlder).toThrow(/apt-get install postgresql-17'\.$/);
});

test('an upgrade is from the version that made the folder to the newest one', () => {
  expect(findUpgrade(madeBy('15'), installed(15, 16, 17))).toEqual({ from: 15, to: 17 });
  expect(findUpgrade(madeBy('17'), installed(15, 17))).toBeUndefined();
  expect(findUpgrade('/nowhere', installed(17))).toBeUndefined();
  expect(() => requireUpgrade(madeBy('17'), installed(15, 17))).toThrow('nothing to upgrade');
});

test('a folder without PG_VERSION is not a cluster', () => {
  expect(() => findBinaries(folder, installed(15))).toThrow('not a PostgreSQL data folder');
});

test('shared_buffers and cache size are proportional to the memory of the machine, within limits', () => {
  const buffers = (gib: number) =>
    serverFlags({ socketDir: '/run/x', durability: 'full', memoryBytes: gib * 2 ** 30 })[
      'shared_buffers'
    ];
  expect([0.5, 2, 64].map(buffers)).toEqual(['32MB', '64MB', '128MB']);
});

test('max_wal_size is an eighth of the disk, at most 1 GB', () => {
  const wal = (gib: number) =>
    serverFlags({ socketDir: '/x', durability: 'full', diskBytes: gib * 2 ** 30 })['max_wal_size'];
  expect([0.1, 2, 4000].map(wal)).toEqual(['48MB', '256MB', '1024MB']);
});

test('fsync is off only for test clusters', () => {
  expect(serverFlags({ socketDir: '/x', durability: 'full' })).not.toHaveProperty('fsync');
  expect(serverFlags({ socketDir: '/x', durability: 'none' })).toMatchObject({ fsync: 'off' });
});

test('a server that crashes ends, and does not start again by itself', () => {
  const flags = serverFlags({ socketDir: '/x', durability: 'full' });
  expect(flags).toMatchObject({ restart_after_crash: 'off' });
});

test('server log lines keep their severity, and a recovery is logged', () => {
  expect(readServerLine('checkpointer|12|LOG:  checkpoint starting: time')).toEqual({
    level: 'debug',
    text: 'checkpoint starting: time',
    process: 'checkpointer',
    ready: false,
    repair: false,
  });
  expect(
    readServerLine(
      'startup|12|LOG:  database system was not properly shut down; automatic recovery in progress',
    ),
  ).toMatchObject({ level: 'info', repair: true });
  expect(readServerLine('client backend|12|ERROR:  syntax error').level).toBe('debug');
  expect(readServerLine('postmaster|12|PANIC:  no space left').level).toBe('error');
  expect(readServerLine('FATAL:  bad setting')).toMatchObject({
    level: 'warn',
    text: 'bad setting',
  });
});

test('the socket folder is private and stable, and files of a killed server are deleted', () => {
  const env = { RUNTIME_DIRECTORY: folder };
  const path = prepareSocketDir('/data/postgres', undefined, env);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  writeFileSync(join(path, '.s.PGSQL.5432.lock'), '1\n');
  expect(prepareSocketDir('/data/postgres', undefined, env)).toBe(path);
  expect(() => statSync(join(path, '.s.PGSQL.5432.lock'))).toThrow();
  expect(prepareSocketDir('/other/postgres', undefined, env)).not.toBe(path);
});

test('does not use a socket folder that others may enter', () => {
  const env = { RUNTIME_DIRECTORY: mkdtempSync(join(folder, 'run-')) };
  const open = prepareSocketDir('/data/postgres', undefined, env);
  chmodSync(open, 0o777);
  const other = prepareSocketDir('/data/postgres', undefined, env);
  expect(other).not.toBe(open);
  expect(statSync(other).mode & 0o777).toBe(0o700);
  rmSync(other, { recursive: true });
});

test('skips a socket folder whose path is too long for a socket address', () => {
  const long = join(folder, 'x'.repeat(100));
  mkdirSync(long);
  const path = prepareSocketDir('/data/postgres', undefined, { RUNTIME_DIRECTORY: long });
  expect(path).not.toContain(long);
  rmSync(path, { recursive: true });
});

test('a socket path is unchanged by formatting and parsing the URL', () => {
  const url = new URL(socketUrl('/run/a b', 'safelight', 'safelight'));
  expect(decodeURIComponent(url.hostname)).toBe('/run/a b');
});
