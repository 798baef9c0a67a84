import { beforeEach, describe, expect, test } from 'bun:test';
import { readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, send, type TestUser } from '../../../test/support/harness.ts';
import type { Json } from '../../../test/support/json.ts';
import {
  createDeduplication,
  type Household,
  listCopies,
  removeHouseholds,
} from '../../../test/support/physical-deduplication.ts';
import type { FormerFiles } from '../../db/tables/physical-deduplication.ts';
import type { Plan } from './schemas.ts';

const { database, app } = await useApp();
let admin: TestUser;
let plans: ReturnType<typeof createDeduplication>;
let a: Household;
let b: Household;
let plan: Plan;
beforeEach(async () => {
  await removeHouseholds(database);
  await rm(database.deps.paths.removed, { recursive: true, force: true });
  admin = await seed(database).user(['all'], { isAdmin: true });
  plans = createDeduplication(database, app, admin);
  a = await plans.addHousehold({ 'one.jpg': 'first bytes', 'two.jpg': 'other bytes!' });
  b = await plans.addHousehold({ '1.jpg': 'first bytes', '2.jpg': 'other bytes!' });
  plan = await plans.preview({ retainUserId: a.user.id });
});

const apply = async (formerFiles: FormerFiles): Promise<string> => {
  await plans.configure(formerFiles);
  return (await plans.apply(plan)).id;
};
const getCopy = (name: string) => listCopies(plan).find(({ path }) => path.endsWith(name))!;
const getState = (body: Json, name: string) =>
  body.copies.find(({ copyId }: { copyId: string }) => copyId === getCopy(name).id);
const toPath = (name: string) => join(b.folder, name);
const findReadPath = async (name: string) =>
  (
    await database.sql`
    select original.path from original join library_file using (sha256)
    where library_file.path = ${toPath(name)}`
  )[0]!['path'];
const readState = async () =>
  JSON.stringify([
    await database.sql`select * from original order by sha256`,
    await database.sql`select * from library_file order by id`,
    await database.sql`select * from asset order by id`,
    await database.sql`select * from deduplication_copy order by id`,
    await database.sql`select * from deduplication_apply`,
    (await readdir(b.folder)).toSorted(),
    (await readdir(join(database.deps.paths.removed, 'copies')).catch(() => [] as string[])).sort(),
  ]);
const CANNOT = { status: 409, body: { code: 'cannot_restore' } };

describe('verification', () => {
  test('ST-097: a removed file is gone, another can be restored; nothing is written', async () => {
    const id = await apply('leave');
    await unlink(toPath('1.jpg'));
    const before = await readState();
    const { status, body } = await plans.verify(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      applyId: id,
      planId: plan.id,
      verifiedAt: NOW.toISOString(),
    });
    expect(body.retained).toEqual(
      ['two.jpg', 'one.jpg'].map((name) => ({
        path: join(a.folder, name),
        exists: true,
        checksumMatches: true,
        sizeMatches: true,
      })),
    );
    const { assetId, ownerId } = getCopy('1.jpg');
    expect(getState(body, '1.jpg')).toEqual({
      copyId: getCopy('1.jpg').id,
      assetId,
      ownerId,
      formerPath: toPath('1.jpg'),
      state: 'gone',
      checksumMatches: null,
      sizeMatches: null,
      canRestore: false,
    });
    expect(getState(body, '2.jpg')).toMatchObject({
      state: 'on-disk',
      checksumMatches: true,
      sizeMatches: true,
      canRestore: true,
    });
    expect(await readState()).toBe(before);
  });

  test('reads the retained files and those in the quarantine again', async () => {
    const id = await apply('quarantine');
    await writeFile(join(a.folder, 'one.jpg'), 'FIRST bytes');
    await rm(join(a.folder, 'two.jpg'));
    const quarantined = join(database.deps.paths.removed, 'copies', getCopy('2.jpg').id);
    await writeFile(quarantined, 'shorter');
    const { body } = await plans.verify(id);
    expect(body.retained).toMatchObject([
      { exists: false, checksumMatches: false, sizeMatches: false },
      { exists: true, checksumMatches: false, sizeMatches: true },
    ]);
    expect(getState(body, '1.jpg')).toMatchObject({ state: 'on-disk', canRestore: true });
    expect(getState(body, '2.jpg')).toMatchObject({
      state: 'on-disk',
      checksumMatches: false,
      sizeMatches: false,
      canRestore: false,
    });
  });
});

