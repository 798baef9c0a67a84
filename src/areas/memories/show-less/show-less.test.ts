import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addMemory, type NewMemory } from '../../../../test/support/memories.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import type { Memory } from '../schemas.ts';
import type { MemoryRule } from './schemas.ts';

const { database, app } = await useApp();
let me: TestUser;
let photo: string;
beforeEach(async () => {
  me = await seed(database).user();
  photo = await seed(database).asset({ ownerId: me.id });
});

const add = (values: Omit<NewMemory, 'ownerId'> = {}, assetIds: readonly string[] = [photo]) =>
  addMemory(database, { ownerId: me.id, ...values }, assetIds);
const rules = async (caller: Caller = { as: me }): Promise<MemoryRule[]> =>
  (await call(app, 'GET /memories/show-less', caller)).body;
const post = (body: object, caller: Caller = { as: me }) =>
  call(app, 'POST /memories/show-less', { ...caller, body });
const remove = (body: object, caller: Caller = { as: me }) =>
  call(app, 'DELETE /memories/show-less', { ...caller, body });
const listMembers = async (): Promise<Record<string, string[]>> => {
  const { body } = await call(app, 'GET /memories?withAllTypes=true', { as: me });
  const { body: counted } = await call(app, 'GET /memories/statistics?withAllTypes=true', {
    as: me,
  });
  expect(counted.total).toBe(body.length);
  return Object.fromEntries(
    body.map((memory: Memory) => [memory.id, memory.assets.map(({ id }) => id)]),
  );
};
async function addPet(ownerId = me.id, isDefault = false): Promise<string> {
  const [pet] = await database.sql`
    insert into pet (owner_id, name, species, is_default)
    values (${ownerId}, 'Rex', 'dog', ${isDefault}) returning id`;
  return pet!['id'] as string;
}
const see = (petId: string, assetId: string) => database.sql`
  insert into pet_observation (pet_id, asset_id, species, x1, y1, x2, y2, score, model_id)
  values (${petId}, ${assetId}, 'dog', 0, 0, 1, 1, 1, 'm')`;

const VALUES = { personId: null, petId: null, date: null, memoryType: null };

describe('the rules', () => {
  test('EP-031: are listed, oldest first, with the member of their kind', async () => {
    const { id: personId } = await addPerson(database, { ownerId: me.id, name: 'Ann' });
    const petId = await addPet();
    await post({ kind: 'person', personId: personId.toUpperCase() });
    await database.sql`update memory_rule set created_at = created_at - interval '1 day'`;
    const { status, body } = await post({ kind: 'pet', petId });
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id: expect.any(String),
        kind: 'person',
        ...VALUES,
        personId,
        createdAt: expect.any(String),
      },
      { id: expect.any(String), kind: 'pet', ...VALUES, petId, createdAt: NOW.toISOString() },
    ]);
    expect(await rules()).toEqual(body);
    expect(await rules({ as: await seed(database).user() })).toEqual([]);
  });

  test('EP-004: have a day that some year has', async () => {
    const statuses = [];
    for (const date of ['02-29', '02-30', '2-9']) {
      statuses.push((await post({ kind: 'date', date })).status);
    }
    expect(statuses).toEqual([200, 400, 400]);
    expect(await rules()).toMatchObject([{ date: '02-29' }]);
  });

  test('EP-005: are added once, and removed once or not at all', async () => {
    await post({ kind: 'memory-type', memoryType: 'place' });
    const rule = { kind: 'date', date: '12-24' };
    const added = await post(rule);
    expect(added.body).toHaveLength(2);
    expect((await post(rule)).body).toEqual(added.body);
    const left = added.body.filter((one: { kind: string }) => one.kind !== 'date');
    for (let time = 0; time < 2; time++) {
      const { status, body } = await remove(rule);
      expect([status, body]).toEqual([200, left]);
    }
    const unknown = { kind: 'person', personId: crypto.randomUUID() };
    expect((await remove(unknown)).body).toEqual(left);
  });

  const refused: [string, object][] = [
    ['no kind', { date: '12-24' }],
    ['no member', { kind: 'date' }],
    ['the member of another kind', { kind: 'pet', date: '12-24' }],
    ['two members', { kind: 'date', date: '12-24', memoryType: 'place' }],
    ['an unknown type', { kind: 'memory-type', memoryType: 'x' }],
    ['an unknown person', { kind: 'person', personId: crypto.randomUUID() }],
    ['an unknown pet', { kind: 'pet', petId: crypto.randomUUID() }],
  ];
  for (const [words, body] of refused) {
    test(`are not made of ${words}`, async () => {
      expect(await post(body)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', statusCode: 400 },
      });
      expect(await rules()).toEqual([]);
    });
  }

  test("are about the account's own people and pets, and belong to it alone", async () => {
    const { id: personId } = await addPerson(database, { ownerId: me.id, name: 'Ann' });
    const petId = await addPet();
    await post({ kind: 'person', personId });
    const stranger = await seed(database).user(['all'], { isAdmin: true });
    const unknown = await post({ kind: 'person', personId: crypto.randomUUID() }, { as: stranger });
    const foreign = await post({ kind: 'person', personId }, { as: stranger });
    expect([foreign.status, foreign.body]).toEqual([400, unknown.body]);
    expect((await post({ kind: 'pet', petId }, { as: stranger })).status).toBe(400);
    expect((await remove({ kind: 'person', personId }, { as: stranger })).body).toEqual([]);
    const reader = await seed(database).user(['memory.read']);
    expect((await post({ kind: 'date', date: '12-24' }, { as: reader })).status).toBe(403);
    expect((await remove({ kind: 'date', date: '12-24' }, { as: reader })).status).toBe(403);
    expect((await post({ kind: 'date', date: '12-24' }, {})).status).toBe(401);
    expect(await rules()).toHaveLength(1);
    expect(await rules({ as: stranger })).toEqual([]);
  });

  test('do not know a person who is on Locked items only', async () => {
    const person = await addPerson(database, { ownerId: me.id, name: 'Ann' });
    const locked = await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
    await addFace(database, { ownerId: me.id, personId: person.id, assetId: locked });
    expect((await post({ kind: 'person', personId: person.id })).status).toBe(400);
  });
});

