import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Value } from 'typebox/value';
import {
  call,
  type Caller,
  NOW,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../test/support/harness.ts';
import { type Household, seedHousehold, unlock } from '../../../test/support/household.ts';
import { addMemory, type NewMemory } from '../../../test/support/memories.ts';
import { addPerson } from '../../../test/support/people.ts';
import type { App } from '../../app.ts';
import { MemoryResponseDto } from './schemas.ts';

let database: TestDatabase;
let app: App;
let me: TestUser;
let photo: string;
let house: Household;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  house = await seedHousehold(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  me = await seed(database).user();
  photo = await seed(database).asset({ ownerId: me.id });
});

const DAY_MS = 24 * 60 * 60_000;
const day = (offset: number) => new Date(Date.UTC(2026, 0, 2) + offset * DAY_MS);
const add = (values: Omit<NewMemory, 'ownerId'> = {}, assetIds: readonly string[] = [photo]) =>
  addMemory(database, { ownerId: me.id, ...values }, assetIds);
const create = (body: object, caller: Caller = { as: me }) =>
  call(app, 'POST /memories', { ...caller, body });
const read = (id: string, caller: Caller = { as: me }) => call(app, `GET /memories/${id}`, caller);

async function list(query = '', caller: Caller = { as: me }): Promise<any[]> {
  const { status, body } = await call(app, `GET /memories?${query}`, caller);
  expect(status).toBe(200);
  for (const memory of body) expect([...Value.Errors(MemoryResponseDto, memory)]).toEqual([]);
  expect(Value.Clean(MemoryResponseDto, structuredClone(body))).toEqual(body);
  const { body: counted } = await call(app, `GET /memories/statistics?${query}`, caller);
  if (!/page|size/.test(query)) expect(counted).toEqual({ total: body.length });
  return body;
}
const listIds = async (query = '', caller?: Caller) =>
  (await list(query, caller)).map(({ id }) => id as string);
const toAssetIds = (memory: any): string[] => memory.assets.map(({ id }: { id: string }) => id);

describe('a memory', () => {
  test('is what was given, with the assets in the order in which they were taken', async () => {
    const early = await seed(database).asset({ ownerId: me.id, takenAt: day(-9) });
    const { status, body } = await create({
      type: 'on_this_day',
      data: { year: 2019, more: 1 },
      memoryAt: '2019-01-02T01:00:00+01:00',
      showAt: day(0).toISOString(),
      hideAt: day(1).toISOString(),
      seenAt: day(-1).toISOString(),
      isSaved: true,
      assetIds: [photo.toUpperCase(), early, photo],
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      createdAt: NOW.toISOString(),
      updatedAt: NOW.toISOString(),
      memoryAt: '2019-01-02T00:00:00.000Z',
      seenAt: day(-1).toISOString(),
      showAt: day(0).toISOString(),
      hideAt: day(1).toISOString(),
      ownerId: me.id,
      type: 'on_this_day',
      data: { year: 2019 },
      isSaved: true,
      isHidden: false,
      isUpcoming: false,
      name: '7 years ago',
      description: null,
      assetCount: 2,
      assets: body.assets,
    });
    expect(toAssetIds(body)).toEqual([early, photo]);
    const { owner, tags, ...asset } = (await call(app, `GET /assets/${photo}`, { as: me })).body;
    expect([owner.id, tags]).toEqual([me.id, []]);
    expect(body.assets[1]).toEqual(asset);
    expect((await read(body.id.toUpperCase())).body).toEqual(body);
    expect(await list()).toEqual([body]);
  });

  test('with a name or a description is custom, of now and for ever', async () => {
    const { status, body } = await create({ name: ' Summer ', assetIds: [photo] });
    expect(status).toBe(201);
    expect(body).toMatchObject({ type: 'custom', name: 'Summer', data: {}, description: null });
    expect(body.memoryAt).toBe(NOW.toISOString());
    expect(body).not.toContainAnyKeys(['showAt', 'hideAt', 'seenAt', 'deletedAt']);
    const other = await create({ description: 'Sun', isHidden: true, data: { year: 1 } });
    expect(other.body).toMatchObject({ type: 'custom', data: {}, description: 'Sun', name: null });
    expect(await listIds()).toEqual([body.id]);
  });

  test('is upcoming until it is shown', async () => {
    await add({ showAt: day(3) });
    expect((await list())[0]).toMatchObject({ isUpcoming: true });
  });

  test('ignores assets that are out of reach', async () => {
    await unlock(database, house.owner);
    const { body } = await create(
      { name: 'all', assetIds: [...Object.values(house.ids), photo, crypto.randomUUID()] },
      { session: house.owner },
    );
    expect(house.getNames(toAssetIds(body))).toEqual(
      ['plain', 'favorite', 'video', 'stackChild', 'live'].toSorted(),
    );
    const rows = await database.sql`
      select asset_id as id from memory_asset where memory_id = ${body.id}`;
    expect(house.getNames(rows.map(({ id }) => id))).toEqual(
      ['plain', 'favorite', 'video', 'stackChild', 'live', 'archived'].toSorted(),
    );
  });

  const type = 'on_this_day';
  const memoryAt = NOW.toISOString();
  const refused: [string, object, [string, string, string][]][] = [
    [
      'without a type',
      {},
      [
        [
          'invalid_value',
          'type',
          'Invalid option: expected one of "on_this_day"|"person"|"pet"|"place"|"custom"',
        ],
        ['invalid_type', 'data', 'Invalid input: expected object, received undefined'],
        [
          'invalid_type',
          'memoryAt',
          'Invalid input: expected ISO 8601 datetime string, received undefined',
        ],
      ],
    ],
    [
      'without a year',
      { type, memoryAt, data: {} },
      [['invalid_type', 'data.year', 'Invalid input: expected number, received undefined']],
    ],
    [
      'of half a year',
      { type, memoryAt, data: { year: 2020.5 } },
      [['invalid_type', 'data.year', 'Invalid input: expected int, received number']],
    ],
    [
      'of the year 999',
      { type, memoryAt, data: { year: 999 } },
      [['too_small', 'data.year', 'Too small: expected number to be >=1000']],
    ],
    [
      'of the year 10000',
      { type, memoryAt, data: { year: 10_000 } },
      [['too_big', 'data.year', 'Too big: expected number to be <=9999']],
    ],
  ];
  for (const [words, body, errors] of refused) {
    test(`${words} is refused with the errors of Immich`, async () => {
      const reply = await create(body);
      expect(reply.status).toBe(400);
      expect(reply.body).toEqual({
        message: 'Validation failed',
        errors: errors.map(([code, path, message]) => ({ code, path: path.split('.'), message })),
      });
      expect(await listIds()).toEqual([]);
    });
  }
});

