import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import { STATES, unlock } from '../../../test/support/household.ts';
import { listDifferences } from '../../../test/support/schema.ts';
import type { DetectedObject } from '../../inference/index.ts';
import {
  type Pet,
  PetAssetsResponseDto,
  type PetObservation,
  PetObservationResponseDto,
} from './schemas.ts';
import { petsSink } from './sink.ts';

const { database, app } = await useApp();

const user = (permissions?: string[]) => seed(database).user(permissions);
const addAsset = (owner: TestUser, values: object = {}) =>
  seed(database).asset({ ownerId: owner.id, ...values });
const seen = (label: string, x = 0.1, score = 0.8): DetectedObject => ({
  label,
  score,
  box: { x1: x, y1: 0.1, x2: x + 0.3, y2: 0.5 },
});
const look = (owner: TestUser, assetId: string, ...objects: DetectedObject[]) =>
  database.db.transaction((tx) =>
    petsSink.store(
      tx,
      { assetId, ownerId: owner.id, type: 'IMAGE', picture: { width: 100, height: 100 } },
      objects,
      { modelId: 'objects', dimension: 0 },
    ),
  );

async function on(assetId: string, caller: Caller): Promise<PetObservation[]> {
  const { status, body } = await call(app, `GET /pets/observations?assetId=${assetId}`, caller);
  expect(status).toBe(200);
  expect(body.flatMap((one: object) => listDifferences(PetObservationResponseDto, one))).toEqual(
    [],
  );
  return body;
}
const decide = (id: string, body: object, caller: Caller) =>
  call(app, `PUT /pets/observations/${id}`, { ...caller, body });
const listPets = async (as: TestUser): Promise<Pet[]> =>
  (await call(app, 'GET /pets', { as })).body;
const listAssets = async (id: string, as: TestUser, query = '') => {
  const { body } = await call(app, `GET /pets/${id}/assets?${query}`, { as });
  expect(listDifferences(PetAssetsResponseDto, body)).toEqual([]);
  return body as { items: { id: string }[]; nextCursor: string | null };
};

describe('what the owner says about an animal', () => {
  test('a rejected observation has no pet, and repeated analysis does not restore it', async () => {
    const me = await user();
    const assetId = await addAsset(me);
    await look(me, assetId, seen('dog'));
    const [pet] = await listPets(me);
    const [first] = await on(assetId, { as: me });
    expect(first).toMatchObject({ petId: pet!.id, species: 'dog', verdict: null });
    const denied = await decide(first!.id, { verdict: 'denied' }, { as: me });
    expect(denied).toMatchObject({ status: 200, body: { petId: null, verdict: 'denied' } });
    expect(await listPets(me)).toEqual([]);
    await look(me, assetId, seen('dog', 0.12), seen('dog', 0.6), seen('cat', 0.3));
    expect((await on(assetId, { as: me })).map((one) => `${one.species} ${one.verdict}`)).toEqual([
      'dog denied',
      'cat null',
      'dog null',
    ]);
    const back = await decide(first!.id, { verdict: null }, { as: me });
    expect(back.body).toMatchObject({ petId: pet!.id, verdict: null });
    await look(me, assetId);
    expect(await on(assetId, { as: me })).toEqual([]);
  });

  test('a confirmed observation survives an analysis without detections and is not suggested again', async () => {
    const me = await user();
    const [one, two] = [await addAsset(me), await addAsset(me)];
    await look(me, one, seen('cat', 0.1, 0.6));
    await look(me, two, seen('cat', 0.1, 0.9));
    const [pet] = await listPets(me);
    const undecided = async () =>
      (await call(app, `GET /pets/${pet!.id}/undecided`, { as: me })).body as PetObservation[];
    expect((await undecided()).map(({ assetId }) => assetId)).toEqual([two, one]);
    const [first] = await on(one, { as: me });
    await decide(first!.id, { verdict: 'confirmed' }, { as: me });
    expect((await undecided()).map(({ assetId }) => assetId)).toEqual([two]);
    // A confirmed observation is the cover, though another has a higher score.
    expect((await listPets(me))[0]!.cover?.assetId).toBe(one);
    await look(me, one);
    expect(await on(one, { as: me })).toMatchObject([{ verdict: 'confirmed' }]);
  });
});

