import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';

const { database, app } = await useApp();
let me: TestUser;
let other: TestUser;
beforeEach(async () => {
  [me, other] = [await seed(database).user(), await seed(database).user()];
});

const save = (body: object, as = me) => call(app, 'POST /search/saved', { as, body });
const list = async (as = me) => (await call(app, 'GET /search/saved', { as })).body;
const SPAIN = {
  name: 'Spain',
  words: 'Spain in August',
  chips: [{ field: 'rating', label: '★ 5', value: 5 }],
  sort: 'oldest',
};

test('a search is saved as it was, and listed to its account alone', async () => {
  const { status, body } = await save(SPAIN);
  expect(status).toBe(201);
  expect(body).toEqual({ ...SPAIN, id: expect.any(String), createdAt: expect.any(String) });
  const dogs = (await save({ name: ' Dogs ', words: ' dogs ', chips: [] })).body;
  expect(dogs).toMatchObject({ name: 'Dogs', words: 'dogs' });
  expect(dogs).not.toHaveProperty('sort');
  expect(await list()).toEqual(expect.arrayContaining([body, dogs]));
  expect(await list()).toHaveLength(2);
  expect(await list(other)).toEqual([]);
});

test('it is deleted by its account only, and only once', async () => {
  const { id } = (await save(SPAIN)).body;
  const remove = async (as = me) => (await call(app, `DELETE /search/saved/${id}`, { as })).status;
  expect(await remove(other)).toBe(400);
  expect(await list()).toHaveLength(1);
  expect(await remove()).toBe(204);
  expect(await list()).toEqual([]);
  expect(await remove()).toBe(400);
});

describe('refused, and nothing is saved:', () => {
  const cases: Record<string, [body: object, field: string]> = {
    'no name': [{ ...SPAIN, name: ' ' }, 'name'],
    'a long name': [{ ...SPAIN, name: 'x'.repeat(101) }, 'name'],
    'long words': [{ ...SPAIN, words: 'x'.repeat(501) }, 'words'],
    'no condition': [{ name: 'x', words: ' ', chips: [] }, 'words'],
    'an unknown order': [{ ...SPAIN, sort: 'size' }, 'sort'],
    'many chips': [{ ...SPAIN, chips: Array(31).fill(SPAIN.chips[0]) }, 'chips'],
    'large chips': [
      { ...SPAIN, chips: [{ field: 'city', label: 'x', value: 'x'.repeat(10_000) }] },
      'chips',
    ],
    'a chip without a field': [{ ...SPAIN, chips: [{ label: 'x', value: 1 }] }, 'chips'],
  };
  for (const [name, [body, field]] of Object.entries(cases)) {
    test(name, async () => {
      const reply = await save(body);
      expect(reply.status).toBe(400);
      expect(JSON.stringify(reply.body)).toContain(field);
      expect(await list()).toEqual([]);
    });
  }

  test('a character that the database cannot hold', async () => {
    for (const text of ['\0', '\ud800']) {
      const chips = [{ field: 'city', label: 'x', value: { eq: `a${text}b` } }];
      expect((await save({ ...SPAIN, chips })).status).toBe(400);
    }
    expect(await list()).toEqual([]);
  });

  test('without the permission, or an account', async () => {
    const weak = await seed(database).user(['asset.read']);
    expect((await save(SPAIN, weak)).status).toBe(403);
    expect((await call(app, 'GET /search/saved', { as: weak })).status).toBe(403);
    expect((await call(app, 'POST /search/saved', { body: SPAIN })).status).toBe(401);
    expect((await call(app, 'GET /search/saved')).status).toBe(401);
  });
});

test('they go with their account', async () => {
  await save(SPAIN);
  await database.sql`delete from app_user where id = ${me.id}`;
  const [row] = await database.sql`
    select count(*)::int as count from saved_search where owner_id = ${me.id}`;
  expect(row!['count']).toBe(0);
});
