import { afterEach, beforeEach, expect } from 'bun:test';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { startCluster } from '../../src/db/cluster.ts';
import { createEmpty, withAdmin, withConnection } from '../../src/db/databases.ts';
import { listPendingMigrations, migrate } from '../../src/db/migrate.ts';
import { applyPending } from '../../src/maintenance/update.ts';
import { addDatabase } from '../fixtures/data-folder.ts';
import { createSeededRandom } from '../support/effort.ts';
import { type Cut, cutPower, startPowerLab } from './power-lab.ts';
import { skipWithout } from '../support/requirements.ts';

const { test } = skipWithout('power cuts');
const SIZE_MIB = 512;
const TAGS = 20;
const EARLIER = migrations.slice(0, -3);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-power-'));
  // The database does not run as root, and has to reach its files.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'seed', 'data'), { recursive: true, mode: 0o755 });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the work on the database of this data folder. */
async function withCluster(dataDir: string, work: (url: string) => Promise<void>): Promise<void> {
  const cluster = await startCluster({ dataDir, log: silentLog });
  try {
    await work(cluster.url);
  } finally {
    await cluster.stop();
  }
}

const addTag = (url: string, n: number) =>
  withConnection(url, async (sql) => {
    await sql`insert into tag (owner_id, value) select id, ${String(n)} from app_user`;
  });

/** Expects the updated database with all tags that were acknowledged, and that a client can listen. */
async function expectUpdated({ mount, answered }: Cut): Promise<void> {
  await withCluster(join(mount, 'data'), async (url) => {
    await withConnection(url, async (sql) => {
      expect(await listPendingMigrations(sql)).toEqual([]);
      const tags = await sql<{ value: string }[]>`select value from tag`;
      const found = new Set(tags.map(({ value }) => Number(value)));
      for (let n = 1; n <= answered; n++)
        expect({ n, found: found.has(n) }).toEqual({ n, found: true });
      await sql`insert into live_listener select id, id, now() from app_user`;
    });
  });
}

test('a power cut after an update loses neither the update nor what was written since', async () => {
  const seed = join(folder, 'seed');
  await addDatabase(join(seed, 'data'));
  await withCluster(join(seed, 'data'), async (url) => {
    await withAdmin(url, (admin) => createEmpty(admin, 'safelight'));
    await withConnection(url, async (sql) => {
      await migrate(sql, EARLIER);
      await sql`insert into app_user (email, name) values ('ada@example.org', 'Ada')`;
    });
  });
  const lab = await startPowerLab(folder, seed, SIZE_MIB);
  try {
    await withCluster(join(lab.mount, 'data'), async (url) => {
      await applyPending({ url, paths: dataPaths(join(lab.mount, 'data')), isOnlyServer: true });
      for (let n = 1; n <= TAGS; n++) {
        await addTag(url, n);
        lab.answered(n);
      }
    });
  } finally {
    await lab.stop();
  }
  const random = createSeededRandom('update');
  const cuts = { cuts: 8, random: () => random.below(1e9) / 1e9 };
  await cutPower(folder, SIZE_MIB, cuts, expectUpdated);
}, 600_000);
