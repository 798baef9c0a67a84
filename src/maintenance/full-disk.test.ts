import { afterEach, beforeEach, expect, setDefaultTimeout } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { createSeededRandom, effort } from '../../test/support/effort.ts';
import { until } from '../../test/support/until.ts';
import { skipWithout } from '../../test/support/requirements.ts';
import { mountDisk, unmount } from '../../test/support/mounts.ts';
import { getFreeBytes } from '../core/disk-reserve.ts';
import { silentLog } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { type Cluster, startCluster } from '../db/cluster.ts';
import { listDatabases, reopenAbandoned, withAdmin, withConnection } from '../db/databases.ts';
import { dumpDatabase } from '../db/dump.ts';
import { runRestoreDrill } from './drill.ts';
import { restoreBackup, withDump } from './restore.ts';
import { applyPending } from './update.ts';

// A database on a disk of 420 MB that becomes full in the middle of a step.

setDefaultTimeout(300_000);
const { test } = skipWithout('tmpfs');

const MIB = 1024 ** 2;
let folder: string;
let cluster: Cluster | undefined;
let url: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
  mountDisk(folder, 420 * MIB, '755');
  const dataDir = join(folder, 'data');
  await addDatabase(dataDir);
  cluster = await startCluster({ dataDir, log: silentLog });
  url = cluster.url;
  await withConnection(
    url,
    (sql) => sql`insert into app_user (email, name) values ('ada@example.org', 'Ada')`,
  );
});
afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
  unmount(folder);
  rmSync(folder, { recursive: true, force: true });
});

/** Fills the disk except for `left` bytes; returns what empties it. */
function fill(left: number): () => void {
  const path = join(folder, 'filler');
  const size = String(getFreeBytes(folder) - left);
  expect(Bun.spawnSync(['fallocate', '-l', size, path]).exitCode).toBe(0);
  return () => rmSync(path);
}

const random = createSeededRandom('full disk');

const isUp = (): Promise<boolean> =>
  withAdmin(url, (admin) => admin`select`).then(
    () => true,
    () => false,
  );

/** The old database serves as before, and nothing else is left. A full disk stops its server for a while. */
async function expectUnchanged(): Promise<void> {
  await until(isUp, 120_000);
  await reopenAbandoned(url);
  expect(await withConnection(url, (sql) => sql`select name from app_user`)).toHaveLength(1);
  await withConnection(url, (sql) => sql`update app_user set name = 'Ada'`);
  const names = await withAdmin(url, (admin) => listDatabases(admin, 'safelight'));
  expect(names.filter((name) => name.includes('_before_'))).toEqual([]);
}

const LARGE = `create table large as
  select n, repeat(md5(n::text), 30) as text from generate_series(1, 400000) n`;
const update = (sql: string) =>
  applyPending({
    url,
    paths: dataPaths(folder),
    isOnlyServer: true,
    wanted: [...migrations, { name: '9999_large', sql }],
  });

test('an update, a restore, a drill and a backup say what they need, and begin nothing without it', async () => {
  const file = join(folder, 'backups', 'all.dump');
  await dumpDatabase(url, file);
  const empty = fill(60 * MIB);
  await withDump(file, async (dump) => {
    const options = { url, file, dump, diskFolder: folder, now: new Date() };
    // A dump may hold much more than its size tells.
    await expect(restoreBackup(options)).rejects.toThrow(
      'The restore needs 64.0 MiB of free disk space',
    );
  });
  empty();
  fill(MIB);
  const text = (work: string) =>
    new RegExp(`^The ${work} needs [\\d.]+ .iB of free disk space, there are [\\d.]+ .iB\\.$`);
  await expect(update('select')).rejects.toThrow(text('backup'));
  await withDump(file, async (dump) => {
    const options = { url, file, dump, diskFolder: folder, folder, now: new Date() };
    await expect(restoreBackup(options)).rejects.toThrow(text('restore'));
    await expect(runRestoreDrill(options)).rejects.toThrow(text('restore drill'));
  });
  await expectUnchanged();
});

test('a disk that becomes full in the middle of a step leaves the database as it was', async () => {
  const file = join(folder, 'backups', 'safelight-all.dump');
  await dumpDatabase(url, file);

  let empty = fill(60 * MIB);
  await expect(update(LARGE)).rejects.toThrow(/No space left on device|CONNECTION/);
  // Its transaction is gone: the server starts again without help.
  await expectUnchanged();
  empty();

  const steps = [restoreBackup, runRestoreDrill];
  // So little is not enough for the server to start again. These get space after they have ceased to wait for it.
  const late = effort({ quick: 1, full: 2 }) === 2 ? steps : [random.pick(steps)];
  for (const step of steps) {
    empty = fill(6 * MIB);
    await withDump(file, async (dump) => {
      const options = { url, file, dump, diskFolder: undefined, folder, now: new Date() };
      const ended = Promise.allSettled<unknown>([step(options)]);
      if (!late.includes(step)) await Promise.race([ended, until(async () => !(await isUp()))]);
      else await ended;
      empty();
      expect(await ended).toMatchObject([{ status: 'rejected' }]);
    });
    await expectUnchanged();
  }

  await withConnection(url, (sql) => sql.unsafe(LARGE.replace('400000', '60000')));
  empty = fill(0);
  // A session of PostgreSQL that begins may need space for itself, and says so in its own words.
  await expect(dumpDatabase(url, join(folder, 'backups', 'second.dump'))).rejects.toThrow(
    /No space left on device|could not write init file/,
  );
  empty();
  expect(readdirSync(join(folder, 'backups'))).toEqual(['safelight-all.dump']);
  await update('select');
});

test('a start on a full disk gives the reserve away only where that is enough, else it says what to free', async () => {
  const dataDir = join(folder, 'data');
  const reserve = join(dataDir, '.reserve');
  await cluster!.stop();
  cluster = undefined;
  writeFileSync(reserve, Buffer.alloc(8 * MIB));
  const empty = fill(0);
  await expect(startCluster({ dataDir, log: silentLog })).rejects.toThrow(
    /is full, the database cannot start: free 32 MiB on it/,
  );
  expect(existsSync(reserve)).toBe(true);
  empty();
  writeFileSync(reserve, Buffer.alloc(40 * MIB));
  fill(0);
  cluster = await startCluster({ dataDir, log: silentLog });
  expect(existsSync(reserve)).toBe(false);
  await expectUnchanged();
});

test('a new database on a small disk says what it needs', async () => {
  fill(20 * MIB);
  const dataDir = join(folder, 'second');
  await expect(startCluster({ dataDir, log: silentLog })).rejects.toThrow(
    /^A new database needs 80 MiB of free disk space, there are 1\d MiB in /,
  );
});
