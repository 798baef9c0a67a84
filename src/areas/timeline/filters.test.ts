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
