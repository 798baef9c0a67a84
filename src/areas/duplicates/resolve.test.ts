import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { getIds } from '../../../test/support/duplicate-sets.ts';
import type { Json } from '../../../test/support/json.ts';
import {
  addAssetWithFeature,
  matchAll,
  saveFeature,
} from '../../../test/support/similar-assets.ts';
import { call, type NewAsset, seed, type TestUser } from '../../../test/support/harness.ts';
import { addStack } from '../../../test/support/household.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';

const VECTOR = [0, 1, 0, 1];

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (over: Partial<NewAsset> = {}, vector: readonly number[] = VECTOR) =>
  addAssetWithFeature(database, vector, { ownerId: me.id, ...over });
const list = async (): Promise<Json[]> => {
  await matchAll(database);
  return (await call(app, 'GET /duplicates', { as: me })).body;
};
const listSets = async () => (await list()).map(getIds);
const get = async (id: string) => (await call(app, `GET /assets/${id}`, { as: me })).body;
const isTrashed = async (id: string) => (await get(id)).isTrashed;
const resolve = (groups: readonly object[], as = me) =>
  call(app, 'POST /duplicates/resolve', { as, body: { groups } });

/** Decides the only set that there is. */
async function keep(keepAssetIds: readonly string[], trashAssetIds: readonly string[]) {
  const [set] = await list();
  const group = { duplicateId: set.duplicateId, keepAssetIds, trashAssetIds };
  const { status, body } = await resolve([group]);
  expect([status, body]).toEqual([200, [{ id: set.duplicateId, success: true }]]);
  return set.duplicateId as string;
}

describe('each of those that are kept gets', () => {
  test('albums, links, tags and the favorite mark of the trashed ones', async () => {
    const [kept, also] = [await add(), await add()];
    const [gone, other] = [await add({ isFavorite: true }), await add()];
    const stranger = await seed(database).user();
    const make = async (path: string, body: object, as = me) =>
      (await call(app, `POST ${path}` as 'POST /', { as, body })).body;
    const mine = await make('/albums', { albumName: 'mine', assetIds: [gone, other] });
    const left = await make('/albums', { albumName: 'of somebody else' }, stranger);
    const link = await make('/shared-links', { type: 'INDIVIDUAL', assetIds: [other] });
    const tag = await make('/tags', { name: 'Travel' });
    await call(app, `PUT /tags/${tag.id}/assets`, { as: me, body: { ids: [gone] } });
    // Put there while that was allowed.
    await database.sql`insert into album_asset (album_id, asset_id) values (${left.id}, ${gone})`;

    await keep([kept, also], [gone, other]);

    for (const id of [kept, also]) {
      const asset = await get(id);
      expect(asset).toMatchObject({ isFavorite: true, isTrashed: false, duplicateId: null });
      expect(asset.tags).toMatchObject([{ value: 'Travel' }]);
      const albums = await database.sql`select album_id from album_asset where asset_id = ${id}`;
      expect(albums.map((row) => row['album_id'])).toEqual([mine.id]);
      const links =
        await database.sql`select link_id from shared_link_asset where asset_id = ${id}`;
      expect(links.map((row) => row['link_id'])).toEqual([link.id]);
    }
    expect(await isTrashed(gone)).toBe(true);
    expect(await isTrashed(other)).toBe(true);
    for (const assetId of [kept, also])
      await saveFeature(database, { assetId, ownerId: me.id }, VECTOR);
    expect(await listSets()).toEqual([]);
  });

  test('the highest rating, a missing description and a missing place', async () => {
    const kept = await add({ exif: { description: 'The bay\nseen from above', rating: 2 } });
    const gone = [
      await add({ exif: { description: 'seen from above\nwith Ada', rating: 5 } }),
      await add({
        exif: { latitude: 38.7, longitude: -9.1, city: 'Lisbon', country: 'Portugal', rating: 4 },
      }),
      await add({ exif: { latitude: 38.70001, longitude: -9.1, description: 'The bay' } }),
    ];
    await keep([kept], gone);
    const { exifInfo } = await get(kept);
    expect(exifInfo).toMatchObject({
      description: 'The bay\nseen from above\nwith Ada',
      rating: 5,
      city: 'Lisbon',
      country: 'Portugal',
      longitude: -9.1,
    });
    const [row] = await database.sql`select edited_fields from asset_exif where asset_id = ${kept}`;
    expect(row!['edited_fields']).toEqual(['description', 'latitude', 'longitude', 'rating']);
  });

  test('no value that it already has, and no place if the others disagree', async () => {
    const here = await add({ exif: { latitude: 1, longitude: 2, rating: 5, description: 'x' } });
    const nowhere = await add({ isFavorite: true });
    const gone = [
      await add({ exif: { latitude: 3, longitude: 4, rating: 1, description: 'x' } }),
      await add({ exif: { latitude: 5, longitude: 6 } }),
    ];
    await keep([here, nowhere], gone);
    expect((await get(here)).exifInfo).toMatchObject({
      latitude: 1,
      longitude: 2,
      rating: 5,
      description: 'x',
    });
    const other = await get(nowhere);
    expect(other.exifInfo).toMatchObject({ latitude: null, rating: 1, description: 'x' });
    expect(other.isFavorite).toBe(true);
    const [row] = await database.sql`select edited_fields from asset_exif where asset_id = ${here}`;
    expect(row!['edited_fields']).toEqual([]);
  });

  test('the people confirmed on the others', async () => {
    const size = { width: 1000, height: 800 };
    const [kept, gone] = [await add(size), await add(size)];
    const cropped = await add({ width: 800, height: 800 });
    const ownerId = me.id;
    const anna = await addPerson(database, { ownerId, name: 'Anna' });
    const ben = await addPerson(database, { ownerId, name: 'Ben' });
    const passer = await addPerson(database, { ownerId });
    const box = { x1: 0.5, y1: 0.5, x2: 0.7, y2: 0.8 };
    const far = { x1: 0.8, y1: 0.1, x2: 0.9, y2: 0.2 };
    await addFace(database, { ownerId, assetId: gone, personId: anna.id });
    await addFace(database, {
      ownerId,
      assetId: gone,
      ...box,
      personId: ben.id,
      decidedBy: 'owner',
    });
    await addFace(database, { ownerId, assetId: gone, ...far, personId: passer.id });
    // The same face, not told apart yet.
    await addFace(database, { ownerId, assetId: kept, x1: 0.11, y1: 0.1, x2: 0.31, y2: 0.4 });
    await keep([kept, cropped], [gone]);
    const peopleOn = async (id: string) =>
      (await get(id)).people.map((person: { name: string }) => person.name);
    expect(await peopleOn(kept)).toEqual(['Anna', 'Ben']);
    // Where on a part of the picture he is, nobody knows.
    expect(await peopleOn(cropped)).toEqual([]);
    const { body } = await call(app, `GET /faces?id=${kept}`, { as: me });
    expect(body.map((face: { boundingBoxX1: number }) => face.boundingBoxX1)).toEqual([110, 500]);
  });
});

