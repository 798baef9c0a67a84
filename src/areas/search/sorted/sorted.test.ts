import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { indexTexts } from '../../../../test/support/text-index.ts';
import { partners } from '../../../db/tables/identity.ts';

const { database, app } = await useApp();
let me: TestUser;
let ids: Record<'old' | 'middle' | 'young' | 'partners', string>;

beforeAll(async () => {
  me = await seed(database).user();
  const [partner, stranger] = [await seed(database).user(), await seed(database).user()];
  const asset = (day: string, added: string, over: object = {}) =>
    seed(database).asset({
      ownerId: me.id,
      takenAt: new Date(`${day}T12:00:00Z`),
      createdAt: new Date(`${added}T12:00:00Z`),
      exif: { description: 'harbour' },
      ...over,
    });
  ids = {
    old: await asset('2020-01-01', '2024-03-01'),
    middle: await asset('2021-01-01', '2024-01-01'),
    young: await asset('2022-01-01', '2024-02-01'),
    partners: await asset('2021-06-01', '2024-01-15', { ownerId: partner.id }),
  };
  await database.db
    .insert(partners)
    .values({ sharerId: partner.id, viewerId: me.id, inTimeline: true });
  for (const over of [
    { ownerId: stranger.id },
    { lockedAt: new Date() },
    { trashedAt: new Date() },
    { visibility: 'archive' },
    { visibility: 'hidden' },
  ])
    await asset('2021-01-01', '2024-01-02', over);
  await indexTexts(database);
});

/** Returns the names of all results, read in pages of `size`. */
async function list(body: object, size = 2): Promise<string[]> {
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const found: string[] = [];
  let cursor: string | null | undefined;
  do {
    const asked = { ...body, size, ...(cursor && { cursor }) };
    const { status, body: page } = await call(app, 'POST /search/sorted', { as: me, body: asked });
    expect(status).toBe(200);
    expect(page.assets.items.length).toBeLessThanOrEqual(size);
    for (const { id } of page.assets.items) found.push(names.get(id) ?? 'another');
    cursor = page.assets.nextCursor;
  } while (cursor);
  return found;
}

const NEWEST = ['young', 'partners', 'middle', 'old'];
const ADDED = ['old', 'young', 'partners', 'middle'];

test('results of the own Timeline and those of partners are listed by time, page by page', async () => {
  for (const size of [1, 2, 100]) {
    expect(await list({}, size)).toEqual(NEWEST);
    expect(await list({ sort: 'oldest' }, size)).toEqual(NEWEST.toReversed());
    expect(await list({ sort: 'recentlyAdded' }, size)).toEqual(ADDED);
  }
});

test('results of a text are, too', async () => {
  expect(await list({ query: 'harbour' })).toEqual(NEWEST);
  expect(await list({ query: 'harbour', sort: 'oldest' })).toEqual(NEWEST.toReversed());
  expect(await list({ query: 'harbour', sort: 'recentlyAdded' })).toEqual(ADDED);
  expect(await list({ query: 'zzzzqq', sort: 'oldest' })).toEqual([]);
});

test('a filter keeps its effect', async () => {
  const filter = { takenAt: { gte: '2021-01-01T00:00:00.000', lte: '2021-12-31T23:59:59.999' } };
  expect(await list({ filter, sort: 'recentlyAdded' })).toEqual(['partners', 'middle']);
});

test('bad orders and callers without the permission are refused', async () => {
  const status = async (body: object, as?: TestUser) =>
    (await call(app, 'POST /search/sorted', { body, ...(as && { as }) })).status;
  expect(await status({ sort: 'best' }, me)).toBe(400);
  expect(await status({ cursor: 'x' }, me)).toBe(400);
  expect(await status({ size: 0 }, me)).toBe(400);
  expect(await status({ visibility: 'locked' }, me)).toBe(401);
  expect(await status({}, await seed(database).user(['album.read']))).toBe(403);
  expect(await status({})).toBe(401);
});
