import { expect, test } from 'bun:test';
import { useDatabase } from '../../../../test/support/database.ts';
import { seed } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { until } from '../../../../test/support/until.ts';
import { openDatabase } from '../../../db/client.ts';
import { handleStoreSummaries } from './counts.handlers.ts';
import {
  getSummaries,
  type MonthSummary,
  storeStale,
  type SummaryReader,
} from './month-summaries.ts';
import { storeMonths } from './month-summaries.store.ts';

const database = await useDatabase();

/** Counts by owner and month, and notes which months it was asked for. */
function countingSummary() {
  const asked: (readonly string[] | undefined)[] = [];
  const summary: MonthSummary = {
    kind: crypto.randomUUID(),
    format: 1,
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

const countTotal = async (
  summary: MonthSummary,
  ownerId: string,
  reader: SummaryReader = database.deps,
) => {
  const summaries = await getSummaries(reader, summary, [ownerId]);
  return summaries.get(ownerId)!.reduce((sum, { count }) => sum + count, 0);
};

/** Reads as a process that has just started: with a memory of its own. */
async function withNewProcess<T>(read: (reader: SummaryReader) => Promise<T>): Promise<T> {
  const own = openDatabase(database.deps.settings.databaseUrl!, { max: 2 });
  try {
    return await read({ ...database.deps, ...own });
  } finally {
    await own.close();
  }
}

const listStoredMonths = async (ownerId: string, { kind, format }: MonthSummary) => {
  const rows = await database.sql`select month::text from month_summary
    where owner_id = ${ownerId} and kind = ${kind} and format = ${format} order by month`;
  return rows.map((row) => row['month'] as string);
};

/** Summaries are stored after the answer. */
const waitUntilStored = (ownerId: string, summary: MonthSummary, months: number) =>
  until(async () => (await listStoredMonths(ownerId, summary)).length === months);

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
    insert into document (asset_id, model_id, folded, fills_picture)
    values (${id}, 'reader', 'receipt', true)`,
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
  const summaries = await getSummaries(database.deps, summary, [ann.id, ben.id]);
  expect(summaries.get(ann.id)).toMatchObject([{ parts: [ann.id], count: 1 }]);
  expect(summaries.get(ben.id)).toEqual([]);
  await database.sql`delete from asset where owner_id = ${ann.id}`;
  await database.sql`delete from asset_count where owner_id = ${ann.id}`;
  expect(await countTotal(summary, ann.id)).toBe(0);
});

test('a process that has just started counts only the months that changed since they were stored', async () => {
  const { id: ownerId } = await seed(database).user();
  for (let month = 0; month < 12; month++) await addAsset(ownerId, month);
  const { asked, summary } = countingSummary();
  expect(await countTotal(summary, ownerId)).toBe(12);
  await waitUntilStored(ownerId, summary, 12);

  expect(await withNewProcess((reader) => countTotal(summary, ownerId, reader))).toBe(12);
  await addAsset(ownerId, 3);
  expect(await countTotal(summary, ownerId)).toBe(13);
  await database.sql`delete from asset where owner_id = ${ownerId} and local_month = '2020-06-01'`;
  await withNewProcess(async (reader) => {
    expect(await countTotal(summary, ownerId, reader)).toBe(12);
    expect(await countTotal(summary, ownerId, reader)).toBe(12);
  });
  const months = asked.map((of) => of && new Set(of));
  const changed = ['2020-04-01', '2020-06-01'];
  expect(months).toEqual([undefined, new Set(['2020-04-01']), new Set(changed)]);
  // The last one stored what it had counted.
  expect(await withNewProcess((reader) => countTotal(summary, ownerId, reader))).toBe(12);
  expect(asked).toHaveLength(3);
});

test('stored values are returned as they were counted', async () => {
  const [ann, ben] = [await seed(database).user(), await seed(database).user()];
  const example = await addAsset(ann.id, 1);
  const values = [
    { parts: ['a "quoted", {braced} \\ value', null, '', 'null', 'Žďár\n🌍'], count: 3, example },
    { parts: [], count: 2_000_000_000, example: null },
  ];
  const summary: MonthSummary = {
    kind: crypto.randomUUID(),
    format: 1,
    count: (_, ownerId) =>
      Promise.resolve(
        ownerId === ann.id ? values.map((value) => ({ ...value, month: '2020-02-01' })) : [],
      ),
  };
  await getSummaries(database.deps, summary, [ann.id, ben.id]);
  await waitUntilStored(ann.id, summary, 1);
  const read = await withNewProcess((reader) =>
    getSummaries(reader, { ...summary, count: () => Promise.reject(new Error('counted')) }, [
      ben.id,
      ann.id,
    ]),
  );
  expect(read.get(ann.id)).toEqual(values);
  expect(read.get(ben.id)).toEqual([]);
});

test('values of another format are counted again and replaced', async () => {
  const { id: ownerId } = await seed(database).user();
  await addAsset(ownerId, 1);
  const { asked, summary } = countingSummary();
  const next = { ...summary, format: 2 };
  await countTotal(summary, ownerId);
  await waitUntilStored(ownerId, summary, 1);
  await withNewProcess((reader) => countTotal(next, ownerId, reader));
  expect(asked).toEqual([undefined, undefined]);
  await waitUntilStored(ownerId, next, 1);
  expect(await listStoredMonths(ownerId, summary)).toEqual([]);
});

test('nothing is stored for an account that has been removed', async () => {
  const { id: ownerId } = await seed(database).user();
  const { summary } = countingSummary();
  const months = [{ month: '2020-02-01', version: '1', content: '{}' }];
  await storeMonths(database.sql, { ...summary, ownerId }, months);
  expect(await listStoredMonths(ownerId, summary)).toEqual(['2020-02-01']);
  await database.sql`delete from app_user where id = ${ownerId}`;
  expect(await listStoredMonths(ownerId, summary)).toEqual([]);
  await storeMonths(database.sql, { ...summary, ownerId }, months);
  expect(await listStoredMonths(ownerId, summary)).toEqual([]);
});

test('stale months are counted by a job, and a process that has just started counts none', async () => {
  const [ann, ben] = [await seed(database).user(), await seed(database).user()];
  for (let month = 0; month < 12; month++) await addAsset(ann.id, month);
  await addAsset(ben.id, 3);
  const { asked, summary } = countingSummary();
  const store = async () => {
    for await (const _ of storeStale(database.deps, summary));
  };
  await store();
  expect(await listStoredMonths(ann.id, summary)).toHaveLength(12);
  asked.length = 0;
  const countNew = (ownerId: string) =>
    withNewProcess((reader) => countTotal(summary, ownerId, reader));
  expect(await countNew(ann.id)).toBe(12);
  expect(await countNew(ben.id)).toBe(1);
  expect(asked).toEqual([]);

  await addAsset(ann.id, 5);
  await database.sql`update asset set trashed_at = now() where owner_id = ${ben.id}`;
  await store();
  expect(new Set(asked.flat())).toEqual(new Set(['2020-04-01', '2020-06-01']));
  asked.length = 0;
  expect(await countNew(ann.id)).toBe(13);
  expect(await countNew(ben.id)).toBe(0);
  await store();
  expect(asked).toEqual([]);
});

test('the job stores what explore, facets, folders and the heatmap are read from', async () => {
  const { id: ownerId } = await seed(database).user();
  await addAsset(ownerId, 1);
  await handleStoreSummaries(jobCtx(database), {});
  const rows = await database.sql`
    select kind from month_summary where owner_id = ${ownerId} order by kind`;
  expect(rows.map((row) => row['kind'])).toEqual(['days', 'exif', 'folders', 'labels']);
});
