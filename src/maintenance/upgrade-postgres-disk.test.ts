import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { installNewerPostgres } from '../../test/support/newer-postgres.ts';
import { until } from '../../test/support/until.ts';
import { skipWithout } from '../../test/support/requirements.ts';
import { mountDisk, unmount } from '../../test/support/mounts.ts';
import { getFreeBytes } from '../core/disk-reserve.ts';
import { silentLog } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { type Cluster, startCluster } from '../db/cluster.ts';
import { withConnection } from '../db/databases.ts';
import { upgradePostgres } from './upgrade-postgres.ts';

// A cluster on a disk of 500 MB that becomes full in the middle of a step.

setDefaultTimeout(600_000);
const { test } = skipWithout('tmpfs', 'older PostgreSQL');

const MIB = 1024 ** 2;
const folder = mkdtempSync(join(tmpdir(), 'upgrade-disk-'));
const packages = installNewerPostgres(folder);
const disk = mkdtempSync(join(folder, 'disk-'));
const dataDir = join(disk, 'data');
let cluster: Cluster | undefined;
beforeEach(async () => {
  mountDisk(disk, 500 * MIB, '755');
  await addDatabase(dataDir);
  cluster = await startCluster({ dataDir, log: silentLog, packages });
  await withConnection(cluster.url, async (sql) => {
    await sql`insert into app_user (email, name) values ('ada@example.org', 'Ada')`;
    await sql`create table large as
      select n, sha512(n::text::bytea) as bytes from generate_series(1, 300000) as n`;
  });
});
afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
  unmount(disk);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Fills the disk except for `left` bytes; returns what empties it. */
function fill(left: number): () => void {
  const path = join(disk, 'filler');
  const size = String(getFreeBytes(disk) - left);
  expect(Bun.spawnSync(['fallocate', '-l', size, path]).exitCode).toBe(0);
  return () => rmSync(path);
}

const countNames = () =>
  withConnection(cluster!.url, (sql) => sql`select from app_user`).then(
    (rows) => rows.length,
    () => 0,
  );

test('a disk that is full before or during an upgrade leaves the old cluster in use', async () => {
  let empty = fill(100 * MIB);
  let onRestore = () => {};
  const upgrade = () =>
    upgradePostgres({
      ...cluster!,
      paths: dataPaths(dataDir),
      now: new Date(),
      check: async () => {},
      onTask: (task) => {
        if (task !== 'restore') return;
        onRestore();
        onRestore = () => {};
      },
    });
  const text =
    /^The upgrade of PostgreSQL needs [\d.]+ MiB of free disk space, there are 100.0 MiB/;
  await expect(upgrade()).rejects.toThrow(text);
  expect(readdirSync(dataDir).filter((name) => name !== '.lock')).toEqual(['postgres']);
  empty();

  onRestore = () => {
    empty = fill(4 * MIB);
  };
  await expect(upgrade()).rejects.toThrow(/No space left on device|connection|terminat/);
  await until(async () => (await countNames()) === 1);
  await withConnection(cluster!.url, (sql) => sql`update app_user set name = 'Zoë'`);
  const clusters = readdirSync(dataDir).filter((name) => name.startsWith('postgres'));
  expect(clusters).toEqual(['postgres']);
  empty();
  expect((await upgrade()).kept).toContain('replaced-');
  expect(await countNames()).toBe(1);
});
