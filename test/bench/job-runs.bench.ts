// bun test/bench/job-runs.bench.ts [items]: pages of job runs and of the items of a large one, of which two
// thirds have ended. Prints JSON.
import { randomUUIDv7 } from 'bun';
import { createApp } from '../../src/app.ts';
import { seed, testDatabase } from '../support/harness.ts';
import { latency, requestsTo } from './measure.ts';

const items = Number(process.argv[2] ?? 1_000_000);
const RUNS = 2_000;

const database = await testDatabase();
const { sql } = database;
const admin = await seed(database).user(['all'], { isAdmin: true });
const id = randomUUIDv7();
await sql`
  insert into job_run (id, name, queue, trigger, is_forced, items, counted_at, created_at)
  select case n when 1 then ${id}::uuid else gen_random_uuid() end, 'metadataExtraction',
    'metadataExtraction', 'manual', true, case n when 1 then ${items}::int else 1 end, now(),
    now() - n * interval '1 minute'
  from generate_series(1, ${RUNS}::int) n`;
await sql`
  insert into job_run_item (id, run_id, position, target_type, target_id, status, attempts, started_at,
    finished_at)
  select gen_random_uuid(), ${id}, n, 'asset', gen_random_uuid(),
    case when n % 3 > 0 then 'succeeded' end, 1, now(), now()
  from generate_series(1, ${items}::int) n`;
await sql`
  insert into job (name, queue, lane, payload, unique_key, item_id)
  select 'assets.readMetadata', 'metadataExtraction', 'metadata',
    jsonb_build_object('assetId', target_id), target_id, id from job_run_item where status is null`;
await sql`
  insert into job_run_count (run_id, succeeded, finished_at)
  select ${id}, count(*), now() from job_run_item where status is not null group by position % 50`;
await sql`vacuum analyze`;

const request = requestsTo(createApp(database.deps), admin);
const results = {
  items,
  'runs, first page': await latency(() => request('GET /jobs/runs?take=25')),
  'runs, last page': await latency(() => request(`GET /jobs/runs?skip=${RUNS - 100}&take=100`)),
  'items, first page': await latency(() => request(`GET /jobs/runs/${id}/items?take=100`)),
  'items, last page': await latency(() =>
    request(`GET /jobs/runs/${id}/items?skip=${items - 100}&take=100`),
  ),
  'jobs of the queue': await latency(() => request('GET /queues/metadataExtraction/jobs')),
};
process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
await database.close();
