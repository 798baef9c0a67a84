import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { Value } from 'typebox/value';
import {
  call,
  seed,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../test/harness.ts';
import { STATES } from '../../../test/library.ts';
import { addFace, addPerson, faceVector } from '../../../test/people.ts';
import type { App } from '../../app.ts';
import { people } from '../../db/tables/people.ts';
import { users } from '../../db/tables/users.ts';
import { PeopleResponseDto } from './schemas.ts';

let database: TestDatabase;
let app: App;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
});
afterAll(() => database.close());

const user = (permissions?: string[]) => seed(database).user(permissions);
const list = async (as: TestUser, query = '') =>
  (await call(app, `GET /people${query}`, { as })).body;
const namesOf = (body: { people: { name: string }[] }) => body.people.map(({ name }) => name);

test('a person lives from POST to DELETE, and the faces stay', async () => {
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

test('a birth date that is to come and a day that is none are refused', async () => {
  const me = await user();
  for (const birthDate of ['2026-02-30', '2030-01-01', '1990-1-1', 'x']) {
    const reply = await call(app, 'POST /people', { as: me, body: { birthDate } });
    expect(reply.status).toBe(400);
  }
  expect((await list(me)).total).toBe(0);
});

describe('the list', () => {
  test('has favorites first, then names, then who is seen more; hidden ones when asked for', async () => {
    const me = await user();
    const ownerId = me.id;
    await addPerson(database, { ownerId }, [faceVector(0), faceVector(0)]);
    await addPerson(database, { ownerId }, [faceVector(1)]);
    await addPerson(database, { ownerId, name: 'Bob' }, [faceVector(2)]);
    await addPerson(database, { ownerId, name: 'Cat' }, [faceVector(3), faceVector(3)]);
    await addPerson(database, { ownerId, name: 'Dan', isFavorite: true }, [faceVector(4)]);
    await addPerson(database, { ownerId, name: 'Eve', isHidden: true }, [faceVector(5)]);
    await addPerson(database, { ownerId: (await user()).id, name: 'foreign' }, [faceVector(6)]);
    const shown = await list(me);
    // The answer skips its schema.
    expect(Value.Check(PeopleResponseDto, shown)).toBe(true);
    expect(namesOf(shown)).toEqual(['Dan', 'Cat', 'Bob', '', '']);
    expect(shown).toMatchObject({ total: 6, hidden: 1, hasNextPage: false });
    const all = await list(me, '?withHidden=true');
    expect(namesOf(all)).toEqual(['Dan', 'Cat', 'Bob', '', '', 'Eve']);
    const second = await list(me, '?size=2&page=2');
    expect(second).toMatchObject({ hasNextPage: true });
    expect(namesOf(second)).toEqual(['Bob', '']);
    expect((await list(me, '?size=2&page=9')).people).toEqual([]);
  });

  test('LM-010, LM-011: sizes and pages at and beyond their limits', async () => {
    const me = await user();
    for (const query of ['page=1', 'size=1', 'size=1000']) {
      expect((await call(app, `GET /people?${query}`, { as: me })).status).toBe(200);
    }
    for (const query of ['page=0', 'size=0', 'size=1001']) {
      const reply = await call(app, `GET /people?${query}`, { as: me });
      expect(reply.status).toBe(400);
      expect(reply.body.errors[0].path).toEqual([query.split('=')[0]]);
    }
  });

  test('LM-012: 500 of 501 without parameters', async () => {
    const me = await user();
    const rows = Array.from({ length: 501 }, (_, n) => ({ ownerId: me.id, name: `p${n}` }));
    await database.db.insert(people).values(rows);
    const body = await list(me);
    expect(body.people).toHaveLength(500);
    expect(body).toMatchObject({ total: 501, hasNextPage: true });
    expect((await list(me, '?page=2')).people).toHaveLength(1);
  });

  test('more than a thousand: each once on the pages, and a total that says how many', async () => {
    const me = await user();
    const foreign = await user();
    const rows = (ownerId: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({
        ownerId,
        name: `p${String(n).padStart(4, '0')}`,
        isHidden: n % 100 === 0,
      }));
    await database.db.insert(people).values(rows(me.id, 2200));
    await database.db.insert(people).values(rows(foreign.id, 5));
    const { id: anybody } = (await list(me, '?size=1')).people[0];
    for (const ranked of ['', `&closestPersonId=${anybody}`]) {
      for (const [hidden, most] of [
        ['', 2178],
        ['&withHidden=true', 2200],
      ] as const) {
        const pages = [];
        for (const page of [1, 2, 3, 4]) {
          pages.push(await list(me, `?size=1000&page=${page}${hidden}${ranked}`));
        }
        const ids = pages.flatMap((page) => page.people.map(({ id }: { id: string }) => id));
        expect([ids.length, new Set(ids).size]).toEqual([most, most]);
        for (const page of pages) expect(page).toMatchObject({ total: 2200, hidden: 22 });
        expect(pages.map((page) => page.hasNextPage)).toEqual([true, true, false, false]);
      }
    }
    const names = namesOf(await list(me, '?size=1000&page=2'));
    expect([names[0], names.length]).toEqual(['p1011', 1000]);
  }, 20_000);

  test('VS-004: who is only on what is locked, hidden or in the trash is left out', async () => {
    const me = await user();
    const shown: string[] = [];
    for (const [state, values] of Object.entries(STATES)) {
      const assetId = await seed(database).asset({ ownerId: me.id, ...values });
      const person = await addPerson(database, { ownerId: me.id, name: state });
      await addFace(database, { ownerId: me.id, assetId, personId: person.id });
      if (['plain', 'favorite', 'video', 'archived'].includes(state)) shown.push(state);
    }
    expect(namesOf(await list(me)).toSorted()).toEqual(shown.toSorted());
    for (const state of Object.keys(STATES)) {
      const found = await call(app, `GET /search/person?name=${state}`, { as: me });
      const names = found.body.map(({ name }: { name: string }) => name);
      expect(names).toEqual(shown.includes(state) ? [state] : []);
    }
    await database.sql`update asset set locked_at = now() where owner_id = ${me.id}`;
    expect(namesOf(await list(me))).toEqual([]);
    await database.sql`
      update asset set locked_at = null, trashed_at = null, visibility = 'timeline'
      where owner_id = ${me.id}`;
    expect(namesOf(await list(me))).toHaveLength(Object.keys(STATES).length);
    await database.sql`delete from asset where owner_id = ${me.id}`;
    const rest = await database.sql`select sum(faces) as faces from person_count
      where owner_id = ${me.id}`;
    expect(Number(rest[0]!['faces'])).toBe(0);
  });

  test('leaves out whom a rule of the account keeps away', async () => {
    const me = await user();
    const gone = await addPerson(database, { ownerId: me.id, name: 'gone' }, [faceVector(0)]);
    await addPerson(database, { ownerId: me.id, name: 'here' }, [faceVector(0)]);
    const rules = [{ id: crypto.randomUUID(), kind: 'person', targetId: gone.id }];
    await database.db
      .update(users)
      .set({ preferences: { lockedContent: { filterEnabled: true, rules } } })
      .where(eq(users.id, me.id));
    expect(await list(me)).toMatchObject({ total: 1, people: [{ name: 'here' }] });
    const suggested = await call(app, 'GET /people/merge-suggestions', { as: me });
    expect(suggested.body.suggestions).toEqual([]);
  });

  test('can begin with who looks most like a person or like a photo', async () => {
    const me = await user();
    const ownerId = me.id;
    const ann = await addPerson(database, { ownerId, name: 'Ann' }, [faceVector(0)]);
    await addPerson(database, { ownerId, name: 'Near' }, [faceVector(0, 40)]);
    await addPerson(database, { ownerId, name: 'Far' }, [faceVector(0, 70), faceVector(0, 70)]);
    await addPerson(database, { ownerId, name: 'Unknown' });
    const near = await list(me, `?closestPersonId=${ann.id}`);
    expect(namesOf(near)).toEqual(['Ann', 'Near', 'Far', 'Unknown']);
    const photo = await addFace(database, { ownerId, vector: faceVector(0, 80) });
    const byPhoto = await list(me, `?closestAssetId=${photo.assetId}&size=2`);
    expect(namesOf(byPhoto)).toEqual(['Far', 'Near']);
    expect(byPhoto.hasNextPage).toBe(true);
    for (const query of ['closestPersonId', 'closestAssetId']) {
      const stranger = await user();
      const id = query === 'closestPersonId' ? ann.id : photo.assetId;
      const foreign = await call(app, `GET /people?${query}=${id}`, { as: stranger });
      const unknown = await call(app, `GET /people?${query}=${crypto.randomUUID()}`, {
        as: stranger,
      });
      expect(foreign.status).toBe(400);
      expect(foreign.body).toEqual(unknown.body);
    }
  });
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

test('many are changed at once, each for itself', async () => {
  const [me, other] = [await user(), await user()];
  const one = await addPerson(database, { ownerId: me.id });
  const foreign = await addPerson(database, { ownerId: other.id, name: 'theirs' });
  const body = {
    people: [
      { id: one.id, name: 'One', isHidden: true },
      { id: foreign.id, name: 'mine now' },
      { id: one.id, birthDate: '2999-01-01' },
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

test('an item tells its owner who is on it, and nobody else', async () => {
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
  test("ER-017: someone else's person reads like an unknown one, in every operation", async () => {
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

  test('AU-003: a key without the permission is 403 on every write', async () => {
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

  test('a shared link reaches no person', async () => {
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

test('the counts are the recount, whatever happens', async () => {
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
  await sql`delete from asset where id = any(${[a, d]})`;
  await check();
  await sql`delete from face where person_id = ${id}`;
  await check();
  await sql`update face set is_hidden = false, person_id = ${other.id} where owner_id = ${me.id}`;
  await check();
});
