import { describe, expect, test } from 'bun:test';
import { deleteForGood } from '../../../test/support/deletion.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { addFace, addPerson, faceVector } from '../../../test/support/people.ts';

const { database, app } = await useApp();

const user = (permissions?: string[]) => seed(database).user(permissions);

const list = async (as: TestUser, query = '') =>
  (await call(app, `GET /people${query}`, { as })).body;

test('a person can be created, changed and deleted, and the faces stay', async () => {
  const me = await user();
  const body = { name: ' Ann ', birthDate: '1990-05-17', color: '0f0', isFavorite: true };
  const created = await call(app, 'POST /people', { as: me, body });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: created.body.id,
    name: 'Ann',
    birthDate: '1990-05-17',
    color: '#0f0',
    isFavorite: true,
    isHidden: false,
    thumbnailPath: '',
    updatedAt: expect.any(String),
  });
  const path = `/people/${created.body.id}` as const;
  expect((await call(app, `GET ${path}`, { as: me })).body).toEqual(created.body);
  expect((await list(me)).people).toEqual([created.body]);
  const cleared = await call(app, `PUT ${path}`, {
    as: me,
    body: { birthDate: null, color: null },
  });
  expect(cleared.body).toMatchObject({ name: 'Ann', birthDate: null });
  expect(cleared.body.color).toBeUndefined();

  const face = await addFace(database, { ownerId: me.id, personId: created.body.id });
  expect((await call(app, `DELETE ${path}`, { as: me })).status).toBe(204);
  expect((await call(app, `GET ${path}`, { as: me })).status).toBe(400);
  expect((await call(app, `DELETE ${path}`, { as: me })).status).toBe(400);
  const { body: left } = await call(app, `GET /faces?id=${face.assetId}`, { as: me });
  expect(left).toMatchObject([{ id: face.id, person: null }]);
});

test('refuses a birth date in the future and an invalid date', async () => {
  const me = await user();
  for (const birthDate of ['2026-02-30', '2030-01-01', '1990-1-1', 'x']) {
    const reply = await call(app, 'POST /people', { as: me, body: { birthDate } });
    expect(reply.status).toBe(400);
  }
  expect((await list(me)).total).toBe(0);
});

test('statistics count Timeline items once each', async () => {
  const me = await user();
  const { id, faces } = await addPerson(database, { ownerId: me.id }, [
    faceVector(0),
    faceVector(0),
  ]);
  await addFace(database, { ownerId: me.id, personId: id, assetId: faces[0]!.assetId });
  const archived = await seed(database).asset({ ownerId: me.id, visibility: 'archive' });
  await addFace(database, { ownerId: me.id, personId: id, assetId: archived });
  await addFace(database, { ownerId: me.id, personId: id, isHidden: true });
  const count = async () =>
    (await call(app, `GET /people/${id}/statistics`, { as: me })).body.assets;
  expect(await count()).toBe(2);
  await database.sql`update asset set trashed_at = now() where id = ${faces[0]!.assetId}`;
  expect(await count()).toBe(1);
});

test('updates many people at once, each independently', async () => {
  const [me, other] = [await user(), await user()];
  const one = await addPerson(database, { ownerId: me.id });
  const foreign = await addPerson(database, { ownerId: other.id, name: 'theirs' });
  const body = {
    people: [
      { id: one.id, name: 'One', isHidden: true },
      { id: foreign.id, name: 'mine now' },
      { id: one.id, featureFaceAssetId: crypto.randomUUID() },
    ],
  };
  const reply = await call(app, 'PUT /people', { as: me, body });
  expect(reply.status).toBe(200);
  expect(reply.body).toMatchObject([
    { id: one.id, success: true },
    { id: foreign.id, success: false, error: 'not_found' },
    { id: one.id, success: false, error: 'validation' },
  ]);
  expect((await call(app, `GET /people/${one.id}`, { as: me })).body).toMatchObject({
    name: 'One',
    isHidden: true,
    birthDate: null,
  });
  expect((await call(app, `GET /people/${foreign.id}`, { as: other })).body.name).toBe('theirs');
});

test('the cover is a face that the asset shows', async () => {
  const me = await user();
  const { id, faces } = await addPerson(database, { ownerId: me.id }, [faceVector(0)]);
  const put = (featureFaceAssetId: string) =>
    call(app, `PUT /people/${id}`, { as: me, body: { featureFaceAssetId } });
  expect((await put(faces[0]!.assetId)).status).toBe(200);
  const [row] = await database.sql`select cover_face_id from person where id = ${id}`;
  expect(row!['cover_face_id']).toBe(faces[0]!.id);
  const jobs = await database.sql`select 1 from job where unique_key = ${id}`;
  expect(jobs.length).toBe(1);
  const elsewhere = await addFace(database, { ownerId: me.id });
  expect((await put(elsewhere.assetId)).status).toBe(400);
});

test('an item lists its people to its owner only', async () => {
  const [me, viewer] = [await user(), await user()];
  const { id, faces } = await addPerson(database, { ownerId: me.id, name: 'Ann' }, [faceVector(0)]);
  const assetId = faces[0]!.assetId;
  await addFace(database, { ownerId: me.id, personId: id, assetId });
  const secret = await addPerson(database, { ownerId: me.id, name: 'off' });
  await addFace(database, { ownerId: me.id, personId: secret.id, assetId, isHidden: true });
  const peopleOn = async (as: TestUser) =>
    (await call(app, `GET /assets/${assetId}`, { as })).body.people;
  expect(await peopleOn(me)).toMatchObject([{ id, name: 'Ann', isHidden: false }]);
  await database.sql`
    insert into partner (sharer_id, viewer_id, in_timeline) values (${me.id}, ${viewer.id}, true)`;
  expect(await peopleOn(viewer)).toEqual([]);
  const { body: boxes } = await call(app, `GET /faces?id=${assetId}`, { as: viewer });
  expect(boxes).toMatchObject([{ person: null }, { person: null }]);
});