describe('the list', () => {
  test('is newest first, or oldest first, or shuffled', async () => {
    const ids = [];
    for (const hours of [0, 1, 2]) {
      ids.push(await add({ createdAt: new Date(NOW.getTime() + hours), memoryAt: day(-hours) }));
    }
    ids.push(await add({ createdAt: new Date(NOW.getTime() + 2), memoryAt: day(9) }));
    expect(await listIds()).toEqual(ids.toReversed());
    expect(await listIds('order=desc')).toEqual(ids.toReversed());
    expect(await listIds('order=asc')).toEqual(ids);
    expect((await listIds('order=random')).toSorted()).toEqual(ids.toSorted());
  });

  test('has pages of those that are listed', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      ids.push(await add({ createdAt: new Date(NOW.getTime() + n) }));
      await add({ createdAt: new Date(NOW.getTime() + n) }, []);
    }
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await listIds(`size=2&page=${page}&order=asc`));
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []]);
    expect((await call(app, 'GET /memories/statistics?size=1', { as: me })).body.total).toBe(5);
    expect(await listIds('page=2')).toEqual([]);
    expect(await listIds('page=9007199254740991&size=9007199254740991')).toEqual([]);
  });

  test('filters', async () => {
    const custom = await add({ type: 'custom', key: null });
    const saved = await add({ isSaved: true });
    const hidden = await add({ isHidden: true });
    const trashed = await add({ deletedAt: NOW });
    const upcoming = await add({ showAt: day(3), hideAt: day(4) });
    const past = await add({ showAt: day(-4), hideAt: day(-3) });
    const found = async (query: string) => (await listIds(query)).toSorted();
    const all = [custom, saved, upcoming, past];
    expect(await found('')).toEqual(all.toSorted());
    expect(await found('isHidden=true')).toEqual([hidden]);
    expect(await found('isHidden=false')).toEqual(all.toSorted());
    expect(await found('isSaved=true')).toEqual([saved]);
    expect(await found('isSaved=false')).toEqual([custom, upcoming, past].toSorted());
    expect(await found('isTrashed=true')).toEqual([...all, trashed].toSorted());
    expect(await found('isUpcoming=true')).toEqual([upcoming]);
    expect(await found('isUpcoming=false')).toEqual([custom, saved, past].toSorted());
    expect(await found('type=custom')).toEqual([custom]);
    expect(await found(`id=${past.toUpperCase()}`)).toEqual([past]);
    expect(await found(`id=${hidden}`)).toEqual([]);
    expect(await found('for=2026-01-05')).toEqual([custom, saved, upcoming].toSorted());
    expect(await found('for=2026-01-06T00:00:00.001Z')).toEqual([custom, saved].toSorted());
    expect(await found('for=2025-12-29T12:00:00-05:00')).toEqual([custom, saved, past].toSorted());
  });

  test('has only what its owner may see, and no memory without it', async () => {
    await database.sql`delete from memory where owner_id = ${house.owner.id}`;
    await unlock(database, house.owner);
    const ofOwner = { ownerId: house.owner.id };
    const everything = await addMemory(database, ofOwner, Object.values(house.ids));
    const shown = ['plain', 'favorite', 'video', 'stackChild', 'live'];
    for (const [state, id] of Object.entries(house.ids)) {
      if (!shown.includes(state)) await addMemory(database, ofOwner, [id]);
    }
    const [memory, ...others] = await list('', { session: house.owner });
    expect(others).toEqual([]);
    expect(memory.id).toBe(everything);
    expect(house.getNames(toAssetIds(memory))).toEqual(shown.toSorted());
    expect(memory.assetCount).toBe(5);
    expect((await read(everything, { session: house.owner })).body).toEqual(memory);
    for (const other of [house.partner, house.viewer, house.member, house.stranger]) {
      expect(await listIds('', { as: other })).toEqual([]);
    }
  });

  test('leaves out what is generated where no memories are wanted', async () => {
    const custom = await add({ key: null });
    const saved = await add({ isSaved: true });
    const generated = await add();
    const body = { memories: { enabled: false } };
    await call(app, 'PUT /users/me/preferences', { as: me, body });
    expect((await listIds()).toSorted()).toEqual([custom, saved].toSorted());
    expect((await read(generated)).status).toBe(200);
    await call(app, 'PUT /users/me/preferences', {
      as: me,
      body: { memories: { enabled: true } },
    });
    expect(await listIds()).toContain(generated);
  });

  test('leaves out memories about a hidden person', async () => {
    const { id: personId } = await addPerson(database, { ownerId: me.id, name: 'Ann' });
    const about = await add({ type: 'person', personId });
    expect(await list()).toMatchObject([{ id: about, name: 'Moments with Ann' }]);
    await database.sql`update person set is_hidden = true where id = ${personId}`;
    expect(await listIds()).toEqual([]);
  });

  test('ST-039: leaves out a photo that is locked, and shows it again afterwards', async () => {
    const other = await seed(database).asset({ ownerId: me.id });
    const both = await add({}, [photo, other]);
    const alone = await add({}, [photo]);
    await unlock(database, me);
    const move = (way: 'lock' | 'unlock') =>
      call(app, `POST /assets/${way}`, { session: me, body: { ids: [photo] } });
    await move('lock');
    expect((await list('', { session: me })).map(toAssetIds)).toEqual([[other]]);
    expect((await read(alone, { session: me })).body).toMatchObject({ assets: [], name: null });
    await move('unlock');
    expect((await listIds()).toSorted()).toEqual([both, alone].toSorted());
  });

  const limits: [string, string, string][] = [
    ['page=0', 'page', 'Too small: expected number to be >=1'],
    ['size=0', 'size', 'Too small: expected number to be >=1'],
    ['size=9007199254740992', 'size', 'Too big: expected int to be <=9007199254740991'],
  ];
  for (const [query, path, message] of limits) {
    test(`LM-033: refuses ${query}`, async () => {
      const { status, body } = await call(app, `GET /memories?${query}`, { as: me });
      expect(status).toBe(400);
      expect(body.errors[0]).toMatchObject({ path: [path], message });
    });
  }
  test('LM-032: accepts the largest size', async () => {
    const id = await add();
    expect(await listIds('page=1')).toEqual([id]);
    expect(await listIds('size=9007199254740991')).toEqual([id]);
  });
});

