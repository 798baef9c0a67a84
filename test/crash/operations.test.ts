import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { handleCleanExports } from '../../src/areas/memories/clean.handlers.ts';
import { handlePurge } from '../../src/areas/physical-deduplication/handlers.ts';
import { handleCleanStudio } from '../../src/areas/studio/previews/clean.handlers.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import { cleanOperations } from '../support/operations.ts';
import { jobCtx } from '../support/processing.ts';
import { openStudio, type Studio } from '../support/studio.ts';
import { bundle } from './bundle.ts';
import { createScenarios, type Scenario, type Started } from './operation-scenarios.ts';

// Every kind of long work is killed wherever its row or its files change. Started again, each ends once.

const NAMES = [
  'an archive operation',
  'an archive operation that stops',
  'the undo of an archive operation',
  'the undo of a workflow',
  'a move from the trash',
  'a deletion of the trash',
  'an archive of a memory',
  'an export that is cancelled',
  'a film of a memory',
  'a film of a project',
  'a film for the library',
  'a move from another server',
  'an apply of a deduplication',
] as const;

let studio: Studio;
let scenarios: Readonly<Record<string, Scenario>>;
let script: string;
const random = createSeededRandom('operations');
/** Kills of each scenario; all that are possible in a full run. */
const KILLS = effort({ quick: 1, full: Infinity });
/** Points that every scenario passes, or nearly. */
const FIRST = 6;

beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'operations-child.ts'));
  studio = await openStudio();
  scenarios = await createScenarios(studio, async (point) => void (await work(point)));
}, 300_000);
afterAll(() => studio.close());

// A move leaves a job for later: to name the faces that are found until then.
beforeEach(async () => void (await studio.database.sql`delete from job`));

/** Works until nothing is left, or is killed at a point. */
async function work(killAt?: number): Promise<'done' | 'killed'> {
  const { databaseUrl, dataDir } = studio.database.deps.settings;
  const command = [process.execPath, script, databaseUrl!, dataDir, String(killAt ?? '')];
  const code = await Bun.spawn(command, { stderr: 'inherit' }).exited;
  expect([0, 137]).toContain(code);
  return code === 0 ? 'done' : 'killed';
}

const getScenario = (name: string): Scenario => scenarios[name]!;

/** Checks that an operation has ended as it should, once, and that nothing of any is under way. */
async function checkEnd({ end }: Scenario, started: Started): Promise<void> {
  expect((await started.read()).status).toBe(end ?? 'gone');
  await started.check();
  const notices = await studio.database.sql`
    select from notification where owner_id = ${started.me.id}`;
  expect(notices).toHaveLength(started.isNotified ? 1 : 0);
  await expectNoneOpen();
}

async function expectNoneOpen(): Promise<void> {
  const { sql } = studio.database;
  expect([
    ...(await sql`
      select kind, state from operation
      where state in ('prepared', 'queued', 'running', 'cancelling', 'undoing')
      union all
      select 'apply', status from deduplication_apply where status in ('queued', 'running')`),
  ]).toEqual([]);
}

describe.each([...NAMES])('%s', (name) => {
  test('ends once, wherever its process is killed', async () => {
    const scenario = getScenario(name);
    // All points one after the other, or some of the first.
    for (let n = 1, isKilled = true; isKilled && n <= KILLS; n++) {
      const started = await scenario.start();
      isKilled = (await work(KILLS === Infinity ? n : 1 + random.below(FIRST))) === 'killed';
      if (isKilled) expect(await work()).toBe('done');
      await checkEnd(scenario, started);
    }
  }, 600_000);

  test('ends with its result or with a reason, if its job is lost as well', async () => {
    const scenario = getScenario(name);
    const started = await scenario.start();
    await work(2 + random.below(2));
    await studio.database.sql`delete from job`;
    const ctx = jobCtx(studio.database, { now: () => new Date() });
    await cleanOperations(studio.database);
    await handleCleanExports(ctx, {});
    await handleCleanStudio(ctx, {});
    await handlePurge(ctx, {});
    await work();
    await expectNoneOpen();
    const { status, error } = await started.read();
    if (status !== 'failed') expect(status).toBe(scenario.end ?? 'gone');
    else if (error !== undefined) expect(error).toBe('The export was interrupted');
  }, 600_000);
});

test('every scenario is walked', () => {
  expect(Object.keys(scenarios).toSorted()).toEqual([...NAMES].toSorted());
});