describe('who may', () => {
  test("ER-017: every operation returns the error of an unknown person for someone else's", async () => {
    const [me, stranger] = [await user(), await user()];
    const { id, faces } = await addPerson(database, { ownerId: me.id, name: 'Ann' }, [
      faceVector(0),
    ]);
    const asks = (id: string) =>
      [
        [`GET /people/${id}`, undefined],
        [`PUT /people/${id}`, { name: 'mine' }],
        [`DELETE /people/${id}`, undefined],
        ['DELETE /people', { ids: [id] }],
        ['POST /people/merge', { ids: [id, crypto.randomUUID()] }],
        [`POST /people/${id}/merge`, { ids: [crypto.randomUUID()] }],
        [`PUT /people/${id}/reassign`, { data: [] }],
        [`GET /people/${id}/statistics`, undefined],
        [`GET /people/${id}/thumbnail`, undefined],
        [`GET /people/${id}/corrections`, undefined],
        [`PUT /faces/${id}`, { id: faces[0]!.id }],
      ] as const;
    const unknown = asks(crypto.randomUUID());
    for (const [index, [route, body]] of asks(id).entries()) {
      const caller = { as: stranger, ...(body && { body }) };
      const foreign = await call(app, route, caller);
      expect([route, foreign.status]).toEqual([route, 400]);
      expect((await call(app, unknown[index]![0], caller)).body).toEqual(foreign.body);
    }
    expect((await list(me)).people).toMatchObject([{ id, name: 'Ann' }]);
    expect((await call(app, `GET /people/${id}/statistics`, { as: me })).body.assets).toBe(1);
  });

  test('AU-003: a key without the permission gets 403 on every write', async () => {
    const reader = await user(['person.read']);
    const { id } = await addPerson(database, { ownerId: reader.id, name: 'Ann' });
    const pair = { firstPersonId: id, secondPersonId: crypto.randomUUID() };
    const writes = [
      ['POST /people', { name: 'x' }, 'person.create'],
      ['PUT /people', { people: [{ id, name: 'x' }] }, 'person.update'],
      ['DELETE /people', { ids: [id] }, 'person.delete'],
      [`PUT /people/${id}`, { name: 'x' }, 'person.update'],
      [`DELETE /people/${id}`, undefined, 'person.delete'],
      ['POST /people/merge', { ids: [id] }, 'person.merge'],
      [`POST /people/${id}/merge`, { ids: [crypto.randomUUID()] }, 'person.merge'],
      [`PUT /people/${id}/reassign`, { data: [] }, 'person.reassign'],
      ['PUT /people/merge-suggestions/verdicts', { ...pair, verdict: 'same' }, 'person.update'],
      ['DELETE /people/merge-suggestions/verdicts', pair, 'person.update'],
      [`POST /people/corrections/${id}/undo`, undefined, 'person.update'],
    ] as const;
    for (const [route, body, permission] of writes) {
      const reply = await call(app, route, { as: reader, ...(body && { body }) });
      expect([route, reply.status]).toEqual([route, 403]);
      expect(reply.body.message).toBe(`Missing required permission: ${permission}`);
    }
    expect((await list(reader)).people).toMatchObject([{ id, name: 'Ann' }]);
  });

  test('a shared link gives no access to people', async () => {
    const me = await user();
    const { id } = await addPerson(database, { ownerId: me.id, name: 'Ann' });
    const key = crypto.getRandomValues(new Uint8Array(50));
    await database.sql`
      insert into shared_link (owner_id, type, slug, key)
      values (${me.id}, 'INDIVIDUAL', 'p', ${key})`;
    for (const route of ['GET /people', `GET /people/${id}`, `DELETE /people/${id}`] as const) {
      expect((await call(app, `${route}?slug=p`)).status).toBe(403);
    }
    expect((await list(me)).total).toBe(1);
  });
});

test('face counts equal a recount after any sequence of changes', async () => {
  const me = await user();
  const { id, faces } = await addPerson(
    database,
    { ownerId: me.id },
    Array.from({ length: 6 }, () => faceVector(0)),
  );
  const other = await addPerson(database, { ownerId: me.id }, [faceVector(1)]);
  const { sql } = database;
  const check = async () => {
    const rows = await sql`
      select person.id, coalesce((select sum(faces) from person_count
          where person_id = person.id), 0)::int as kept,
        (select count(*) from shown_face where person_id = person.id)::int as real
      from person where owner_id = ${me.id}`;
    for (const row of rows) expect(row['kept']).toBe(row['real']);
  };
  const [a, b, c, d] = faces.map((face) => face.assetId) as [string, string, string, string];
  await sql`update asset set locked_at = now() where id = any(${[a, b]})`;
  await check();
  await sql`update face set person_id = ${other.id} where asset_id = any(${[a, c]})`;
  await check();
  await sql`update asset set locked_at = null where id = ${a}`;
  await check();
  await sql`update face set is_hidden = true where asset_id = any(${[b, c, d]})`;
  await check();
  await deleteForGood(database, [a, d]);
  await check();
  await sql`delete from face where person_id = ${id}`;
  await check();
  await sql`update face set is_hidden = false, person_id = ${other.id} where owner_id = ${me.id}`;
  await check();
});
