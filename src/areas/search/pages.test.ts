import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { partners } from '../../db/tables/identity.ts';

const { database, app } = await useApp();

const search = (body: object, caller: Caller, query = '') =>
  call(app, `POST /search/metadata${query}`, { ...caller, body });

describe('pages', () => {
  /** Reads page after page and gives all ids in order; `between` runs after each page. */
  async function readAll(
    as: TestUser,
    body: object,
    by: 'page' | 'cursor',
    between: () => Promise<unknown> = async () => {},
  ): Promise<string[]> {
    const ids: string[] = [];
    let next: object = {};
    for (;;) {
      const { assets } = (await search({ ...body, ...next }, { as })).body;
      ids.push(...assets.items.map((item: { id: string }) => item.id));
      if (by === 'page' ? !assets.nextPage : !assets.nextCursor) return ids;
      next = by === 'page' ? { page: Number(assets.nextPage) } : { cursor: assets.nextCursor };
      await between();
    }
  }

  let me: TestUser;
  let ids: string[];
  beforeAll(async () => {
    me = await seed(database).user();
    await seed(database).asset({ ownerId: me.id });
    const rows = await database.sql<{ id: string }[]>`
      with file as (
        insert into original (sha256, size)
        select sha256(i::text::bytea), 1 from generate_series(1, 999) i returning sha256
      )
      insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at,
        local_taken_at, file_modified_at)
      select ${me.id}, 'IMAGE', sha256, substring(sha256 for 20), 'a.jpg', 1, ${NOW.toISOString()},
        ${NOW.toISOString().slice(0, -1)}, now()
      from file returning id`;
    expect(rows).toHaveLength(999);
    ids = (
      await database.sql<{ id: string }[]>`
      select id from asset where owner_id = ${me.id}`
    ).map((row) => row.id);
  });

  for (const by of ['page', 'cursor'] as const) {
    for (const body of [
      { size: 100 },
      { size: 100, order: 'asc' },
      { size: 333, orderBy: { field: 'rating' } },
      { size: 500, orderBy: { field: 'fileSizeInBytes', direction: 'asc' } },
      { orderBy: { field: 'localDateTime' } },
    ]) {
      test(`by ${by}, ${JSON.stringify(body)}: each of 1,000 items of one instant once`, async () => {
        const seen = await readAll(me, body, by);
        expect(seen.toSorted()).toEqual(ids.toSorted());
      });
    }

    test(`by ${by}: no item is lost or repeated while others are added`, async () => {
      let added = 0;
      const seen = await readAll(me, { size: 90 }, by, async () => {
        // Newer than all, and so on a page that was read already.
        const takenAt = new Date(NOW.getTime() + ++added * 1000);
        await seed(database).asset({ ownerId: me.id, takenAt });
      });
      expect(new Set(seen).size).toBe(seen.length);
      expect(ids.filter((id) => !seen.includes(id))).toEqual([]);
      await database.sql`delete from asset where owner_id = ${me.id} and taken_at > ${NOW.toISOString()}`;
    });
  }

  test('pages can be read in any order and repeatedly', async () => {
    const all = await readAll(me, { size: 100 }, 'cursor');
    for (const page of [7, 3, 3, 10, 1, 8, 2]) {
      const { assets } = (await search({ size: 100, page }, { as: me })).body;
      const from = (page - 1) * 100;
      expect(assets.items.map((item: { id: string }) => item.id)).toEqual(
        all.slice(from, from + 100),
      );
      expect(assets.nextPage).toBe(page === 10 ? null : String(page + 1));
    }
    const beyond = (await search({ size: 100, page: 12 }, { as: me })).body.assets;
    expect(beyond).toMatchObject({ items: [], nextPage: null, nextCursor: null });
  });

  test.each([
    {},
    { order: 'asc' },
    { orderBy: { field: 'rating' } },
    { orderBy: { field: 'fileSizeInBytes', direction: 'asc' } },
    { withExif: true, orderBy: { field: 'localDateTime' } },
  ])('a page is the same whether those before it were read or not, %j', async (body) => {
    const size = 70;
    const all = await readAll(me, { ...body, size }, 'cursor');
    const { assets } = (await search({ ...body, size, page: 9 }, { as: me })).body;
    expect(assets.items.map((item: { id: string }) => item.id)).toEqual(
      all.slice(8 * size, 9 * size),
    );
  });

  test("a partner's items are merged in one order", async () => {
    const other = await seed(database).user();
    const day = (n: number) => new Date(Date.UTC(2020, 0, n));
    const mine = await seed(database).asset({ ownerId: other.id, takenAt: day(2) });
    const theirs = await seed(database).user();
    const [newer, older] = [
      await seed(database).asset({ ownerId: theirs.id, takenAt: day(3) }),
      await seed(database).asset({ ownerId: theirs.id, takenAt: day(1) }),
    ];
    await seed(database).asset({ ownerId: theirs.id, takenAt: day(4), lockedAt: NOW });
    await database.db
      .insert(partners)
      .values({ sharerId: theirs.id, viewerId: other.id, inTimeline: true });
    for (const by of ['page', 'cursor'] as const) {
      expect(await readAll(other, { size: 1 }, by)).toEqual([newer, mine, older]);
    }
  });

  test('an invalid cursor → 400', async () => {
    for (const cursor of ['x', Buffer.from('drop table asset').toString('base64url')]) {
      expect((await search({ cursor }, { as: me })).status).toBe(400);
    }
  });
});
