import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import { makeJobsDue } from '../support/due-jobs.ts';
import {
  call,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../support/harness.ts';
import { addManyAssets } from '../support/many-assets.ts';
import { until } from '../support/until.ts';
import { addWorkflow, core, tagAssets } from '../support/workflows.ts';
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
  me = await seed(database).user();
});

const ITEMS = effort({ quick: 120, full: 200 });
/** More than a page. */
const BACKFILLED = effort({ quick: 520, full: 600 });
const KILLS = effort({ quick: 4, full: 8 });
const random = createSeededRandom('workflows');

/** Counts each time that it is done. */
const tell = (message: string) => ({ method: 'safelight#notify', config: { message } });
async function countDone(): Promise<Record<string, number>> {
  const rows = await database.sql`
    select title, data ->> 'count' as times from notification where owner_id = ${me.id}`;
  return Object.fromEntries(rows.map((row) => [row['title'], Number(row['times'])]));
}

function startChild(): Bun.Subprocess {
  const { databaseUrl, dataDir } = database.deps.settings;
  return Bun.spawn([process.execPath, script, databaseUrl!, dataDir], {
    stdout: 'inherit',
    stderr: 'inherit',
  });
}

const countJobs = async (): Promise<number> =>
  (await database.sql`select count(*)::int as jobs from job`)[0]!['jobs'];

/** The wait after a crash is tested elsewhere. */
const makeDue = () => makeJobsDue(database);

/** The patience with a busy machine. */
const PATIENCE_MS = 180_000;

/** Kills workers soon after each has done something; the last one finishes. Returns the number of kills. */
async function killWorkers(): Promise<number> {
  let kills = 0;
  while (kills < KILLS && (await countJobs()) > 0) {
    const before = JSON.stringify(await countDone());
    const child = startChild();
    await until(async () => {
      await makeDue();
      return JSON.stringify(await countDone()) !== before || (await countJobs()) === 0;
    }, PATIENCE_MS);
    await Bun.sleep(random.below(30));
    child.kill('SIGKILL');
    await child.exited;
    kills += 1;
  }
  const last = startChild();
  await until(async () => {
    await makeDue();
    return (await countJobs()) === 0;
  }, PATIENCE_MS);
  last.kill('SIGKILL');
  await last.exited;
  return kills;
}

async function readResults(id: string) {
  const rows = await database.sql`
    select result, count(*)::int as runs, count(distinct asset_id)::int as items from workflow_run
    where workflow_id = ${id} group by result order by result`;
  return rows.map((row) => ({ ...row }));
}

test('every action of a workflow happens once although workers are killed', async () => {
  const ids = await addManyAssets(database, me.id, ITEMS);
  const first = await addWorkflow(app, me, [tell('first'), core('assetFavorite'), tell('second')]);
  const filter = core('assetFileFilter', { pattern: '7' });
  const second = await addWorkflow(app, me, [filter, tell('third')]);
  await tagAssets(app, me, ids);
  expect(await killWorkers()).toBeGreaterThan(3);
  const sevens = ids.keys().filter((n) => String(n + 1).includes('7'));
  const matching = sevens.toArray().length;
  expect(await countDone()).toEqual({ first: ITEMS, second: ITEMS, third: matching });
  expect(await readResults(first)).toEqual([{ result: 'completed', runs: ITEMS, items: ITEMS }]);
  expect(await readResults(second)).toEqual([
    { result: 'completed', runs: matching, items: matching },
    { result: 'halted', runs: ITEMS - matching, items: ITEMS - matching },
  ]);
}, 600_000);

test('a backfill runs for each item once although workers are killed', async () => {
  await addManyAssets(database, me.id, BACKFILLED);
  const id = await addWorkflow(app, me, [tell('done')]);
  const { body } = await call(app, `POST /workflows/${id}/backfills`, { as: me });
  expect(await killWorkers()).toBeGreaterThan(3);
  expect(await countDone()).toEqual({ done: BACKFILLED });
  const [latest] = (await call(app, `GET /workflows/${id}/backfills`, { as: me })).body;
  expect(latest).toMatchObject({
    id: body.id,
    status: 'completed',
    evaluated: BACKFILLED,
    matched: BACKFILLED,
    processed: BACKFILLED,
  });
}, 600_000);
