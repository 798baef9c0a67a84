import { beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import type { Json } from '../../../../test/support/json.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { readMetadata } from '../../assets/jobs.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeEach(async () => {
  await database.sql`truncate job cascade`;
  admin = await seed(database).user(['all'], { isAdmin: true });
});

const list = async (query = '', queue = 'metadataExtraction'): Promise<Json> =>
  (await call(app, `GET /queues/${queue}/failures${query}`, { as: admin })).body;

async function addJob(assetId: string, state = 'failed', error = 'No space left'): Promise<void> {
  await enqueue(database.db, readMetadata, { assetId });
  await database.sql`
    update job set state = ${state}, last_error = ${error}, attempt = 3, finished_at = now()
    where payload ->> 'assetId' = ${assetId}`;
}

test('failed jobs are listed with their reasons, and named where the administrator may see the asset', async () => {
  const add = seed(database);
  const stranger = await add.user();
  await addJob(await add.asset({ ownerId: stranger.id, fileName: 'theirs.jpg' }));
  await addJob(await add.asset({ ownerId: admin.id, fileName: 'no.jpg', lockedAt: new Date() }));
  const mine = await add.asset({ ownerId: admin.id, fileName: 'mine.jpg' });
  await addJob(mine, 'failed', 'not a JPEG');
  for (const state of ['waiting', 'running', 'cancelled']) {
    await addJob(await add.asset({ ownerId: admin.id }), state);
  }
  const { items, nextCursor } = await list();
  expect(items.map(({ label }: { label: string | null }) => label)).toEqual([
    'mine.jpg',
    null,
    null,
  ]);
  expect(items[0]).toEqual({
    id: expect.any(String),
    name: 'assets.readMetadata',
    queue: 'metadataExtraction',
    attempts: 3,
    failedAt: expect.any(String),
    error: 'not a JPEG',
    assetId: mine,
    label: 'mine.jpg',
  });
  expect(nextCursor).toBeNull();
  expect(await list('', 'ocr')).toEqual({ items: [], nextCursor: null });
});

test('pages go on behind the last job, also when jobs fail meanwhile', async () => {
  const assetIds = [1, 2, 3].map(() => crypto.randomUUID());
  for (const assetId of assetIds) await addJob(assetId);
  const first = await list('?size=2');
  await addJob(crypto.randomUUID());
  const second = await list(`?size=2&cursor=${first.nextCursor}`);
  const found = [...first.items, ...second.items].map(
    ({ assetId }: { assetId: string | null }) => assetId,
  );
  expect(found).toEqual(assetIds.toReversed());
  expect(second.nextCursor).toBeNull();
});

test('are refused to accounts that are no administrators, and with a bad cursor or size', async () => {
  const status = async (query: string, as: TestUser | undefined = admin) =>
    (await call(app, `GET /queues/ocr/failures${query}`, as ? { as } : {})).status;
  expect(await status('', await seed(database).user(['all']))).toBe(403);
  expect(await status('', await seed(database).user(['job.create'], { isAdmin: true }))).toBe(403);
  expect((await call(app, 'GET /queues/ocr/failures')).status).toBe(401);
  for (const query of ['?cursor=x', '?cursor=0', '?size=0', '?size=101']) {
    expect([query, await status(query)]).toEqual([query, 400]);
  }
});
