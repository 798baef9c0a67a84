import { describe, expect, test } from 'bun:test';
import { deleteAllForGood } from '../../../test/support/deletion.ts';
import { eq } from 'drizzle-orm';
import { Value } from 'typebox/value';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { STATES } from '../../../test/support/household.ts';
import { addFace, addPerson, faceVector } from '../../../test/support/people.ts';
import { people } from '../../db/tables/people.ts';
import { users } from '../../db/tables/identity.ts';
import { PeopleResponseDto } from './schemas.ts';

const { database, app } = await useApp();

const user = (permissions?: string[]) => seed(database).user(permissions);

const list = async (as: TestUser, query = '') =>
  (await call(app, `GET /people${query}`, { as })).body;

const getNames = (body: { people: { name: string }[] }) => body.people.map(({ name }) => name);

describe('the list of people', () => {
  test('sorts by favorite, then named, then number of faces; includes hidden ones on request', async () => {
    const me = await user();
    const ownerId = me.id;
    const faces = (count: number) => Array.from({ length: count }, () => faceVector(0));
    await addPerson(database, { ownerId }, faces(4));
    await addPerson(database, { ownerId }, faces(3));
    await addPerson(database, { ownerId, name: 'Bob' }, [faceVector(2)]);
    await addPerson(database, { ownerId, name: 'Cat' }, [faceVector(3), faceVector(3)]);
    await addPerson(database, { ownerId, name: 'Dan', isFavorite: true }, [faceVector(4)]);
    await addPerson(database, { ownerId, name: 'Eve', isHidden: true }, [faceVector(5)]);
    await addPerson(database, { ownerId: (await user()).id, name: 'foreign' }, [faceVector(6)]);
    const shown = await list(me);
    // The answer skips its schema.
    expect(Value.Check(PeopleResponseDto, shown)).toBe(true);
    expect(getNames(shown)).toEqual(['Dan', 'Cat', 'Bob', '', '']);
    expect(shown).toMatchObject({ total: 6, hidden: 1, hasNextPage: false });
    const all = await list(me, '?withHidden=true');
    expect(getNames(all)).toEqual(['Dan', 'Cat', 'Bob', '', '', 'Eve']);
    const second = await list(me, '?size=2&page=2');
    expect(second).toMatchObject({ hasNextPage: true });
    expect(getNames(second)).toEqual(['Bob', '']);
    expect((await list(me, '?size=2&page=9')).people).toEqual([]);
  });

  test('omits unnamed people with too few faces, but counts them in the totals', async () => {
    const me = await user();
    const ownerId = me.id;
    const add = async (faces: number, values: object = {}) => {
      const vectors = Array.from({ length: faces }, () => faceVector(0));
      return (await addPerson(database, { ownerId, ...values }, vectors)).id;
    };
    const [one, two, three] = [await add(1), await add(2), await add(3)];
    const named = await add(1, { name: 'Ann' });
    const empty = await add(0, { isManual: true });
    const hidden = await add(2, { isHidden: true });
    const listIds = async (query = '') =>
      (await list(me, query)).people.map(({ id }: { id: string }) => id).toSorted();
    const expectListed = async (ids: string[], query?: string) =>
      expect(await listIds(query)).toEqual(ids.toSorted());
    await expectListed([three, named, empty]);
    await expectListed([three, named, empty], `?closestPersonId=${one}`);
    expect(await list(me, '?size=3')).toMatchObject({ total: 6, hidden: 1, hasNextPage: false });
    expect(await list(me, '?size=2')).toMatchObject({ total: 6, hidden: 1, hasNextPage: true });
    const want = (minimumFaces: number) =>
      call(app, 'PUT /users/me/preferences', { as: me, body: { people: { minimumFaces } } });
    await want(2);
    await expectListed([two, three, named, empty]);
    await expectListed([two, three, named, empty, hidden], '?withHidden=true');
    await want(1);
    await expectListed([one, two, three, named, empty]);
    expect((await call(app, `GET /people/${one}`, { as: me })).status).toBe(200);
  });

  test('a number of faces that no column holds is refused, and a stored one breaks nothing', async () => {
    const me = await user();
    const want = (minimumFaces: number) =>
      call(app, 'PUT /users/me/preferences', { as: me, body: { people: { minimumFaces } } });
    for (const minimumFaces of [2 ** 31, 2 ** 53 - 1, -(2 ** 31)]) {
      const { status, body } = await want(minimumFaces);
      expect([status, body.errors[0].path]).toEqual([400, ['people', 'minimumFaces']]);
    }
    expect((await want(2 ** 31 - 1)).status).toBe(200);
    expect((await call(app, 'GET /people', { as: me })).status).toBe(200);
    await database.sql`update app_user set preferences = '{"people": {"minimumFaces": 2147483648}}'
      where id = ${me.id}`;
    expect((await call(app, 'GET /people', { as: me })).status).toBe(200);
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

  test('pages more than a thousand people, each once, with the total', async () => {
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
    const names = getNames(await list(me, '?size=1000&page=2'));
    expect([names[0], names.length]).toEqual(['p1011', 1000]);
  });

  test('VS-004: omits people who appear only on Locked, hidden or trashed items', async () => {
    const me = await user();
    const shown: string[] = [];
    for (const [state, values] of Object.entries(STATES)) {
      const assetId = await seed(database).asset({ ownerId: me.id, ...values });
      const person = await addPerson(database, { ownerId: me.id, name: state });
      await addFace(database, { ownerId: me.id, assetId, personId: person.id });
      if (['plain', 'favorite', 'video', 'archived'].includes(state)) shown.push(state);
    }
    expect(getNames(await list(me)).toSorted()).toEqual(shown.toSorted());
    for (const state of Object.keys(STATES)) {
      const found = await call(app, `GET /search/person?name=${state}`, { as: me });
      const names = found.body.map(({ name }: { name: string }) => name);
      expect(names).toEqual(shown.includes(state) ? [state] : []);
    }
    await database.sql`update asset set locked_at = now() where owner_id = ${me.id}`;
    expect(getNames(await list(me))).toEqual([]);
    await database.sql`
      update asset set locked_at = null, trashed_at = null, visibility = 'timeline'
      where owner_id = ${me.id}`;
    expect(getNames(await list(me))).toHaveLength(Object.keys(STATES).length);
    await deleteAllForGood(database, me.id);
    const rest = await database.sql`select sum(faces) as faces from person_count
      where owner_id = ${me.id}`;
    expect(Number(rest[0]!['faces'])).toBe(0);
  });

  test('omits people excluded by a content rule', async () => {
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

  test('can be sorted by similarity to a person or to a photo', async () => {
    const me = await user();
    const ownerId = me.id;
    const ann = await addPerson(database, { ownerId, name: 'Ann' }, [faceVector(0)]);
    await addPerson(database, { ownerId, name: 'Near' }, [faceVector(0, 40)]);
    await addPerson(database, { ownerId, name: 'Far' }, [faceVector(0, 70), faceVector(0, 70)]);
    await addPerson(database, { ownerId, name: 'Unknown' });
    const near = await list(me, `?closestPersonId=${ann.id}`);
    expect(getNames(near)).toEqual(['Ann', 'Near', 'Far', 'Unknown']);
    const likely = await list(me, `?closestPersonId=${ann.id}&likelyOnly=true`);
    expect(getNames(likely)).toEqual(['Ann', 'Near']);
    expect(likely.hasNextPage).toBe(false);
    const unranked = await call(app, 'GET /people?likelyOnly=true', { as: me });
    expect(unranked).toMatchObject({ status: 400 });
    expect(JSON.stringify(unranked.body)).toContain('likelyOnly');
    const photo = await addFace(database, { ownerId, vector: faceVector(0, 80) });
    const byPhoto = await list(me, `?closestAssetId=${photo.assetId}&size=2`);
    expect(getNames(byPhoto)).toEqual(['Far', 'Near']);
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
