import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { addStack, STATES, unlock } from '../../../test/support/household.ts';

const { database, app } = await useApp();
let alice: TestUser;
beforeAll(async () => {
  alice = await seed(database).user();
});

const heatmap = (query: string, user: TestUser = alice) =>
  call(app, `GET /users/me/calendar-heatmap?${query}`, { session: user });

const addOn = (ownerId: string, day: string, over: object = {}) =>
  seed(database).asset({ ownerId, takenAt: new Date(`${day}T12:00:00Z`), ...over });

describe('GET /heatmap', () => {
  test('returns of a chosen range only days with items, in order, including both ends of the range', async () => {
    const me = await seed(database).user();
    for (const day of ['2024-02-29', '2024-03-01', '2024-03-01', '2024-03-04', '2024-03-05']) {
      await addOn(me.id, day);
    }
    await addOn(alice.id, '2024-03-02');
    expect(await heatmap('type=Taken&from=2024-03-01&to=2024-03-04', me)).toMatchObject({
      status: 200,
      body: {
        from: '2024-03-01',
        to: '2024-03-04',
        series: [
          { date: '2024-03-01', count: 2 },
          { date: '2024-03-04', count: 1 },
        ],
        totalCount: 3,
      },
    });
    expect((await heatmap('type=Taken&from=2024-02-29&to=2024-02-29', me)).body.totalCount).toBe(1);
  });

  test('defaults to uploads in the year that ends today', async () => {
    const me = await seed(database).user();
    const created = ['2025-01-02T23:59:59.999Z', '2025-01-03T00:00:00Z', '2026-01-02T23:59:00Z'];
    for (const createdAt of [...created, '2026-01-03T00:00:00Z']) {
      await addOn(me.id, '2020-05-05', { createdAt: new Date(createdAt) });
    }
    const { series, ...year } = (await heatmap('', me)).body;
    expect(year).toEqual({ from: '2025-01-03', to: '2026-01-02', totalCount: 2 });
    expect(series).toHaveLength(365);
    expect([series[0], series[1], series.at(-1)]).toEqual([
      { date: '2025-01-03', count: 1 },
      { date: '2025-01-04', count: 0 },
      { date: '2026-01-02', count: 1 },
    ]);
    expect((await heatmap('to=2025-01-02', me)).body).toMatchObject({
      from: '2024-01-03',
      series: [{ date: '2025-01-02', count: 1 }],
    });
    expect((await heatmap('from=2026-01-03&to=2026-01-03&type=Upload', me)).body.totalCount).toBe(
      1,
    );
  });

  test('counts captures by local date and uploads by UTC date', async () => {
    const me = await seed(database).user();
    await seed(database).asset({
      ownerId: me.id,
      // New Year's Eve in New York.
      takenAt: new Date('2024-01-01T04:30:00Z'),
      localTakenAt: '2023-12-31T23:30:00',
      createdAt: new Date('2024-01-01T04:30:00Z'),
    });
    const range = 'from=2023-12-01&to=2024-02-01';
    const day = async (type: string) =>
      (await heatmap(`${range}&type=${type}`, me)).body.series[0].date;
    expect(await day('Taken')).toBe('2023-12-31');
    expect(await day('Upload')).toBe('2024-01-01');
  });

  test('ID-005: an invalid date or a range that ends before it starts → 400', async () => {
    for (const query of [
      'from=2024-02-30',
      'to=2023-02-29',
      'from=2024-13-01',
      'from=0000-01-01',
      'from=2024-01-01T00:00:00',
      'from=yesterday',
      'from=2024-01-02&to=2024-01-01',
      'from=2026-01-03',
      'type=taken',
    ]) {
      expect([query, (await heatmap(query)).status]).toEqual([query, 400]);
    }
    const { body } = await heatmap('from=2024-02-30');
    expect(body.errors[0].path).toEqual(['from']);
    expect((await heatmap('from=2024-02-29&to=2024-02-29')).status).toBe(200);
  });
});

test('locked, trashed and hidden items are not counted, also in an unlocked session', async () => {
  const me = await seed(database).user();
  await unlock(database, me);
  const shown = new Set(['plain', 'favorite', 'video', 'archived']);
  const ids = new Map<string, string>();
  for (const [state, values] of Object.entries(STATES)) {
    ids.set(state, await addOn(me.id, '2024-03-01', values));
  }
  const stackId = await addStack(database, me.id, ids.get('plain')!);
  await addOn(me.id, '2024-03-01', { stackId, isStackChild: true });
  const counted = async (type: string) =>
    (await heatmap(`from=2024-01-01&to=2027-01-01&type=${type}`, me)).body.totalCount;
  expect(await counted('Taken')).toBe(shown.size + 1);
  expect(await counted('Upload')).toBe(shown.size + 1);

  const { sql } = database;
  await sql`update asset set trashed_at = now() where id = ${ids.get('plain')!}`;
  expect(await counted('Taken')).toBe(shown.size);
  await sql`update asset set trashed_at = null, local_taken_at = '2023-01-01'
    where id = ${ids.get('plain')!}`;
  expect(await counted('Taken')).toBe(shown.size);
  expect(await counted('Upload')).toBe(shown.size + 1);
});

describe('the calendar of another account', () => {
  const of = (id: string, caller: object) =>
    call(app, `GET /admin/users/${id}/calendar-heatmap?from=2024-01-01&type=Taken`, caller);

  test('is readable by administrators only', async () => {
    const admin = await seed(database).user(['all'], { isAdmin: true });
    const reader = await seed(database).user(['user.read'], { isAdmin: true });
    const me = await seed(database).user();
    await addOn(me.id, '2024-03-01');
    expect(await of(me.id, { as: admin })).toMatchObject({ status: 200, body: { totalCount: 1 } });
    expect((await of(me.id, { session: admin })).body.series).toEqual([
      { date: '2024-03-01', count: 1 },
    ]);
    expect((await of(me.id, { as: reader })).status).toBe(403);
    expect((await of(me.id, { as: me })).status).toBe(403);
    expect((await of(me.id, {})).status).toBe(401);
    expect(await of(crypto.randomUUID(), { as: admin })).toMatchObject({
      status: 400,
      body: { message: 'Not found or no adminUser.read access' },
    });
  });
});

test('returns 401 without an account and 403 without the permission', async () => {
  const narrow = await seed(database).user(['asset.read']);
  const route = 'GET /users/me/calendar-heatmap';
  expect((await call(app, route)).status).toBe(401);
  expect((await call(app, route, { as: narrow })).status).toBe(403);
});
