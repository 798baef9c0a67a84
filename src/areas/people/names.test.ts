import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed } from '../../../test/support/harness.ts';
import { addAlbum, addLink } from '../../../test/support/hidden-places.ts';
import { type Household, seedHousehold, unlock } from '../../../test/support/household.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';

const { database, app } = await useApp();
let house: Household;
beforeAll(async () => {
  house = await seedHousehold(database);
});

const ask = (assetIds: readonly string[], caller: Caller, query = '') =>
  call(app, `POST /people/names${query}` as 'POST /people/names', {
    ...caller,
    body: { assetIds },
  });
const listNames = async (assetIds: readonly string[], caller: Caller) =>
  Object.fromEntries(
    (await ask(assetIds, caller)).body.map(
      ({ assetId, names }: { assetId: string; names: string[] }) => [assetId, names],
    ),
  );

/** A face of a new person of the owner, so far from the left. */
async function show(assetId: string, name: string, x1: number, values = {}, face = {}) {
  const ownerId = house.owner.id;
  const { id } = await addPerson(database, { ownerId, name, ...values });
  await addFace(database, { ownerId, personId: id, assetId, x1, x2: x1 + 0.05, ...face });
  return id;
}

describe('the names of people on items', () => {
  test('are those of named people, from left to right', async () => {
    const { ids, owner } = house;
    await show(ids.plain, 'Tom', 0.4);
    const anna = await show(ids.plain, 'Anna', 0.1);
    await addFace(database, {
      ownerId: owner.id,
      personId: anna,
      assetId: ids.plain,
      x1: 0.6,
      x2: 0.7,
    });
    await show(ids.plain, '', 0.2);
    await show(ids.plain, 'Hidden', 0.3, { isHidden: true });
    await show(ids.plain, 'Face', 0.35, {}, { isHidden: true });
    await show(ids.archived, 'Bea', 0.1);
    await show(ids.locked, 'Secret', 0.1);
    const all = [ids.plain, ids.archived, ids.locked, ids.favorite, crypto.randomUUID()];
    const seen = { [ids.plain]: ['Anna', 'Tom'], [ids.archived]: ['Bea'] };
    expect(await listNames(all, { as: owner })).toEqual(seen);
    expect(await listNames([], { as: owner })).toEqual({});
    await unlock(database, owner);
    const unlocked = await listNames(all, { session: owner });
    expect(unlocked).toEqual({ ...seen, [ids.locked]: ['Secret'] });
    // Others have their own people, also on photos that they see.
    for (const as of [house.member, house.partner, house.stranger]) {
      expect(await listNames(all, { as })).toEqual({});
    }
  });

  test('are refused to links and to keys without person.read', async () => {
    const { albumId, owner } = house;
    const link = await addLink(app, owner, { type: 'ALBUM', albumId });
    expect((await ask([house.ids.plain], {}, `?${link}`)).status).toBe(403);
    const as = await seed(database).user(['asset.read']);
    await addAlbum(app, owner, [as], [house.ids.plain]);
    expect((await ask([house.ids.plain], { as })).body.message).toBe(
      'Missing required permission: person.read',
    );
  });

  test('are asked for 1,000 items at most', async () => {
    const { status, body } = await ask(Array(1001).fill(house.ids.plain), { as: house.owner });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('assetIds');
  });
});
