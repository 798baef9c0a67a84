import { beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { effort } from '../../../test/support/effort.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import { type Household, unlock } from '../../../test/support/household.ts';
import { ON_MAP, seedPlacedHousehold, seedPlacedPartner } from '../../../test/support/map.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { users } from '../../db/tables/identity.ts';
import { foldCells } from './fold.store.ts';
import { handleFoldCells } from './fold.handlers.ts';

const { database, app } = await useApp();
let house: Household;
beforeAll(async () => {
  house = await seedPlacedHousehold(database);
});

const WORLD = 'bbox=-180,-90,180,90&zoom=0';
type Cluster = { cell: string; count: number; id: string; lat: number; lon: number };

async function clusters(query: string, caller: Caller = { as: house.owner }): Promise<Cluster[]> {
  const { status, body } = await call(app, `GET /map/clusters?${query}`, caller);
  expect(status).toBe(200);
  return body.clusters;
}
const sumCounts = (list: readonly Cluster[]) => list.reduce((sum, { count }) => sum + count, 0);
async function inCells(query: string, caller: Caller = { as: house.owner }): Promise<string[]> {
  const names: string[] = [];
  for (const { cell, count } of await clusters(`${WORLD}&${query}`, caller)) {
    const { body } = await call(app, `GET /map/assets?cell=${cell}&${query}`, caller);
    expect(body.items).toHaveLength(count);
    names.push(...house.getNames(body.items.map(({ id }: { id: string }) => id)));
  }
  return names.sort();
}

describe('clusters contain the same assets as markers with the same filter', () => {
  const cases: [string, string[]][] = [
    ['', ON_MAP],
    ['isArchived=true', ['archived', ...ON_MAP]],
    ['isFavorite=true', ['favorite']],
    ['isFavorite=true&withPartners=true&withSharedAlbums=true', ['favorite']],
    ['isFavorite=false', ['plain', 'video']],
    ['withPartners=true', ['favorite', 'ofPartner', 'plain', 'video']],
    ['withPartners=true&isArchived=true', ['archived', 'favorite', 'ofPartner', 'plain', 'video']],
    ['fileCreatedAfter=2026-01-03T00:00:01Z', []],
    ['fileCreatedBefore=2100-01-01T00:00:00Z', ON_MAP],
    ['fileCreatedBefore=1990-01-01T00:00:00Z&withPartners=true', []],
  ];
  for (const [query, expected] of cases) {
    test(query || 'nothing said', async () => {
      expect(await inCells(query)).toEqual(expected);
    });
  }

  test('locked assets are in no cluster, also in an unlocked session', async () => {
    await unlock(database, house.owner);
    const session = { session: house.owner };
    expect(await inCells('isArchived=true', session)).toEqual(['archived', ...ON_MAP]);
  });

  test('assets of shared albums are counted once and for members only', async () => {
    expect(await inCells('withSharedAlbums=true', { as: house.member })).toEqual(ON_MAP);
    expect(await inCells('withSharedAlbums=true', { as: house.stranger })).toEqual([]);
    expect(await inCells('', { as: house.member })).toEqual([]);
    expect(await inCells('withPartners=true', { as: house.viewer })).toEqual([]);
  });
});

test('assets of a partner who hides locations are in no cluster and no cell', async () => {
  const { viewer, id, hidePlaces } = await seedPlacedPartner(app, database);
  const query = 'withPartners=true&withSharedAlbums=true';
  const [cluster] = await clusters(`${WORLD}&${query}`, { as: viewer });
  expect(cluster).toMatchObject({ count: 1, id, lat: 1, lon: 2 });
  await hidePlaces();
  for (const more of ['', '&fileCreatedBefore=2100-01-01T00:00:00Z']) {
    expect(await clusters(`${WORLD}&${query}${more}`, { as: viewer })).toEqual([]);
    const inCell = `GET /map/assets?cell=${cluster!.cell}&${query}${more}` as const;
    expect((await call(app, inCell, { as: viewer })).body).toEqual({ items: [], nextCursor: null });
  }
});

test('assets that an account rule hides from listings are not counted', async () => {
  const me = await seed(database).user();
  const at = { exif: { latitude: 48, longitude: 16 } };
  const shown = await seed(database).asset({ ownerId: me.id, ...at });
  await seed(database).asset({
    ownerId: me.id,
    ...at,
    takenAt: new Date('2024-12-24T12:00:00Z'),
    localTakenAt: '2024-12-24T13:00:00',
  });
  const rules = [{ id: crypto.randomUUID(), kind: 'date', date: '12-24' }];
  const preferences = { lockedContent: { filterEnabled: true, rules } };
  expect(sumCounts(await clusters(WORLD, { as: me }))).toBe(2);
  await database.db.update(users).set({ preferences }).where(eq(users.id, me.id));
  const [cluster] = await clusters(WORLD, { as: me });
  expect(cluster).toMatchObject({ count: 1, id: shown });
});

test('clusters split when zooming in, and a box may cross the date line', async () => {
  const me = await seed(database).user();
  const places = [
    [48.8566, 2.3522],
    [48.8606, 2.3376],
    [41.8919, 12.5113],
    [-16.5, 179.9],
    [-16.5, -179.9],
    [90, 180],
    [-90, -180],
    [0, 0],
  ];
  for (const [latitude, longitude] of places) {
    await seed(database).asset({ ownerId: me.id, exif: { latitude, longitude } });
  }
  const as = { as: me };
  const seen = async (query: string) =>
    (await clusters(query, as)).map(({ count }) => count).toSorted((a, b) => a - b);
  expect(sumCounts(await clusters(WORLD, as))).toBe(8);
  expect(await seen('bbox=0,40,20,50&zoom=1')).toEqual([3]);
  expect(await seen('bbox=0,40,20,50&zoom=7')).toEqual([1, 2]);
  expect(await seen('bbox=2,48,3,49&zoom=16')).toEqual([1, 1]);
  expect(await seen('bbox=2,48,3,49&zoom=20')).toEqual([1, 1]);
  expect(await seen('bbox=179,-20,-179,-10&zoom=8')).toEqual([1, 1]);
  expect(await seen('bbox=-179.5,-89,179,89&zoom=18')).not.toContain(8);
  for (const { cell, count } of await clusters(WORLD, as)) {
    const { items } = (await call(app, `GET /map/assets?cell=${cell}`, as)).body;
    expect(items).toHaveLength(count);
  }
});

test('a cell lists its assets in pages, newest first', async () => {
  const me = await seed(database).user();
  const ids: string[] = [];
  for (let day = 1; day <= 5; day++) {
    const takenAt = new Date(`2024-05-0${day}T12:00:00Z`);
    ids.unshift(
      await seed(database).asset({
        ownerId: me.id,
        takenAt,
        exif: { latitude: 10, longitude: 10 },
      }),
    );
  }
  const [cluster] = await clusters(WORLD, { as: me });
  const found: string[] = [];
  let cursor = '';
  for (let page = 0; page < 3; page++) {
    const query = `cell=${cluster!.cell}&size=2${cursor && `&cursor=${cursor}`}`;
    const { body } = await call(app, `GET /map/assets?${query}`, { as: me });
    found.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  }
  expect(found).toEqual(ids);
  expect(cursor).toBeNull();
});

type Move = { item: number; to: string };
const MOVES: Record<string, string> = {
  archive: `update asset set visibility = 'archive' where id = $1`,
  show: `update asset set visibility = 'timeline', locked_at = null, trashed_at = null where id = $1`,
  hide: `update asset set visibility = 'hidden' where id = $1`,
  lock: `update asset set locked_at = now() where id = $1`,
  trash: `update asset set trashed_at = now() where id = $1`,
  travel: `update asset_exif set latitude = -33.8, longitude = 151.2 where asset_id = $1`,
  step: `update asset_exif set latitude = latitude + 0.01 where asset_id = $1`,
  lose: `update asset_exif set latitude = null, longitude = null where asset_id = $1`,
  favor: `update asset set is_favorite = not is_favorite where id = $1`,
  delete: `delete from asset where id = $1`,
  // Every item of the owner by one statement: each goes where the others come from.
  swap: `update asset set visibility = case visibility when 'timeline' then 'archive' else 'timeline' end
    where owner_id = (select owner_id from asset where id = $1)`,
  turn: `update asset set trashed_at = case when trashed_at is null then now() end
    where owner_id = (select owner_id from asset where id = $1)`,
};

test('counts and cover pictures equal a recount after any change', async () => {
  const move = fc.record({
    item: fc.nat({ max: 4 }),
    to: fc.constantFrom('fold', ...Object.keys(MOVES)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 12 }), async (moves: Move[]) => {
      const me = await seed(database).user();
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) {
        const exif = { latitude: 50 + n / 100, longitude: 8 };
        ids.push(await seed(database).asset({ ownerId: me.id, exif }));
      }
      for (const { item, to } of moves) {
        if (to === 'fold') await database.db.transaction((tx) => foldCells(tx, [me.id]));
        else await database.sql.unsafe(MOVES[to]!, [ids[item]!]);
      }
      const kept = await database.sql`
        select level, x, y, sum(timeline)::int as timeline, sum(archived)::int as archived
        from asset_cell_count where owner_id = ${me.id} group by 1, 2, 3
        having sum(timeline) <> 0 or sum(archived) <> 0 order by 1, 2, 3`;
      const anew = await database.sql`
        select level::smallint as level, map_x(longitude, level) as x, map_y(latitude, level) as y,
          (count(*) filter (where visibility = 'timeline'))::int as timeline,
          (count(*) filter (where visibility = 'archive'))::int as archived
        from asset join asset_exif on asset_id = id cross join unnest(map_levels()) level
        where owner_id = ${me.id} and latitude is not null
          and is_listed(visibility, locked_at, trashed_at)
        group by 1, 2, 3 order by 1, 2, 3`;
      expect([...kept]).toEqual([...anew]);
      for (const archived of ['', '&isArchived=true']) {
        for (const zoom of [0, 8, 16]) {
          const query = `bbox=-180,-90,180,90&zoom=${zoom}${archived}`;
          const fast = await clusters(query, { as: me });
          const exact = await clusters(`${query}&fileCreatedBefore=2100-01-01T00:00:00Z`, {
            as: me,
          });
          const formatCells = (list: Cluster[]) =>
            list.map(({ cell, count }) => `${cell} ${count}`).sort();
          expect(formatCells(fast)).toEqual(formatCells(exact));
          for (const { id } of fast) expect(ids).toContain(id);
        }
      }
    }),
    { numRuns: effort({ quick: 3, full: 12 }) },
  );
});

