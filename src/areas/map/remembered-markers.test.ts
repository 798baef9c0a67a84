import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { createSeededRandom } from '../../../test/support/effort.ts';
import { call, seed, testApp, type TestUser } from '../../../test/support/harness.ts';

const { database, app } = await useApp();
const { sql } = database;
const random = createSeededRandom('markers');
const HOUR = 3_600_000;

let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  const make = seed(database);
  [owner, stranger] = [await make.user(), await make.user()];
  for (let n = 0; n < 120; n++) {
    // Around the ends of months, some at the same moment, in zones from one end of the world to the other.
    const border = Date.UTC(2021, 2 + (n % 3), 1);
    const takenAt = new Date(border + HOUR * (random.below(30) - 15));
    const local = new Date(takenAt.getTime() + HOUR * (random.below(27) - 12));
    await make.asset({
      ownerId: owner.id,
      takenAt,
      localTakenAt: local.toISOString().slice(0, -1),
      exif: { latitude: n / 2, longitude: -n / 2, city: n % 3 ? 'Łódź, "Stary"' : null },
    });
  }
});

const ask = async (as = owner, query = '') =>
  (await call(app, `GET /map/markers?${query}`, { as })).body.map(({ id }: { id: string }) => id);
const listTrue = async () => {
  const rows = await sql<{ id: string }[]>`
    select id from asset where owner_id = ${owner.id} and visibility = 'timeline'
      and locked_at is null and trashed_at is null
    order by taken_at desc, id desc`;
  return rows.map(({ id }) => id);
};

const getMarkers = async (from = app, query = '') =>
  (await call(from, `GET /map/markers?${query}`, { as: owner })).body;

test('positions and places are as they are stored, also those that JSON writes in another way', async () => {
  const place = {
    latitude: 1e-7,
    longitude: -123.45600000000002,
    city: 'a\\b\n\u2028"',
    state: '',
  };
  const id = await seed(database).asset({ ownerId: owner.id, takenAt: new Date(0), exif: place });
  expect((await getMarkers()).at(-1)).toEqual({
    id,
    lat: place.latitude,
    lon: place.longitude,
    city: place.city,
    state: '',
    country: null,
  });
});

/** Makes months count so many more assets, which no list shows. */
async function enlargeMonths(assets: number): Promise<void> {
  await sql`insert into asset_count (owner_id, local_month, type, visibility, is_locked, is_trashed,
      is_favorite, is_stack_child, assets, bytes, stamp)
    select distinct owner_id, local_month, 'IMAGE', 'hidden', false, false, false, false, ${assets}::int, 0, 1
    from asset where owner_id = ${owner.id}`;
}

test('large months are read one after the other, and listed like small ones', async () => {
  const before = await getMarkers();
  const archived = await getMarkers(app, 'isArchived=true');
  const settings = { ...database.deps.settings, readCacheBytes: 1 };
  const forgetful = testApp(database, { settings });
  expect(await getMarkers(forgetful)).toEqual(before);
  // A month each, then more than are read at once.
  for (const assets of [90_000, 20_000]) {
    await enlargeMonths(assets);
    for (const from of [app, app, forgetful]) {
      expect(await getMarkers(from)).toEqual(before);
      expect(await getMarkers(from, 'isArchived=true')).toEqual(archived);
    }
  }
  await sql`delete from asset_count where owner_id = ${owner.id} and bytes = 0 and assets >= 20000`;
});

test('markers are listed by instant, though they are remembered by local month', async () => {
  const months = await sql`select distinct local_month from asset where owner_id = ${owner.id}`;
  expect(months.length).toBeGreaterThan(3);
  const ids = await listTrue();
  expect(ids.length).toBeGreaterThan(100);
  expect(await ask()).toEqual(ids);
  expect(await ask()).toEqual(ids);
  expect(await ask(stranger)).toEqual([]);
});

test.each([
  ['trashed', () => sql`trashed_at = now()`],
  ['locked', () => sql`locked_at = now()`],
  ['archived', () => sql`visibility = 'archive'`],
  ['hidden', () => sql`visibility = 'hidden'`],
  [
    'taken in another month',
    () => sql`taken_at = taken_at - interval '40 days',
    local_taken_at = local_taken_at - interval '40 days'`,
  ],
])('an asset that is %p changes the next response', async (_, change) => {
  const before = await ask();
  const id = random.pick<string>(before);
  await sql`update asset set ${change()} where id = ${id}`;
  const ids = await listTrue();
  expect(ids).not.toEqual(before);
  expect(await ask()).toEqual(ids);
});

test('a partner sees them while they are shared, as far as they are', async () => {
  const ids = await listTrue();
  const asPartner = () => ask(stranger, 'withPartners=true');
  expect(await asPartner()).toEqual([]);
  await sql`insert into partner (sharer_id, viewer_id, in_timeline) values (${owner.id}, ${stranger.id}, true)`;
  expect(await asPartner()).toEqual(ids);
  await sql`update partner set shared_from = '2021-04-01' where sharer_id = ${owner.id}`;
  const later = await sql<{ id: string }[]>`
    select id from asset where id = any(${ids}) and local_taken_at >= '2021-04-01'`;
  const part = new Set(later.map(({ id }) => id));
  expect(part.size).toBeGreaterThan(0);
  expect(part.size).toBeLessThan(ids.length);
  expect(await asPartner()).toEqual(ids.filter((id) => part.has(id)));
  await sql`update partner set hides_places = true where sharer_id = ${owner.id}`;
  expect(await asPartner()).toEqual([]);
  await sql`delete from partner where sharer_id = ${owner.id}`;
  expect(await asPartner()).toEqual([]);
});
