import { afterAll, beforeAll, expect, test } from 'bun:test';
import { seed, type TestDatabase, testDatabase } from '../../../../test/support/harness.ts';
import { getSummaries, type MonthSummary } from './month-summaries.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** Counts by owner and month, and notes which months it was asked for. */
function countingSummary() {
  const asked: (readonly string[] | undefined)[] = [];
  const summary: MonthSummary = {
    kind: crypto.randomUUID(),
    async count(_, ownerId, months) {
      asked.push(months);
      const rows = await database.sql`
        select local_month::text as month, count(*)::int as count from asset
        where owner_id = ${ownerId} and trashed_at is null group by 1`;
      return rows
        .filter((row) => !months || months.includes(row['month']))
        .map((row) => ({
          month: row['month'],
          parts: [ownerId],
          count: row['count'],
          example: null,
        }));
    },
  };
  return { asked, summary };
}

const addAsset = (ownerId: string, month: number) =>
  seed(database).asset({ ownerId, takenAt: new Date(Date.UTC(2020, month, 5)) });

const countTotal = async (summary: MonthSummary, ownerId: string) => {
  const summaries = await getSummaries(database, summary, [ownerId]);
  return summaries.get(ownerId)!.reduce((sum, { count }) => sum + count, 0);
};

test('a month is recounted only after something in it has changed', async () => {
  const { id: ownerId } = await seed(database).user();
  const ids: string[] = [];
  for (let month = 0; month < 5; month++) ids.push(await addAsset(ownerId, month));
  const { asked, summary } = countingSummary();
  expect(await countTotal(summary, ownerId)).toBe(5);
  expect(await countTotal(summary, ownerId)).toBe(5);
  expect(asked).toEqual([undefined]);

  await database.sql`update asset set trashed_at = now() where id = ${ids[2]!}`;
  expect(await countTotal(summary, ownerId)).toBe(4);
  await addAsset(ownerId, 7);
  expect(await countTotal(summary, ownerId)).toBe(5);
  expect(asked.slice(1)).toEqual([['2020-03-01'], ['2020-08-01']]);
});

test.each(
  Object.entries({
    'a tag': (id: string) => database.sql`
    with made as (insert into tag (owner_id, value) select owner_id, 't' from asset where id = ${id}
      returning id)
    insert into tag_asset (tag_id, asset_id) select made.id, ${id} from made`,
    'a person': (id: string) => database.sql`
    with made as (insert into person (owner_id) select owner_id from asset where id = ${id}
      returning id, owner_id)
    insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height,
      source, source_revision)
    select made.owner_id, ${id}, made.id, 0.1, 0.1, 0.2, 0.2, 9, 9, 'manual', '' from made`,
    'an album': (id: string) => database.sql`
    with made as (insert into album (owner_id, name) select owner_id, 'a' from asset
      where id = ${id} returning id)
    insert into album_asset (album_id, asset_id) select made.id, ${id} from made`,
    text: (id: string) => database.sql`
    insert into document (asset_id, model_id, folded) values (${id}, 'reader', 'receipt')`,
    'a place': (id: string) =>
      database.sql`update asset_exif set city = 'Rome' where asset_id = ${id}`,
    'a position': (id: string) =>
      database.sql`update asset_exif set latitude = 1, longitude = 2 where asset_id = ${id}`,
  }),
)('a month is recounted after one of its assets got %s', async (_, change) => {
  const { id: ownerId } = await seed(database).user();
  const [id] = [await addAsset(ownerId, 1), await addAsset(ownerId, 2), await addAsset(ownerId, 3)];
  const { asked, summary } = countingSummary();
  await countTotal(summary, ownerId);
  await change(id);
  await countTotal(summary, ownerId);
  expect(asked).toEqual([undefined, ['2020-02-01']]);
});

test('summaries of an account are not visible to others and are deleted with its assets', async () => {
  const [ann, ben] = [await seed(database).user(), await seed(database).user()];
  await addAsset(ann.id, 1);
  const { summary } = countingSummary();
  const summaries = await getSummaries(database, summary, [ann.id, ben.id]);
  expect(summaries.get(ann.id)).toMatchObject([{ parts: [ann.id], count: 1 }]);
  expect(summaries.get(ben.id)).toEqual([]);
  await database.sql`delete from asset where owner_id = ${ann.id}`;
  await database.sql`delete from asset_count where owner_id = ${ann.id}`;
  expect(await countTotal(summary, ann.id)).toBe(0);
});