describe('while a rule is in force', () => {
  test('memories about the day or of the type are not listed', async () => {
    const eve = await add({ memoryAt: new Date('2020-12-24T23:59:00Z') });
    const place = await add({ type: 'place', isSaved: true });
    const other = await add({ type: 'custom', key: null });
    const all = [eve, place, other].toSorted();
    const found = async () => Object.keys(await listMembers()).toSorted();
    expect(await found()).toEqual(all);
    await post({ kind: 'date', date: '12-24' });
    expect(await found()).toEqual([place, other].toSorted());
    await post({ kind: 'memory-type', memoryType: 'place' });
    expect(await found()).toEqual([other]);
    expect((await call(app, `GET /memories/${eve}`, { as: me })).status).toBe(200);
    await remove({ kind: 'date', date: '12-24' });
    await remove({ kind: 'memory-type', memoryType: 'place' });
    expect(await found()).toEqual(all);
  });

  for (const kind of ['person', 'pet'] as const) {
    test(`a ${kind} is in no memory, and back without the rule`, async () => {
      const person = await addPerson(database, { ownerId: me.id, name: 'Ann' });
      const petId = await addPet();
      const shown = await seed(database).asset({ ownerId: me.id });
      if (kind === 'pet') await see(petId, shown);
      else await addFace(database, { ownerId: me.id, personId: person.id, assetId: shown });
      const target = kind === 'pet' ? { petId } : { personId: person.id };
      const about = await add({ type: kind, ...target });
      const mixed = await add({}, [shown, photo]);
      const only = await add({}, [shown]);
      const before = await listMembers();
      expect(Object.keys(before).toSorted()).toEqual([about, mixed, only].toSorted());
      await post({ kind, ...target });
      expect(await listMembers()).toEqual({ [mixed]: [photo] });
      // Rules of one account mean nothing to another.
      const other = await seed(database).user();
      const foreign = await seed(database).asset({ ownerId: other.id });
      await addMemory(database, { ownerId: other.id }, [foreign]);
      expect((await call(app, 'GET /memories', { as: other })).body).toHaveLength(1);
      await remove({ kind, ...target });
      expect(await listMembers()).toEqual(before);
    });
  }

  test('it holds for the person into whom its person is merged, and is removed with that', async () => {
    const [ann, anna] = [
      await addPerson(database, { ownerId: me.id, name: 'Ann' }),
      await addPerson(database, { ownerId: me.id, name: 'Anna' }),
    ];
    const shown = await seed(database).asset({ ownerId: me.id });
    await addFace(database, { ownerId: me.id, personId: ann.id, assetId: shown });
    const about = await add({ type: 'person', personId: anna.id });
    const mixed = await add({}, [shown, photo]);
    await post({ kind: 'person', personId: ann.id });
    expect(await listMembers()).toEqual({ [about]: [photo], [mixed]: [photo] });
    await post({ kind: 'person', personId: anna.id });
    const merged = await call(app, `POST /people/${anna.id}/merge`, {
      as: me,
      body: { ids: [ann.id] },
    });
    expect(merged.body).toMatchObject([{ success: true }]);
    expect(await rules()).toMatchObject([{ personId: anna.id }]);
    expect(await listMembers()).toEqual({ [mixed]: [photo] });
    expect((await remove({ kind: 'person', personId: anna.id })).body).toEqual([]);
    expect(await listMembers()).toEqual({ [about]: [photo], [mixed]: [shown, photo] });
  });

  test('it and the memories of a pet go to the pet into which it is merged', async () => {
    const [rex, max] = [await addPet(), await addPet()];
    const about = await add({ type: 'pet', petId: max });
    await post({ kind: 'pet', petId: rex });
    await post({ kind: 'pet', petId: max });
    const { status } = await call(app, 'POST /pets/merge', { as: me, body: { ids: [rex, max] } });
    expect(status).toBe(200);
    expect(await rules()).toMatchObject([{ kind: 'pet', petId: rex }]);
    expect(await listMembers()).toEqual({});
    await remove({ kind: 'pet', petId: rex });
    expect(await listMembers()).toEqual({ [about]: [photo] });
  });
});
