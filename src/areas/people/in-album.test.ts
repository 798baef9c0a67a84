import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import { addAlbum, addLink } from '../../../test/support/hidden-places.ts';
import { type Household, seedHousehold, unlock } from '../../../test/support/household.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';

const { database, app } = await useApp();
let house: Household;
beforeAll(async () => {
  house = await seedHousehold(database);
});

const read = (albumId: string, caller: Caller) =>
  call(app, `GET /albums/${albumId}/people`, caller);
const listNames = async (albumId: string, caller: Caller): Promise<string[]> =>
  (await read(albumId, caller)).body.map(({ name }: { name: string }) => name);

/** A person of an account, with a face on each of these assets. */
async function onAssets(of: TestUser, name: string, assetIds: readonly string[], values = {}) {
  const { id } = await addPerson(database, { ownerId: of.id, name, ...values });
  const face = { ownerId: of.id, personId: id };
  for (const assetId of assetIds) await addFace(database, { ...face, assetId });
  return id;
}

describe('the people of an album', () => {
  test('are the own ones on what it shows, those on most items first', async () => {
    const { ids, owner, albumId } = house;
    await onAssets(owner, 'Bea', [ids.plain]);
    await onAssets(owner, 'Ada', [ids.plain, ids.archived, ids.plain]);
    await onAssets(owner, '', [ids.plain, ids.favorite, ids.video]);
    await onAssets(owner, 'Hidden', [ids.plain], { isHidden: true });
    await onAssets(owner, 'Seldom', [ids.locked]);
    await onAssets(owner, 'Trashed', [ids.trashed]);
    await onAssets(owner, 'Elsewhere', [await seed(database).asset({ ownerId: owner.id })]);
    expect(await listNames(albumId, { as: owner })).toEqual(['Ada', 'Bea', '']);
    await unlock(database, owner);
    expect(await listNames(albumId, { session: owner })).toEqual(['Ada', 'Bea', '']);
    // The people of an account are its own, also on photos that others see.
    expect(await listNames(albumId, { as: house.member })).toEqual([]);
  });

  test('are those of each member on items of their own', async () => {
    const [ada, bob] = [await seed(database).user(), await seed(database).user()];
    const [of, other] = [
      await seed(database).asset({ ownerId: ada.id }),
      await seed(database).asset({ ownerId: bob.id }),
    ];
    const albumId = await addAlbum(app, ada, [bob], [of]);
    await database.sql`insert into album_asset (album_id, asset_id, added_by)
      values (${albumId}, ${other}, ${bob.id})`;
    await onAssets(ada, 'Mother', [of]);
    await onAssets(bob, 'Uncle', [other]);
    expect(await listNames(albumId, { as: ada })).toEqual(['Mother']);
    expect(await listNames(albumId, { as: bob })).toEqual(['Uncle']);
  });

  test('an album without items has none', async () => {
    const ada = await seed(database).user();
    expect(await listNames(await addAlbum(app, ada, [], []), { as: ada })).toEqual([]);
  });

  test('are refused to strangers, to links, and to keys without person.read', async () => {
    const { albumId, owner, stranger } = house;
    for (const id of [albumId, crypto.randomUUID()]) {
      const { status, body } = await read(id, { as: stranger });
      expect([status, body.message]).toEqual([400, 'Not found or no album.read access']);
    }
    const link = await addLink(app, owner, { type: 'ALBUM', albumId });
    expect((await call(app, `GET /albums/${albumId}/people?${link}`)).status).toBe(403);
    const as = await seed(database).user(['album.read']);
    const { body } = await read(await addAlbum(app, owner, [as], []), { as });
    expect(body.message).toBe('Missing required permission: person.read');
  });
});
