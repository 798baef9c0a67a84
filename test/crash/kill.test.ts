import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { handleSweepFiles } from '../../src/areas/trash/sweep/sweep.handlers.ts';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import { effort } from '../support/effort.ts';
import { useDatabase } from '../support/database.ts';
import { toSha256, randomFileBytes } from '../support/forms.ts';
import { seed, type TestUser } from '../support/harness.ts';
import { passTimeUntil } from '../support/passed-time.ts';
import { jobCtx } from '../support/processing.ts';
import { type Child, send, startChild } from './child.ts';

const database = await useDatabase();
let alice: TestUser;
beforeAll(async () => {
  alice = await seed(database).user();
});

/** The server that the last test has left running: the next one kills it. */
let running: Child | undefined;
afterAll(() => running?.kill());

async function start(): Promise<Child> {
  const { databaseUrl, dataDir } = database.deps.settings;
  return (running = await startChild(databaseUrl!, dataDir));
}
const getServer = async (): Promise<Child> => running ?? start();

/** Uploads to a server that dies at this point. */
async function uploadAndDie(point: string, ...upload: Upload): Promise<void> {
  const doomed = await getServer();
  await doomed.arm(point);
  expect(await send(doomed, alice.key, ...upload)).toBeUndefined();
  expect(await doomed.exited).not.toBe(0);
  running = undefined;
}
type Upload = [bytes: Uint8Array, options?: { sidecar: boolean }];

const filesBelow = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

async function findAsset(bytes: Uint8Array) {
  const [row] = await database.sql`select id from asset where sha256 = ${toSha256(bytes)}`;
  return row?.['id'] as string | undefined;
}

/** Expects what holds after any crash: no partial file under a final name, no row without its file. */
async function expectConsistent(): Promise<void> {
  const { paths } = database.deps;
  for (const path of await filesBelow(paths.originals)) {
    expect(path).toBe(originalPath(paths, toSha256(await readFile(path))));
  }
  const rows = await database.sql`select sha256, file_size from asset`;
  for (const { sha256, file_size } of rows) {
    expect((await readFile(originalPath(paths, sha256))).length).toBe(Number(file_size));
  }
  const sidecars = await database.sql`select name from asset_file where kind = 'sidecar'`;
  for (const { name } of sidecars) await readFile(join(paths.derived, name));
  const jobs = await database.sql`select distinct payload ->> 'assetId' as id from job`;
  expect(jobs).toHaveLength(rows.length);
}

// The sidecar of two files passes each moment first: without one it is the original.
describe.each([[true], [false]])('a server killed during an upload, sidecar %p', (sidecar) => {
  for (const point of FAULT_POINTS.upload) {
    test(`at ${point}: leaves no partial state, and the next upload succeeds`, async () => {
      const bytes = randomFileBytes(1_000_000);
      await uploadAndDie(point, bytes, { sidecar });
      // The upload of the test before, to this server, is there too.
      await expectConsistent();
      // An upload without a response may be stored only if the kill came after the last step.
      const kept = await findAsset(bytes);
      if (kept) expect(point).toBe('asset.committed');

      const next = await start();
      expect(await filesBelow(database.deps.paths.incoming)).toEqual([]);
      const isGone = ['incoming.unlinked', 'folder.synced', 'asset.committed'].includes(point);
      expect(next.swept > 0).toBe(sidecar && point !== 'asset.committed' ? true : !isGone);
      const again = await send(next, alice.key, bytes, { sidecar });
      expect(again).toMatchObject(
        kept ? { id: kept, outcome: 'duplicate' } : { outcome: 'created' },
      );
      expect(await findAsset(bytes)).toBeString();
      await expectConsistent();
    });
  }
});

test('killed between writing the file and the commit: the file is quarantined and can be uploaded again', async () => {
  const bytes = randomFileBytes(100_000);
  const path = originalPath(database.deps.paths, toSha256(bytes));
  await uploadAndDie('folder.synced', bytes);
  expect(await Bun.file(path).exists()).toBe(true);
  const sweep = async (days: number) => {
    const now = () => new Date(Date.now() + days * 86_400_000);
    await passTimeUntil(database, now());
    const slice = toSha256(bytes)[0]!;
    await handleSweepFiles(jobCtx(database, { now }), { slice });
  };
  await sweep(0);
  expect(await Bun.file(path).exists()).toBe(true);
  await sweep(2);
  expect(await Bun.file(path).exists()).toBe(false);
  await expectConsistent();
  const next = await start();
  expect(await send(next, alice.key, bytes)).toMatchObject({ outcome: 'created' });
  await sweep(2);
  await expectConsistent();
});

test('killed while replacing a damaged original: it is damaged or whole, and the next upload repairs it', async () => {
  for (const point of ['folders.made', 'original.linked', 'folder.synced']) {
    const bytes = randomFileBytes(100_000);
    const path = originalPath(database.deps.paths, toSha256(bytes));
    const { id } = (await send(await getServer(), alice.key, bytes))!;
    const damaged = randomFileBytes(100_000);
    await chmod(path, 0o644);
    await writeFile(path, damaged);
    await database.sql`
      update original set missing_at = now() where sha256 = ${toSha256(bytes)}`;
    await uploadAndDie(point, bytes);
    const found = await readFile(path);
    expect(found.equals(bytes) || found.equals(damaged)).toBe(true);
    const next = await start();
    expect(await send(next, alice.key, bytes)).toMatchObject({ id, outcome: 'duplicate' });
    const [row] = await database.sql`
      select missing_at from original where sha256 = ${toSha256(bytes)}`;
    expect(row).toEqual({ missing_at: null });
    await expectConsistent();
  }
});

test('killed under load: every acknowledged upload is stored', async () => {
  const answered: Uint8Array[] = [];
  for (let round = 0; round < effort({ quick: 2, full: 4 }); round++) {
    const server = await getServer();
    const wanted = answered.length + 1 + round;
    const enough = Promise.withResolvers<void>();
    const uploads = Array.from({ length: 12 }, async () => {
      const bytes = randomFileBytes(400_000);
      if (!(await send(server, alice.key, bytes, { sidecar: true }))) return;
      answered.push(bytes);
      if (answered.length >= wanted) enough.resolve();
    });
    await enough.promise;
    await server.kill();
    running = undefined;
    await Promise.all(uploads);
    for (const bytes of answered) expect(await findAsset(bytes)).toBeString();
    await expectConsistent();
  }
});
