import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { readMetadata } from '../../src/areas/assets/jobs.ts';
import { queryRows } from '../../src/db/query.ts';
import { type Job, jobs } from '../../src/job-registry.ts';
import type { JobHandler } from '../../src/jobs/define.ts';
import { enqueue } from '../../src/jobs/queue.ts';
import { type LaneOptions, runLane } from '../../src/jobs/run.ts';
import { type TestDatabase, testDatabase } from './harness.ts';
import { listJobRows } from './rows.ts';

export type MetadataHandler = JobHandler<typeof readMetadata>;
type Options = Partial<LaneOptions<Job, 'metadata'>>;

let workers = 0;

/** A fresh database with a table for what the handlers of a test have recorded. */
export async function openLaneDatabase(): Promise<TestDatabase> {
  const database = await testDatabase();
  await database.sql`create table effect (key text)`;
  return database;
}

/** Deletes all jobs and records of previous tests. */
export const emptyLanes = async ({ sql: query }: TestDatabase): Promise<void> =>
  void (await query`truncate job, job_done, job_fault, effect, queue`);

/** Functions on the metadata lane of a database that is open when they are called. */
export function metadataLane(getDatabase: () => TestDatabase) {
  /** Starts the lane with this handler; `drained` resolves when it finds nothing to do. */
  function start(handler: MetadataHandler, over: Options = {}) {
    let drained = Promise.withResolvers<void>();
    const lane = runLane({
      deps: getDatabase().deps,
      lane: 'metadata',
      jobs,
      worker: `w${++workers}`,
      handlers: { 'assets.readMetadata': handler },
      concurrency: 2,
      checkMs: 20,
      onIdle: () => drained.resolve(),
      ...over,
    });
    return {
      ...lane,
      drained: () => drained.promise,
      async again() {
        drained = Promise.withResolvers();
        lane.wake();
        await drained.promise;
      },
    };
  }
  return {
    start,
    /** Runs the lane with this handler until nothing is left to do. */
    drain: async (handler: MetadataHandler, over: Options = {}): Promise<void> => {
      const lane = start(handler, over);
      await lane.drained();
      await lane.stop(1000);
    },
    add: (assetId: string = randomUUID()) => enqueue(getDatabase().db, readMetadata, { assetId }),
    listJobs: () => listJobRows(getDatabase()),
    listEffects: async (): Promise<string[]> =>
      (await getDatabase().sql`select key from effect order by key`).map((row) => row['key']),
    /** For the end of a handler: records the key in the transaction of its job. */
    record:
      (key: string) =>
      async (tx: TestDatabase['db']): Promise<void> =>
        void (await queryRows(tx, sql`insert into effect values (${key})`)),
  };
}
