import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { duplicateSets } from '../../../test/support/duplicate-sets.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { addStack, seedHousehold } from '../../../test/support/household.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeAll(async () => {
  await seedHousehold(database);
});
beforeEach(async () => {
  me = await seed(database).user();
});

const { addPicture, measure, matchAll, list, listSets, remove } = duplicateSets(() => ({
  database,
  app,
  me,
}));

describe('keeping all', () => {
  test('is remembered after all pairs are compared again, and for a remaining part of the set', async () => {
    const vector = [1, 1, 0, 0];
    const ids = [await addPicture(vector), await addPicture(vector), await addPicture(vector)];
    await matchAll();
    const [set] = await list();
    expect((await remove([set.duplicateId])).status).toBe(204);
    expect(await list()).toEqual([]);
    for (const id of ids) await measure(id, vector);
    await matchAll();
    expect(await list()).toEqual([]);
    await database.sql`delete from asset where id = ${ids[0]!}`;
    await matchAll();
    expect(await list()).toEqual([]);
    const added = await addPicture(vector);
    await matchAll();
    expect(await listSets()).toEqual([[ids[1]!, ids[2]!, added].sort()]);
  });

  test('of a stack keeps all of its members', async () => {
    const primary = await addPicture([1, 1, 0, 0]);
    const stackId = await addStack(database, me.id, primary);
    const child = await addPicture([1, 1, 0, 0], { stackId, isStackChild: true });
    const outside = await addPicture([1, 1, 0, 0]);
    await matchAll();
    const [set] = await list();
    expect((await call(app, `DELETE /duplicates/${set.duplicateId}`, { as: me })).status).toBe(204);
    await database.sql`delete from stack where id = ${stackId}`;
    await database.sql`update asset set is_stack_child = false where id = ${child}`;
    expect(await listSets()).toEqual([]);
    expect(outside).toBeString();
  });

  test('of an unknown or foreign set is refused alike and changes nothing', async () => {
    await addPicture([1, 1, 1, 0]);
    await addPicture([1, 1, 1, 0]);
    await matchAll();
    const [set] = await list();
    const stranger = await seed(database).user();
    const foreign = await remove([set.duplicateId], stranger);
    const unknown = await remove([crypto.randomUUID()], stranger);
    expect(foreign.status).toBe(400);
    expect(foreign.body).toEqual(unknown.body);
    expect((await remove([set.duplicateId, crypto.randomUUID()])).status).toBe(400);
    expect(await list()).toHaveLength(1);
  });
});

describe('PUT /assets with a duplicateId', () => {
  const put = (ids: readonly string[], duplicateId: string | null, as = me) =>
    call(app, 'PUT /assets', { as, body: { ids, duplicateId } });
  const addSet = async () => {
    const ids = [await addPicture([1, 0, 0, 0]), await addPicture([1, 0.1, 0, 0])];
    await matchAll();
    return ids.toSorted();
  };

  test('null keeps a set if all its members are named, and can be undone', async () => {
    const ids = await addSet();
    const other = await addPicture([0, 0, 0, 1]);
    const [{ duplicateId }] = await list();
    expect((await put([...ids, other], null)).status).toBe(204);
    expect(await listSets()).toEqual([]);
    expect((await call(app, `GET /assets/${ids[0]}`, { as: me })).body.duplicateId).toBeNull();
    const reopened = { as: me, body: { ids: [duplicateId] } };
    expect((await call(app, 'DELETE /duplicates/decisions', reopened)).status).toBe(204);
    expect(await listSets()).toEqual([ids]);
  });

  test('null for a part of a set is refused, and nothing is changed', async () => {
    const ids = await addSet();
    const [{ duplicateId }] = await list();
    const body = { ids: [ids[0]!], duplicateId: null, description: 'x' };
    const reply = await call(app, 'PUT /assets', { as: me, body });
    expect(reply.status).toBe(400);
    expect(reply.body.errors[0].path).toEqual(['duplicateId']);
    const [row] = await database.sql`
      select count(*)::int as written from asset_exif join asset on id = asset_id
      where owner_id = ${me.id} and description = 'x'`;
    expect(row!['written']).toBe(0);
    expect(await listSets()).toEqual([ids]);
    // The set that they belong to already.
    expect((await put(ids, duplicateId)).status).toBe(204);
  });

  test('pictures of others cannot be decided about', async () => {
    const ids = await addSet();
    expect((await put(ids, null, await seed(database).user())).status).toBe(400);
    expect(await listSets()).toEqual([ids]);
  });
});
