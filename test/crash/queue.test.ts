import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readMetadata } from '../../src/areas/assets/jobs.ts';
import { enqueue, enqueueMany } from '../../src/jobs/queue.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import { makeJobsDue } from '../support/due-jobs.ts';
import { type TestDatabase, testDatabase } from '../support/harness.ts';
import { bundle } from './bundle.ts';

let database: TestDatabase;
let script: string;
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'queue-child.ts'));
  database = await testDatabase();
  await database.sql`create table effect (asset_id uuid not null, worker text not null)`;
});
afterAll(() => database.close());

const JOBS = effort({ quick: 200, full: 600 });
const PROCESSES = 4;
const LEAST_KILLS = effort({ quick: 5, full: 20 });
const random = createSeededRandom('queue');

const count = async (query: string): Promise<number> =>
  Number((await database.sql.unsafe(`select count(*) as count from ${query}`))[0]!['count']);

const hasWorked = async (worker: string): Promise<boolean> =>
  (await count(`job where worker = '${worker}'`)) > 0 ||
  (await count(`effect where worker = '${worker}'`)) > 0;

let started = 0;

function startWorker(): { readonly name: string; kill(): Promise<unknown> } {
  const name = `worker-${(started += 1)}`;
  const child = Bun.spawn([process.execPath, script, database.deps.settings.databaseUrl!, name], {
    stdout: 'inherit',
    stderr: 'inherit',
  });
  return {
    name,
    kill() {
      child.kill('SIGKILL');
      return child.exited;
    },
  };
}

test('every job takes effect exactly once although workers are killed at random', async () => {
  const ids = Array.from({ length: JOBS }, () => randomUUID());
  await enqueueMany(
    database.db,
    readMetadata,
    ids.slice(0, JOBS / 2).map((assetId) => ({ assetId })),
  );
  const rest = ids.slice(JOBS / 2);
  let workers = Array.from({ length: PROCESSES }, startWorker);
  let kills = 0;
  let killedAtWork = 0;
  const end = performance.now() + 500_000;
  while (kills < LEAST_KILLS || (await count('job')) > 0) {
    expect(performance.now()).toBeLessThan(end);
    await Bun.sleep(50 + random.below(250));
    for (const assetId of rest.splice(0, 40)) await enqueue(database.db, readMetadata, { assetId });
    // Attempts that failed by themselves are due at once: the back-off is tested elsewhere.
    await makeJobsDue(database);
    if (kills < LEAST_KILLS) {
      const [victim, ...others] = workers;
      // On a busy machine it may not even have started.
      while (!(await hasWorked(victim!.name)) && (await count('job')) > 0) await Bun.sleep(20);
      if (await hasWorked(victim!.name)) killedAtWork += 1;
      await victim!.kill();
      workers = [...others, startWorker()];
      kills += 1;
    }
  }
  await Promise.all(workers.map((worker) => worker.kill()));

  expect(await count('job')).toBe(0);
  expect(await count('effect')).toBe(JOBS);
  expect(await count('(select distinct asset_id from effect) distinct_effect')).toBe(JOBS);
  expect(killedAtWork).toBeGreaterThan(0);
  const [done] = await database.sql`select sum(jobs)::int as jobs from job_done`;
  expect(done!['jobs']).toBe(JOBS);
}, 600_000);
