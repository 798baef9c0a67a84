import { beforeAll, expect, test } from 'bun:test';
import { useDatabase } from '../../../test/support/database.ts';
import { call, NOW, seed, testApp, type TestUser } from '../../../test/support/harness.ts';
import { compareWithRecounts } from '../../../test/support/recounts.ts';

// Search by camera and place, which reads owner and date from asset_exif once all rows have them.

const database = await useDatabase({ connections: 1 });
const { sql } = database;
const { settings } = database.deps;
// It remembers nothing: tests take the columns back, which no server does.
const app = testApp(database, { settings: { ...settings, readCacheBytes: 1 } });
let me: TestUser;
let other: TestUser;

const CAMERAS = [{ make: 'Canon', model: 'R6' }, { make: 'Canon', model: 'R5' }, { make: 'Sony' }];
const STATES = [{}, {}, { visibility: 'archive' }, { trashedAt: NOW }, { lockedAt: NOW }] as const;

beforeAll(async () => {
  me = await seed(database).user();
  other = await seed(database).user();
  for (let n = 0; n < 60; n++) {
    // Two of each instant.
    const takenAt = new Date(NOW.getTime() - Math.floor(n / 2) * 1000);
    await seed(database).asset({
      ownerId: n % 4 === 3 ? other.id : me.id,
      takenAt,
      isFavorite: n % 7 < 5,
      exif: { ...CAMERAS[n % 3]!, city: n % 5 < 2 ? 'Rome' : null, country: 'Italy' },
      ...STATES[n % STATES.length]!,
    });
  }
});

const SEARCHES = [
  { make: 'Canon' },
  { make: 'Canon', order: 'asc' },
  { make: 'Canon', model: 'R5' },
  { make: 'Sony', withArchived: false },
  { make: 'Canon', withDeleted: true },
  { make: 'Canon', isFavorite: false },
  { make: 'Canon', isFavorite: true },
  { make: 'Canon', isFavorite: true, order: 'asc', withArchived: false },
  { make: 'Canon', model: 'R6', isFavorite: true },
  { city: 'Rome', isFavorite: true, withExif: true },
  { city: 'Rome' },
  { city: null },
  { city: 'Rome', country: 'Italy', visibility: 'archive' },
  { make: 'Nobody' },
  { filter: { make: { in: ['Canon', 'Sony'] } } },
  { filter: { model: { in: ['R5', 'R6'] } }, order: 'asc', withArchived: false },
  { filter: { make: { in: [] } } },
  { filter: { or: [{ model: { eq: 'R5' } }, { city: { in: ['Rome'] } }] } },
  { filter: { or: [{ model: { eq: 'R5' } }, { isFavorite: { eq: true } }] } },
];

async function readAll(as: TestUser, body: object, by: 'page' | 'cursor'): Promise<string[]> {
  const ids: string[] = [];
  for (let next: object = {}; ;) {
    const { status, body: found } = await call(app, 'POST /search/metadata', {
      as,
      body: { size: 3, ...body, ...next },
    });
    expect(status).toBe(200);
    ids.push(...found.assets.items.map((item: { id: string }) => item.id));
    const { nextPage, nextCursor } = found.assets;
    if (!nextCursor) return ids;
    next = by === 'page' ? { page: Number(nextPage) } : { cursor: nextCursor };
  }
}

const readEverything = async () => {
  const found = [];
  for (const body of SEARCHES) {
    for (const as of [me, other])
      found.push([await readAll(as, body, 'page'), await readAll(as, body, 'cursor')]);
  }
  return found;
};

test('returns the same by page number and by cursor, of own items', async () => {
  const found = await readEverything();
  for (const [pages, cursors] of found) expect(cursors).toEqual(pages!);
  expect(found.filter(([pages]) => pages!.length > 3).length).toBeGreaterThan(8);
  const [mine] = await sql`
    select count(*)::int as count from asset join asset_exif on asset_id = id
    where owner_id = ${me.id} and make = 'Canon' and trashed_at is null and locked_at is null`;
  expect(found[0]![0]).toHaveLength(mine!['count']);
  const favorites = await sql<{ id: string }[]>`
    select id from asset join asset_exif on asset_id = id
    where owner_id = ${me.id} and make = 'Canon' and is_favorite and trashed_at is null
      and locked_at is null
    order by taken_at desc, id desc`;
  expect(favorites.length).toBeWithin(5, mine!['count']);
  const cursors = await readAll(me, { make: 'Canon', isFavorite: true }, 'cursor');
  expect(cursors).toEqual(favorites.map(({ id }) => id));
});

test('an item whose date changes takes its place in the list', async () => {
  const favorites = { make: 'Canon', isFavorite: true };
  const [, ...rest] = await readAll(me, favorites, 'cursor');
  const last = rest.at(-1)!;
  await sql`update asset set taken_at = taken_at + interval '1 year',
    local_taken_at = local_taken_at + interval '1 year' where id = ${last}`;
  for (const body of [{ make: 'Canon' }, favorites])
    expect((await readAll(me, body, 'cursor'))[0]).toBe(last);
  expect((await compareWithRecounts(sql)).wrong).toEqual([]);
});
