import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  call,
  NOW,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import type { App } from '../../../app.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { computeRate, toFullAt, toMonths, toWindows, withBeginning } from './forecast.domain.ts';
import { handleRecordLibrarySize } from '../handlers.ts';

const DAY_MS = 86_400_000;
const toDay = (ago: number) => new Date(NOW.getTime() - ago * DAY_MS).toISOString().slice(0, 10);
/** Recorded sizes by how many days ago that was, oldest first. */
const toSizes = (...sizes: [ago: number, bytes: number][]) =>
  sizes.map(([ago, bytes]) => ({ day: toDay(ago), bytes }));

describe('the rate of growth', () => {
  test('is not known in the first four weeks, nor without records', () => {
    expect(toWindows([], NOW)).toEqual([]);
    expect(toWindows(toSizes([20, 5], [0, 50]), NOW)).toEqual([]);
    expect(toWindows(toSizes([29, 5], [0, 50]), NOW)).toEqual([45]);
  });

  test('is told by 30 days, at most twelve of them, also where days are missing', () => {
    expect(toWindows(toSizes([75, 1], [61, 2], [40, 10], [20, 100]), NOW)).toEqual([90, 8]);
    const sizes = toSizes(
      ...Array.from({ length: 400 }, (_, at): [number, number] => [400 - at, at]),
    );
    expect(toWindows(sizes, NOW).slice(0, 3)).toEqual([29, 30, 30]);
    expect(toWindows(sizes, NOW).length).toBe(12);
  });

  test('is negative where more is deleted than added', () => {
    expect(toWindows(toSizes([31, 100], [0, 40]), NOW)).toEqual([-60]);
  });

  test('is the mean, without the month of an import once there are others', () => {
    expect(computeRate([10, 30])).toBe(20);
    expect(computeRate([10, 10, 10, 9_000])).toBe(10);
    expect(computeRate([0, 0, 0, 0])).toBe(0);
  });
});

describe('the growth of a month', () => {
  const now = new Date('2024-07-15T12:00:00Z');
  const read = (firstDay: string) =>
    toMonths(withBeginning([{ day: '2024-06-10', bytes: 70 }], firstDay), now)
      .slice(-3)
      .map(({ bytes }) => bytes);

  test('is not known before the first record', () => {
    expect(toMonths([], now).map(({ bytes }) => bytes)).toEqual(Array(12).fill(null));
    expect(read('2023-01-01')).toEqual([null, 0, 0]);
  });

  test('has all that came on the first day of a library', () => {
    expect(read('2024-06-10')).toEqual([null, 70, 0]);
    expect(read('2024-06-09')).toEqual([null, 70, 0]);
  });
});

test('the disk is full after its free bytes at that rate; never without growth', () => {
  expect(toFullAt(300, 100, NOW)).toBe(new Date(NOW.getTime() + 90 * DAY_MS).toISOString());
  for (const rate of [0, -5, null]) expect(toFullAt(300, rate, NOW)).toBeNull();
  expect(toFullAt(1e15, 1, NOW)).toBeNull();
  expect(toFullAt(0, null, NOW)).toBe(NOW.toISOString());
});

describe('the operation', () => {
  let database: TestDatabase;
  let app: App;
  let admin: TestUser;
  beforeAll(async () => {
    database = await testDatabase();
    app = testApp(database);
    admin = await seed(database).user(['all'], { isAdmin: true });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.sql`delete from library_size`;
  });

  const read = (as: TestUser = admin) => call(app, 'GET /admin/storage-forecast', { as });
  const record = async (...sizes: [ago: number, bytes: number][]) => {
    await database.sql`insert into library_size ${database.sql(toSizes(...sizes))}`;
  };

  test('tells by how much the library grew in each month, and when the disk is full', async () => {
    await record([70, 1e12], [45, 3e12], [0, 5e12]);
    const { status, body } = await read();
    expect(status).toBe(200);
    expect(body.months.length).toBe(12);
    expect(body.months.at(-1).month).toBe(`${NOW.toISOString().slice(0, 7)}-01`);
    const growth = body.months.map(({ bytes }: { bytes: number }) => bytes);
    expect(growth.reduce((sum: number, bytes: number) => sum + bytes)).toBe(4e12);
    expect(body.monthlyBytes).toBe(2e12);
    expect(Date.parse(body.fullAt)).toBeGreaterThan(NOW.getTime());
  });

  test('does not guess for a library that is young, or shrinks', async () => {
    expect((await read()).body).toMatchObject({ monthlyBytes: null, fullAt: null });
    await record([5, 100], [0, 5e12]);
    expect((await read()).body).toMatchObject({ monthlyBytes: null, fullAt: null });
    await record([35, 6e12]);
    expect((await read()).body).toMatchObject({ monthlyBytes: -1e12, fullAt: null });
  });

  test('reads what a job wrote down: all originals and derived files, once a day', async () => {
    const id = await seed(database).asset({ ownerId: admin.id });
    await database.sql`update original set size = 500`;
    await database.sql`
      insert into asset_file (asset_id, kind, name, mime_type, size, tag)
      values (${id}, 'preview', 'a', 'image/jpeg', 70, 'x')`;
    for (let run = 0; run < 2; run += 1) {
      const commit = await handleRecordLibrarySize(jobCtx(database), {});
      await inTransaction(database.deps, ({ db }) => commit!(db));
    }
    expect([...(await database.sql`select day::text, bytes::int from library_size`)]).toEqual([
      { day: toDay(0), bytes: 570 },
    ]);
  });

  test('is for administrators, and tells nothing of accounts', async () => {
    expect((await read(await seed(database).user())).status).toBe(403);
    const weak = await seed(database).user(['server.about'], { isAdmin: true });
    expect((await read(weak)).status).toBe(403);
    expect((await call(app, 'GET /admin/storage-forecast')).status).toBe(401);
    expect(Object.keys((await read()).body).sort()).toEqual([
      'availableBytes',
      'fullAt',
      'monthlyBytes',
      'months',
    ]);
  });
});
