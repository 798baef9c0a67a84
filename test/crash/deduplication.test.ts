import { afterAll, beforeAll, expect } from 'bun:test';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { toHex } from '../../src/core/hash.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import { effort } from '../support/effort.ts';
import { toSha256 } from '../support/forms.ts';
import {
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../support/harness.ts';
import {
  createDeduplication,
  type Household,
  toDecisions,
} from '../support/physical-deduplication.ts';
import { addFile } from '../support/processing.ts';
import { bundle } from './bundle.ts';
import { OTHER_DISK, skipWithout } from '../support/requirements.ts';

const { test } = skipWithout('another disk');

const KILLS = effort({ quick: FAULT_POINTS.deduplication.length, full: 200 });
const FILES = 10;

let database: TestDatabase;
let app: App;
let admin: TestUser;
let plans: ReturnType<typeof createDeduplication>;
let households: Household[];
let script: string;
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'deduplication-child.ts'));
  database = await testDatabase();
  app = testApp(database, { now: () => new Date() });
  admin = await seed(database).user(['all'], { isAdmin: true });
  plans = createDeduplication(database, app, admin);
});
afterAll(async () => {
  await database.close();
  for (const { folder } of households) await rm(folder, { recursive: true, force: true });
});

const contents = Array.from({ length: FILES }, (_, n) => `content ${n} ${'x'.repeat(n * 1000)}`);

/** Half of the contents are in our store, too. */
async function fill(): Promise<void> {
  const files = Object.fromEntries(contents.map((content, n) => [`${n}.jpg`, content]));
  households = [
    await plans.addHousehold(files),
    await plans.addHousehold(files),
    await plans.addHousehold(files, OTHER_DISK),
  ];
  for (const content of contents.slice(0, FILES / 2)) {
    const bytes = Buffer.from(content);
    const sha256 = toSha256(bytes);
    await addFile(database, { name: 'up.jpg', bytes }, { ownerId: admin.id });
    await database.sql`
      update original set path = null, size = ${bytes.length} where sha256 = ${sha256}`;
  }
}

type Plan = { readonly planId: string; readonly applyId: string };

async function startPlan(): Promise<Plan> {
  const plan = await plans.preview();
  const { id: planId, fingerprint } = plan;
  const decisions = toDecisions(plan, 'approve');
  expect(decisions.length).toBeGreaterThanOrEqual(2 * FILES);
  expect((await plans.review({ planId, fingerprint, decisions })).status).toBe(200);
  expect((await plans.startApply()).status).toBe(204);
  const [row] = await database.sql`select id from deduplication_apply where plan_id = ${planId}`;
  return { planId, applyId: row!['id'] };
}

let kills = 0;
const reached = new Set<string>();

const POINTS = { apply: 'copy.', restore: 'restore.', purge: 'purge.' } as const;

const listPoints = (action: keyof typeof POINTS) =>
  FAULT_POINTS.deduplication.filter((point) => point.startsWith(POINTS[action]));

/** Kills a child at one fault point after the other, until one has come to its end. */
async function killUntilDone(
  action: keyof typeof POINTS,
  { planId, applyId }: Plan,
  mostKills = effort({ quick: listPoints(action).length, full: KILLS }),
): Promise<void> {
  const { databaseUrl, dataDir } = database.deps.settings;
  const points = listPoints(action);
  for (let left = mostKills; ; left--) {
    const point = left > 0 ? points[kills % points.length]! : 'none';
    const times = String(1 + (Math.floor(kills / points.length) % 3));
    const child = Bun.spawn(
      [process.execPath, script, databaseUrl!, dataDir, action, applyId, planId, point, times],
      { stderr: 'pipe' },
    );
    const code = await child.exited;
    if (code !== 137) {
      expect([action, code, await new Response(child.stderr).text()]).toEqual([action, 0, '']);
      return;
    }
    kills += 1;
    reached.add(point);
    await expectNothingLost();
  }
}

const read = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined);

/** Each item can be read, and each file of a library is whole in its place or in the quarantine. */
async function expectNothingLost(): Promise<void> {
  const { paths } = database.deps;
  const originals = await database.sql`select sha256, path from original`;
  expect(originals).toHaveLength(FILES);
  const byHash = new Map(
    contents.map((content) => [toHex(toSha256(Buffer.from(content))), content]),
  );
  for (const { sha256, path } of originals) {
    expect(await read(path ?? originalPath(paths, sha256))).toBe(byHash.get(toHex(sha256))!);
  }
  const files = await database.sql`
    select path, sha256, is_released from library_file`;
  expect(files).toHaveLength(households.length * FILES);
  const quarantine = join(paths.removed, 'copies');
  for (const { path, sha256, is_released: isReleased } of files) {
    const content = byHash.get(toHex(sha256))!;
    const found = await read(path);
    if (found === undefined && isPurging && isReleased) continue;
    const aside = found ?? (await findQuarantined(quarantine, path));
    expect([path, aside]).toEqual([path, content]);
  }
}

async function findQuarantined(folder: string, path: string): Promise<string | undefined> {
  const rows = await database.sql`select id from deduplication_copy where path = ${path}`;
  for (const { id } of rows) {
    const found = await read(join(folder, id));
    if (found !== undefined) return found;
  }
  return undefined;
}

const compareText = (a: string, b: string) => a.localeCompare(b);

let isPurging = false;

test(`${KILLS} kills while plans are applied, restored and purged lose nothing`, async () => {
  await fill();
  await plans.configure('quarantine');
  while (kills < KILLS - 10) {
    const plan = await startPlan();
    await killUntilDone('apply', plan);
    const apply = (await plans.read()).applies.find(
      ({ id }: { id: string }) => id === plan.applyId,
    );
    expect(apply).toMatchObject({ status: 'completed', failed: 0, processed: apply.total });
    const aside = await database.sql`
      select from deduplication_copy where plan_id = ${plan.planId} and quarantined_at is not null`;
    expect(aside).toHaveLength(apply.total);
    await killUntilDone('restore', plan);
    const { body } = await plans.verify(plan.applyId);
    expect(new Set(body.copies.map(({ state }: { state: string }) => state))).toEqual(
      new Set(['restored']),
    );
    expect(await database.sql`select from library_file where is_released`).toHaveLength(0);
  }
  isPurging = true;
  const plan = await startPlan();
  await killUntilDone('apply', plan, 0);
  await killUntilDone('purge', plan);
  const { body } = await plans.verify(plan.applyId);
  expect(new Set(body.copies.map(({ state }: { state: string }) => state))).toEqual(
    new Set(['gone']),
  );
  expect(
    body.retained.every(({ checksumMatches }: { checksumMatches: boolean }) => checksumMatches),
  ).toBe(true);
  await expectNothingLost();
  expect(kills).toBeGreaterThanOrEqual(KILLS);
  expect([...reached].toSorted(compareText)).toEqual(
    FAULT_POINTS.deduplication.toSorted(compareText),
  );
}, 600_000);
