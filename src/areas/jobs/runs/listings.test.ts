import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, createSession, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addRun } from '../../../../test/support/job-runs.ts';
import type { Json } from '../../../../test/support/json.ts';
import { enqueueInRun, startRun } from '../../../jobs/runs.ts';
import { readMetadata } from '../../assets/jobs.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeEach(async () => {
  await database.sql`truncate job, job_run cascade`;
  admin = await seed(database).user(['all'], { isAdmin: true });
});

const list = async (query: string): Promise<Json> =>
  (await call(app, `GET /jobs/runs${query}`, { as: admin })).body;
const listItems = async (id: string, query = ''): Promise<Json> =>
  (await call(app, `GET /jobs/runs/${id}/items${query}`, { as: admin })).body;

describe('the items', () => {
  test('have the file name only of what the administrator may see', async () => {
    const stranger = await seed(database).user();
    const add = seed(database);
    const assetIds = [
      await add.asset({ ownerId: admin.id, fileName: 'mine.jpg' }),
      await add.asset({ ownerId: admin.id, fileName: 'locked.jpg', lockedAt: new Date() }),
      await add.asset({ ownerId: stranger.id, fileName: 'theirs.jpg' }),
    ];
    const run = { name: 'test', queue: 'metadataExtraction', trigger: 'system' } as const;
    const id = await startRun(database.db, run);
    const payloads = assetIds.map((assetId) => ({ assetId }));
    await enqueueInRun(database.db, id, readMetadata, payloads);
    const { items } = await listItems(id);
    expect(items.map(({ label }: { label: string | null }) => label)).toEqual([
      'mine.jpg',
      null,
      null,
    ]);
    expect(createSession(admin.id).unlocked).toBe(false);
    await database.sql`delete from asset where id = ${assetIds[0]!}`;
    expect((await listItems(id)).items[0]).toMatchObject({ label: null, targetId: assetIds[0] });
  });

  test('LM-020, LM-021: pages at and beyond their limits', async () => {
    const { id } = await addRun(database, 3);
    expect((await listItems(id, '?skip=0&take=100')).items).toHaveLength(3);
    const page = await listItems(id, '?skip=1&take=1');
    expect([page.items.length, page.total, page.skip, page.take]).toEqual([1, 3, 1, 1]);
    expect((await listItems(id, '?skip=3')).items).toEqual([]);
    for (const query of ['skip=-1', 'take=101', 'take=0']) {
      const { status, body } = await call(app, `GET /jobs/runs/${id}/items?${query}`, {
        as: admin,
      });
      expect([query, status, body.errors[0].path]).toEqual([query, 400, [query.split('=')[0]]]);
    }
  });

  test('ID-003: of an unknown run are not found, whatever the version of its id', async () => {
    for (const id of [
      '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      crypto.randomUUID(),
      Bun.randomUUIDv7(),
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ]) {
      const { status, body } = await call(app, `GET /jobs/runs/${id}/items`, { as: admin });
      expect([id, status, body.code]).toEqual([id, 404, 'not_found']);
    }
    expect((await call(app, 'GET /jobs/runs/x/items', { as: admin })).status).toBe(400);
  });
});

describe('the list', () => {
  test('LM-018, LM-019: is newest first; pages at and beyond their limits', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.unshift((await addRun(database)).id);
    expect((await list('?skip=0&take=100')).items.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect((await list('?skip=1&take=1')).items.map(({ id }: { id: string }) => id)).toEqual([
      ids[1],
    ]);
    for (const query of ['skip=-1', 'take=0', 'take=101']) {
      const { status, body } = await call(app, `GET /jobs/runs?${query}`, { as: admin });
      expect([query, status, body.errors[0].path]).toEqual([query, 400, [query.split('=')[0]]]);
    }
  });

  test('is for administrators with the permission', async () => {
    const { id } = await addRun(database);
    const user = await seed(database).user();
    const other = await seed(database).user(['job.create'], { isAdmin: true });
    for (const path of ['/jobs/runs', `/jobs/runs/${id}/items`] as const) {
      expect((await call(app, `GET ${path}`, { as: user })).status).toBe(403);
      expect((await call(app, `GET ${path}`, { as: other })).status).toBe(403);
      expect((await call(app, `GET ${path}`)).status).toBe(401);
    }
  });
});
