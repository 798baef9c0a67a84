import { beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { seed, type TestUser } from '../../../../test/support/harness.ts';
import { listNotifications, setPreferences } from '../../../../test/support/notifications.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { readMetadata } from '../../assets/index.ts';
import { reportImport, handleReportImports } from './imports.handlers.ts';

const { database, app } = await useApp();
let me: TestUser;
let other: TestUser;
beforeEach(async () => {
  await database.sql`delete from job`;
  [me, other] = [await seed(database).user(), await seed(database).user()];
});

/** Adds assets that were uploaded `minutes` ago, one per second; returns the id of the first. */
async function add(count: number, minutes: number, over: object = {}): Promise<string> {
  const at = Date.now() - minutes * 60_000;
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const createdAt = new Date(at - i * 1000);
    ids.push(await seed(database).asset({ ownerId: me.id, createdAt, ...over }));
  }
  return ids[0]!;
}
const report = () => handleReportImports(jobCtx(database), {});
const list = async (as: TestUser) =>
  (await listNotifications(app, as)).map(({ data }) => data!['count']);

test('an import of a hundred assets is told once, when nothing has come for ten minutes', async () => {
  await add(100, 8);
  await report();
  expect(await list(me)).toEqual([]);
  await database.sql`update asset set created_at = created_at - interval '5 minutes'`;
  await report();
  await report();
  expect(await listNotifications(app, me)).toMatchObject([
    {
      type: 'SystemMessage',
      level: 'success',
      title: 'Import finished',
      description: 'All new photos and videos have been processed',
      data: { kind: 'importFinished', count: 100 },
    },
  ]);
  expect(await list(other)).toEqual([]);
});

test('it waits for what is being processed', async () => {
  const assetId = await add(100, 20);
  await enqueue(database.db, readMetadata, { assetId });
  await report();
  expect(await list(me)).toEqual([]);
  await database.sql`update job set state = 'running'`;
  await report();
  expect(await list(me)).toEqual([]);
  // The work of others does not matter.
  const theirs = await seed(database).asset({ ownerId: other.id });
  await database.sql`delete from job`;
  await enqueue(database.db, readMetadata, { assetId: theirs });
  await report();
  expect(await list(me)).toEqual([100]);
});

test('fewer than a hundred assets are not told, nor counted by the next import', async () => {
  await add(99, 60);
  await report();
  await add(60, 15);
  await report();
  expect(await list(me)).toEqual([]);
});

test('what is locked, hidden or in the trash does not count', async () => {
  const now = new Date();
  await add(98, 20);
  await add(1, 15, { lockedAt: now });
  await add(1, 15, { visibility: 'hidden', type: 'VIDEO' });
  await add(1, 15, { trashedAt: now });
  await add(1, 15, { visibility: 'archive' });
  await report();
  expect(await list(me)).toEqual([]);
});

test('who has switched it off or is removed is not told; what is rolled back is told later', async () => {
  await add(100, 20);
  const rolledBack = database.db.transaction(async (tx) => {
    await reportImport(tx, me.id, new Date());
    throw new Error('later');
  });
  await expect(rolledBack).rejects.toThrow('later');
  expect(await list(me)).toEqual([]);
  await database.sql`update app_user set deleted_at = now() where id = ${me.id}`;
  await report();
  await database.sql`update app_user set deleted_at = null where id = ${me.id}`;
  expect(await list(me)).toEqual([]);
  await report();
  expect(await list(me)).toEqual([100]);

  await setPreferences(app, me, { importFinished: false });
  await add(100, 11);
  await database.sql`delete from notification`;
  await report();
  expect(await list(me)).toEqual([]);
});
