import { expect, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import { call, seed } from '../../../test/support/harness.ts';
import { addFace, addPerson, faceVector } from '../../../test/support/people.ts';
import { tagAssets, tags } from '../../db/tables/tags.ts';

const { database, app, house } = await useHousehold();

const MONTH = '2026-01-01';

test('a tag filter returns assets with the tag or a tag below it, never by tags of other users', async () => {
  const me = await seed(database).user();
  const [id, childId] = [
    await seed(database).asset({ ownerId: me.id }),
    await seed(database).asset({ ownerId: me.id }),
  ];
  await seed(database).asset({ ownerId: me.id });
  const [tag] = await database.db.insert(tags).values({ ownerId: me.id, value: 'a' }).returning();
  const [below] = await database.db
    .insert(tags)
    .values({ ownerId: me.id, value: 'a/b', parentId: tag!.id })
    .returning();
  await database.db.insert(tagAssets).values([
    { tagId: tag!.id, assetId: id },
    { tagId: below!.id, assetId: childId },
  ]);
  const read = async (tagId: string, as: { key: string }) =>
    (await call(app, `GET /timeline/bucket?timeBucket=${MONTH}&tagId=${tagId}`, { as })).body.id;
  expect((await read(tag!.id, me)).toSorted()).toEqual([id, childId].toSorted());
  expect(await read(below!.id, me)).toEqual([childId]);
  expect(await read(tag!.id, house.stranger)).toEqual([]);
});

test("a person filter returns assets with a face of that person, never of other users' people", async () => {
  const me = await seed(database).user();
  const { id, faces } = await addPerson(database, { ownerId: me.id }, [faceVector(0)]);
  await addFace(database, { ownerId: me.id, personId: id, isHidden: true });
  await addFace(database, { ownerId: me.id });
  const query = `timeBucket=${MONTH}&personId=${id}`;
  const read = async (as: { key: string }) =>
    (await call(app, `GET /timeline/bucket?${query}`, { as })).body.id;
  expect(await read(me)).toEqual([faces[0]!.assetId]);
  expect(await read(house.stranger)).toEqual([]);
  const buckets = await call(app, `GET /timeline/buckets?personId=${id}`, { as: me });
  expect(buckets.body).toEqual([{ timeBucket: MONTH, count: 1 }]);
});

test('a kind and a camera filter list their items only, in the buckets and in the counts', async () => {
  const me = await seed(database).user();
  const add = (type: 'IMAGE' | 'VIDEO', model: string, ownerId = me.id) =>
    seed(database).asset({ ownerId, type, exif: { model } });
  const photo = await add('IMAGE', 'Camera One');
  const video = await add('VIDEO', 'Camera One');
  const other = await add('IMAGE', 'Camera Two');
  await seed(database).asset({
    ownerId: me.id,
    type: 'IMAGE',
    visibility: 'archive',
    exif: { model: 'Camera One' },
  });
  await add('IMAGE', 'Camera One', house.stranger.id);
  const read = async (query: string, as: { key: string } = me) => {
    const filter = `visibility=timeline&${query}`;
    const bucket = await call(app, `GET /timeline/bucket?timeBucket=${MONTH}&${filter}`, { as });
    const counts = await call(app, `GET /timeline/buckets?${filter}`, { as });
    expect(counts.body).toEqual(
      bucket.body.id.length > 0 ? [{ timeBucket: MONTH, count: bucket.body.id.length }] : [],
    );
    return bucket.body.id.toSorted();
  };
  expect(await read('type=VIDEO')).toEqual([video]);
  expect(await read('type=IMAGE')).toEqual([photo, other].toSorted());
  expect(await read('model=Camera%20One')).toEqual([photo, video].toSorted());
  expect(await read('type=IMAGE&model=Camera%20One')).toEqual([photo]);
  expect(await read('model=camera%20one')).toEqual([]);
  const wrong = await call(app, 'GET /timeline/buckets?type=FILM', { as: me });
  expect(wrong.status).toBe(400);
  expect(JSON.stringify(wrong.body)).toContain('type');
});
