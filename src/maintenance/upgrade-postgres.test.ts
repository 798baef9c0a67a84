import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout } from 'bun:test';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { describeContents } from '../../test/support/database-contents.ts';
import { seed } from '../../test/support/harness.ts';
import { installNewerPostgres, NEWER, OLDER } from '../../test/support/newer-postgres.ts';
import { skipWithout } from '../../test/support/requirements.ts';
import { silentLog } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { openDatabase } from '../db/client.ts';
import { type Cluster, deleteReplacedClusters, startCluster } from '../db/cluster.ts';
import { withConnection } from '../db/databases.ts';
import { upgradePostgres } from './upgrade-postgres.ts';

setDefaultTimeout(300_000);
const { test } = skipWithout('older PostgreSQL');

const NOW = new Date('2026-01-02T03:04:05Z');
const folder = createMemoryFolder('upgrade-postgres-');
const packages = installNewerPostgres(folder);
const toTool = (name: string) => join(packages, String(NEWER), 'bin', name);
const pgRestore = realpathSync(toTool('pg_restore'));
const server = readFileSync(toTool('postgres'), 'utf8');
const model = join(folder, 'model');
let dataDir: string;
let cluster: Cluster | undefined;

const start = async (dir = dataDir) =>
  (cluster = await startCluster({ dataDir: dir, durability: 'none', log: silentLog, packages }));
async function stop(): Promise<void> {
  await cluster?.stop();
  cluster = undefined;
}

beforeAll(async () => {
  // Made by the older version alone.
  await addDatabase(model);
  cluster = await startCluster({ dataDir: model, durability: 'none', log: silentLog });
  const database = openDatabase(cluster.url, { max: 1 });
  const make = seed(database);
  const { id: ownerId } = await make.user();
  for (const city of ['Zürich', '東京', null]) await make.asset({ ownerId, exif: { city } });
  await database.sql`insert into tag (owner_id, value) values (${ownerId}, 'Trip')`;
  await database.close();
  await stop();
});
beforeEach(() => {
  dataDir = mkdtempSync(join(folder, 'data-'));
  Bun.spawnSync(['cp', '-a', `${model}/.`, dataDir]);
});
afterEach(async () => {
  await stop();
  replaceTool('postgres', server);
  replaceTool('pg_restore', `exec ${pgRestore} "$@"`);
  rmSync(dataDir, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function replaceTool(name: string, script: string): void {
  // Not written to: it may be a link, and may be running.
  rmSync(toTool(name));
  writeFileSync(toTool(name), script.startsWith('#!') ? script : `#!/bin/bash\n${script}\n`);
  chmodSync(toTool(name), 0o755);
}

const readMajor = (dir: string) => Number(readFileSync(join(dir, 'PG_VERSION'), 'utf8'));
const listClusters = () => readdirSync(dataDir).filter((name) => name.startsWith('postgres'));
const read = () => withConnection(cluster!.url, describeContents);
const upgrade = (over: Partial<Parameters<typeof upgradePostgres>[0]> = {}) =>
  upgradePostgres({
    ...cluster!,
    paths: dataPaths(dataDir),
    now: NOW,
    check: async () => {},
    onTask: () => {},
    ...over,
  });

async function expectUnchanged(before: string[]): Promise<void> {
  expect(await read()).toEqual(before);
  expect([listClusters(), readMajor(join(dataDir, 'postgres'))]).toEqual([['postgres'], OLDER]);
  await withConnection(cluster!.url, (sql) => sql`update tag set value = 'Journey'`);
}

test('an upgrade keeps every row and object, the old cluster and a dump, and others only read meanwhile', async () => {
  const { url } = await start();
  const before = await read();
  const tasks = new Set<string>();
  const check = async () => {
    const write = withConnection(url, (sql) => sql`delete from tag`);
    await expect(write).rejects.toThrow('read-only transaction');
    expect(await withConnection(url, (sql) => sql`select from tag`)).toHaveLength(1);
  };
  const { from, to, kept } = await upgrade({ check, onTask: (task) => void tasks.add(task) });
  expect([from, to, [...tasks]]).toEqual([OLDER, NEWER, ['backup', 'restore', 'check']]);
  expect(cluster!.url).toBe(url);
  expect(await read()).toEqual(before);
  const [row] = await withConnection(
    url,
    (sql) => sql`
    select current_setting('data_checksums') as checksums, datcollate, current_setting('fsync') as fsync,
      current_setting('default_transaction_read_only') as reads
    from pg_database where datname = current_database()`,
  );
  expect(row).toMatchObject({ checksums: 'on', datcollate: 'C.UTF-8', reads: 'off' });

  expect([kept, readMajor(kept)]).toEqual([
    join(dataDir, 'postgres.replaced-20260102T030405Z'),
    OLDER,
  ]);
  expect(readdirSync(dataPaths(dataDir).backups)).toEqual([
    'safelight-before-20260102t030405z.dump',
  ]);
  await stop();
  await start();
  expect(await read()).toEqual(before);
  await expect(upgrade()).rejects.toThrow('nothing to upgrade');

  const { postgres } = dataPaths(dataDir);
  expect(deleteReplacedClusters(postgres, NOW)).toEqual([]);
  expect(deleteReplacedClusters(postgres, new Date(NOW.getTime() + 1000))).toHaveLength(1);
  expect(listClusters()).toEqual(['postgres']);
  await withConnection(url, (sql) => sql`delete from tag`);
});

test('an upgrade that fails or loses rows leaves the old cluster in use', async () => {
  await start();
  const before = await read();
  const check = async () => {
    throw new Error('does not work');
  };
  await expect(upgrade({ check })).rejects.toThrow('does not work');
  await expectUnchanged(before);

  const changed = await read();
  replaceTool('pg_restore', `${pgRestore} "$@" --schema-only`);
  await expect(upgrade()).rejects.toThrow('changes the number of accounts from 1 to 0');
  replaceTool('pg_restore', `head --bytes=100 | ${pgRestore} "$@"`);
  await expect(upgrade()).rejects.toThrow('pg_restore: error: ');
  await expectUnchanged(changed);
});

test('a new cluster on which no server starts is taken back', async () => {
  await start();
  const before = await read();
  const check = async () => replaceTool('postgres', 'echo "FATAL:  broken" >&2; exit 1');
  await expect(upgrade({ check })).rejects.toThrow('broken');
  await stop();
  await start();
  await expectUnchanged(before);
});

test('one that was being taken back when the machine stopped is taken back at the next start', async () => {
  await start();
  const before = await read();
  await stop();
  const { postgres } = dataPaths(dataDir);
  renameSync(postgres, `${postgres}.replaced-20260101T000000Z`);
  const older = `${postgres}.replaced-20250101T000000Z`;
  mkdirSync(older);
  mkdirSync(`${postgres}.next`);
  await start();
  rmSync(older, { recursive: true });
  await expectUnchanged(before);
});
