import { afterEach, beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { drainLane } from '../../../../test/support/processing.ts';
import { listWebhookHosts, startReceiver } from '../../../../test/support/webhooks.ts';
import { addWorkflow, own } from '../../../../test/support/workflows.ts';
import type { HandlersByLane } from '../../../job-registry.ts';
import { releaseExpired } from '../../../jobs/claims.ts';
import { enqueueMany } from '../../../jobs/queue.ts';
import { deliverWebhook } from '../jobs.ts';
import { handleDeliverWebhook } from './webhooks.handlers.ts';

// Deliveries that fail: attempts, pauses and ends.

const { database, app } = await useApp();
let me: TestUser;
let photo: string;
let receiver: ReturnType<typeof startReceiver>;
beforeEach(async () => {
  me = await seed(database).user();
  photo = await seed(database).asset({ ownerId: me.id });
  await listWebhookHosts(app, database, '127.0.0.1');
  await database.sql`truncate job`;
  receiver = startReceiver();
});
afterEach(() => receiver.stop());

/** Enqueues as many deliveries to the receiver. */
async function addDeliveries(count: number): Promise<void> {
  const workflowId = await addWorkflow(app, me, [own('webhook', { url: receiver.url })]);
  await database.sql`truncate job`;
  const items = Array.from({ length: count }, (_, n) => ({
    id: `run-${n}`,
    ownerId: me.id,
    workflowId,
    assetId: photo,
    url: receiver.url,
    message: null,
    at: NOW.toISOString(),
  }));
  await enqueueMany(database.db, deliverWebhook, items);
}
/** Runs what is due, and what waits for its next attempt, `afterS` seconds after the deliveries were enqueued. */
async function run(afterS: number): Promise<void> {
  await database.sql`update job set run_at = now() where state = 'waiting'`;
  const now = () => new Date(NOW.getTime() + afterS * 1000);
  const over = { ...database, deps: { ...database.deps, now } };
  await drainLane(over, 'background', {
    'workflows.deliverWebhook': handleDeliverWebhook,
  } as HandlersByLane<'background'>);
}
type Job = { state: string; failures: number; last_error: string | null; delay: number | null };
const listJobs = async () => [
  ...(await database.sql<Job[]>`select state, failures, attempt, last_error,
    case when isfinite(run_at) then extract(epoch from run_at - now())::float8 end as delay
    from job order by id`),
];
const sum = (jobs: Job[]) => jobs.reduce((total, { failures }) => total + failures, 0);

test('a delivery has used an attempt only when its host was asked: none of many is given up unasked', async () => {
  await addDeliveries(20);
  const { port } = new URL(receiver.url);
  await receiver.stop();
  await run(0);
  const first = sum(await listJobs());
  // As many as are sent at once.
  expect(first).toBeWithin(1, 5);
  const postponed = (await listJobs()).filter(({ failures }) => failures === 0);
  expect(postponed).toHaveLength(20 - first);
  for (const job of postponed) {
    expect(job).toMatchObject({
      state: 'waiting',
      attempt: 0,
      last_error: `127.0.0.1:${port} did not answer a moment ago`,
    });
    expect(job.delay).toBeWithin(20, 31);
  }
  for (let turn = 1; turn < 12; turn++) await run(turn);
  expect(sum(await listJobs())).toBe(first);

  receiver = startReceiver(undefined, Number(port));
  await run(31);
  expect(await listJobs()).toEqual([]);
  expect(new Set(receiver.received.map(({ text }) => JSON.parse(text).id)).size).toBe(20);
  expect(receiver.received).toHaveLength(20);
});

test('a delivery is given up after ten attempts, or when its host has not answered for a day', async () => {
  await addDeliveries(1);
  await receiver.stop();
  for (let turn = 0; turn < 9; turn++) await run(turn * 31);
  expect(await listJobs()).toMatchObject([{ state: 'waiting', failures: 9 }]);
  await run(9 * 31);
  expect(await listJobs()).toMatchObject([{ state: 'failed', failures: 10 }]);

  await addDeliveries(20);
  await run(25 * 3600);
  const jobs = await listJobs();
  const tried = jobs.filter(({ state }) => state === 'waiting');
  expect(tried.length).toBeWithin(1, 5);
  for (const job of jobs.filter(({ state }) => state === 'failed')) {
    expect(job.last_error).toContain('has not answered for a day');
  }
  const { body } = await call(app, 'GET /notifications', { as: me });
  const told = body.reduce(
    (total: number, { data }: { data: { count: number } }) => total + data.count,
    0,
  );
  expect(told).toBe(21 - tried.length);
});

test('a delivery is tried again after an answer that may change, and ends with one that will not', async () => {
  let status = 200;
  await receiver.stop();
  receiver = startReceiver(() => new Response(null, { status }));
  for (status of [408, 425, 429, 500, 502, 503, 504]) {
    await addDeliveries(1);
    await run(0);
    expect([status, ...(await listJobs())]).toMatchObject([
      status,
      { state: 'waiting', failures: 1, last_error: expect.stringContaining(`${status}`) },
    ]);
  }
  for (status of [301, 400, 401, 404, 410, 501]) {
    await addDeliveries(1);
    await run(0);
    expect([status, ...(await listJobs())]).toMatchObject([status, { state: 'failed' }]);
  }
  expect(receiver.received).toHaveLength(13);
  status = 200;
  await addDeliveries(1);
  await listWebhookHosts(app, database, '192.0.2.1');
  await run(0);
  expect(await listJobs()).toMatchObject([
    { state: 'failed', failures: 1, last_error: expect.stringContaining('has not listed') },
  ]);
  expect(receiver.received).toHaveLength(13);
});

test('a delivery leaves its host alone for as long as that asks for, which is no attempt', async () => {
  let headers = { 'retry-after': '300' };
  await receiver.stop();
  receiver = startReceiver(() => new Response(null, { status: 429, headers }));
  await addDeliveries(1);
  await run(0);
  for (const after of [10, 100, 299]) await run(after);
  expect(receiver.received).toHaveLength(1);
  expect(await listJobs()).toMatchObject([{ state: 'waiting', failures: 1 }]);
  headers = { 'retry-after': '9999999' };
  await run(301);
  expect(receiver.received).toHaveLength(2);
  await run(301 + 3599);
  expect(receiver.received).toHaveLength(2);
  await run(301 + 3601);
  expect(receiver.received).toHaveLength(3);
});

test('a delivery whose process ends before it is sent has used no attempt', async () => {
  await addDeliveries(1);
  for (let crash = 0; crash < 5; crash++) {
    await database.sql`update job set state = 'running', attempt = attempt + 1,
      worker = 'dead', lease_until = now() - interval '1 second'`;
    await releaseExpired(database.db);
  }
  expect(await listJobs()).toMatchObject([{ state: 'waiting', failures: 0 }]);
  await run(0);
  expect(await listJobs()).toEqual([]);
  expect(receiver.received).toHaveLength(1);
});
