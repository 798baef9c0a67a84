import type { Sql } from 'postgres';
import { createDatabase } from '../seed.ts';
import { OWN_STATEMENT } from './cost.ts';
import { defineGroup } from './groups.ts';
import type { Row } from './measures.ts';
import { startMetered, waitForIdleJobs } from './metered-server.ts';
import { migrateByBinary } from './server.ts';

const POLL_MS = 50;

/** Jobs of assets that do not exist: what the queue itself costs. */
export const createQueueGroup = (jobs: number) =>
  defineGroup('queue', 3, async (target) => {
    const name = `figures_${target.label}_queue`;
    await createDatabase(name);
    await migrateByBinary(target, name);
    const { sql, meter, close } = await startMetered(target, name);
    const run = async (): Promise<Row[]> => {
      await insertJobs(sql, jobs);
      const cost = await meter.measure(async () => {
        await sql.unsafe(`select ${OWN_STATEMENT} pg_notify('job_ready', 'metadata')`);
        await waitForIdleJobs(sql, POLL_MS);
      });
      const { statements, blocks, serverCpuMs, databaseCpuMs, ms } = cost;
      const values = {
        serverCpuMs: serverCpuMs / jobs,
        databaseCpuMs: databaseCpuMs / jobs,
        ...(statements !== undefined && { statements: statements / jobs }),
        ...(blocks !== undefined && { blocks: blocks / jobs }),
        perSecond: (jobs * 1000) / ms,
      };
      const waiting = `${jobs.toLocaleString('en')} waiting`;
      return [{ table: 'Queue, by job', name: `jobs without work, ${waiting}`, values }];
    };
    return { steps: [{ name: 'queue', run }], close };
  });

async function insertJobs(sql: Sql, jobs: number): Promise<void> {
  await sql`
    insert into job (name, queue, lane, payload)
    select 'assets.readMetadata', 'metadataExtraction', 'metadata',
      jsonb_build_object('assetId', gen_random_uuid()) from generate_series(1, ${jobs}::int)`;
  await sql`analyze job`;
}
