import { beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../test/support/harness.ts';
import { unlock } from '../../test/support/household.ts';
import { addFace, addPerson, faceVector } from '../../test/support/people.ts';

// A person, a pet and a tag of each kind: on something Locked only, on that and something else, and on
// nothing at all. Without the PIN, the first are unknown.

const { database, app } = await useApp();
let me: TestUser;
let ids: Record<string, string>;

beforeEach(async () => {
  me = await seed(database).user();
  ids = {};
  const { sql } = database;
  const asset = (lockedAt: Date | null) => seed(database).asset({ ownerId: me.id, lockedAt });
  const [locked, open] = [await asset(NOW), await asset(null)];
  const tag = async (value: string, parentId: string | null, on: string[]) => {
    const [row] = await sql`insert into tag (owner_id, value, parent_id)
      values (${me.id}, ${value}, ${parentId}) returning id`;
    for (const id of on) await sql`insert into tag_asset values (${row!['id']}, ${id})`;
    return (ids[value] = row!['id'] as string);
  };
  const secret = await tag('secret', null, []);
  await tag('secret/affair', secret, [locked]);
  const trips = await tag('trips', null, []);
  await tag('trips/hidden', trips, [locked]);
  await tag('trips/mixed', trips, [locked, open]);
  await tag('empty', null, []);

  for (const [name, on] of [
    ['Locked', [locked]],
    ['Mixed', [locked, open]],
    ['Nowhere', []],
  ] as const) {
    const person = await addPerson(database, { ownerId: me.id, name });
    ids[`person ${name}`] = person.id;
    const [pet] = await sql`insert into pet (owner_id, name, species, is_confirmed, is_default)
      values (${me.id}, ${`${name} pet`}, 'cat', true, false) returning id`;
    ids[`pet ${name}`] = pet!['id'];
    for (const assetId of on) {
      await addFace(database, {
        ownerId: me.id,
        personId: person.id,
        assetId,
        vector: faceVector(0),
      });
      await sql`insert into pet_observation (id, pet_id, asset_id, species, x1, y1, x2, y2, score, model_id)
        values (gen_random_uuid(), ${pet!['id']}, ${assetId}, 'cat', 0, 0, 1, 1, 1, 'm')`;
    }
  }
});

const get = async (path: string) =>
  (await call(app, `GET ${path}` as 'GET /', { session: me })).body;
const post = async (path: string, body: object) =>
  (await call(app, `POST ${path}` as 'POST /', { session: me, body })).body;

const SECRETS = ['secret', 'secret/affair', 'trips/hidden', 'person Locked', 'pet Locked'];
const NAMES = /secret|affair|trips\/hidden|"name":"hidden"|Locked/;
const KNOWN_TAGS = ['empty', 'trips', 'trips/mixed'];

/** Every list that names what somebody has labelled. */
const lists = async () => ({
  tags: await get('/tags'),
  tagStatistics: await get('/tags/statistics'),
  people: await get('/people?withHidden=true'),
  search: await get('/search/person?name=L&withHidden=true'),
  pets: await get('/pets'),
  facets: await post('/search/facets', {}),
  explore: await get('/search/explore'),
  ask: await post('/search/ask', { query: 'secret affair of Locked and Locked pet' }),
});

test('without the PIN no list contains tags that only Locked items have, others are listed', async () => {
  const found = await lists();
  const text = JSON.stringify({ ...found, ask: found.ask.chips ?? found.ask });
  for (const name of SECRETS) expect([name, text.includes(ids[name]!)]).toEqual([name, false]);
  expect(JSON.stringify([found.tags, found.people, found.search, found.pets])).not.toMatch(NAMES);
  expect(found.tags.map(({ value }: { value: string }) => value)).toEqual(KNOWN_TAGS);
  expect(found.tagStatistics).toHaveLength(KNOWN_TAGS.length);
  expect(found.people.people.map(({ name }: { name: string }) => name)).toEqual([
    'Mixed',
    'Nowhere',
  ]);
  expect(found.pets.map(({ name }: { name: string }) => name)).toEqual([
    'Mixed pet',
    'Nowhere pet',
  ]);
});

test('without the PIN such tags are unknown by id', async () => {
  const locked = ids['person Locked']!;
  const tag = ids['secret/affair']!;
  const asked = [
    [`GET /people/${locked}`],
    [`GET /people/${locked}/statistics`],
    [`GET /people/${locked}/thumbnail`],
    [`PUT /people/${locked}`, { name: 'x' }],
    [`POST /people/${ids['person Mixed']}/merge`, { ids: [locked] }, 200],
    [`DELETE /people/${locked}`],
    [`GET /tags/${tag}`],
    [`PUT /tags/${tag}`, { color: '#ff0000' }],
    [`DELETE /tags/${tag}`],
    [`DELETE /tags/${ids['secret']}`],
    [`GET /pets/${ids['pet Locked']}`, undefined, 404],
  ] as const;
  for (const [route, body, status = 400] of asked) {
    const reply = await call(app, route as 'GET /', { session: me, ...(body && { body }) });
    expect([route, reply.status]).toEqual([route, status]);
    if (status === 200) expect(reply.body).toMatchObject([{ success: false }]);
  }
  await unlock(database, me);
  expect((await get(`/people/${locked}`)).name).toBe('Locked');
  expect((await get(`/tags/${tag}`)).value).toBe('secret/affair');
  expect((await get(`/pets/${ids['pet Locked']}`)).name).toBe('Locked pet');
});

test('a tag of the same name can be given to other items: it is then known', async () => {
  const { sql } = database;
  const shown = await seed(database).asset({ ownerId: me.id });
  const locked = await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
  const [row] = await sql`insert into tag (owner_id, value) values (${me.id}, 'boat') returning id`;
  await sql`insert into tag_asset values (${row!['id']}, ${locked})`;
  const known = async () =>
    (await call(app, 'GET /tags', { as: me })).body.map(({ value }: { value: string }) => value);
  expect(await known()).not.toContain('boat');
  const [tag] = (await call(app, 'PUT /tags', { as: me, body: { tags: ['boat'] } })).body;
  const given = await call(app, `PUT /tags/${tag.id}/assets`, { as: me, body: { ids: [shown] } });
  expect(given.body).toEqual([{ id: shown, success: true }]);
  expect(await known()).toContain('boat');
});

test('with the PIN all own tags are listed, and none of others', async () => {
  await unlock(database, me);
  const other = await seed(database).user();
  const { sql } = database;
  await sql`insert into tag (owner_id, value) values (${other.id}, 'foreign')`;
  const values = (await get('/tags')).map(({ value }: { value: string }) => value);
  expect(values).toEqual([
    'empty',
    'secret',
    'secret/affair',
    'trips',
    'trips/hidden',
    'trips/mixed',
  ]);
  expect(await get('/tags/statistics')).toHaveLength(values.length);
});

test('administrators are not told how much of others is Locked', async () => {
  const admin = await seed(database).user(['all'], { isAdmin: true });
  await unlock(database, admin);
  const asAdmin = async (path: string) => call(app, `GET ${path}` as 'GET /', { session: admin });
  const { body } = await asAdmin('/server/statistics');
  const mine = body.usageByUser.find((row: { userId: string }) => row.userId === me.id);
  expect(mine).toMatchObject({ photos: 1, usage: 1, usagePhotos: 1 });
  const path = `/admin/users/${me.id}/statistics`;
  expect((await asAdmin(path)).body).toMatchObject({ images: 1 });
  expect((await asAdmin(`${path}?isTrashed=true`)).body).toMatchObject({ images: 0 });
  expect((await asAdmin(`${path}?visibility=locked`)).status).toBe(403);
  const own = await asAdmin(`/admin/users/${admin.id}/statistics?visibility=locked`);
  expect(own).toMatchObject({ status: 200, body: { images: 0 } });
});