describe('a change', () => {
  test('sets the given members only', async () => {
    const id = await add({ name: 'old', description: 'text' });
    const change = (body: object) => call(app, `PUT /memories/${id}`, { as: me, body });
    const seenAt = day(1).toISOString();
    const { status, body } = await change({ name: 'new', seenAt, isSaved: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'new', description: 'text', seenAt, isSaved: true });
    expect((await change({ memoryAt: seenAt, isSaved: false, isHidden: true })).body).toEqual({
      ...body,
      memoryAt: seenAt,
      isSaved: false,
      isHidden: true,
    });
    const bare = await change({ name: null, description: ' ' });
    expect(bare.body).toMatchObject({ name: '6 years ago', description: null, isHidden: true });
    for (const empty of [{}, { name: undefined }]) {
      const refused = await change(empty);
      expect(refused.status).toBe(400);
      expect(refused.body.errors[0]).toMatchObject({ path: [] });
    }
  });

  test('of the assets is answered for each', async () => {
    const id = await add();
    const own = await seed(database).asset({ ownerId: me.id });
    const locked = await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
    const foreign = await seed(database).asset({ ownerId: (await seed(database).user()).id });
    await unlock(database, me);
    const ids = [own, photo, own, foreign, locked];
    const added = await call(app, `PUT /memories/${id}/assets`, { session: me, body: { ids } });
    const failed = (assetId: string, error: string) => ({ id: assetId, success: false, error });
    expect(added.body).toEqual([
      { id: own, success: true },
      failed(photo, 'duplicate'),
      failed(own, 'duplicate'),
      failed(foreign, 'no_permission'),
      failed(locked, 'no_permission'),
    ]);
    expect(toAssetIds((await read(id)).body).toSorted()).toEqual([own, photo].toSorted());
    const removed = await call(app, `DELETE /memories/${id}/assets`, {
      as: me,
      body: { ids: [photo, foreign, photo] },
    });
    expect(removed.body).toEqual([
      { id: photo, success: true },
      failed(foreign, 'not_found'),
      failed(photo, 'not_found'),
    ]);
    expect(toAssetIds((await read(id)).body)).toEqual([own]);
  });

  test('deletes, and a generated memory is remembered', async () => {
    const [id, kept] = [await add({ key: 'k' }), await add()];
    expect((await call(app, `DELETE /memories/${id}`, { as: me })).status).toBe(204);
    expect(await listIds()).toEqual([kept]);
    expect(await list(`isTrashed=true&id=${id}`)).toMatchObject([
      { id, deletedAt: NOW.toISOString() },
    ]);
    expect((await read(id)).status).toBe(400);
    expect((await call(app, `DELETE /memories/${id}`, { as: me })).status).toBe(400);
    const [row] = await database.sql`select key from memory where id = ${id}`;
    expect(row).toEqual({ key: 'k' });
    expect((await call(app, `GET /assets/${photo}`, { as: me })).body.isTrashed).toBe(false);
  });
});

