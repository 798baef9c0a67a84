import { beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { listNotifications, setPreferences } from '../../../test/support/notifications.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { inTransaction } from '../../db/transaction.ts';
import { reportDiskSpace } from './disk-space.domain.ts';
import { handleCheckDiskSpace } from './handlers.ts';

const { database, app } = await useApp();
let admin: TestUser;
let other: TestUser;
let user: TestUser;
beforeEach(async () => {
  await database.sql`update app_user set is_admin = false`;
  await database.sql`update instance set disk_warned_at = null`;
  admin = await seed(database).user(['all'], { isAdmin: true });
  other = await seed(database).user(['all'], { isAdmin: true });
  user = await seed(database).user();
});

const GIB = 1024 ** 3;
const report = (available: number, reserve = 10) =>
  reportDiskSpace(
    database.db,
    { size: 1000 * GIB, available: available * GIB, reserve: reserve * GIB },
    NOW,
  );
/** Marks it as read, so that another one does not take its place. */
async function read(): Promise<void> {
  await database.sql`update notification set read_at = now() where owner_id = ${admin.id}`;
}
const count = async (as: TestUser) => (await listNotifications(app, as)).length;

test('administrators learn once that less than a twentieth is left, and again after it was better', async () => {
  await report(50);
  expect(await count(admin)).toBe(0);
  for (const available of [49, 40, 51, 49]) await report(available);
  expect(await listNotifications(app, admin)).toMatchObject([
    {
      type: 'SystemMessage',
      level: 'warning',
      title: 'Disk nearly full',
      description: '49.0 GiB of 1000.0 GiB are left for the library. Uploads stop at 10.0 GiB',
      data: {
        kind: 'diskSpace',
        availableBytes: 49 * GIB,
        sizeBytes: 1000 * GIB,
        reserveBytes: 10 * GIB,
      },
    },
  ]);
  expect(await count(other)).toBe(1);
  expect(await count(user)).toBe(0);
  await read();
  await report(49);
  expect(await count(admin)).toBe(1);
  await report(56);
  await report(49);
  expect(await count(admin)).toBe(2);
});

test('a large reserve is the limit', async () => {
  await report(99, 100);
  expect(await count(admin)).toBe(1);
  expect(await count(user)).toBe(0);
});

test('who has switched it off or is removed is not told; what is rolled back is told later', async () => {
  await setPreferences(app, admin, { diskSpace: false });
  const space = { size: 100, available: 1, reserve: 10 };
  const rolledBack = inTransaction(database.deps, async ({ db }) => {
    await reportDiskSpace(db, space, NOW);
    throw new Error('later');
  });
  await expect(rolledBack).rejects.toThrow('later');
  const gone = await seed(database).user(['all'], { isAdmin: true, deletedAt: NOW });
  await reportDiskSpace(database.db, space, NOW);
  expect([await count(admin), await count(other)]).toEqual([0, 1]);
  expect(await database.sql`select from notification where owner_id = ${gone.id}`).toHaveLength(0);
});

test('the job reads the disk of the data folder', async () => {
  const run = async (reserveBytes: number) => {
    const settings = { ...database.deps.settings, reserveBytes };
    const effect = await handleCheckDiskSpace(jobCtx(database, { settings }), {});
    await database.db.transaction(async (tx) => void (await effect!(tx)));
  };
  await run(Number.MAX_SAFE_INTEGER);
  const [told] = await listNotifications(app, admin);
  expect(Number(told!.data!['availableBytes'])).toBeGreaterThan(0);
});
