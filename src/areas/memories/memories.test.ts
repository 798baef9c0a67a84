import { beforeEach, describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import {
  call,
  type Caller,
  NOW,
  seed,
  testApp,
  type TestUser,
} from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { addMemory, listMemories, type NewMemory } from '../../../test/support/memories.ts';
import type { Memory } from './schemas.ts';

const { database, app, house } = await useHousehold();
let me: TestUser;
let photo: string;
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
const list = (query?: string) => listMemories(app, { as: me }, query);
const listIds = async (query?: string) => (await list(query)).map(({ id }) => id);
const toAssetIds = (memory: Memory): string[] => memory.assets.map(({ id }) => id);

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
    const other = await create({ description: 'Sun', isHidden: true, data: {} });
    expect(other.body).toMatchObject({ type: 'custom', data: {}, description: 'Sun', name: null });
    expect(await listIds()).toEqual([body.id]);
  });

  test('is upcoming until it is shown, without a change', async () => {
    await add({ showAt: day(3) });
    let now = NOW;
    const clock = testApp(database, { now: () => now });
    const lists = async () => [
      (await listMemories(clock, { as: me }))[0]!.isUpcoming,
      (await listMemories(clock, { as: me }, 'isUpcoming=true')).length,
      (await listMemories(clock, { as: me }, 'isUpcoming=false')).length,
    ];
    expect(await lists()).toEqual([true, 1, 0]);
    now = new Date(day(3).getTime() - 1);
    expect(await lists()).toEqual([true, 1, 0]);
    now = day(3);
    expect(await lists()).toEqual([false, 0, 1]);
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
      'of a year that is a text',
      { type, memoryAt, data: { year: '2020' } },
      [['invalid_type', 'data.year', 'Invalid input: expected number, received string']],
    ],
    [
      'of its own with a year that is none',
      { name: 'Sun', data: { year: null } },
      [['invalid_type', 'data.year', 'Invalid input: expected number, received null']],
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
