import { expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { seed, testApp } from '../../test/support/harness.ts';
import { setUpListeners } from '../../test/support/listener.ts';
import { type MetadataHandler, useMetadataLane } from '../../test/support/metadata-lane.ts';
import { readMetadata, renderImage } from '../areas/assets/jobs.ts';
import { withCorrelationId } from '../core/correlation.ts';
import { createLog } from '../core/log.ts';
import { enqueue } from './queue.ts';

const { listen } = setUpListeners();
const { database, drain, add, listJobs } = await useMetadataLane();
const listIds = async () => (await listJobs()).map((job) => job.correlation_id);

/** Runs the lane and returns the lines that it logs. */
async function drainLogged(handler: MetadataHandler): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format: 'json', write: (line) => void lines.push(line) });
  await drain(handler, { deps: { ...database.deps, log } });
  return lines.map((line) => JSON.parse(line));
}

test('a job has the correlation id of the request that enqueued it', async () => {
  const app = testApp(database);
  const { url } = await listen((request) => app.fetch(request));
  const { key } = await seed(database).user(['all'], { isAdmin: true });
  const send = (id: string) =>
    fetch(`${url}/api/jobs`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'x-correlation-id': id },
      body: JSON.stringify({ name: 'memory-cleanup' }),
    });
  const response = await send('first-request');
  expect([response.status, response.headers.get('x-correlation-id')]).toEqual([
    204,
    'first-request',
  ]);
  await send('second-request');
  expect(await listIds()).toEqual(['first-request']);
});

test('a waiting job that is enqueued again keeps its id; without a request it has none', async () => {
  const assetId = randomUUID();
  await withCorrelationId('first', () => add(assetId));
  await withCorrelationId('second', () => add(assetId));
  await add();
  expect(await listIds()).toEqual(['first', null]);
});

test('what a job logs and enqueues has its id, and nothing else', async () => {
  await Promise.all([
    withCorrelationId('one', () => add()),
    withCorrelationId('two', () => add()),
    add(),
  ]);
  const rows = await listJobs();
  const expected = new Map(rows.map((row) => [row.payload.assetId, row.correlation_id]));
  const lines = await drainLogged(async ({ log }, { assetId }) => {
    await Bun.sleep(1);
    log.info('working', { assetId });
    return (tx) => enqueue(tx, renderImage, { assetId });
  });
  const logged = lines.filter(({ message }) => message === 'working');
  expect(new Map(logged.map((line) => [line['assetId'], line['correlationId'] ?? null]))).toEqual(
    expected,
  );
  const enqueued = await listJobs();
  expect(new Map(enqueued.map((row) => [row.payload.assetId, row.correlation_id]))).toEqual(
    expected,
  );
});

test('a failure is logged with the id, at every attempt', async () => {
  await withCorrelationId('request-of-ada', () => add());
  const fails: MetadataHandler = () => Promise.reject(new Error('disk full'));
  for (let attempt = 1; attempt <= readMetadata.attempts; attempt++) {
    const lines = await drainLogged(fails);
    const failure = lines.find(({ message }) => (message as string).startsWith('job failed'));
    expect(failure).toMatchObject({ correlationId: 'request-of-ada', lane: 'metadata' });
    await database.sql`update job set run_at = now()`;
  }
  expect(await listIds()).toEqual(['request-of-ada']);
});
