import { beforeEach, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { readMetadata } from '../areas/assets/jobs.ts';
import { type ClaimedJob, claimJobs } from './claims.ts';
import { enqueue, enqueueMany, hasJob } from './queue.ts';
import { column } from '../db/columns.ts';
import { OWN_SCHEMA } from '../db/migrate.ts';
import { queryRows } from '../db/query.ts';
import { waitUntilBlocked } from '../../test/support/blocked-statements.ts';
import { useDatabase } from '../../test/support/database.ts';

// A waiting job that is enqueued again must not start before that transaction has committed.

const database = await useDatabase();
beforeEach(async () => {
  await database.sql`truncate job`;
});

const assetId = randomUUID();
const claim = (db = database.db): Promise<ClaimedJob[]> =>
  claimJobs(db, {
    lane: 'metadata',
    worker: 'w',
    names: [readMetadata.name],
    limit: 10,
    leaseMs: 60_000,
  });
const states = async () =>
  (await database.sql`select state from job order by id`).map((row) => row['state'] as string);

test('a waiting job is not claimed before all transactions that enqueue it again have committed', async () => {
  await enqueue(database.db, readMetadata, { assetId });
  await database.db.transaction(async (one) => {
    await enqueue(one, readMetadata, { assetId });
    await database.db.transaction(async (other) => {
      // The two transactions do not wait for each other.
      await enqueue(other, readMetadata, { assetId });
      expect(await claim()).toEqual([]);
    });
    expect(await claim()).toEqual([]);
    expect(await states()).toEqual(['waiting']);
  });
  expect(await claim()).toHaveLength(1);
});

/** Which programs go on after the migration of a newer version. */
const letGoOn = (schema: number) =>
  database.sql`update schema_migration set served_from = ${schema} where name = '9999_later'`;

test('jobs of a database that another version has made are claimed only if it lets this one go on', async () => {
  await enqueue(database.db, readMetadata, { assetId });
  await database.sql`insert into schema_migration (name, checksum) values ('9999_later', 'x')`;
  expect(await claim()).toEqual([]);
  await letGoOn(OWN_SCHEMA + 1);
  expect(await claim()).toEqual([]);
  await letGoOn(OWN_SCHEMA);
  expect(await claim()).toHaveLength(1);
  await database.sql`update job set state = 'waiting'`;
  await database.sql`delete from schema_migration where name = '9999_later'`;
  await database.sql`update schema_migration set checksum = 'x' || checksum`;
  expect(await claim()).toEqual([]);
  await database.sql`update schema_migration set checksum = substr(checksum, 2)`;
  expect(await claim()).toHaveLength(1);
});

test('lanes are notified when a locked waiting job is free again', async () => {
  const told: string[] = [];
  const listening = await database.sql.listen('job_ready', (lane) => told.push(lane));
  await enqueue(database.db, readMetadata, { assetId });
  while (told.length < 1) await Bun.sleep(5);
  await database.db.transaction((tx) => enqueue(tx, readMetadata, { assetId }));
  while (told.length < 2) await Bun.sleep(5);
  expect(told).toEqual(['metadata', 'metadata']);
  await listening.unlisten();
});

test('a job that is inserted while another transaction enqueues it is locked too', async () => {
  const added = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const adding = database.db.transaction(async (tx) => {
    await enqueue(tx, readMetadata, { assetId });
    added.resolve();
    await end.promise;
  });
  await added.promise;
  await database.db.transaction(async (tx) => {
    const joining = enqueueMany(tx, readMetadata, [{ assetId }, { assetId: randomUUID() }]);
    await waitUntilBlocked(database.sql);
    end.resolve();
    await Promise.all([adding, joining]);
    expect(await claim()).toEqual([]);
    expect(await states()).toEqual(['waiting']);
  });
  expect(await claim()).toHaveLength(2);
});

test('a job that is claimed while a transaction enqueues it gets a successor', async () => {
  await enqueue(database.db, readMetadata, { assetId });
  const claimed = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const claiming = database.db.transaction(async (tx) => {
    await claim(tx);
    claimed.resolve();
    await end.promise;
  });
  await claimed.promise;
  const joining = enqueue(database.db, readMetadata, { assetId });
  await waitUntilBlocked(database.sql);
  end.resolve();
  await Promise.all([claiming, joining]);
  expect(await states()).toEqual(['running', 'waiting']);
});

test('whether a key has a job is known without reading the queue', async () => {
  await database.sql`insert into job (name, queue, lane, payload, unique_key, state)
    select 'other', 'search', 'metadata', '{}', n, case n % 100 when 0 then 'running' else 'waiting' end
    from generate_series(1, 20000) n`;
  await database.sql`insert into job (name, queue, lane, payload, unique_key, state)
    select 'mine', 'search', 'metadata', '{}', state, state
    from unnest('{waiting,running,failed,cancelled}'::text[]) state`;
  await database.sql`analyze job`;
  const query = sql`select key from unnest('{waiting,running,failed,cancelled,none}'::text[]) key
    where ${hasJob('mine', sql`key`)}`;
  expect(await queryRows(database.db, { key: column.text }, query)).toEqual([
    { key: 'waiting' },
    { key: 'running' },
  ]);
  const plan = await queryRows(database.db, sql`explain ${query}`);
  expect(JSON.stringify(plan)).not.toContain('Seq Scan on job');
});
