import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import { call, seed } from '../../../test/support/harness.ts';
import { addStack, unlock } from '../../../test/support/household.ts';
import { assets } from '../../db/tables/assets.ts';

const { database, app } = await useApp();

const MONTH = '2026-01-01';

test('a stack is one item, with the number of its visible members', async () => {
  const me = await seed(database).user();
  const top = await seed(database).asset({ ownerId: me.id });
  const stackId = await addStack(database, me.id, top);
  const child = { ownerId: me.id, stackId, isStackChild: true };
  const childId = await seed(database).asset(child);
  await seed(database).asset({ ...child, lockedAt: new Date() });
  await seed(database).asset({ ...child, trashedAt: new Date() });
  const read = async () =>
    (await call(app, `GET /timeline/bucket?timeBucket=${MONTH}&withStacked=true`, { as: me })).body;
  expect(await read()).toMatchObject({ id: [top], stack: [[stackId, '2']] });
  await database.db.update(assets).set({ trashedAt: new Date() }).where(eq(assets.id, childId));
  expect(await read()).toMatchObject({ id: [top], stack: [null] });
});

test('trashing or archiving the representative of a stack shows the next member until it returns', async () => {
  const me = await seed(database).user();
  const ids = await Promise.all(
    [1, 2, 3].map((day) => {
      const takenAt = new Date(Date.UTC(2026, 0, day));
      return seed(database).asset({ ownerId: me.id, takenAt });
    }),
  );
  const stack = { assetIds: ids.toReversed() };
  const made = (await call(app, 'POST /stacks', { as: me, body: stack })).body;
  const read = async (query: string) =>
    (
      await call(app, `GET /timeline/bucket?timeBucket=${MONTH}&withStacked=true&${query}`, {
        as: me,
      })
    ).body;
  const whole = { id: [ids[2]!], stack: [[made.id, '3']] };
  expect(await read('visibility=timeline')).toMatchObject(whole);
  for (const [column, away, query] of [
    ['trashed_at', 'now()', 'isTrashed=true'],
    ['visibility', "'archive'", 'visibility=archive'],
  ]) {
    const set = (value: string) =>
      database.sql.unsafe(`update asset set ${column} = ${value} where id = $1`, [ids[2]!]);
    await set(away!);
    expect(await read('visibility=timeline')).toMatchObject({
      id: [ids[0]!],
      stack: [[made.id, '2']],
    });
    expect(await read(query!)).toMatchObject({ id: [ids[2]!], stack: [null] });
    await set(column === 'visibility' ? "'timeline'" : 'null');
    expect(await read('visibility=timeline')).toMatchObject(whole);
    expect(await read(query!)).toMatchObject({ id: [] });
  }
});

test('a filtered listing shows stack members that match although their representative does not', async () => {
  const me = await seed(database).user();
  const ids = [
    await seed(database).asset({ ownerId: me.id }),
    await seed(database).asset({ ownerId: me.id, isFavorite: true }),
  ];
  await call(app, 'POST /stacks', { as: me, body: { assetIds: ids } });
  const albumBody = { albumName: 'a', assetIds: [ids[1]] };
  const album = (await call(app, 'POST /albums', { as: me, body: albumBody })).body;
  for (const query of ['isFavorite=true&visibility=timeline', `albumId=${album.id}`]) {
    const path = `GET /timeline/bucket?timeBucket=${MONTH}&withStacked=true&${query}` as const;
    expect((await call(app, path, { as: me })).body.id).toEqual([ids[1]]);
    const buckets = await call(app, `GET /timeline/buckets?withStacked=true&${query}`, { as: me });
    expect(buckets.body).toEqual([{ timeBucket: MONTH, count: 1 }]);
  }
});

test('a locked stack is one item in the Locked timeline', async () => {
  const me = await seed(database).user();
  const ids = [
    await seed(database).asset({ ownerId: me.id }),
    await seed(database).asset({ ownerId: me.id, visibility: 'archive' }),
  ];
  const made = (await call(app, 'POST /stacks', { as: me, body: { assetIds: ids } })).body;
  await database.sql`update asset set locked_at = now() where stack_id = ${made.id}`;
  await unlock(database, me);
  const query = 'visibility=locked&withStacked=true';
  const read = (query: string) =>
    call(app, `GET /timeline/bucket?timeBucket=${MONTH}&${query}`, { session: me });
  expect((await read(query)).body).toMatchObject({ id: [ids[0]], stack: [[made.id, '2']] });
  const buckets = await call(app, `GET /timeline/buckets?${query}`, { session: me });
  expect(buckets.body).toEqual([{ timeBucket: MONTH, count: 1 }]);
  expect((await read('visibility=timeline')).body.id).toEqual([]);
});

test('a stack counts a member that changes in another month', async () => {
  const me = await seed(database).user();
  const takenAt = (date: string) => ({ ownerId: me.id, takenAt: new Date(date) });
  const top = await seed(database).asset(takenAt('2026-01-03T00:00:00Z'));
  const later = await Promise.all(
    [10, 11].map((day) => seed(database).asset(takenAt(`2026-02-${day}T00:00:00Z`))),
  );
  const made = await call(app, 'POST /stacks', { as: me, body: { assetIds: [top, ...later] } });
  const route = `GET /timeline/bucket?timeBucket=${MONTH}&withStacked=true` as const;
  const read = async () => (await call(app, route, { as: me })).body.stack;
  const showStack = (size: string) => [[made.body.id, size]];
  expect(await read()).toEqual(showStack('3'));
  await call(app, 'DELETE /assets', { as: me, body: { ids: [later[0]] } });
  expect(await read()).toEqual(showStack('2'));
  await call(app, 'POST /trash/restore/assets', { as: me, body: { ids: [later[0]] } });
  expect(await read()).toEqual(showStack('3'));
  await call(app, 'DELETE /assets', { as: me, body: { ids: [later[0]], force: true } });
  expect(await read()).toEqual(showStack('2'));
});

test('a filtered month names stacks only when asked', async () => {
  const me = await seed(database).user();
  await seed(database).asset({ ownerId: me.id, isFavorite: true });
  const route = `GET /timeline/bucket?timeBucket=${MONTH}&isFavorite=true` as const;
  expect((await call(app, route, { as: me })).body).not.toHaveProperty('stack');
  const stacked = await call(app, `${route}&withStacked=true`, { as: me });
  expect(stacked.body).toMatchObject({ stack: [null] });
});
