import { beforeAll, expect, test } from 'bun:test';
import { useDatabase } from '../../../../test/support/database.ts';
import { createCtx, createSession, NOW, seed } from '../../../../test/support/harness.ts';
import { addManyAssets } from '../../../../test/support/many-assets.ts';
import { searchRandom } from './listings.domain.ts';
import type { RandomSearch } from './listings.schemas.ts';

const database = await useDatabase();
const DRAWS = 40;
const SIZE = 20;
/** Enough that a page is sampled. */
const ASSETS = 1900;

let ctx: ReturnType<typeof createCtx>;
let partnerId: string;

beforeAll(async () => {
  const { sql } = database;
  const accounts = [
    await seed(database).user(),
    await seed(database).user(),
    await seed(database).user(),
  ];
  for (const { id } of accounts) {
    await addManyAssets(database, id, ASSETS);
    await addManyAssets(database, id, 120, { trashedAt: NOW });
    await addManyAssets(database, id, 120, { visibility: 'archive' });
    await addManyAssets(database, id, 120, { visibility: 'hidden' });
  }
  await sql`update asset set locked_at = case when get_byte(sha1, 1) < 10 then now() end,
    is_copy = get_byte(sha1, 2) % 3 = 0, is_favorite = get_byte(sha1, 3) % 2 = 0`;
  await sql`insert into asset_exif (asset_id, make)
    select id, case when get_byte(sha1, 4) % 4 = 0 then 'Leica' else 'Sony' end from asset
    on conflict (asset_id) do update set make = excluded.make`;
  await sql`analyze asset, asset_exif`;
  const [me, partner] = accounts;
  partnerId = partner!.id;
  ctx = createCtx(
    database,
    createSession(me!.id, { sharers: [partnerId], timelineSharers: [partnerId] }),
  );
});

const PLACES = 4;

/** Returns what is drawn, in how many of the draws, by quarters of the checksums. */
async function draw(search: RandomSearch, expected: ReadonlyMap<string, Row>) {
  const quarters = Array.from({ length: PLACES }, () => 0);
  let [copies, partners] = [0, 0];
  for (let n = 0; n < DRAWS; n++) {
    const items = (await searchRandom(ctx, { ...search, size: SIZE })).map(
      (text) => JSON.parse(text) as { id: string },
    );
    expect(new Set(items.map(({ id }) => id)).size).toBe(SIZE);
    for (const { id } of items) {
      const row = expected.get(id);
      if (!row) throw new Error(`${id} does not match`);
      quarters[row.quarter]! += 1;
      copies += Number(row.isCopy);
      partners += Number(row.ownerId === partnerId);
    }
  }
  return { quarters, copies, partners };
}

type Row = { id: string; ownerId: string; isCopy: boolean; quarter: number };

test.each([
  [{}, 'true'],
  [{ visibility: 'timeline' }, `visibility = 'timeline'`],
  [{ withExif: true }, 'true'],
  [{ make: 'Leica' }, `make = 'Leica'`],
  [{ isFavorite: true }, `is_favorite and owner_id = $1`],
] as const)('draws all that match %p alike, and nothing else', async (search, condition) => {
  const userId = ctx.session.kind === 'user' ? ctx.session.userId : '';
  const rows = await database.sql.unsafe<Row[]>(
    `select id, owner_id as "ownerId", is_copy as "isCopy", get_byte(sha1, 0) / 64 as quarter
      from asset join asset_exif on asset_id = id
      where trashed_at is null and locked_at is null
        and (owner_id = $1 and visibility in ('timeline', 'archive')
          or owner_id = $2 and visibility = 'timeline')
        and ${condition}`,
    [userId, partnerId],
  );
  const { quarters, copies, partners } = await draw(
    search,
    new Map(rows.map((row) => [row.id, row])),
  );
  const drawn = DRAWS * SIZE;
  for (const count of quarters) expect(count / drawn).toBeWithin(0.12, 0.38);
  const getShare = (isIt: (row: Row) => boolean) => rows.filter(isIt).length / rows.length;
  const [ofCopies, ofPartner] = [
    getShare(({ isCopy }) => isCopy),
    getShare(({ ownerId }) => ownerId === partnerId),
  ];
  expect(Math.abs(copies / drawn - ofCopies)).toBeLessThan(0.12);
  expect(Math.abs(partners / drawn - ofPartner)).toBeLessThan(0.12);
});