describe('two of a kind', () => {
  test('pets of one species have photos of their own, and merging combines them', async () => {
    const me = await user();
    const assets = [await addAsset(me), await addAsset(me), await addAsset(me)];
    for (const id of assets) await look(me, id, seen('dog'));
    const [all] = await listPets(me);
    const made = await call(app, 'POST /pets', {
      as: me,
      body: { name: ' Bella ', species: 'dog' },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'Bella', species: 'dog', isConfirmed: true, assetCount: 0, cover: null },
    });
    const bella = made.body.id;
    const [first] = await on(assets[0]!, { as: me });
    await decide(first!.id, { verdict: 'confirmed', petId: bella }, { as: me });
    expect((await listAssets(bella, me)).items.map(({ id }) => id)).toEqual([assets[0]!]);
    expect((await listAssets(all!.id, me)).items).toHaveLength(2);
    // Later observations belong to the default pet of the species.
    const more = await addAsset(me);
    await look(me, more, seen('dog'));
    expect((await on(more, { as: me }))[0]!.petId).toBe(all!.id);

    const merged = await call(app, 'POST /pets/merge', {
      as: me,
      body: { ids: [all!.id, bella] },
    });
    expect(merged).toMatchObject({
      status: 200,
      body: { id: all!.id, name: 'Bella', isConfirmed: true, assetCount: 4 },
    });
    expect((await call(app, `GET /pets/${bella}`, { as: me })).status).toBe(404);
    expect(await listPets(me)).toHaveLength(1);
  });

  test('merging the default pet moves its photos, and a new default is created', async () => {
    const me = await user();
    const assetId = await addAsset(me);
    await look(me, assetId, seen('cat'));
    const [all] = await listPets(me);
    const body = { name: 'Tom', species: 'cat' };
    const tom = (await call(app, 'POST /pets', { as: me, body })).body.id;
    await call(app, 'POST /pets/merge', { as: me, body: { ids: [tom, all!.id] } });
    expect(await listPets(me)).toMatchObject([{ id: tom, assetCount: 1 }]);
    await look(me, await addAsset(me), seen('cat'));
    expect(await listPets(me)).toMatchObject([{ id: tom }, { id: all!.id, isConfirmed: false }]);
  });
});

test('photos of a pet are paged, newest first, and on the Timeline only', async () => {
  const me = await user();
  for (const values of Object.values(STATES)) {
    await look(me, await addAsset(me, values), seen('cat'), seen('cat', 0.6));
  }
  const old = await addAsset(me, { takenAt: new Date('2000-01-01T00:00:00Z') });
  await look(me, old, seen('cat'));
  const [pet] = await listPets(me);
  expect(pet!.assetCount).toBe(4);
  const all = (await listAssets(pet!.id, me)).items.map(({ id }) => id);
  expect(all).toHaveLength(4);
  expect(all.at(-1)).toBe(old);
  const first = await listAssets(pet!.id, me, 'size=3');
  const rest = await listAssets(pet!.id, me, `size=3&cursor=${first.nextCursor}`);
  expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(all);
  expect(rest.nextCursor).toBeNull();
  const undecided = await call(app, `GET /pets/${pet!.id}/undecided?size=100`, { as: me });
  expect(new Set(undecided.body.map((one: PetObservation) => one.assetId))).toEqual(new Set(all));
});

test('photos of a pet are in the order of their local days, in pages too', async () => {
  const me = await user();
  // 3 May in Auckland is before what is 2 May in Honolulu.
  const taken = async (takenAt: string, localTakenAt: string) => {
    const id = await addAsset(me, { takenAt: new Date(takenAt), localTakenAt });
    await look(me, id, seen('dog'));
    return id;
  };
  const auckland = await taken('2024-05-02T14:00:00Z', '2024-05-03 02:00:00');
  const honolulu = await taken('2024-05-02T20:00:00Z', '2024-05-02 10:00:00');
  const later = await taken('2024-05-03T12:00:00Z', '2024-05-03 12:00:00');
  const [pet] = await listPets(me);
  const first = await listAssets(pet!.id, me, 'size=2');
  expect(first.items.map(({ id }) => id)).toEqual([later, auckland]);
  const rest = await listAssets(pet!.id, me, `size=2&cursor=${first.nextCursor}`);
  expect(rest.items.map(({ id }) => id)).toEqual([honolulu]);
  expect(rest.nextCursor).toBeNull();
});

