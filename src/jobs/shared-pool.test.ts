import { expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { useMetadataLane } from '../../test/support/metadata-lane.ts';
import { until } from '../../test/support/until.ts';
import { renderImage } from '../areas/assets/jobs.ts';
import { openDatabase } from '../db/client.ts';
import { jobs } from '../job-registry.ts';
import { enqueue } from './queue.ts';
import { runLane } from './run.ts';

const { database, start, add, listEffects, record } = await useMetadataLane();

const listHeld = async () => [
  ...(await database.sql<{ lane: string; attempt: number; is_leased: boolean }[]>`
    select lane, attempt, lease_until > now() as is_leased from job
    where state = 'running' order by id`),
];

test('a lane at its limit leaves another one the only connection, which stops without its jobs', async () => {
  const { settings, ...deps } = database.deps;
  const { db, sql, ...pool } = openDatabase(settings.databaseUrl!, { max: 1 });
  const shared = { deps: { ...deps, db, sql, settings }, leaseMs: 600, checkMs: 50 };
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  for (let n = 0; n < 2; n++) await add();
  const handler = async () => {
    await held;
    return record('metadata');
  };
  const metadata = start(handler, { ...shared, limits: { metadataExtraction: 1 } });
  await until(async () => (await listHeld()).length === 2);
  for (let n = 0; n < 3; n++) await enqueue(database.db, renderImage, { assetId: randomUUID() });
  const idle = Promise.withResolvers<void>();
  const image = runLane({
    ...shared,
    lane: 'image',
    jobs,
    worker: 'image',
    handlers: {
      'assets.renderImage': async () => record('image'),
      'assets.renderEdits': async () => {},
      'people.render': async () => {},
    },
    concurrency: 1,
    onIdle: idle.resolve,
  });
  await idle.promise;
  await image.stop(0);
  expect(await listEffects()).toEqual(['image', 'image', 'image']);
  // Longer than a lease.
  await Bun.sleep(1500);
  const isHeld = { lane: 'metadata', attempt: 1, is_leased: true };
  expect(await listHeld()).toEqual([isHeld, isHeld]);
  release();
  await metadata.drained();
  await metadata.stop(1000);
  await pool.close();
  expect(await listEffects()).toHaveLength(5);
});
