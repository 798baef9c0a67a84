import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { runningCluster } from '../../src/db/cluster.ts';
import { withConnection } from '../../src/db/databases.ts';
import { builtBinary } from '../e2e/installed.ts';
import { createApi } from '../e2e/people.ts';
import { plainEnvironment, signUp } from '../e2e/server.ts';
import { addDatabase } from '../fixtures/data-folder.ts';
import { addEarlierDatabase } from '../support/earlier-library.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import { createMemoryFolder } from '../support/memory-folder.ts';
import { serveFrom } from '../support/served.ts';
import { until } from '../support/until.ts';

// The binary of a newer version is killed while it updates a database, or one of its migrations fails. Afterwards it goes
// on, and the binary of this version can be started in its place.

setDefaultTimeout(600_000);

const ROOT = join(import.meta.dir, '../..');
const folder = createMemoryFolder('update-');
const newer = join(folder, 'newer');
const model = join(folder, 'model');
const random = createSeededRandom('update');
const before = serveFrom(folder, [], [builtBinary()]);
let dataDir: string;
let apiKey: string;

/** Starts the newer version with these variables in its environment. */
const useNewer = (...variables: string[]) => serveFrom(folder, ['env', ...variables], [newer]);
const next = useNewer();
const flags = (data = dataDir) => ['--data', data, '--models=/nonexistent', '--reserve=0'];

beforeAll(async () => {
  const entry = '--entry=test/fixtures/next-update.ts';
  const build = [process.execPath, 'native/build.ts', entry, `--out=${newer}`];
  expect(Bun.spawnSync(build, { cwd: ROOT, stdout: 'ignore', stderr: 'inherit' }).exitCode).toBe(0);
  await addDatabase(model);
  const { url } = await before.serve(...flags(model));
  ({ apiKey } = await signUp(url));
  await before.stopAll();
});
beforeEach(() => {
  dataDir = mkdtempSync(join(folder, 'data-'));
  Bun.spawnSync(['cp', '-a', `${model}/.`, dataDir]);
});
afterEach(async () => {
  await Promise.all([before.stopAll(), next.stopAll()]);
  rmSync(dataDir, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Servers = ReturnType<typeof serveFrom>;

/** Starts the newer version, which ends by a kill: by itself, or after so many ms. */
async function expectKilled(servers: Servers, afterMs?: number): Promise<void> {
  const child = servers.spawn('serve', '--port', '0', '--host', '127.0.0.1', ...flags());
  if (afterMs !== undefined) {
    await Bun.sleep(afterMs);
    child.kill('SIGKILL');
  }
  await child.exited;
  expect(child.signalCode).toBe('SIGKILL');
}

/** Serves the library, adds a tag, and returns all of them. */
async function serveAndWrite(servers: Servers, name: string): Promise<string[]> {
  const { url } = await servers.serve(...flags());
  const api = createApi(url, apiKey);
  await api('POST', '/tags', { name });
  const tags = await api<{ name: string }[]>('GET', '/tags');
  await until(async () => (await fetch(`${url}/readyz`)).status === 200);
  return tags.map((tag) => tag.name).toSorted();
}

const listNewMigrations = () =>
  withConnection(runningCluster(dataDir)!, async (sql) =>
    (await sql`select name from schema_migration where name > '9' order by name`).map(
      (row) => row['name'] as string,
    ),
  );
const UPDATED = ['9001_next', '9002_next_index'];
const listBackups = () =>
  readdirSync(join(dataDir, 'backups')).filter((name) => /^safelight-before-.*\.dump$/.test(name));

const POINTS = [...FAULT_POINTS.update, 'update.migrated:2'];

test.each(POINTS)(
  'an update that was killed at %s lets the version before go on, and is completed by the next start',
  async (point) => {
    await expectKilled(useNewer(`KILL_AT=${point}`));
    expect(await serveAndWrite(before, 'before')).toEqual(['before']);
    await before.stopAll();
    expect(await serveAndWrite(next, 'next')).toEqual(['before', 'next']);
    expect(await listNewMigrations()).toEqual(UPDATED);
    expect(listBackups()).toHaveLength(1);
  },
);

test('an update that is killed at any moment, again and again, is completed', async () => {
  for (let round = 0; round < effort({ quick: 4, full: 16 }); round++) {
    await expectKilled(next, random.below(4000));
  }
  expect(await serveAndWrite(next, 'next')).toEqual(['next']);
  expect(await listNewMigrations()).toEqual(UPDATED);
  expect(listBackups().length).toBeLessThanOrEqual(1);
});

test('an update of the first release that was killed between two migrations is completed', async () => {
  rmSync(dataDir, { recursive: true });
  await addEarlierDatabase(dataDir);
  await expectKilled(useNewer('KILL_AT=update.migrated:7'));
  const { url } = await next.serve(...flags());
  await signUp(url);
  expect(await listNewMigrations()).toEqual(UPDATED);
});

test('a migration that fails is told by every window, and the version before goes on', async () => {
  const failing = useNewer('FAIL=1');
  const { url, lines } = await failing.serve(...flags());
  expect(lines.at(-1)!.message).toContain('is in maintenance mode');
  expect((await fetch(`${url}/api/tags`)).status).toBe(503);
  const text =
    /The update to \S+ failed at the migration 9003_failing: division by zero\. Nothing is lost/;
  for (const command of ['status', 'doctor']) {
    const child = Bun.spawn([newer, command, '--data', dataDir], {
      env: plainEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const out = await new Response(child.stdout).text();
    expect([await child.exited, out]).toEqual([1, expect.stringMatching(text)]);
    expect(out).toContain(listBackups()[0]!);
  }
  await failing.stopAll();
  expect(await serveAndWrite(before, 'before')).toEqual(['before']);
  expect(await listNewMigrations()).toEqual(UPDATED);
});
