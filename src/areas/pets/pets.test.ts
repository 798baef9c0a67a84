import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { STATES } from '../../../test/support/household.ts';
import { users } from '../../db/tables/identity.ts';
import type { DetectedObject } from '../../inference/index.ts';
import { petsSink } from './sink.ts';

const { database, app } = await useApp();

const user = (permissions?: string[]) => seed(database).user(permissions);
const seen = (label: string, score = 0.8): DetectedObject => ({
  label,
  score,
  box: { x1: 0.1, y1: 0.1, x2: 0.5, y2: 0.5 },
});
const look = (ownerId: string, assetId: string, objects: readonly DetectedObject[]) =>
  database.db.transaction((tx) =>
    petsSink.store(
      tx,
      { assetId, ownerId, type: 'IMAGE', picture: { width: 100, height: 100 } },
      objects,
      {
        modelId: 'objects',
        dimension: 0,
      },
    ),
  );
const list = async (as: TestUser) => (await call(app, 'GET /pets', { as })).body;

test('detected animals become pets by species; other objects do not', async () => {
  const me = await user();
  const [one, two] = [
    await seed(database).asset({ ownerId: me.id }),
    await seed(database).asset({ ownerId: me.id }),
  ];
  await look(me.id, one, [
    seen('dog'),
    seen('dog', 0.6),
    seen('cat', 0.4),
    seen('person'),
    seen('zebra'),
  ]);
  await look(me.id, two, [seen('dog'), seen('sheep')]);
  const pets = await list(me);
  const best = {
    assetId: one,
    thumbhash: null,
    ratio: 1,
    box: { x1: 0.1, y1: 0.1, x2: 0.5, y2: 0.5 },
  };
  const unnamed = { id: expect.any(String), name: '', isConfirmed: false };
  expect(pets).toEqual([
    { ...unnamed, species: 'dog', assetCount: 2, cover: { ...best, assetId: expect.any(String) } },
    { ...unnamed, species: 'other', assetCount: 1, cover: { ...best, assetId: two } },
  ]);
  const named = await call(app, `PUT /pets/${pets[0].id}`, {
    as: me,
    body: { name: ' Rex ', isConfirmed: true },
  });
  expect(named).toMatchObject({
    status: 200,
    body: { id: pets[0].id, name: 'Rex', isConfirmed: true, assetCount: 2 },
  });
  // Looking again changes what is seen, and nothing that the owner said.
  await look(me.id, one, []);
  await look(me.id, two, []);
  expect(await list(me)).toEqual([{ ...named.body, assetCount: 0, cover: null }]);
  await look(me.id, two, [seen('dog')]);
  expect(await list(me)).toEqual([
    { ...named.body, assetCount: 1, cover: { ...best, assetId: two } },
  ]);
});

test('counts Timeline items only, for their owner only', async () => {
  const [me, other] = [await user(), await user()];
  for (const values of Object.values(STATES)) {
    await look(me.id, await seed(database).asset({ ownerId: me.id, ...values }), [seen('cat')]);
  }
  expect(await list(me)).toMatchObject([{ species: 'cat', assetCount: 3 }]);
  expect(await list(other)).toEqual([]);
  await database.sql`update asset set locked_at = now() where owner_id = ${me.id}`;
  expect(await list(me)).toEqual([]);
});

test('a pet that a content rule matches is not listed', async () => {
  const me = await user();
  await look(me.id, await seed(database).asset({ ownerId: me.id }), [seen('bird')]);
  const [{ id: targetId }] = await list(me);
  const rules = [{ id: crypto.randomUUID(), kind: 'pet', targetId }];
  await database.db
    .update(users)
    .set({ preferences: { lockedContent: { filterEnabled: true, rules } } })
    .where(eq(users.id, me.id));
  expect(await list(me)).toEqual([]);
});

test('strangers, guests and keys without the permission cannot name a pet', async () => {
  const me = await user();
  await look(me.id, await seed(database).asset({ ownerId: me.id }), [seen('horse')]);
  const [pet] = await list(me);
  const put = (id: string, caller: object, query = '') =>
    call(app, `PUT /pets/${id}${query}`, { ...caller, body: { name: 'mine' } });
  const foreign = await put(pet.id, { as: await user() });
  expect(foreign.status).toBe(404);
  expect((await put(crypto.randomUUID(), { as: await user() })).body).toEqual(foreign.body);
  expect((await put(pet.id, { as: await user(['person.read']) })).status).toBe(403);
  const key = crypto.getRandomValues(new Uint8Array(50));
  await database.sql`
    insert into shared_link (owner_id, type, slug, key) values (${me.id}, 'INDIVIDUAL', 'p', ${key})`;
  expect((await put(pet.id, {}, '?slug=p')).status).toBe(403);
  expect((await call(app, `PUT /pets/${pet.id}`, { as: me, body: { name: 7 } })).status).toBe(400);
  expect(await list(me)).toEqual([pet]);
});
