import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { STATES } from '../../../test/support/household.ts';
import { sample } from '../../../test/support/sample.ts';
import { FEW_MATCHES, NEWEST } from './newest-page.store.ts';

const { database, app } = await useApp({}, { plansByValues: true });

/** More items than are sorted at once, and than the newest that are looked through. */
const MANY = Math.max(FEW_MATCHES, NEWEST) + 50;
const EVERY = 97;
const YEAR_MS = 365 * 86_400_000;
let me: TestUser;

beforeAll(async () => {
  me = await seed(database).user();
  await insertMany('IMG_', new Date(NOW.getTime() - YEAR_MS));
  await insertMany('PXL_', NOW);
  const other = await seed(database).user();
  const texts = { fileName: 'IMG_rare.jpg', exif: { description: 'rare' } };
  await seed(database).asset({ ownerId: other.id, ...texts });
  for (const state of [STATES.hidden, STATES.locked, STATES.trashed]) {
    await seed(database).asset({ ownerId: me.id, ...texts, ...state });
  }
  await database.sql`analyze asset, asset_exif`;
});

/** Inserts many items, three an hour until `end`; some of the older ones are rare, and some have a description. */
async function insertMany(prefix: string, end: Date): Promise<void> {
  const isRare = prefix === 'IMG_';
  await database.sql`
    with file as (
      insert into original (sha256, size)
      select sha256((${prefix} || n)::bytea), 1 from generate_series(1, ${MANY}::int) n returning sha256
    ), made as (
      insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at,
        local_taken_at, file_modified_at)
      select ${me.id}, 'IMAGE', sha256, substring(sha256 for 20),
        ${prefix} || case when ${isRare} and n % ${EVERY} = 0 then 'rare_' else '' end || n || '.jpg', n % 7,
        ${end.toISOString()}::timestamptz - n / 3 * interval '1 hour',
        ${end.toISOString()}::timestamp - n / 3 * interval '1 hour', now()
      from (select sha256, (row_number() over ())::int as n from file) numbered
      returning id, file_name
    )
    insert into asset_exif (asset_id, description)
    select id, case when file_name like '%rare%' then 'A 100% rare day' else 'A day' end from made
    where file_name ~ 'rare|0\\.jpg'`;
}

type Page = { items: { id: string }[]; nextPage: string | null; nextCursor: string | null };

const search = async (body: object): Promise<Page> =>
  (await call(app, 'POST /search/metadata', { as: me, body })).body.assets;
const ids = ({ items }: Page) => items.map(({ id }) => id);

async function readAll(body: object, by: 'nextPage' | 'nextCursor'): Promise<string[]> {
  const found: string[] = [];
  for (let next = {}; ;) {
    const page = await search({ ...body, ...next });
    found.push(...ids(page));
    if (page[by] === null) return found;
    next = by === 'nextPage' ? { page: Number(page.nextPage) } : { cursor: page.nextCursor };
  }
}

const ORDERS = [
  { field: 'fileCreatedAt', direction: 'desc' },
  { field: 'fileSizeInBytes', direction: 'desc' },
  { field: 'localDateTime', direction: 'asc' },
  { field: 'rating', direction: 'desc' },
];

test.each([
  { originalFileName: 'rare' },
  { originalFileName: 'RARE_9' },
  { description: '100% rare' },
  { originalFileName: 'IMG_', description: 'rare' },
])('the pages of %j are those of the general search', async (fields) => {
  const like = Object.entries(fields).map(([name, part]) => [name, { like: part }]);
  const general = { filter: { or: [Object.fromEntries(like)] }, size: 1000 };
  for (const orderBy of sample(JSON.stringify(fields), ORDERS, 2)) {
    const all = ids(await search({ ...general, orderBy }));
    expect(all.length).toBeGreaterThan(5);
    expect(all.length).toBeLessThan(MANY / EVERY);
    for (const by of ['nextPage', 'nextCursor'] as const) {
      expect(await readAll({ ...fields, orderBy, size: 30 }, by)).toEqual(all);
    }
  }
});

test.each(['img_', 'pxl_'])(
  'more items with %s than are sorted at once are found in order, too, old or new',
  async (part) => {
    const general = { filter: { or: [{ originalFileName: { like: part } }] } };
    const found: string[] = [];
    for (const page of [1, 2]) {
      const items = ids(await search({ originalFileName: part, size: 50, page }));
      expect(items).toEqual(ids(await search({ ...general, size: 50, page })));
      found.push(...items);
    }
    expect(new Set(found).size).toBe(100);
    const all = await readAll({ originalFileName: part, size: 1000 }, 'nextCursor');
    expect(new Set(all).size).toBe(MANY);
  },
);
