import { describe, expect, test } from 'bun:test';
import { useApp } from '../support/database.ts';
import { call, NOW, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';
import { addFace, addPerson } from '../support/people.ts';

// What people do in a library every day: README.md has the public threads.

const { database, app } = await useApp();
const { sql } = database;
const addUser = () => seed(database).user();
const post = (path: `/${string}`, as: TestUser, body: object = {}) =>
  call(app, `POST ${path}`, { as, body });
const get = async (path: `/${string}`, as: TestUser): Promise<Json> =>
  (await call(app, `GET ${path}`, { as })).body;
const ids = (items: Json): string[] => items.map(({ id }: Json) => id).sort();

describe('days', () => {
  test('588: a search of a day by its clock finds the photos of that day where they were taken', async () => {
    const me = await addUser();
    const add = (local: string, takenAt: string) =>
      seed(database).asset({ ownerId: me.id, localTakenAt: local, takenAt: new Date(takenAt) });
    // In Tokyo, whose morning is the evening before in UTC.
    const evening = await add('2025-09-10T23:30:00', '2025-09-10T14:30:00Z');
    await add('2025-09-11T08:59:00', '2025-09-10T23:59:00Z');
    const [from, to] = ['2025-09-10T00:00:00.000', '2025-09-10T23:59:59.999'];
    const find = async (body: object) =>
      ids((await post('/search/metadata', me, body)).body.assets.items);
    const filter = { takenAt: { gte: from, lte: to } };
    expect(await find({ filter })).toEqual([evening]);
    // Other clients name instants, and get those.
    const instants = { takenAfter: `${from}Z`, takenBefore: `${to}Z` };
    expect(await find(instants)).toHaveLength(2);
    expect((await post('/search/random', me, instants)).body).toHaveLength(2);
    const before = { takenBefore: '2025-09-10T14:00:00.000Z' };
    expect((await post('/search/random', me, before)).body).toEqual([]);
  });

  test('589: empty dates of the map are refused, and named', async () => {
    const path = '/map/markers?fileCreatedAfter=&fileCreatedBefore=' as const;
    const { status, body } = await call(app, `GET ${path}`, { as: await addUser() });
    expect(status).toBe(400);
    expect(body.errors.map(({ path: names }: Json) => names)).toEqual([
      ['fileCreatedAfter'],
      ['fileCreatedBefore'],
    ]);
  });
});

describe('trash', () => {
  test('590: what was archived before it was trashed is deleted with the trash', async () => {
    const [me, other] = [await addUser(), await addUser()];
    const trashed = { visibility: 'archive', trashedAt: NOW } as const;
    await seed(database).asset({ ownerId: me.id, ...trashed });
    await seed(database).asset({ ownerId: other.id, ...trashed });
    const archived = await seed(database).asset({ ownerId: me.id, visibility: 'archive' });
    expect((await post('/trash/empty', me)).body).toEqual({ count: 1 });
    const left = await sql`select id from asset where owner_id = ${me.id}`;
    expect(left.map(({ id }) => id)).toEqual([archived]);
  });

  test('591: a memory goes on without a photo that was trashed in it', async () => {
    const me = await addUser();
    const assetIds = [];
    for (let n = 0; n < 3; n++) assetIds.push(await seed(database).asset({ ownerId: me.id }));
    const day = { type: 'on_this_day', data: { year: 2020 }, memoryAt: '2026-01-02T00:00:00.000Z' };
    const { body } = await post('/memories', me, { ...day, assetIds });
    await call(app, 'DELETE /assets', { as: me, body: { ids: [assetIds[0]] } });
    const { assets, data } = await get(`/memories/${body.id}`, me);
    expect(ids(assets)).toEqual(assetIds.slice(1).sort());
    expect(data).toEqual({ year: 2020 });
  });
});

describe('people', () => {
  test('592: each person is on some page, hidden ones and those with one face included', async () => {
    const me = await addUser();
    for (let n = 0; n < 7; n++) {
      const person = await addPerson(database, { ownerId: me.id, name: '', isHidden: n % 2 === 0 });
      await addFace(database, { ownerId: me.id, personId: person.id });
    }
    const other = await addPerson(database, { ownerId: (await addUser()).id, name: 'Of another' });
    const found: string[] = [];
    for (let page = 1, hasNextPage = true; hasNextPage && page < 9; page++) {
      const list = await get(`/people?withHidden=true&page=${page}&size=2`, me);
      found.push(...ids(list.people));
      ({ hasNextPage } = list);
    }
    const listed = await get('/people?withHidden=true&size=500', me);
    expect(found.sort()).toEqual(ids(listed.people));
    expect(found).not.toContain(other.id);
  });

  test('593: a person whose cover was trashed is listed, with another cover', async () => {
    const me = await addUser();
    const { id } = await addPerson(database, { ownerId: me.id, name: 'Ida' });
    const faces = [];
    for (let n = 0; n < 2; n++)
      faces.push(await addFace(database, { ownerId: me.id, personId: id }));
    await call(app, `PUT /people/${id}`, {
      as: me,
      body: { featureFaceAssetId: faces[0]!.assetId },
    });
    await call(app, 'DELETE /assets', { as: me, body: { ids: [faces[0]!.assetId] } });
    expect(ids((await get('/people', me)).people)).toEqual([id]);
    expect((await get(`/people/${id}/statistics`, me)).assets).toBe(1);
  });

  test('594: a merge takes the named people and nobody else, and what it leaves is not hidden', async () => {
    const me = await addUser();
    const make = async () => {
      const { id } = await addPerson(database, { ownerId: me.id, name: 'Ida' });
      return { id, face: (await addFace(database, { ownerId: me.id, personId: id })).id };
    };
    const [one, two, three] = [await make(), await make(), await make()];
    const { body } = await post(`/people/${one.id}/merge`, me, { ids: [two.id] });
    expect(body).toEqual([{ id: two.id, success: true }]);
    const { people } = await get('/people?withHidden=true', me);
    expect(ids(people)).toEqual([one.id, three.id].sort());
    expect(people.map(({ isHidden }: Json) => isHidden)).toEqual([false, false]);
    const rows = await sql`select id, person_id from face where person_id = ${one.id}`;
    expect(rows.map(({ id }) => id).sort()).toEqual([one.face, two.face].sort());
    const stranger = await addUser();
    const refused = await post(`/people/${three.id}/merge`, stranger, { ids: [one.id] });
    expect(refused.status).toBe(400);
  });
});

test("595: a partner's timeline is on the map where it is asked for, and nothing else of him", async () => {
  const [me, partner, stranger] = [await addUser(), await addUser(), await addUser()];
  await sql`insert into partner (sharer_id, viewer_id, in_timeline)
    values (${partner.id}, ${me.id}, true)`;
  const exif = { latitude: 48, longitude: 11 };
  const add = (ownerId: string, values: object = {}) =>
    seed(database).asset({ ownerId, exif, ...values });
  const [mine, theirs] = [await add(me.id), await add(partner.id)];
  await add(partner.id, { visibility: 'archive' });
  await add(partner.id, { visibility: 'hidden' });
  await add(partner.id, { trashedAt: NOW });
  await add(partner.id, { lockedAt: NOW });
  await add(stranger.id);
  expect(ids(await get('/map/markers?withPartners=true', me))).toEqual([mine, theirs].sort());
  expect(ids(await get('/map/markers', me))).toEqual([mine]);
  expect(ids(await get('/map/markers?withPartners=true', partner))).toEqual(
    ids(await get('/map/markers', partner)),
  );
});