describe('a stack', () => {
  test('loses only the shown picture, and the first kept one replaces it', async () => {
    const primary = await add();
    const stackId = await addStack(database, me.id, primary);
    const child = await add({ stackId, isStackChild: true }, [1, 0, 0, 0]);
    const [single, also] = [await add(), await add()];
    await keep([single, also], [primary]);
    expect(await isTrashed(child)).toBe(false);
    expect((await get(single)).stack).toEqual({
      id: stackId,
      primaryAssetId: single,
      assetCount: 2,
    });
    expect((await get(also)).stack).toBeNull();
    expect((await call(app, `GET /stacks/${stackId}`, { as: me })).body.primaryAssetId).toBe(
      single,
    );
  });

  test('that consists of copies only stays', async () => {
    const [primary, single] = [await add(), await add()];
    const stackId = await addStack(database, me.id, primary);
    await add({ stackId, isStackChild: true, trashedAt: new Date() }, [1, 0, 0, 0]);
    await keep([single], [primary]);
    expect((await get(single)).stack).toBeNull();
  });
});

describe('can be undone', () => {
  test('by restoring from the trash, with the previous state', async () => {
    const [kept, also, gone] = [await add(), await add(), await add()];
    const duplicateId = await keep([kept, also], [gone]);
    const { body } = await call(app, 'GET /trash/activity?tool=duplicates', { as: me });
    expect(body.items).toMatchObject([{ action: 'trashed', count: 1, canUndo: true }]);
    expect(body.items[0].assets).toMatchObject([{ id: gone, isTrashed: true }]);
    await call(app, 'POST /trash/restore/assets', { as: me, body: { ids: [gone] } });
    await call(app, 'DELETE /duplicates/decisions', { as: me, body: { ids: [duplicateId] } });
    const [set] = await list();
    expect(set.duplicateId).toBe(duplicateId);
    expect(getIds(set)).toEqual([kept, also, gone].sort());
  });

  test('only by the account that decided', async () => {
    const ids = [await add(), await add()];
    const [set] = await list();
    const body = { ids: [set.duplicateId] };
    expect((await call(app, 'DELETE /duplicates', { as: me, body })).status).toBe(204);
    const stranger = await seed(database).user();
    const reopen = (as: TestUser) => call(app, 'DELETE /duplicates/decisions', { as, body });
    expect((await reopen(stranger)).status).toBe(204);
    expect(await listSets()).toEqual([]);
    expect((await reopen(me)).status).toBe(204);
    expect(await listSets()).toEqual([ids.sort()]);
  });
});

