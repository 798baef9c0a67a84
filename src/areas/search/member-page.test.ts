import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import {
  call,
  createCtx,
  createSession,
  NOW,
  seed,
  type TestUser,
} from '../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { listPage } from './domain.ts';
import { toMatching } from './match/matching.domain.ts';

const { database, app } = await useApp();

const HOUR_MS = 3_600_000;
const FIRST = Date.UTC(2025, 0, 1);

let me: TestUser;
let sets: { readonly albumIds: string; readonly tagIds: string; readonly personIds: string };
/** An item of another account, in the album. */
let theirs: string;
beforeAll(async () => {
  me = await seed(database).user();
  sets = await library(me);
  const other = await seed(database).user();
  theirs = await seed(database).asset({ ownerId: other.id, takenAt: new Date(FIRST) });
  await database.sql`
    insert into album_asset (album_id, asset_id) values (${sets.albumIds}, ${theirs})`;
});

/** An item every so many hours for four months, of all zones, some of them in an album, with a tag and of a person. */
async function library(me: TestUser) {
  const { sql } = database;
  const add = seed(database);
  const person = await addPerson(database, { ownerId: me.id });
  const [top, below] = (await call(app, 'PUT /tags', { as: me, body: { tags: ['a', 'a/b'] } }))
    .body;
  const members: string[] = [];
  for (let n = 0; n < 120; n++) {
    const takenAt = new Date(FIRST + Math.floor(n / 2) * 48 * HOUR_MS);
    const offset = [-12, 0, 14][n % 3]! * HOUR_MS;
    const archived = n % 11 === 0 ? { visibility: 'archive' as const } : {};
    const state =
      n % 13 === 0 ? { trashedAt: NOW } : n % 17 === 0 ? { visibility: 'hidden' as const } : {};
    const locked = n % 19 === 0 ? { lockedAt: NOW } : {};
    const localTakenAt = new Date(takenAt.getTime() + offset).toISOString().slice(0, -1);
    const states = { ...archived, ...state, ...locked };
    const id = await add.asset({ ownerId: me.id, takenAt, localTakenAt, ...states });
    if (n % 4 === 0) continue;
    members.push(id);
    // Some have both tags, and some two faces of the person.
    if (n % 3 > 0) await sql`insert into tag_asset (tag_id, asset_id) values (${top.id}, ${id})`;
    if (n % 3 < 2) await sql`insert into tag_asset (tag_id, asset_id) values (${below.id}, ${id})`;
    for (let faces = 0; faces <= n % 2; faces++) {
      await addFace(database, { ownerId: me.id, personId: person.id, assetId: id });
    }
  }
  const none = await add.asset({ ownerId: me.id, takenAt: new Date(FIRST) });
  const hidden = { ownerId: me.id, personId: person.id, assetId: none, isHidden: true };
  await addFace(database, hidden);
  const albumId = await createAlbum(me, []);
  await sql`insert into album_asset (album_id, asset_id)
    select ${albumId}, id from unnest(${members}::uuid[]) id`;
  return { albumIds: albumId, tagIds: top.id as string, personIds: person.id };
}

async function createAlbum(me: TestUser, assetIds: string[]): Promise<string> {
  const body = { albumName: 'All', assetIds };
  return (await call(app, 'POST /albums', { as: me, body })).body.id;
}

type Page = { items: { id: string }[]; nextPage: string | null; nextCursor: string | null };
const ids = ({ items }: Page) => items.map(({ id }) => id);

for (const field of ['fileCreatedAt', 'localDateTime'] as const) {
  test(`a fast listing of an album, a tag or a person by ${field} equals the general one`, async () => {
    const orderBy = { field, direction: 'desc' };
    const search = async (body: object): Promise<Page> =>
      (await call(app, 'POST /search/metadata', { as: me, body: { orderBy, ...body } })).body
        .assets;
    for (const [name, id] of Object.entries(sets)) {
      const all = ids(await search({ filter: { [name]: { any: [id] } }, size: 1000 }));
      expect(all.length).toBeGreaterThan(60);
      // An album shows the items of all who add to it.
      expect(all.includes(theirs)).toBe(name === 'albumIds');
      for (const size of [2, 25, 1000]) {
        const byPage: string[] = [];
        const byCursor: string[] = [];
        for (let page: string | null = '1', cursor; page !== null;) {
          const found: Page = await search({ [name]: [id], size, page: Number(page) });
          byPage.push(...ids(found));
          const next: Page = await search({ [name]: [id], size, ...(cursor && { cursor }) });
          byCursor.push(...ids(next));
          [page, cursor] = [found.nextPage, next.nextCursor];
        }
        expect([name, size, ...byPage]).toEqual([name, size, ...all]);
        expect([name, size, ...byCursor]).toEqual([name, size, ...all]);
      }
      // Nobody asked for the pages before.
      const far = ids(await search({ [name]: [id.toUpperCase()], size: 9, page: 4 }));
      expect(far).toEqual(all.slice(27, 36));
      const reversed = { field, direction: 'asc' };
      const oldest = ids(await search({ [name]: [id], size: 9, orderBy: reversed }));
      expect(oldest).toEqual(all.toReversed().slice(0, 9));
    }
  });
}

test('the results of a semantic search are narrowed to an album, a tag or a person', async () => {
  const ctx = createCtx(database, createSession(me.id));
  const order = { field: 'fileCreatedAt', direction: 'desc', withExif: false } as const;
  for (const [name, id] of Object.entries(sets)) {
    const matching = (await toMatching(ctx, { [name]: [id] }, { scope: 'library' }))!;
    const list = async (body: object): Promise<string[]> => {
      const { items } = await listPage(ctx, { ...matching, ...order, ...body }, { size: 50 });
      return items.map((item) => (JSON.parse(item) as { id: string }).id);
    };
    const all = await list({});
    const found = [all[40]!, all[3]!, crypto.randomUUID()];
    expect(await list({ ids: found })).toEqual([all[3]!, all[40]!]);
    expect(await list({ ids: [] })).toEqual([]);
  }
});

test('tags and people of others match nothing', async () => {
  const stranger = await seed(database).user();
  const { tagIds, personIds } = sets;
  const find = async (as: TestUser, body: object): Promise<Page> =>
    (await call(app, 'POST /search/metadata', { as, body: { ...body, size: 1 } })).body.assets;
  for (const body of [{ tagIds: [tagIds] }, { personIds: [personIds] }]) {
    expect((await find(me, body)).items).toHaveLength(1);
    expect((await find(stranger, body)).items).toEqual([]);
  }
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
