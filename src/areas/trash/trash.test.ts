import { beforeEach, describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import { addManyAssets } from '../../../test/support/many-assets.ts';
import {
  call,
  type Caller,
  NOW,
  seed,
  testApp,
  type TestUser,
} from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';

const { database, app, house } = await useHousehold();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const DAY_MS = 86_400_000;
const add = (values: object = {}) => seed(database).asset({ ownerId: me.id, ...values });
const addTrashed = (values: object = {}) => add({ trashedAt: NOW, ...values });

const items = async (query = '', who: Caller = { as: me }) =>
  (await call(app, `GET /trash/items?${query}`, who)).body;
const toIds = (body: { items: { id: string }[] }) => body.items.map((item) => item.id);
const summary = async (who: Caller = { as: me }) =>
  (await call(app, 'GET /trash/summary', who)).body;
const getAssetState = async (id: string): Promise<'kept' | 'trashed' | 'gone'> => {
  const [row] = await database.sql`select trashed_at from asset where id = ${id}`;
  return row ? (row['trashed_at'] ? 'trashed' : 'kept') : 'gone';
};

describe('GET /trash/items', () => {
  test('lists the trashed items with the time of their deletion', async () => {
    await add();
    const video = await addTrashed({ type: 'VIDEO', visibility: 'hidden' });
    const id = await addTrashed({
      fileName: 'IMG.HEIC',
      fileSize: 3_000_000_000,
      liveVideoId: video,
      visibility: 'archive',
      takenAt: new Date('2020-05-01T10:00:00Z'),
      thumbhash: new Uint8Array([1, 2, 3]),
      durationMs: 1200,
    });
    expect(await items()).toEqual({
      items: [
        {
          id,
          type: 'IMAGE',
          originalFileName: 'IMG.HEIC',
          fileCreatedAt: '2020-05-01T10:00:00.000Z',
          trashedAt: NOW.toISOString(),
          deletesAt: new Date(NOW.getTime() + 30 * DAY_MS).toISOString(),
          fileSizeInBytes: 3_000_000_000,
          thumbhash: 'AQID',
          duration: 1200,
          isLocked: false,
          livePhotoVideoId: video,
        },
      ],
      total: 1,
      page: 1,
      size: 200,
      hasNextPage: false,
    });
    const settings = { ...database.deps.settings, trashDays: 0 };
    const forever = testApp(database, { settings });
    const { body } = await call(forever, 'GET /trash/items', { as: me });
    expect(body.items[0].deletesAt).toBeNull();
  });

  test('EP-024: returns items whose file name contains all words of the query', async () => {
    const id = await addTrashed({ fileName: 'IMG_1 beach.jpg' });
    await addTrashed({ fileName: 'beach.png' });
    await add({ fileName: 'img beach' });
    expect(await items('query=img%20beach')).toMatchObject({ items: [{ id }], total: 1 });
    expect((await items('query=BEACH')).total).toBe(2);
    expect((await items('query=%25')).total).toBe(0);
    expect(toIds(await items('query=g_1'))).toEqual([id]);
    expect((await items('query=beach&type=VIDEO')).total).toBe(0);
  });

  test('sorts by seven keys with stable pages', async () => {
    const facts = [
      { fileName: 'b.jpg', fileSize: 3, day: 1, trashed: 2 },
      { fileName: 'A.jpg', fileSize: 2, day: 3, trashed: 1 },
      { fileName: 'c.jpg', fileSize: 1, day: 2, trashed: 3 },
    ];
    const names = new Map<string, string>();
    for (const { day, trashed, ...rest } of facts) {
      const takenAt = new Date(Date.UTC(2020, 1, day));
      const trashedAt = new Date(Date.UTC(2026, 0, 1, trashed));
      names.set(await addTrashed({ ...rest, takenAt, trashedAt }), rest.fileName[0]!);
    }
    const wanted = {
      'trashed-newest': 'cbA',
      'trashed-oldest': 'Abc',
      'taken-newest': 'Acb',
      'taken-oldest': 'bcA',
      largest: 'bAc',
      smallest: 'cAb',
      name: 'Abc',
    };
    for (const [sort, order] of Object.entries(wanted)) {
      const found = toIds(await items(`sort=${sort}`)).map((id) => names.get(id));
      expect([sort, found.join('')]).toEqual([sort, order]);
      for (const page of [1, 2, 3]) {
        const body = await items(`sort=${sort}&size=1&page=${page}`);
        expect(toIds(body).map((id) => names.get(id))).toEqual([order[page - 1]]);
        expect(body).toMatchObject({ total: 3, page, size: 1, hasNextPage: page < 3 });
      }
    }
    expect(
      toIds(await items())
        .map((id) => names.get(id))
        .join(''),
    ).toBe('cbA');
    expect(await items('page=9')).toMatchObject({ items: [], total: 3, hasNextPage: false });
  });

  test('pages fetched in any order form one list, also after a change', async () => {
    await addManyAssets(database, me.id, 60, { trashedAt: NOW });
    for (const sort of ['trashed-newest', 'taken-oldest', 'largest', 'name']) {
      for (let round = 0; round < 2; round++) {
        const all = toIds(await items(`sort=${sort}&size=1000`));
        for (const page of [5, 1, 3, 6, 2, 4, 5]) {
          const found = toIds(await items(`sort=${sort}&size=10&page=${page}`));
          expect(found).toEqual(all.slice((page - 1) * 10, page * 10));
        }
        await call(app, 'POST /trash/restore/assets', { as: me, body: { ids: [all[7]] } });
        await addTrashed({ fileName: `${round}`, fileSize: round });
      }
    }
  });

  test('LM-026: accepts size and query at their limits', async () => {
    await addTrashed({ fileName: 'x'.repeat(255) });
    for (const query of ['size=1', 'size=1000', `query=${'x'.repeat(255)}`]) {
      const { status, body } = await call(app, `GET /trash/items?${query}`, { as: me });
      expect([status, body.total]).toEqual([200, 1]);
    }
  });

  test('LM-027: returns 400 for values beyond the limits', async () => {
    const cases = ['size=0', 'size=1001', `query=${'x'.repeat(256)}`, 'page=0', 'sort=x', 'type=x'];
    for (const query of cases) {
      const { status, body } = await call(app, `GET /trash/items?${query}`, { as: me });
      expect([status, body.errors?.[0]?.path]).toEqual([400, [query.split('=')[0]]]);
    }
  });

  test('VS-003: locked items are listed and changed in an unlocked session only', async () => {
    const locked = await addTrashed({ lockedAt: NOW, fileSize: 100 });
    const open = await addTrashed({ fileSize: 1 });
    expect(toIds(await items('', { session: me }))).toEqual([open]);
    expect(await summary({ session: me })).toEqual({ items: 1, sizeInBytes: 1, removing: 0 });
    const restored = await call(app, 'POST /trash/restore', { session: me });
    expect(restored.body).toEqual({ count: 1 });
    expect(await getAssetState(locked)).toBe('trashed');
    await call(app, 'DELETE /assets', { session: me, body: { ids: [open] } });
    expect((await call(app, 'POST /trash/empty', { session: me })).body).toEqual({ count: 1 });
    expect([await getAssetState(locked), await getAssetState(open)]).toEqual(['trashed', 'gone']);
    const refused = { session: me, body: { ids: [locked] } };
    expect((await call(app, 'POST /trash/restore/assets', refused)).status).toBe(400);
    expect((await call(app, 'DELETE /assets', refused)).status).toBe(400);

    await unlock(database, me);
    const again = await addTrashed({ fileSize: 1 });
    const list = await items('', { session: me });
    expect(toIds(list).sort()).toEqual([locked, again].sort());
    expect(list.items.find((item: { id: string }) => item.id === locked).isLocked).toBe(true);
    expect(await summary({ session: me })).toMatchObject({ items: 2, sizeInBytes: 101 });
    expect((await call(app, 'POST /trash/restore', { session: me })).body).toEqual({ count: 2 });
    expect(await getAssetState(locked)).toBe('kept');
    const [row] = await database.sql`select locked_at from asset where id = ${locked}`;
    expect(row!['locked_at']).not.toBeNull();
    await call(app, 'DELETE /assets', { session: me, body: { ids: [locked, again] } });
    expect((await call(app, 'POST /trash/empty', { session: me })).body).toEqual({ count: 2 });
    expect([await getAssetState(locked), await getAssetState(again)]).toEqual(['gone', 'gone']);
  });

  test("lists only the caller's items and refuses guests", async () => {
    const { getNames, owner } = house;
    expect(getNames(toIds(await items('', { as: owner })))).toEqual(['trashed']);
    for (const who of [house.partner, house.viewer, house.member, house.stranger]) {
      expect(await items('', { as: who })).toMatchObject({ items: [], total: 0 });
      expect(await summary({ as: who })).toEqual({ items: 0, sizeInBytes: 0, removing: 0 });
    }
    for (const route of ['GET /trash/items', 'GET /trash/summary', 'POST /trash/empty'] as const) {
      expect((await call(app, `${route}?slug=album`)).status).toBe(403);
      expect((await call(app, route)).status).toBe(401);
      const weak = await seed(database).user(['asset.update']);
      expect((await call(app, route, { as: weak })).status).toBe(403);
    }
  });
});

describe('POST /trash/restore/assets', () => {
  const restore = (ids: readonly string[], who: Caller = { as: me }) =>
    call(app, 'POST /trash/restore/assets', { ...who, body: { ids } });

  test('returns the number of restored items and leaves others in the trash', async () => {
    const [a, b, kept] = [await addTrashed(), await addTrashed(), await add()];
    expect((await restore([])).body).toEqual({ count: 0 });
    expect(await restore([a, kept])).toMatchObject({ status: 200, body: { count: 1 } });
    expect((await restore([a])).body).toEqual({ count: 0 });
    expect([await getAssetState(a), await getAssetState(b)]).toEqual(['kept', 'trashed']);
  });

  test('one inaccessible id refuses the whole request', async () => {
    const own = await addTrashed();
    for (const other of [house.ids.trashed, crypto.randomUUID()]) {
      expect((await restore([own, other])).status).toBe(400);
    }
    expect(await getAssetState(own)).toBe('trashed');
    for (const who of [house.member, house.viewer, house.partner, house.stranger]) {
      expect((await restore([house.ids.trashed], { as: who })).status).toBe(400);
    }
    const weak = await seed(database).user(['asset.update']);
    expect((await restore([own], { as: weak })).status).toBe(403);
    expect((await restore([own], {})).status).toBe(401);
  });

  test('restores both halves of a live photo', async () => {
    for (const which of ['still', 'video'] as const) {
      const video = await addTrashed({ type: 'VIDEO', visibility: 'hidden' });
      const still = await addTrashed({ liveVideoId: video });
      expect((await restore([which === 'still' ? still : video])).body).toEqual({ count: 1 });
      expect([await getAssetState(still), await getAssetState(video)]).toEqual(['kept', 'kept']);
    }
  });
});

test("emptying and restoring everything affect the caller's trash only", async () => {
  const own = await addTrashed();
  const other = await seed(database).user();
  const foreign = await seed(database).asset({ ownerId: other.id, trashedAt: NOW });
  const kept = await add();
  expect((await call(app, 'POST /trash/restore', { as: me })).body).toEqual({ count: 1 });
  expect([await getAssetState(own), await getAssetState(foreign)]).toEqual(['kept', 'trashed']);
  await call(app, 'DELETE /assets', { as: me, body: { ids: [own] } });
  expect((await call(app, 'POST /trash/empty', { as: me })).body).toEqual({ count: 1 });
  expect((await call(app, 'POST /trash/empty', { as: me })).body).toEqual({ count: 0 });
  expect([
    await getAssetState(own),
    await getAssetState(foreign),
    await getAssetState(kept),
  ]).toEqual(['gone', 'trashed', 'kept']);
});