describe('what was decided meanwhile', () => {
  test('of two concurrent decisions one finds no set', async () => {
    const [a, b] = [await add(), await add()];
    const [{ duplicateId }] = (await list()) as [{ duplicateId: string }];
    const results = await Promise.all([
      resolve([{ duplicateId, keepAssetIds: [a], trashAssetIds: [b] }]),
      resolve([{ duplicateId, keepAssetIds: [b], trashAssetIds: [a] }]),
    ]);
    const answers = results.map(({ body }) => body[0]);
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.find(({ success }) => !success)).toEqual({
      id: duplicateId,
      success: false,
      error: 'not_found',
    });
    expect(await isTrashed(a)).toBe(!(await isTrashed(b)));
  });

  test('refuses a decision on a set that has grown, and trashes nothing', async () => {
    const [a, b] = [await add(), await add()];
    const [{ duplicateId }] = (await list()) as [{ duplicateId: string }];
    await add();
    await matchAll(database);
    const { body } = await resolve([{ duplicateId, keepAssetIds: [a], trashAssetIds: [b] }]);
    expect(body).toEqual([{ id: duplicateId, success: false, error: 'not_found' }]);
    expect(await isTrashed(b)).toBe(false);
  });
});

test('ids of assets outside the set are ignored', async () => {
  const [a, b, other] = [await add(), await add(), await add({}, [1, 0, 0, 0])];
  const strange = await seed(database).asset({ ownerId: (await seed(database).user()).id });
  await keep([a, strange], [b, other]);
  expect([await isTrashed(a), await isTrashed(b), await isTrashed(other)]).toEqual([
    false,
    true,
    false,
  ]);
});

test('returns a result per set; a failing set does not affect the others', async () => {
  const [a, b] = [await add(), await add()];
  const [c, d] = [await add({}, [1, 0, 0, 0]), await add({}, [1, 0, 0, 0])];
  const sets = await list();
  const findSetId = (id: string) => sets.find((set) => getIds(set).includes(id)).duplicateId;
  const unknown = crypto.randomUUID();
  const neither = 'Every asset must be in either keepAssetIds or trashAssetIds';
  const both = 'An asset cannot be in both keepAssetIds and trashAssetIds';
  const { body } = await resolve([
    { duplicateId: findSetId(a), keepAssetIds: [a], trashAssetIds: [c] },
    { duplicateId: findSetId(a), keepAssetIds: [], trashAssetIds: [a] },
    { duplicateId: findSetId(a), keepAssetIds: [a], trashAssetIds: [a] },
    { duplicateId: unknown, keepAssetIds: [a], trashAssetIds: [b] },
    { duplicateId: findSetId(c), keepAssetIds: [c], trashAssetIds: [d] },
  ]);
  expect(body).toEqual([
    { id: findSetId(a), success: false, error: 'validation', errorMessage: neither },
    { id: findSetId(a), success: false, error: 'validation', errorMessage: neither },
    { id: findSetId(a), success: false, error: 'validation', errorMessage: both },
    { id: unknown, success: false, error: 'not_found' },
    { id: findSetId(c), success: true },
  ]);
  expect(await listSets()).toEqual([[a, b].sort()]);
  const trashed = await database.sql`select id from asset
    where owner_id = ${me.id} and trashed_at is not null`;
  expect([...trashed].map(({ id }) => id)).toEqual([d]);
  const stranger = await seed(database).user();
  const foreign = await resolve(
    [{ duplicateId: findSetId(a), keepAssetIds: [a], trashAssetIds: [b] }],
    stranger,
  );
  expect(foreign.body).toEqual([{ id: findSetId(a), success: false, error: 'not_found' }]);
  expect(await listSets()).toEqual([[a, b].sort()]);
  expect((await resolve([])).status).toBe(400);
});
