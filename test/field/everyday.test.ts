import { describe, expect, test } from 'bun:test';
import { useApp } from '../support/database.ts';
import { photoForm, randomFileBytes, toSha1Hex, upload } from '../support/forms.ts';
import { call, NOW, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';
import { addFace, addPerson } from '../support/people.ts';

// A library that is used every day: README.md has the public threads.

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

describe('files that come again', () => {
  const check = async (as: TestUser, bytes: Uint8Array): Promise<Json> => {
    const assets = [{ id: 'a.jpg', checksum: toSha1Hex(bytes) }];
    const { body } = await post('/assets/bulk-upload-check', as, { assets });
    return body.results[0];
  };

  test('603: a trashed photo that is uploaded again is back, as it was', async () => {
    const [me, other] = [await addUser(), await addUser()];
    const bytes = randomFileBytes();
    const { body: first } = await upload(app, photoForm(bytes), { as: me });
    const album = (await post('/albums', me, { albumName: 'Trip', assetIds: [first.id] })).body;
    await call(app, 'DELETE /assets', { as: me, body: { ids: [first.id] } });
    expect(await check(me, bytes)).toMatchObject({ assetId: first.id, isTrashed: true });
    // Another account has one of its own.
    expect(await check(other, bytes)).toEqual({ id: 'a.jpg', action: 'accept' });
    const again = await upload(app, photoForm(bytes), { as: me });
    expect(again).toMatchObject({ status: 200, body: { id: first.id, status: 'duplicate' } });
    expect(await check(me, bytes)).toMatchObject({ assetId: first.id, isTrashed: false });
    expect((await get(`/albums/${album.id}`, me)).assetCount).toBe(1);
  });

  test('604: a trashed photo is put into no album, and that is said', async () => {
    const me = await addUser();
    const { body } = await upload(app, photoForm(randomFileBytes()), { as: me });
    const album = (await post('/albums', me, { albumName: 'Trip' })).body;
    await call(app, 'DELETE /assets', { as: me, body: { ids: [body.id] } });
    const added = await call(app, `PUT /albums/${album.id}/assets`, {
      as: me,
      body: { ids: [body.id] },
    });
    expect(added.body).toMatchObject([{ id: body.id, success: false }]);
  });

  test('605: what was deleted from the trash can be uploaded again at once', async () => {
    const me = await addUser();
    const bytes = randomFileBytes();
    const { body: first } = await upload(app, photoForm(bytes), { as: me });
    await call(app, 'DELETE /assets', { as: me, body: { ids: [first.id] } });
    await post('/trash/empty', me);
    expect(await check(me, bytes)).toEqual({ id: 'a.jpg', action: 'accept' });
    const { status, body } = await upload(app, photoForm(bytes), { as: me });
    expect([status, body.status, body.id === first.id]).toEqual([201, 'created', false]);
  });
});

describe('dates of several', () => {
  test('606: a shift with a time zone moves the clock and sets the zone', async () => {
    const me = await addUser();
    const id = await seed(database).asset({
      ownerId: me.id,
      takenAt: new Date('2024-07-01T10:00:00Z'),
      localTakenAt: '2024-07-01T10:00:00',
      exif: { timeZone: 'UTC', dateTimeOriginal: new Date('2024-07-01T10:00:00Z') },
    });
    const body = { ids: [id], dateTimeRelative: 90, timeZone: 'Europe/Berlin' };
    expect((await call(app, 'PUT /assets', { as: me, body })).status).toBe(204);
    const { localDateTime, exifInfo } = await get(`/assets/${id}`, me);
    expect(exifInfo).toMatchObject({ timeZone: 'Europe/Berlin' });
    expect(exifInfo.dateTimeOriginal).toStartWith('2024-07-01T11:30:00');
    expect(localDateTime).toStartWith('2024-07-01T13:30:00');
  });

  test('607: the days of a month are in order, by the clock of the places', async () => {
    const me = await addUser();
    for (let day = 1; day <= 28; day += 3) {
      // The clock of some is a day before that of UTC.
      const hours = (day % 2) * 20;
      await seed(database).asset({
        ownerId: me.id,
        localTakenAt: `2024-05-${String(day).padStart(2, '0')}T12:00:00`,
        takenAt: new Date(Date.UTC(2024, 4, day, 12 + hours)),
      });
    }
    const bucket = await get('/timeline/bucket?timeBucket=2024-05-01', me);
    const local = bucket.fileCreatedAt.map((text: string, at: number) =>
      Math.floor((Date.parse(text) + bucket.localOffsetHours[at] * 3_600_000) / 86_400_000),
    );
    expect(local).toEqual(local.toSorted((a: number, b: number) => b - a));
    expect(new Set(local).size).toBe(10);
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
    const rows = await sql`select id from face where person_id = ${one.id}`;
    expect(ids(rows)).toEqual([one.face, two.face].sort());
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
