import { beforeEach, describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { addMemory, listMemories, type NewMemory } from '../../../test/support/memories.ts';
import { addPerson } from '../../../test/support/people.ts';
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
const read = (id: string, caller: Caller = { as: me }) => call(app, `GET /memories/${id}`, caller);
const list = (query = '', caller: Caller = { as: me }) => listMemories(app, caller, query);
const listIds = async (query?: string, caller?: Caller) =>
  (await list(query, caller)).map(({ id }) => id);
const toAssetIds = (memory: Memory): string[] => memory.assets.map(({ id }) => id);

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
    expect(
      (await call(app, 'GET /memories/statistics?size=1&withAllTypes=true', { as: me })).body.total,
    ).toBe(5);
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
    expect(memory!.id).toBe(everything);
    expect(house.getNames(toAssetIds(memory!))).toEqual(shown.toSorted());
    expect(memory!.assetCount).toBe(5);
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
      const { status, body } = await call(app, `GET /memories?withAllTypes=true&${query}`, {
        as: me,
      });
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
