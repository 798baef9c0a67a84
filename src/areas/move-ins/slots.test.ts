import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { type FakeImmich, startFakeImmich } from '../../../test/support/fake-immich.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { until } from '../../../test/support/until.ts';
import { jobs } from '../../job-registry.ts';
import type { Effect } from '../../jobs/define.ts';
import { runLane } from '../../jobs/run.ts';
import { timing } from './account.domain.ts';
import { pauses } from './patience.ts';
import { handleRunMoveIn } from './run.handlers.ts';

// Moves share three slots: an account has one of them at a time, and a move whose server is away has none.

const { database, app } = await useApp();
const HOUR_MS = 60 * 60 * 1000;
const held = pauses.hold;
let immich: FakeImmich;
let [me, other]: TestUser[] = [];

beforeAll(() => {
  Object.assign(timing, { attempts: 1, pauseMs: 1 });
  pauses.first = 5;
});
beforeEach(async () => {
  me = await seed(database).user(['all'], { isAdmin: true });
  other = await seed(database).user(['all'], { isAdmin: true });
  immich = await startFakeImmich();
});
afterEach(async () => {
  pauses.hold = held;
  await immich.stop();
  await database.sql`delete from operation`;
  await database.sql`delete from job`;
  await database.sql`delete from attempt_lane`;
});

const check = (as: TestUser, { url, key } = immich) =>
  call(app, 'POST /move-ins', { as, body: { url, key } });
const start = (as: TestUser, id: string) =>
  call(app, `POST /move-ins/${id}/start`, { as, body: {} });
async function begin(as: TestUser, server = immich): Promise<string> {
  const { id } = (await check(as, server)).body;
  expect((await start(as, id)).status).toBe(200);
  return id;
}
const listStatuses = async (as: TestUser): Promise<string[]> =>
  (await call(app, 'GET /move-ins', { as })).body
    .map(({ status }: { status: string }) => status)
    .toSorted();
const read = async (as: TestUser, id: string) =>
  (await call(app, 'GET /move-ins', { as })).body.find((one: { id: string }) => one.id === id);

test('those of one account hold one slot, whatever they wait for', async () => {
  const gate = Promise.withResolvers<void>();
  immich.gate = gate.promise;
  const friendly = await startFakeImmich();
  for (let number = 0; number < 4; number++) await begin(me!);
  const id = await begin(other!, friendly);
  const lane = runLane({
    deps: database.deps,
    lane: 'background',
    worker: randomUUID(),
    jobs: jobs.filter(({ name }) => name === 'moveIns.run'),
    handlers: { 'moveIns.run': handleRunMoveIn } as never,
    concurrency: 2,
  });
  try {
    await until(async () => (await read(other!, id)).status === 'completed');
    await until(async () => (await listStatuses(me!)).includes('running'));
    expect(await listStatuses(me!)).toEqual(['queued', 'queued', 'queued', 'running']);
  } finally {
    gate.resolve();
    await lane.stop(0);
    await friendly.stop();
  }
});

describe('a move whose server is away', () => {
  const run = async (operationId: string, hours = 0) => {
    const now = () => new Date(Date.now() + hours * HOUR_MS);
    const effect: Effect | void = await handleRunMoveIn(jobCtx(database, { now }), { operationId });
    const after = await database.db.transaction(async (tx) => effect?.(tx));
    await after?.();
  };
  /** Runs it as the queue does, which runs it again later. */
  const runPostponed = async (id: string, hours = 0) => {
    await expect(run(id, hours)).rejects.toThrow('The other server is away');
  };

  beforeEach(() => {
    pauses.hold = 20;
  });

  test('gives its slot up, says so, and goes on when the server is back', async () => {
    const id = await begin(me!);
    immich.status = 503;
    await runPostponed(id);
    expect(await read(me!, id)).toMatchObject({ status: 'queued', isAway: true, failures: 0 });
    expect(await read(me!, id)).not.toHaveProperty('awaySince');
    await runPostponed(id, 23);
    immich.status = undefined;
    await run(id, 48);
    expect(await read(me!, id)).toMatchObject({
      status: 'completed',
      isAway: false,
      taken: 3,
      failures: 0,
    });
  });

  test('is paused after a day, and begins a new day when it is continued', async () => {
    const id = await begin(me!);
    immich.status = 503;
    await runPostponed(id);
    await run(id, 25);
    expect(await read(me!, id)).toMatchObject({
      status: 'paused',
      reason: 'unreachable',
      isAway: false,
      needsKey: false,
    });
    expect((await start(me!, id)).status).toBe(200);
    await runPostponed(id, 25);
    expect(await read(me!, id)).toMatchObject({ status: 'queued', isAway: true });
  });

  test('has a server that begins to answer and says nothing more', async () => {
    const id = await begin(me!);
    Object.assign(timing, { deadlineMs: 50 });
    immich.isMute = true;
    await runPostponed(id);
    Object.assign(timing, { deadlineMs: 120_000 });
    immich.isMute = false;
    await run(id);
    expect(await read(me!, id)).toMatchObject({ status: 'completed', taken: 3 });
  });

  test('runs at once when somebody pauses and continues it', async () => {
    const id = await begin(me!);
    await database.sql`update job set run_at = now() + interval '5 minutes'`;
    expect((await call(app, `POST /move-ins/${id}/pause`, { as: me! })).status).toBe(200);
    expect((await start(me!, id)).status).toBe(200);
    const due = await database.sql`select from job where run_at <= now()`;
    expect(due).toHaveLength(1);
  });
});

test('failed tries to reach a server are limited for each account, those at once too', async () => {
  const nowhere = { ...immich, url: 'http://169.254.169.254' };
  for (let number = 0; number < 3; number++) expect((await check(me!)).status).toBe(201);
  const tries = await Promise.all(Array.from({ length: 25 }, () => check(me!, nowhere)));
  const count = (wanted: number) => tries.filter(({ status }) => status === wanted).length;
  expect([count(400), count(429)]).toEqual([20, 5]);
  const { status, headers } = await check(me!);
  expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect((await check(other!)).status).toBe(201);
  expect((await check(other!, nowhere)).status).toBe(400);
});
