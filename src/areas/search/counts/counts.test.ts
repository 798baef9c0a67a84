import { describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../../test/support/database.ts';
import { call, type Caller, NOW, seed } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { listDifferences } from '../../../../test/support/schema.ts';
import { partners } from '../../../db/tables/identity.ts';
import {
  SearchCityCountResponseDto,
  SearchFacetsResponseDto,
  SearchHistogramResponseDto,
} from './counts.schemas.ts';

const { database, app, house } = await useHousehold();

const ask = async (route: string, body: object, caller: Caller) =>
  (await call(app, `POST /search/${route}`, { ...caller, body })).body;
const facets = async (body: object, caller: Caller): Promise<Record<string, unknown>> => {
  const reply = await ask('facets', body, caller);
  return Object.fromEntries(
    reply.facets.map((group: { field: string; values: { value: string; count: number }[] }) => [
      group.field,
      Object.fromEntries(group.values.map(({ value, count }) => [String(value), count])),
    ]),
  );
};
const cities = async (caller: Caller) =>
  (await call(app, 'GET /search/cities/counts', caller)).body;

describe('what is counted, and nothing else', () => {
  test('VS-001: counts only the item on the Timeline of one in each state', async () => {
    const me = await seed(database).user();
    const [tag] = await database.sql<{ id: string }[]>`
      insert into tag (owner_id, value) values (${me.id}, 'T') returning id`;
    const states = [
      {},
      { visibility: 'archive' as const },
      { lockedAt: NOW },
      { visibility: 'hidden' as const },
      { trashedAt: NOW },
    ];
    for (const state of states) {
      const exif = { city: 'Lisbon', country: 'Portugal' };
      const id = await seed(database).asset({ ownerId: me.id, exif, ...state });
      await database.sql`insert into tag_asset values (${tag!.id}, ${id})`;
    }
    await unlock(database, me);
    for (const caller of [{ as: me }, { session: me }]) {
      expect(await cities(caller)).toEqual([
        { city: 'Lisbon', state: null, country: 'Portugal', count: 1 },
      ]);
      const statistics = (await call(app, 'GET /tags/statistics', caller)).body;
      expect(statistics).toMatchObject([{ count: 1, totalCount: 1 }]);
      for (const body of [{}, { filter: { or: [{}] } }]) {
        const found = await facets(body, caller);
        expect(found).toMatchObject({
          country: { Portugal: 1 },
          city: { Lisbon: 1 },
          tags: { [tag!.id]: 1 },
          type: { IMAGE: 1 },
          rating: { null: 1 },
          people: { null: 1 },
        });
        const { total, buckets } = await ask('histogram', body, caller);
        expect([total, buckets]).toEqual([1, [{ date: '2026-01', count: 1 }]]);
        expect(await ask('statistics', body, caller)).toEqual({ total: 1 });
      }
    }
  });

  test('VS-005: counts the items of a partner who hides places, without the places', async () => {
    const [me, partner] = [await seed(database).user(), await seed(database).user()];
    const place = {
      city: 'Porto',
      state: 'Norte',
      country: 'Portugal',
      latitude: 41,
      longitude: -8,
    };
    const id = await seed(database).asset({
      ownerId: partner.id,
      exif: { ...place, make: 'Canon' },
    });
    await seed(database).asset({ ownerId: me.id, exif: { city: 'Rome', country: 'Italy' } });
    await database.db
      .insert(partners)
      .values({ sharerId: partner.id, viewerId: me.id, inTimeline: true });
    const shown = await facets({}, { as: me });
    expect(shown).toMatchObject({ city: { Porto: 1, Rome: 1 }, make: { Canon: 1, null: 1 } });

    await database.db.update(partners).set({ hidesPlaces: true });
    for (const body of [{}, { filter: { or: [{}] } }]) {
      const reply = await ask('facets', body, { as: me });
      expect(reply.total).toBe(2);
      expect(JSON.stringify(reply)).not.toContain('Port');
      expect(await facets(body, { as: me })).toMatchObject({
        country: { Italy: 1, null: 1 },
        state: { null: 2 },
        city: { Rome: 1, null: 1 },
        make: { Canon: 1, null: 1 },
        type: { IMAGE: 2 },
      });
    }
    // Nor can they be found out by asking for them, or read from what is found.
    expect(await ask('statistics', { city: 'Porto' }, { as: me })).toEqual({ total: 0 });
    expect(await ask('statistics', { city: null }, { as: me })).toEqual({ total: 1 });
    const { assets } = await ask('metadata', { make: 'Canon', withExif: true }, { as: me });
    expect(assets.items).toMatchObject([
      { id, exifInfo: { make: 'Canon', city: null, country: null, latitude: null } },
    ]);
    expect(await cities({ as: me })).toEqual([
      { city: 'Rome', state: null, country: 'Italy', count: 1 },
    ]);
    for (const path of ['GET /search/cities', 'GET /search/suggestions?type=city'] as const) {
      expect(JSON.stringify((await call(app, path, { as: me })).body)).not.toContain('Porto');
    }
    // The owner sees them as before.
    expect(await facets({}, { as: partner })).toMatchObject({ city: { Porto: 1 } });
  });

  test('counts items of partners on the own Timeline, and nothing of strangers', async () => {
    const { owner, viewer, member, stranger } = house;
    expect(await ask('statistics', {}, { as: owner })).toEqual({ total: 6 });
    expect(await ask('statistics', { isFavorite: true }, { as: owner })).toEqual({ total: 1 });
    expect(await facets({}, { as: owner })).toMatchObject({
      type: { IMAGE: 5, VIDEO: 1 },
      isFavorite: { true: 1, false: 5 },
      city: { Lisbon: 3, null: 3 },
    });
    for (const as of [viewer, member, stranger]) {
      expect(await ask('facets', {}, { as })).toMatchObject({ total: 0 });
      expect(await ask('histogram', {}, { as })).toMatchObject({ total: 0, buckets: [] });
      expect(await cities({ as })).toEqual([]);
    }
  });

  test('counts Locked items in an unlocked session on request', async () => {
    const me = await seed(database).user();
    await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
    for (const route of ['facets', 'histogram', 'statistics']) {
      const body = { visibility: 'locked' };
      const refused = await call(app, `POST /search/${route}`, { session: me, body });
      expect(refused.status).toBe(401);
    }
    await unlock(database, me);
    for (const route of ['facets', 'histogram', 'statistics']) {
      expect(await ask(route, { visibility: 'locked' }, { session: me })).toMatchObject({
        total: 1,
      });
      expect(await ask(route, {}, { session: me })).toMatchObject({ total: 0 });
    }
  });
});

describe('while the filter of hidden content is on', () => {
  async function library() {
    const me = await seed(database).user();
    const on = (day: string) =>
      seed(database).asset({
        ownerId: me.id,
        takenAt: new Date(`${day}T12:00:00Z`),
        exif: { city: `City of ${day}` },
      });
    const [dated, tagged, inAlbum, plain] = [
      await on('2020-06-01'),
      await on('2020-07-02'),
      await on('2020-07-03'),
      await on('2020-07-04'),
    ];
    const [[top], [album]] = await Promise.all([
      database.sql<{ id: string }[]>`
        insert into tag (owner_id, value) values (${me.id}, 'private') returning id`,
      database.sql<{ id: string }[]>`
        insert into album (owner_id, name) values (${me.id}, 'a') returning id`,
    ]);
    const [below] = await database.sql<{ id: string }[]>`
      insert into tag (owner_id, value, parent_id)
      values (${me.id}, 'private/more', ${top!.id}) returning id`;
    await database.sql`insert into tag_asset values (${below!.id}, ${tagged})`;
    await database.sql`insert into album_asset (album_id, asset_id) values (${album!.id}, ${inAlbum})`;
    const rule = (kind: string, target: object) => ({ id: crypto.randomUUID(), kind, ...target });
    const rules = [
      rule('date', { date: '06-01' }),
      rule('tag', { targetId: top!.id }),
      rule('album', { targetId: album!.id }),
    ];
    await unlock(database, me);
    const set = (lockedContent: object) =>
      call(app, 'PUT /users/me/preferences', { session: me, body: { lockedContent } });
    return { me, set, rules, hidden: [dated, tagged, inAlbum], plain };
  }
  const getIds = (list: { id: string }[]) => list.map((item) => item.id).sort();

  test('items of its rules are neither listed nor counted', async () => {
    const { me, set, rules, hidden, plain } = await library();
    const listed = async (as: Caller) => getIds((await ask('metadata', {}, as)).assets.items);
    expect(await listed({ as: me })).toEqual([...hidden, plain].sort());
    expect((await set({ rules })).status).toBe(200);
    expect(await listed({ as: me })).toHaveLength(4);
    await set({ filterEnabled: true });
    for (const caller of [{ as: me }, { session: me }]) {
      expect(await listed(caller)).toEqual([plain]);
      for (const route of ['statistics', 'facets', 'histogram']) {
        expect(await ask(route, {}, caller)).toMatchObject({ total: 1 });
      }
      expect(await cities(caller)).toMatchObject([{ city: 'City of 2020-07-04', count: 1 }]);
      const one = (await call(app, 'GET /search/cities', caller)).body;
      expect(getIds(one)).toEqual([plain]);
      expect(getIds(await ask('random', {}, caller))).toEqual([plain]);
      expect(getIds(await ask('large-assets', {}, caller))).toEqual([plain]);
    }
    await set({ filterEnabled: false });
    expect(await listed({ as: me })).toHaveLength(4);
  });

  test('AU-015: suppressedOnly lists exactly those, in an elevated session', async () => {
    const { me, set, rules, hidden } = await library();
    const large = (caller: Caller, query = '?suppressedOnly=true') =>
      call(app, `POST /search/large-assets${query}`, caller);
    const locked = await seed(database).user();
    expect(await large({ session: locked })).toMatchObject({
      status: 401,
      body: { message: 'Elevated permission is required' },
    });
    expect((await large({ as: me })).status).toBe(401);
    expect((await large({ session: me })).body).toEqual([]);
    await set({ filterEnabled: true, rules });
    expect(getIds((await large({ session: me })).body)).toEqual(hidden.toSorted());
    expect((await large({ as: me })).status).toBe(401);
    expect((await large({ as: me }, '?suppressedOnly=maybe')).status).toBe(400);
  });
});

test('facets are sorted by count, then by name, and limited to the requested size', async () => {
  const me = await seed(database).user();
  for (const city of ['Oslo', 'Bergen', 'Oslo', 'Alta', null]) {
    await seed(database).asset({ ownerId: me.id, exif: { city } });
  }
  const of = async (body: object) => (await ask('facets', body, { as: me })).facets;
  for (const body of [{}, { filter: { or: [{}] } }]) {
    const wanted = { ...body, facets: ['city'] };
    const values = ['Oslo', 'Alta', 'Bergen', null];
    const [group, ...others] = await of(wanted);
    expect(others).toEqual([]);
    expect(group.values.map((item: { value: string }) => item.value)).toEqual(values);
    expect(group.values[0]).toEqual({ value: 'Oslo', label: 'Oslo', count: 2 });
    const [short] = await of({ ...wanted, facetSize: 2 });
    expect(short.values).toHaveLength(2);
    // Each value can be put back into the search.
    for (const { value, count } of group.values) {
      const { total } = await ask('statistics', { ...body, city: value }, { as: me });
      expect([value, total]).toEqual([value, count]);
    }
  }
  expect((await of({})).map((group: { field: string }) => group.field)).toHaveLength(11);
  for (const wrong of [{ facets: ['colour'] }, { facetSize: 0 }, { facetSize: 501 }]) {
    expect((await call(app, 'POST /search/facets', { as: me, body: wrong })).status).toBe(400);
  }
  const wrong = { granularity: 'week' };
  expect((await call(app, 'POST /search/histogram', { as: me, body: wrong })).status).toBe(400);
});

test('responses have exactly the members of their schemas', async () => {
  const caller = { as: house.owner };
  expect(listDifferences(SearchFacetsResponseDto, await ask('facets', {}, caller))).toEqual([]);
  expect(listDifferences(SearchHistogramResponseDto, await ask('histogram', {}, caller))).toEqual(
    [],
  );
  for (const city of await cities(caller)) {
    expect(listDifferences(SearchCityCountResponseDto, city)).toEqual([]);
  }
});

test('facets of people and tags need the permissions to read these', async () => {
  const me = await seed(database).user();
  const id = await seed(database).asset({ ownerId: me.id });
  await database.sql`with t as (insert into tag (owner_id, value) values (${me.id}, 'T') returning id)
    insert into tag_asset select id, ${id} from t`;
  const addKey = async (...permissions: string[]) => {
    const body = { name: 'k', permissions: ['asset.read', ...permissions] };
    return { ...me, key: (await call(app, 'POST /api-keys', { session: me, body })).body.secret };
  };
  // The answer to all is not the one that is remembered for a key.
  expect(Object.keys(await facets({}, { as: me }))).toEqual(
    expect.arrayContaining(['people', 'tags']),
  );
  for (const [field, permission] of [
    ['people', 'person.read'],
    ['tags', 'tag.read'],
  ] as const) {
    const [weak, strong] = [await addKey(), await addKey(permission)];
    expect(Object.keys(await facets({}, { as: weak }))).not.toContain(field);
    expect(Object.keys(await facets({}, { as: weak }))).toContain('city');
    expect(Object.keys(await facets({}, { as: strong }))).toContain(field);
    const body = { facets: ['city', field] };
    expect(await call(app, 'POST /search/facets', { as: weak, body })).toMatchObject({
      status: 403,
      body: { message: `Missing required permission: ${permission}` },
    });
    expect(Object.keys(await facets(body, { as: strong }))).toEqual(['city', field]);
  }
});
