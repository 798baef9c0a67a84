import { beforeEach, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { useDatabase } from '../../test/support/database.ts';
import { seed } from '../../test/support/harness.ts';
import { column } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';
import { jobs as registry } from '../job-registry.ts';
import { definePeriodicJob } from './define.ts';
import { enqueueDueJobs, type IdleJobs, updateSchedule } from './schedule.ts';

const database = await useDatabase();
const { db } = database;
const HAS_WORK = sql`exists (select from test_work)`;
const always = definePeriodicJob({ name: 'always', attempts: 1, everyMinutes: 1 });
const sometimes = definePeriodicJob({
  name: 'sometimes',
  attempts: 1,
  everyMinutes: 1,
  hasWork: HAS_WORK,
});
const scheduled = [always, sometimes];

beforeEach(async () => {
  await database.sql`truncate job, schedule`;
  await database.sql`create table if not exists test_work (at timestamptz)`;
  await database.sql`truncate test_work`;
  await updateSchedule(db, scheduled, {});
});

const listWaiting = async (): Promise<string[]> =>
  (await database.sql`select name from job order by name`).map((row) => row['name']);
/** Changes with each write of the row. */
const readVersion = async (name: string): Promise<string> =>
  (await database.sql`select xmin::text as version from schedule where name = ${name}`)[0]![
    'version'
  ];
const addWork = () => database.sql`insert into test_work values (now())`;

test('a job without work is not started, and nothing is written', async () => {
  const before = await readVersion('sometimes');
  await enqueueDueJobs(db, scheduled, {}, new Map());
  expect(await listWaiting()).toEqual(['always']);
  expect(await readVersion('sometimes')).toBe(before);
});

test('a job that got work is started once its interval is over, and not before', async () => {
  const idle: IdleJobs = new Map();
  await enqueueDueJobs(db, scheduled, {}, idle);
  await addWork();
  await enqueueDueJobs(db, scheduled, {}, idle);
  expect(await listWaiting()).toEqual(['always']);
  idle.set('sometimes', performance.now() - 1);
  await enqueueDueJobs(db, scheduled, {}, idle);
  expect(await listWaiting()).toEqual(['always', 'sometimes']);
});

test('a job that is not due is not started for its work', async () => {
  await addWork();
  await database.sql`update schedule set next_at = now() + interval '1 minute'`;
  await enqueueDueJobs(db, scheduled, {}, new Map());
  expect(await listWaiting()).toEqual([]);
});

test('a job whose condition fails is started, as are the others', async () => {
  await database.sql`drop table test_work`;
  await enqueueDueJobs(db, scheduled, {}, new Map());
  expect(await listWaiting()).toEqual(['always', 'sometimes']);
});

/** Makes work for the job of that name. */
const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  'albums.foldCounts': () =>
    database.sql`insert into album_count (album_id, owner_id, local_month, assets)
      values (${randomUUID()}, ${randomUUID()}, '2026-01-01', 1)`,
  'assets.foldCounts': () =>
    database.sql`insert into asset_count
      select ${randomUUID()}, '2026-01-01', 'IMAGE', 'timeline', false, false, false, false, 1, 1, n, n
      from generate_series(1, 40) n`,
  'inference.awaitModels': () =>
    database.sql`insert into job_fault (name, lane, error)
      values ('inference.awaitModels', 'none', 'away')`,
  'libraries.planSidecars': async () => {
    const { assetId } = await addAsset();
    await database.sql`insert into sidecar_change (asset_id) values (${assetId})`;
  },
  'map.foldCells': () =>
    database.sql`insert into asset_cell_count (owner_id, level, x, y, timeline, archived)
      select ${randomUUID()}, 1, 1, 1, 1, 0 from generate_series(1, 1001)`,
  'people.cluster': async () => {
    const { ownerId, assetId } = await addAsset();
    await database.sql`
      insert into face (owner_id, asset_id, x1, y1, x2, y2, image_width, image_height,
        source, source_revision)
      values (${ownerId}, ${assetId}, 0, 0, 1, 1, 10, 10, 'manual', 'r')`;
  },
  'people.foldCounts': () =>
    database.sql`insert into person_count values (${randomUUID()}, ${randomUUID()}, 1)`,
  'search.indexText': addAsset,
  'tags.foldCounts': () =>
    database.sql`insert into tag_count values (${randomUUID()}, ${randomUUID()}, 1, 1)`,
};

async function addAsset() {
  const { id: ownerId } = await seed(database).user();
  return { ownerId, assetId: await seed(database).asset({ ownerId }) };
}

const conditional = registry.flatMap(({ name, hasWork }) => (hasWork ? [{ name, hasWork }] : []));

test('all conditions are tried', () => {
  expect(conditional.map(({ name }): string => name).toSorted()).toEqual(
    Object.keys(WORK).toSorted(),
  );
});

test.each(conditional)(
  '$name has no work in an empty library, and then has',
  async ({ name, hasWork }) => {
    const isTrue = async () => {
      const [row] = await queryRows(db, { is: column.boolean }, sql`select ${hasWork} as is`);
      return row!.is;
    };
    await database.sql`truncate asset, asset_text_change, asset_count, asset_cell_count, face, sidecar_change cascade`;
    expect(await isTrue()).toBe(false);
    await WORK[name]!();
    expect(await isTrue()).toBe(true);
  },
);