describe('restoration', () => {
  test.each(['leave', 'quarantine', 'share-blocks'] as const)(
    'ST-098: the item reads from its own file again (%s)',
    async (formerFiles) => {
      const before = await stat(toPath('1.jpg'));
      const id = await apply(formerFiles);
      expect(await findReadPath('1.jpg')).toBe(join(a.folder, 'one.jpg'));
      const { status, body } = await plans.restore(id, [getCopy('1.jpg').id]);
      expect(status).toBe(200);
      expect(getState(body, '1.jpg')).toMatchObject({ state: 'restored', canRestore: false });
      expect(getState(body, '2.jpg')).toMatchObject({ state: 'on-disk', canRestore: true });
      expect(await findReadPath('1.jpg')).toBe(toPath('1.jpg'));
      expect(await findReadPath('2.jpg')).toBe(join(a.folder, 'two.jpg'));
      const { ino, mtimeMs } = await stat(toPath('1.jpg'));
      expect([ino, mtimeMs]).toEqual([before.ino, before.mtimeMs]);
      await plans.scan(b);
      const original = await send(app, `GET /assets/${getCopy('1.jpg').assetId}/original`, {
        as: b.user,
      });
      expect([original.status, await original.text()]).toEqual([200, 'first bytes']);
      // Said twice it is still so.
      const again = await plans.restore(id, [getCopy('1.jpg').id]);
      expect([again.status, getState(again.body, '1.jpg').state]).toEqual([200, 'restored']);
      expect(listCopies(await plans.preview())).toHaveLength(1);
    },
  );

  test('ST-099: 409 cannot_restore for a file that was changed; nothing changes', async () => {
    const id = await apply('leave');
    await writeFile(toPath('1.jpg'), 'FIRST bytes');
    const before = await readState();
    expect(await plans.restore(id, [getCopy('1.jpg').id])).toMatchObject(CANNOT);
    expect(await readState()).toBe(before);
  });

  test('ST-100: 409 cannot_restore for a file that was removed; nothing changes', async () => {
    const id = await apply('leave');
    await unlink(toPath('1.jpg'));
    const before = await readState();
    expect(await plans.restore(id, [getCopy('1.jpg').id])).toMatchObject(CANNOT);
    expect(await readState()).toBe(before);
  });

  test('restores all copies that are named or none, and never over another file', async () => {
    const id = await apply('quarantine');
    await writeFile(toPath('1.jpg'), 'of somebody else');
    const before = await readState();
    const ids = listCopies(plan).map((copy) => copy.id);
    expect(await plans.restore(id, ids)).toMatchObject(CANNOT);
    expect(await plans.restore(id, [getCopy('2.jpg').id, crypto.randomUUID()])).toMatchObject(
      CANNOT,
    );
    expect(await readState()).toBe(before);
    expect(await readFile(toPath('1.jpg'), 'utf8')).toBe('of somebody else');
    await unlink(toPath('1.jpg'));
    expect((await plans.restore(id, ids)).status).toBe(200);
    expect((await readdir(b.folder)).toSorted()).toEqual(['1.jpg', '2.jpg']);
  });

  test('409 cannot_restore when the folder or the item is gone', async () => {
    const id = await apply('quarantine');
    await rm(b.folder, { recursive: true });
    expect(await plans.restore(id, [getCopy('1.jpg').id])).toMatchObject(CANNOT);
    await database.sql`delete from asset where id = ${getCopy('2.jpg').assetId}`;
    expect(await plans.restore(id, [getCopy('2.jpg').id])).toMatchObject(CANNOT);
  });

  test('404 for an unknown run', async () => {
    const unknown = { status: 404, body: { code: 'not_found' } };
    expect(await plans.verify(crypto.randomUUID())).toMatchObject(unknown);
    const refused = await plans.restore(crypto.randomUUID(), [crypto.randomUUID()]);
    expect(refused).toMatchObject(unknown);
  });
});

test('is for administrators with the permission, and for no shared link', async () => {
  const id = await apply('quarantine');
  const copyIds = [getCopy('1.jpg').id];
  const { id: planId, fingerprint } = plan;
  const decisions = [{ copyId: copyIds[0], decision: 'approve' }];
  const reader = await seed(database).user(['job.read'], { isAdmin: true });
  const writer = await seed(database).user(['job.create'], { isAdmin: true });
  const user = await seed(database).user();
  const before = await readState();
  const writes = (as: TestUser) => [
    plans.startPreview({}, as),
    plans.review({ planId, fingerprint, decisions }, as),
    plans.restore(id, copyIds, as),
    plans.startApply(as),
  ];
  for (const as of [user, b.user, reader]) {
    const statuses = (await Promise.all(writes(as))).map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403, 403]);
  }
  for (const as of [user, b.user, writer]) {
    expect((await plans.verify(id, as)).status).toBe(403);
    const read = await call(app, 'GET /admin/physical-deduplication/preview', { as });
    expect(read.status).toBe(403);
  }
  const link = await send(app, 'GET /admin/physical-deduplication/preview?key=x', {});
  expect(link.status).toBe(401);
  expect((await plans.verify(id, reader)).status).toBe(200);
  expect(await readState()).toBe(before);
});
