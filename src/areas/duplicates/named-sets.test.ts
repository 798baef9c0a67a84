import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { duplicateSets, getIds } from '../../../test/support/duplicate-sets.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});
const { addPicture, matchAll, list, listSets, remove } = duplicateSets(() => ({
  database,
  app,
  me,
}));

const add = (over: object = {}) => seed(database).asset({ ownerId: me.id, ...over });
const put = (ids: readonly string[], duplicateId: unknown, caller: Caller = { as: me }) =>
  call(app, 'PUT /assets', { ...caller, body: { ids, duplicateId } });
const name = async (ids: readonly string[], duplicateId: string | null) =>
  expect((await put(ids, duplicateId)).status).toBe(204);
const getId = async (id: string, as = me) =>
  (await call(app, `GET /assets/${id}`, { as })).body.duplicateId;
const resolve = (duplicateId: string, keepAssetIds: string[], trashAssetIds: string[]) =>
  call(app, 'POST /duplicates/resolve', {
    as: me,
    body: { groups: [{ duplicateId, keepAssetIds, trashAssetIds }] },
  });

describe('a set that another tool has made', () => {
  test('is shown by its id while two of its items are, and null takes items out', async () => {
    const [one, two, three] = [await add({ fileSize: 1 }), await add({ fileSize: 9 }), await add()];
    const id = crypto.randomUUID();
    await name([one], id.toUpperCase());
    expect(await list()).toEqual([]);
    expect(await getId(one)).toBeNull();
    await name([two, three], id);
    const [set, ...others] = await list();
    expect(others).toEqual([]);
    expect(set).toMatchObject({ duplicateId: id, likeness: 'alike' });
    expect(getIds(set)).toEqual([one, two, three].sort());
    expect(set.assets.map((asset: { duplicateId: string | null }) => asset.duplicateId)).toEqual([
      id,
      id,
      id,
    ]);
    expect(set.suggestedKeepAssetIds).toHaveLength(3);
    expect(await Promise.all([one, two, three].map((each) => getId(each)))).toEqual([id, id, id]);
    const { body: summary } = await call(app, 'GET /duplicates/summary', { as: me });
    expect(summary).toMatchObject({ sets: 1, assets: 3, spareAssets: 0, bursts: 0 });

    await name([three], null);
    expect(await listSets()).toEqual([[one, two].sort()]);
    expect(await getId(three)).toBeNull();
    await name([one, two], null);
    expect(await list()).toEqual([]);
    await name([one], id);
    expect(await list()).toEqual([]);
  });

  test('has what is moved to it no longer in another one', async () => {
    const [one, two, three, four] = [await add(), await add(), await add(), await add()];
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    await name([one, two, three], first);
    await name([three, four], second);
    expect(new Set((await list()).map(({ duplicateId }) => duplicateId))).toEqual(
      new Set([first, second]),
    );
    expect(new Set(await listSets())).toEqual(
      new Set([[one, two].toSorted(), [three, four].toSorted()]),
    );
  });

  test('is kept, reopened and resolved as one that the server has found', async () => {
    const [one, two, three] = [await add(), await add(), await add()];
    const id = crypto.randomUUID();
    await name([one, two, three], id);
    expect((await remove([id])).status).toBe(204);
    expect([await list(), await getId(one)]).toEqual([[], null]);
    const reopen = () => call(app, 'DELETE /duplicates/decisions', { as: me, body: { ids: [id] } });
    expect((await reopen()).status).toBe(204);
    expect(await listSets()).toEqual([[one, two, three].sort()]);
    expect((await call(app, `DELETE /duplicates/${id}`, { as: me })).status).toBe(204);
    expect(await list()).toEqual([]);
    // A tool that finds it again wants it shown.
    await name([one, two, three], id);
    expect((await resolve(id, [one, two], [three])).body).toEqual([{ id, success: true }]);
    const { body } = await call(app, `GET /assets/${three}`, { as: me });
    expect(body.isTrashed).toBe(true);
    expect(await list()).toEqual([]);
    await call(app, 'POST /trash/restore/assets', { as: me, body: { ids: [three] } });
    await reopen();
    expect(await listSets()).toEqual([[one, two, three].sort()]);
  });

  test('takes pictures out of sets that the server has found, and adds one to such a set', async () => {
    const one = await addPicture([1, 0, 0, 0]);
    const two = await addPicture([1, 0.1, 0, 0]);
    const three = await addPicture([1, 0, 0.1, 0]);
    const other = await addPicture([0, 0, 0, 1]);
    await matchAll();
    const [found] = await list();
    expect(getIds(found)).toEqual([one, two, three].sort());
    await name([one], found.duplicateId);
    await name([other], found.duplicateId);
    expect(await listSets()).toEqual([[one, two, three, other].sort()]);
    expect(await getId(two)).toBe(found.duplicateId);
    await name([other, one], crypto.randomUUID());
    expect(new Set(await listSets())).toEqual(
      new Set([[one, other].toSorted(), [two, three].toSorted()]),
    );
    await name([one, two, three, other], null);
    expect(await list()).toEqual([]);
    expect(await getId(two)).toBeNull();
  });

  test('a part of a set that the server has found cannot be taken out', async () => {
    const pictures = [
      await addPicture([1, 0, 0, 0]),
      await addPicture([1, 0.1, 0, 0]),
      await addPicture([1, 0, 0.1, 0]),
    ];
    await matchAll();
    const reply = await put(pictures.slice(1), null);
    expect([reply.status, reply.body.errors[0].path]).toEqual([400, ['duplicateId']]);
    expect(await listSets()).toEqual([pictures.toSorted()]);
  });

  test('shows nothing that is hidden, locked or in the trash', async () => {
    const id = crypto.randomUUID();
    const [one, two, three] = [await add(), await add(), await add()];
    await name([one, two, three], id);
    for (const change of [`locked_at = now()`, `trashed_at = now()`, `visibility = 'hidden'`]) {
      await database.sql.unsafe(`update asset set ${change} where id = '${three}'`);
      expect(await listSets()).toEqual([[one, two].sort()]);
      await database.sql`update asset set locked_at = null, trashed_at = null,
        visibility = 'timeline' where id = ${three}`;
    }
    await database.sql`update asset set visibility = 'archive' where id = ${one}`;
    expect(await listSets()).toEqual([[one, two, three].sort()]);
  });

  test('counts a stack as the one that is shown', async () => {
    const [top, child, single] = [await add(), await add(), await add()];
    const body = { assetIds: [top, child] };
    expect((await call(app, 'POST /stacks', { as: me, body })).status).toBe(201);
    await name([top, child], crypto.randomUUID());
    expect(await list()).toEqual([]);
    await name([child, single], crypto.randomUUID());
    expect(await listSets()).toEqual([[top, single].sort()]);
  });

  test('is of one account: others neither see nor change it, and one id of two accounts is two sets', async () => {
    const stranger = await seed(database).user();
    const id = crypto.randomUUID();
    const mine = [await add(), await add()];
    const theirs = [await add({ ownerId: stranger.id }), await add({ ownerId: stranger.id })];
    await name(mine, id);
    expect((await put(mine, crypto.randomUUID(), { as: stranger })).status).toBe(400);
    expect((await put(mine, null, { as: stranger })).status).toBe(400);
    expect((await put([...mine, theirs[0]!], crypto.randomUUID())).status).toBe(400);
    expect((await put(theirs, id, { as: stranger })).status).toBe(204);
    expect([await listSets(), await listSets(stranger)]).toEqual(
      [mine.toSorted(), theirs.toSorted()].map((ids) => [ids]),
    );
    const reply = await call(app, 'DELETE /duplicates', { as: stranger, body: { ids: [id] } });
    expect(reply.status).toBe(204);
    expect(await listSets()).toEqual([mine.toSorted()]);
    const weak = await seed(database).user(['asset.read', 'duplicate.read']);
    const own = [await add({ ownerId: weak.id }), await add({ ownerId: weak.id })];
    expect((await put(own, id, { as: weak })).status).toBe(403);
    expect((await put(mine, id, {})).status).toBe(401);
  });

  test.each(['x', '', '00000000-0000-0000-0000-000000000000'])(
    'is not made by the id %p, which operations of sets do not take',
    async (id) => {
      const ids = [await add(), await add()];
      const reply = await put(ids, id);
      expect([reply.status, reply.body.errors[0].path]).toEqual([400, ['duplicateId']]);
      expect(await list()).toEqual([]);
    },
  );
});
