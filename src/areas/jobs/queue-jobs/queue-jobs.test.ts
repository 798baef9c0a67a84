import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import type { Json } from '../../../../test/support/json.ts';
import { jobs } from '../../../job-registry.ts';
import { cleanMemories } from '../../memories/index.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { readMetadata } from '../../assets/jobs.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  await database.sql`truncate job, job_done, queue`;
});

const STATES = ['waiting', 'running', 'failed', 'cancelled', 'delayed'] as const;

/** A job of each state; returns the assets in the order of STATES. */
async function addJobs(): Promise<string[]> {
  const assetIds = STATES.map(() => crypto.randomUUID());
  for (const [n, state] of STATES.entries()) {
    await enqueue(database.db, readMetadata, { assetId: assetIds[n]! });
    await database.sql`
      update job set state = ${state === 'delayed' ? 'waiting' : state},
        run_at = now() + ${state === 'delayed' ? 1 : 0} * interval '1 hour'
      where payload ->> 'assetId' = ${assetIds[n]!}`;
  }
  return assetIds;
}
const list = async (query = '', name = 'metadataExtraction'): Promise<Json[]> =>
  (await call(app, `GET /queues/${name}/jobs${query}`, { as: admin })).body;
const listAssets = async (query = ''): Promise<string[]> =>
  (await list(query)).map(({ data }) => data.assetId);

describe('the jobs of a queue', () => {
  test('are listed, oldest first, without cancelled and completed ones', async () => {
    const before = Date.now();
    const [waiting, running, failed, , delayed] = await addJobs();
    expect(await listAssets()).toEqual([waiting!, running!, failed!, delayed!]);
    const [job] = await list();
    expect(job).toEqual({
      id: expect.any(String),
      name: 'AssetExtractMetadata',
      data: { assetId: waiting, job: 'assets.readMetadata' },
      timestamp: expect.any(Number),
    });
    expect(job.timestamp).toBeWithin(before, Date.now() + 1);
    expect(await list('', 'ocr')).toEqual([]);
  });

  test('are found by one status or several', async () => {
    const [waiting, running, failed, , delayed] = await addJobs();
    expect(await listAssets('?status=active')).toEqual([running!]);
    expect(await listAssets('?status=failed&status=delayed')).toEqual([failed!, delayed!]);
    expect(await listAssets('?status=completed')).toEqual([]);
    expect(await listAssets('?status=paused')).toEqual([]);
    await call(app, 'PUT /queues/metadataExtraction', { as: admin, body: { isPaused: true } });
    expect(await listAssets('?status=paused')).toEqual([waiting!]);
    expect(await listAssets('?status=waiting')).toEqual([]);
    expect((await call(app, 'GET /queues/ocr/jobs?status=odd', { as: admin })).status).toBe(400);
  });

  test('tell ids and nothing else of what they are about', async () => {
    await database.sql`
      insert into job (name, queue, lane, payload)
      values ('mail.deliver', 'notifications', 'background', '{"mailId": "a", "to": "b@c.de"}')`;
    expect((await list('', 'notifications'))[0]).toMatchObject({
      name: 'SendMail',
      data: { mailId: 'a', job: 'mail.deliver' },
    });
    expect(JSON.stringify(await list('', 'notifications'))).not.toContain('b@c.de');
  });

  test('have a name that clients know, each of them', async () => {
    for (const { name, queue, lane } of jobs) {
      await database.sql`
        insert into job (name, queue, lane, payload) values (${name}, ${queue}, ${lane}, '{}')`;
      const answer = await call(app, `GET /queues/${queue}/jobs`, { as: admin });
      expect(answer.status).toBe(200);
    }
    expect((await list('', cleanMemories.queue)).map((job) => job.name)).toContain('MemoryCleanup');
  });

  test('are deleted while they wait, and failed ones only if asked for', async () => {
    const [, running, failed] = await addJobs();
    const empty = (body: object) =>
      call(app, 'DELETE /queues/metadataExtraction/jobs', { as: admin, body });
    await enqueue(database.db, cleanMemories, {});
    expect((await empty({})).status).toBe(204);
    expect(await listAssets()).toEqual([running!, failed!]);
    expect((await empty({ failed: true })).status).toBe(204);
    expect(await listAssets()).toEqual([running!]);
    expect(await list('', cleanMemories.queue)).toHaveLength(1);
  });

  test.each([
    ['GET', 'queueJob.read'],
    ['DELETE', 'queueJob.delete'],
  ] as const)('%s: administrators only, and keys with %s', async (method, permission) => {
    const route = `${method} /queues/metadataExtraction/jobs` as const;
    const body = method === 'DELETE' ? {} : undefined;
    await addJobs();
    const make = seed(database);
    const user = await make.user();
    const other = await make.user(['queue.read', 'queue.update'], { isAdmin: true });
    for (const as of [user, other]) expect((await call(app, route, { as, body })).status).toBe(403);
    expect((await call(app, route, { body })).status).toBe(401);
    expect(await listAssets()).toHaveLength(4);
    const key = await make.user([permission], { isAdmin: true });
    expect((await call(app, route, { as: key, body })).status).toBeLessThan(300);
  });
});

test('the queue of background tasks cannot be paused', async () => {
  const answer = await call(app, 'PUT /queues/backgroundTask', {
    as: admin,
    body: { isPaused: true },
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { message: 'The BackgroundTask queue cannot be paused' },
  });
  expect(await database.sql`select * from queue`).toHaveLength(0);
});
