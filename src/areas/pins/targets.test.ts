import { beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { addFace, addPerson, faceVector } from '../../../test/support/people.ts';
import { pinsFor } from '../../../test/support/pins.ts';
import { albumAssets, albumUsers } from '../../db/tables/albums.ts';
import { assets } from '../../db/tables/assets.ts';
import { tagAssets, tags } from '../../db/tables/tags.ts';
import { users } from '../../db/tables/identity.ts';

const { database, app } = await useApp();
let me: TestUser;
let other: TestUser;
beforeEach(async () => {
  [me, other] = [await seed(database).user(), await seed(database).user()];
});

const { list, save, newAlbum, newTag } = pinsFor(() => ({ database, app, me }));
const put = async (albumId: string, ...assetIds: string[]) =>
  void (await database.db
    .insert(albumAssets)
    .values(assetIds.map((assetId) => ({ albumId, assetId }))));

describe('a person', () => {
  const pinned = async (personId: string) => {
    const { revision } = await list();
    const { status, body } = await save(revision, [{ kind: 'person', targetId: personId }]);
    expect(status).toBe(200);
    return body.pins[0];
  };

  test('counts the Timeline items that show them, and shows the chosen face', async () => {
    const person = await addPerson(database, { ownerId: me.id, name: 'Ann' });
    const on = async (over: object) => {
      const assetId = await seed(database).asset({ ownerId: me.id, ...over });
      return addFace(database, { ownerId: me.id, assetId, personId: person.id });
    };
    const [first, chosen] = [await on({}), await on({})];
    await addFace(database, { ownerId: me.id, assetId: chosen.assetId, personId: person.id });
    for (const over of [{ lockedAt: NOW }, { trashedAt: NOW }, { visibility: 'archive' }]) {
      await on(over);
    }
    await database.sql`update person set cover_face_id = ${chosen.id} where id = ${person.id}`;
    expect(await pinned(person.id)).toMatchObject({
      kind: 'person',
      targetId: person.id,
      title: 'Ann',
      count: 2,
      coverAssetId: chosen.assetId,
    });
    await database.sql`update asset set locked_at = now() where id = ${chosen.assetId}`;
    expect((await list()).pins[0]).toMatchObject({ count: 1, coverAssetId: first.assetId });
    await database.sql`update asset set locked_at = now() where id = ${first.assetId}`;
    expect((await list()).pins[0]).toMatchObject({ count: 0, coverAssetId: null });
    await database.sql`update asset set locked_at = now() where owner_id = ${me.id}`;
    expect((await list()).pins[0]).toMatchObject({ targetId: null, isAvailable: false });
  });

  test('of somebody else, or merged into another one, is refused', async () => {
    const foreign = await addPerson(database, { ownerId: other.id, name: 'Bob' }, [faceVector(0)]);
    const survivor = await addPerson(database, { ownerId: me.id, name: 'Cat' }, [faceVector(0)]);
    const merged = await addPerson(database, { ownerId: me.id, mergedInto: survivor.id });
    for (const { id } of [foreign, merged]) {
      expect((await save(0, [{ kind: 'person', targetId: id }])).status).toBe(400);
    }
  });

  test('named by a content rule is unavailable, and its items are not counted', async () => {
    const [ann, bob] = [
      await addPerson(database, { ownerId: me.id, name: 'Ann' }, [faceVector(0)]),
      await addPerson(database, { ownerId: me.id, name: 'Bob' }, [faceVector(1)]),
    ];
    const assetId = await seed(database).asset({ ownerId: me.id });
    for (const { id } of [ann, bob]) {
      await addFace(database, { ownerId: me.id, assetId, personId: id });
    }
    await save(0, [
      { kind: 'person', targetId: ann.id },
      { kind: 'person', targetId: bob.id },
    ]);
    const rules = [{ id: crypto.randomUUID(), kind: 'person' as const, targetId: ann.id }];
    await database.db
      .update(users)
      .set({ preferences: { lockedContent: { filterEnabled: true, rules } } })
      .where(eq(users.id, me.id));
    const { pins } = await list();
    expect(pins[0]).toMatchObject({ isAvailable: false, targetId: null });
    expect(pins[1]).toMatchObject({ title: 'Bob', count: 1 });
    expect(pins[1].coverAssetId).not.toBe(assetId);
  });
});

describe('an album', () => {
  test('counts and shows what it shows to the session', async () => {
    const albumId = await newAlbum();
    const of = (over: object) => seed(database).asset({ ownerId: me.id, ...over });
    const old = await of({ takenAt: new Date('2020-01-01T00:00:00Z') });
    await put(
      albumId,
      old,
      await of({ lockedAt: NOW }),
      await of({ trashedAt: NOW }),
      await of({ visibility: 'hidden' }),
    );
    await unlock(database, me);
    const { body } = await save(0, [{ kind: 'album', targetId: albumId }]);
    expect(body.pins[0]).toMatchObject({ count: 1, coverAssetId: old });
    await database.db.update(assets).set({ lockedAt: NOW }).where(eq(assets.id, old));
    expect((await list()).pins[0]).toMatchObject({ count: 0, coverAssetId: null });
  });

  test('of somebody else may have a cover that the member can open', async () => {
    const albumId = await newAlbum('theirs', other.id);
    const cover = await seed(database).asset({ ownerId: other.id });
    await put(albumId, cover);
    await database.db.insert(albumUsers).values({ albumId, userId: me.id, role: 'viewer' });
    const { body } = await save(0, [{ kind: 'album', targetId: albumId }]);
    expect(body.pins[0]).toMatchObject({ count: 1, coverAssetId: cover });
    expect((await call(app, `GET /assets/${cover}`, { session: me })).status).toBe(200);
  });
});

test('a tag shows its own name, and counts Timeline items with descendants of the tag', async () => {
  const parent = await newTag('Travel');
  const child = await newTag('Travel/Japan', me.id, parent);
  const of = (over: object) => seed(database).asset({ ownerId: me.id, ...over });
  const day = (year: number) => ({ takenAt: new Date(Date.UTC(year, 1, 1)) });
  const [old, newest] = [await of(day(2010)), await of(day(2020))];
  const hidden = [
    await of({ lockedAt: NOW }),
    await of({ trashedAt: NOW }),
    await of({ visibility: 'archive' }),
  ];
  await database.db
    .insert(tagAssets)
    .values([
      { tagId: parent, assetId: old },
      { tagId: parent, assetId: newest },
      { tagId: child, assetId: newest },
      ...hidden.map((assetId) => ({ tagId: child, assetId })),
    ]);
  const { body } = await save(0, [
    { kind: 'tag', targetId: parent },
    { kind: 'tag', targetId: child },
  ]);
  expect(body.pins).toMatchObject([
    // Always the same one, whichever comes first.
    { title: 'Travel', count: 2, coverAssetId: [old, newest].toSorted()[0] },
    { title: 'Japan', count: 1, coverAssetId: newest },
  ]);
  await database.db.delete(tags).where(eq(tags.id, child));
  expect((await list()).pins).toMatchObject([{ title: 'Travel' }, { targetId: null }]);
});
