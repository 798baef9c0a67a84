import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { handleRemoveFiles } from '../../src/areas/trash/removal/removal.handlers.ts';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import { makeJobsDue } from '../support/due-jobs.ts';
import { addManyAssets } from '../support/many-assets.ts';
import { DATES, toSha256, randomFileBytes } from '../support/forms.ts';
import {
  call,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../support/harness.ts';
import { jobCtx } from '../support/processing.ts';
import { bundle } from './bundle.ts';

let database: TestDatabase;
let app: App;
let me: TestUser;
let script: string;
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'background-child.ts'));
  database = await testDatabase();
  app = testApp(database, { now: () => new Date() });
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate removed_file, job, asset, original cascade`;
  await rm(database.deps.paths.removed, { recursive: true, force: true });
  me = await seed(database).user();
});

function startChild(fault?: string): Bun.Subprocess {
  const { databaseUrl, dataDir } = database.deps.settings;
  return Bun.spawn([process.execPath, script, databaseUrl!, dataDir, ...(fault ? [fault] : [])], {
    stdout: 'inherit',
    stderr: 'inherit',
  });
}

async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 500_000; !(await isDone()); await Bun.sleep(20)) {
    expect(performance.now()).toBeLessThan(end);
  }
}

/** Waits until the database has released the locks of killed clients. */
const waitForOtherBackends = () =>
  waitUntil(async () => {
    const [row] = await database.sql`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and state like '%in transaction%'`;
    return row!['count'] === 0;
  });

describe.each([...FAULT_POINTS.removal])('a removal of files killed at %s', (point) => {
  const bytes = [randomFileBytes(5000), randomFileBytes(5000), randomFileBytes(5000)];
  const toOriginalPath = (content: Uint8Array) =>
    originalPath(database.deps.paths, toSha256(content));
  const aside = () => readdir(database.deps.paths.removed).catch(() => []);
  const rows = async () => (await database.sql`select 1 from removed_file`).length;

  async function upload(content: Uint8Array): Promise<string> {
    const body = new FormData();
    body.set('assetData', new Blob([content as Uint8Array<ArrayBuffer>]), 'a.jpg');
    for (const { name, value } of DATES) body.set(name, value!);
    const reply = await call(app, 'POST /assets', { as: me, body });
    expect(reply.status).toBe(201);
    return reply.body.id;
  }

  async function killInTheMiddle(): Promise<void> {
    const ids = [];
    for (const content of bytes) ids.push(await upload(content));
    const body = { ids: ids.slice(0, 2), force: true };
    expect((await call(app, 'DELETE /assets', { as: me, body })).status).toBe(204);
    expect(await startChild(point).exited).not.toBe(0);
    await waitForOtherBackends();
    // The removal is still recorded, and files of other assets are untouched.
    expect(await rows()).toBe(1);
    expect(await Bun.file(toOriginalPath(bytes[2]!)).bytes()).toEqual(bytes[2] as never);
  }

  async function finish(): Promise<void> {
    await database.sql`update removed_file set retry_at = now()`;
    await handleRemoveFiles(jobCtx(database, { now: () => new Date() }), {});
    expect(await rows()).toBe(0);
    expect(await aside()).toEqual([]);
  }

  test('the next run removes the remaining files', async () => {
    await killInTheMiddle();
    await finish();
    expect(await Bun.file(toOriginalPath(bytes[0]!)).exists()).toBe(false);
    expect(await Bun.file(toOriginalPath(bytes[1]!)).exists()).toBe(false);
    const originals = await database.sql`select sha256 from original`;
    expect(originals.map((row) => Buffer.from(row['sha256']).toString('hex'))).toEqual([
      Buffer.from(toSha256(bytes[2]!)).toString('hex'),
    ]);
  });

  test('bytes uploaded again before the next run are kept', async () => {
    await killInTheMiddle();
    const id = await upload(bytes[0]!);
    await finish();
    expect(await Bun.file(toOriginalPath(bytes[0]!)).bytes()).toEqual(bytes[0] as never);
    expect(await Bun.file(toOriginalPath(bytes[1]!)).exists()).toBe(false);
    expect((await call(app, `GET /assets/${id}/original`, { as: me })).status).toBe(200);
  });

  test('an asset row that refers to the bytes without an upload keeps the file', async () => {
    await killInTheMiddle();
    const [row] = await database.sql`
      select 1 from original where sha256 = ${toSha256(bytes[0]!)}`;
    // An asset cannot refer to an original without a row.
    if (!row) return;
    const sha256 = toSha256(bytes[0]!);
    await seed(database).asset({ ownerId: me.id, sha256, sha1: sha256.subarray(0, 20) });
    await finish();
    expect(await Bun.file(toOriginalPath(bytes[0]!)).bytes()).toEqual(bytes[0] as never);
  });
});

describe('a process killed repeatedly', () => {
  // More than are changed at once.
  const COUNT = effort({ quick: 5500, full: 8000 });
  const KILLS = effort({ quick: 2, full: 4 });
  const random = createSeededRandom('background');

  /** Kills workers while the condition does not hold; a last one is left to finish. */
  async function killUntil(isDone: () => Promise<boolean>): Promise<void> {
    for (let n = 0; n < KILLS; n++) {
      const child = startChild();
      await Bun.sleep(150 + random.below(400));
      child.kill('SIGKILL');
      await child.exited;
    }
    const last = startChild();
    await waitUntil(async () => {
      // The wait after a crash is tested elsewhere.
      await makeJobsDue(database);
      return isDone();
    });
    last.kill('SIGKILL');
    await last.exited;
  }

  const revisions = async () => {
    const [row] = await database.sql`
      select min(state_revision)::int as least, max(state_revision)::int as most,
        count(*)::int as count from asset`;
    return { ...row };
  };

  test('an archive operation archives and restores every item exactly once', async () => {
    await addManyAssets(database, me.id, COUNT);
    const prepared = await call(app, 'POST /archive-operations/prepare', { as: me, body: {} });
    const { id, total } = prepared.body;
    const confirm = `POST /archive-operations/${id}/confirm` as const;
    await call(app, confirm, { as: me, body: { expectedCount: total } });
    const has = async (status: string) =>
      (await call(app, `GET /archive-operations/${id}`, { as: me })).body.status === status;
    await killUntil(() => has('completed'));
    expect(await revisions()).toEqual({ least: 1, most: 1, count: COUNT });
    await call(app, `POST /archive-operations/${id}/undo`, { as: me, body: {} });
    await killUntil(() => has('undone'));
    expect(await revisions()).toEqual({ least: 2, most: 2, count: COUNT });
    const { body } = await call(app, `GET /archive-operations/${id}`, { as: me });
    expect(body).toMatchObject({ archived: COUNT, restored: COUNT, kept: 0, skipped: 0 });
  }, 600_000);

  test('a large trash is restored, trashed and emptied completely', async () => {
    const ids = await addManyAssets(database, me.id, COUNT, { trashedAt: new Date() });
    const isDone = async () =>
      (await database.sql`select 1 from operation where kind = 'move'`).length === 0;
    const restored = await call(app, 'POST /trash/restore', { as: me });
    expect(restored.body.count).toBe(COUNT);
    await killUntil(isDone);
    expect(await revisions()).toEqual({ least: 1, most: 1, count: COUNT });
    await call(app, 'DELETE /assets', { as: me, body: { ids } });
    await killUntil(isDone);
    expect(await revisions()).toEqual({ least: 2, most: 2, count: COUNT });
    await call(app, 'POST /trash/empty', { as: me });
    await killUntil(isDone);
    expect(await database.sql`select 1 from asset limit 1`).toHaveLength(0);
  }, 600_000);
});
