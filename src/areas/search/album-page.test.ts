import { expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';

const { database, app } = await useApp();

const HOUR_MS = 3_600_000;
const FIRST = Date.UTC(2025, 0, 1);

/** An item every so many hours for four months, of all zones, some of them in the album. */
async function library(me: TestUser) {
  const add = seed(database);
  const members: string[] = [];
  for (let n = 0; n < 120; n++) {
    const takenAt = new Date(FIRST + Math.floor(n / 2) * 48 * HOUR_MS);
    const offset = [-12, 0, 14][n % 3]! * HOUR_MS;
    const archived = n % 11 === 0 ? { visibility: 'archive' as const } : {};
    const state = n % 13 === 0 ? { trashedAt: new Date() } : {};
    const localTakenAt = new Date(takenAt.getTime() + offset).toISOString().slice(0, -1);
    const id = await add.asset({ ownerId: me.id, takenAt, localTakenAt, ...archived, ...state });
    if (n % 4 !== 0) members.push(id);
  }
  return createAlbum(me, members);
}

async function createAlbum(me: TestUser, assetIds: string[]): Promise<string> {
  const body = { albumName: 'All', assetIds };
  return (await call(app, 'POST /albums', { as: me, body })).body.id;
}

type Page = { items: { id: string }[]; nextPage: string | null; nextCursor: string | null };
const ids = ({ items }: Page) => items.map(({ id }) => id);

test('a fast album listing equals the general one in order and pages', async () => {
  const [me, other] = [await seed(database).user(), await seed(database).user()];
  const albumId = await library(me);
  const theirs = await seed(database).asset({ ownerId: other.id, takenAt: new Date(FIRST) });
  await database.sql`insert into album_asset (album_id, asset_id) values (${albumId}, ${theirs})`;
  const search = async (body: object): Promise<Page> =>
    (await call(app, 'POST /search/metadata', { as: me, body })).body.assets;
  const through = { filter: { albumIds: { any: [albumId] } } };
  const all = ids(await search({ ...through, size: 1000 }));
  expect(all.length).toBeGreaterThan(60);
  expect(all).not.toContain(theirs);

  for (const size of [1, 7, 25, 1000]) {
    const byPage: string[] = [];
    const byCursor: string[] = [];
    for (let page: string | null = '1', cursor; page !== null;) {
      const found: Page = await search({ albumIds: [albumId], size, page: Number(page) });
      byPage.push(...ids(found));
      const next: Page = await search({ albumIds: [albumId], size, ...(cursor && { cursor }) });
      byCursor.push(...ids(next));
      [page, cursor] = [found.nextPage, next.nextCursor];
    }
    expect(byPage).toEqual(all);
    expect(byCursor).toEqual(all);
  }
  // Nobody asked for the pages before.
  const far = ids(await search({ albumIds: [albumId.toUpperCase()], size: 9, page: 4 }));
  expect(far).toEqual(all.slice(27, 36));
  const oldest = ids(await search({ albumIds: [albumId], size: 9, order: 'asc' }));
  expect(oldest).toEqual(all.toReversed().slice(0, 9));
});

test('albums of others match nothing', async () => {
  const [me, stranger] = [await seed(database).user(), await seed(database).user()];
  const albumId = await createAlbum(me, [await seed(database).asset({ ownerId: me.id })]);
  const body = { albumIds: [albumId], size: 1 };
  const asked = (as: TestUser) => call(app, 'POST /search/metadata', { as, body });
  expect((await asked(me)).body.assets.items).toHaveLength(1);
  expect((await asked(stranger)).status).toBe(400);
});

test('matches an album only if the caller may see the album', async () => {
  const [owner, partner] = [await seed(database).user(), await seed(database).user()];
  const { sql } = database;
  await sql`insert into partner (sharer_id, viewer_id, in_timeline)
    values (${owner.id}, ${partner.id}, true)`;
  const id = await seed(database).asset({ ownerId: owner.id });
  const body = { albumName: 'collected', assetIds: [id] };
  const made = await call(app, 'POST /albums', { as: partner, body });
  const found = async (as: TestUser, eq: boolean) => {
    const filter = { hasAlbums: { eq } };
    const reply = await call(app, 'POST /search/metadata', { as, body: { filter } });
    return reply.body.assets.items.map((item: { id: string }) => item.id);
  };
  const statistics = async (as: TestUser) =>
    (await call(app, 'GET /albums/statistics', { as })).body;
  // The owner does not learn of the partner's albums.
  expect([await found(owner, true), await found(owner, false)]).toEqual([[], [id]]);
  expect([await found(partner, true), await found(partner, false)]).toEqual([[id], []]);
  expect(await statistics(owner)).toMatchObject({ owned: 0, shared: 0, notShared: 0 });
  expect((await call(app, `GET /albums?assetId=${id}`, { as: owner })).body).toEqual([]);
  const albumUsers = [{ userId: owner.id, role: 'viewer' }];
  await call(app, `PUT /albums/${made.body.id}/users`, { as: partner, body: { albumUsers } });
  expect([await found(owner, true), await found(owner, false)]).toEqual([[id], []]);
  expect(await statistics(owner)).toMatchObject({ owned: 0, shared: 1, notShared: 0 });
});