describe('somebody else', () => {
  const body = { ids: [crypto.randomUUID()] };
  const routes: [string, `${'GET' | 'PUT' | 'DELETE'} /${string}`, string, object?][] = [
    ['memory.read', 'GET /memories/{id}', 'memory.read'],
    ['memory.update', 'PUT /memories/{id}', 'memory.update', { isSaved: true }],
    ['memory.delete', 'DELETE /memories/{id}', 'memory.delete'],
    ['memoryAsset.create', 'PUT /memories/{id}/assets', 'memory.read', body],
    ['memoryAsset.delete', 'DELETE /memories/{id}/assets', 'memory.update', body],
  ];
  for (const [permission, route, named, given] of routes) {
    test(`ER-017: has the same answer as for an unknown id: ${route}`, async () => {
      const id = await add({ name: 'mine' });
      const before = (await read(id)).body;
      const ask = (target: string, caller: Caller) =>
        call(app, route.replace('{id}', target) as typeof route, { ...caller, body: given });
      const message = `Not found or no ${named} access`;
      const admin = await seed(database).user(['all'], { isAdmin: true });
      for (const other of [await seed(database).user(), admin]) {
        const foreign = await ask(id, { as: other });
        expect(foreign).toMatchObject({ status: 400, body: { message } });
        const unknown = await ask(crypto.randomUUID(), { as: other });
        expect([unknown.status, unknown.body]).toEqual([400, foreign.body]);
      }
      const [narrow] = await database.sql`
        update api_key set permissions = '{memory.statistics}' where user_id = ${me.id} returning 1`;
      expect(narrow).toBeDefined();
      expect((await ask(id, { as: me })).body.message).toContain(permission);
      expect((await ask(id, {})).status).toBe(401);
      expect((await read(id, { session: me })).body).toEqual(before);
    });
  }

  test('sees nothing by a shared link or with a key that may not', async () => {
    await addMemory(database, { ownerId: house.owner.id }, [house.ids.plain]);
    for (const path of ['GET /memories', 'GET /memories/statistics', 'POST /memories'] as const) {
      const asked = path.startsWith('POST') ? { body: { name: 'x' } } : {};
      expect((await call(app, `${path}?slug=assets`, asked)).status).toBe(403);
      const weak = await seed(database).user(['asset.read']);
      expect((await call(app, path, { as: weak, ...asked })).status).toBe(403);
    }
  });
});
