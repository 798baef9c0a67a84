import { beforeEach } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { readMetadata } from '../../src/areas/assets/jobs.ts';
import { queryRows } from '../../src/db/query.ts';
import { type Job, jobs } from '../../src/job-registry.ts';
import type { JobHandler } from '../../src/jobs/define.ts';
import { enqueue } from '../../src/jobs/queue.ts';
import { type LaneOptions, runLane } from '../../src/jobs/run.ts';
import { useDatabase } from './database.ts';
import type { TestDatabase } from './harness.ts';
import { listJobRows } from './rows.ts';

export type MetadataHandler = JobHandler<typeof readMetadata>;
type Options = Partial<LaneOptions<Job, 'metadata'>>;

let workers = 0;

/**
 * Opens a database for the tests of this file, with a table for what their handlers record, and returns it with its
 * metadata lane. Each test begins without jobs and records.
 */
export async function useMetadataLane() {
  const database = await useDatabase();
  await database.sql`create table effect (key text)`;
  beforeEach(async () => {
    await database.sql`truncate job, job_done, job_fault, effect, queue`;
  });
  return { database, ...openMetadataLane(database) };
}

/** Returns functions on the metadata lane of a database. */
export function openMetadataLane(database: TestDatabase) {
  /** Starts the lane with this handler; `drained` resolves when it finds nothing to do. */
  function start(handler: MetadataHandler, over: Options = {}) {
    let drained = Promise.withResolvers<void>();
    const lane = runLane({
      deps: database.deps,
      lane: 'metadata',
      jobs,
      worker: `w${++workers}`,
      handlers: { 'assets.readMetadata': handler },
      concurrency: 2,
      checkMs: 20,
      onIdle: () => drained.resolve(),
      ...over,
    });
    return Object.assign(lane, {
      drained: () => drained.promise,
      async again() {
        drained = Promise.withResolvers();
        lane.wake();
        await drained.promise;
      },
    });
  }
  return {
    start,
    /** Runs the lane with this handler until nothing is left to do. */
    drain: async (handler: MetadataHandler, over: Options = {}): Promise<void> => {
      const lane = start(handler, over);
      await lane.drained();
      await lane.stop(1000);
    },
    add: (assetId: string = randomUUID()) => enqueue(database.db, readMetadata, { assetId }),
    listJobs: () => listJobRows(database),
    listEffects: async (): Promise<string[]> =>
      (await database.sql`select key from effect order by key`).map((row) => row['key']),
    /** For the end of a handler: records the key in the transaction of its job. */
    record:
      (key: string) =>
      async (tx: TestDatabase['db']): Promise<void> =>
        void (await queryRows(tx, sql`insert into effect values (${key})`)),
  };
}