test('folding merges delta rows into one and keeps an existing cover picture', async () => {
  const me = await seed(database).user();
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) {
    const exif = { latitude: 5, longitude: 5 };
    ids.push(await seed(database).asset({ ownerId: me.id, exif }));
  }
  const rows = async () =>
    (
      await database.sql`select count(*)::int as rows from asset_cell_count
      where owner_id = ${me.id}`
    )[0]!['rows'];
  expect(await rows()).toBe(36);
  expect(await handleFoldCells(jobCtx(database), {} as never)).toBeUndefined();
  await database.sql`update asset set trashed_at = now() where id = any(${ids.slice(0, 11)}::uuid[])`;
  await database.db.transaction((tx) => foldCells(tx, [me.id]));
  expect(await rows()).toBe(3);
  expect(await clusters(WORLD, { as: me })).toMatchObject([{ count: 1, id: ids[11] }]);
});

describe('refusals', () => {
  const weak = async (): Promise<TestUser> => seed(database).user(['asset.read']);
  for (const route of [`clusters?${WORLD}`, 'assets?cell=2/1/1', 'towns/1/0/0']) {
    test(`${route}: returns an error for guests and for keys without the permission`, async () => {
      const mark = route.includes('?') ? '&' : '?';
      expect((await call(app, `GET /map/${route}${mark}slug=assets`)).status).toBe(403);
      const reply = await call(app, `GET /map/${route}`, { as: await weak() });
      expect(reply.body.message).toBe('Missing required permission: map.read');
    });
  }
  for (const route of [
    'clusters?zoom=3',
    'clusters?bbox=0,0,500,1&zoom=3',
    'clusters?bbox=0,10,1,1&zoom=3',
    'clusters?bbox=0,0,1,1&zoom=21',
    'assets?cell=2/4/1',
    'assets?cell=21/4/1',
    'assets?cell=a',
    'assets?cell=2/1/1&cursor=x',
    'towns/1/2/0',
    'towns/x/0/0',
  ]) {
    test(`${route} → 400`, async () => {
      expect((await call(app, `GET /map/${route}`, { as: house.owner })).status).toBe(400);
    });
  }
});

test('the largest towns of a tile are named without network access', async () => {
  const world = (await call(app, 'GET /map/towns/0/0/0', { as: house.owner })).body;
  expect(world).toHaveLength(24);
  expect(world[0]).toMatchObject({ name: 'Shanghai', population: expect.any(Number) });
  expect(new Set(world.map(({ name }: { name: string }) => name)).size).toBe(24);
  const paris = (await call(app, 'GET /map/towns/8/129/88', { as: house.owner })).body;
  expect(paris[0].name).toBe('Paris');
});