test('an animal on a Locked photo is returned in an unlocked session only', async () => {
  const me = await user();
  const assetId = await addAsset(me, { lockedAt: new Date() });
  await look(me, assetId, seen('dog'));
  const path = `GET /pets/observations?assetId=${assetId}` as const;
  expect((await call(app, path, { session: me })).status).toBe(400);
  await unlock(database, me);
  const [first] = await on(assetId, { session: me });
  expect((await decide(first!.id, { verdict: 'denied' }, { as: me })).status).toBe(404);
  expect((await decide(first!.id, { verdict: 'denied' }, { session: me })).status).toBe(200);
});

describe('refusals', () => {
  test('strangers, guests and keys without the permission cannot decide', async () => {
    const [me, other] = [await user(), await user()];
    const assetId = await addAsset(me);
    await look(me, assetId, seen('dog'));
    const [pet] = await listPets(me);
    const [first] = await on(assetId, { as: me });
    const foreign = await decide(first!.id, { verdict: 'denied' }, { as: other });
    expect(foreign.status).toBe(404);
    const unknown = await decide(crypto.randomUUID(), { verdict: 'denied' }, { as: other });
    expect(foreign.body).toEqual(unknown.body);
    const reader = await user(['person.read']);
    expect((await decide(first!.id, { verdict: 'denied' }, { as: reader })).status).toBe(403);
    for (const path of [`${pet!.id}`, `${pet!.id}/assets`, `${pet!.id}/undecided`]) {
      expect((await call(app, `GET /pets/${path}`, { as: other })).status).toBe(404);
    }
    const onPhoto = `GET /pets/observations?assetId=${assetId}` as const;
    expect((await call(app, onPhoto, { as: other })).status).toBe(400);

    const mine = (await call(app, 'POST /pets', { as: other, body: { name: 'X', species: 'dog' } }))
      .body.id;
    const stolen = { verdict: 'confirmed', petId: mine };
    expect((await decide(first!.id, stolen, { as: me })).status).toBe(404);
    for (const ids of [
      [mine, pet!.id],
      [pet!.id, mine],
    ]) {
      expect((await call(app, 'POST /pets/merge', { as: other, body: { ids } })).status).toBe(404);
    }
    expect(await listPets(me)).toEqual([pet!]);
    expect(await on(assetId, { as: me })).toEqual([first!]);

    const key = crypto.getRandomValues(new Uint8Array(50));
    await database.sql`
      insert into shared_link (owner_id, type, slug, key)
      values (${me.id}, 'INDIVIDUAL', 'pets', ${key})`;
    expect((await call(app, `${onPhoto}&slug=pets`)).status).toBe(403);
  });

  test('an inconsistent decision → 400', async () => {
    const me = await user();
    const assetId = await addAsset(me);
    await look(me, assetId, seen('dog'));
    const [pet] = await listPets(me);
    const [first] = await on(assetId, { as: me });
    for (const body of [
      {},
      { verdict: 'maybe' },
      { verdict: 'denied', petId: pet!.id },
      { verdict: 'confirmed', petId: 'x' },
    ]) {
      expect([body, (await decide(first!.id, body, { as: me })).status]).toEqual([body, 400]);
    }
    for (const body of [{ ids: [pet!.id] }, { ids: [pet!.id, pet!.id] }, {}]) {
      expect((await call(app, 'POST /pets/merge', { as: me, body })).status).toBe(400);
    }
    for (const body of [{ name: 'A' }, { name: 'A', species: 'dragon' }, { species: 'cat' }]) {
      expect((await call(app, 'POST /pets', { as: me, body })).status).toBe(400);
    }
    const cursor = `GET /pets/${pet!.id}/assets?cursor=x` as const;
    expect((await call(app, cursor, { as: me })).status).toBe(400);
  });
});
