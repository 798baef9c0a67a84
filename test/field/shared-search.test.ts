import { beforeAll, describe, expect, test } from 'bun:test';
import { albumAssets, albumUsers } from '../../src/db/tables/albums.ts';
import { useHousehold } from '../support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';
import { indexTexts } from '../support/text-index.ts';

// Frames, kiosks and scripts read an album by searching it: by each search, everybody who may open the album finds what
// it shows, whoever owns that.

const { database, app, house } = await useHousehold();
let editor: TestUser;
/** Items of the editor in the album, and outside of it. */
const edited: Record<'plain' | 'archived' | 'hidden' | 'locked' | 'trashed' | 'outside', string> =
  {} as never;
let other: string;

/** Items of the owner that the album shows: none that is hidden, locked or trashed. */
const SHOWN = ['archived', 'favorite', 'live', 'plain', 'stackChild', 'video'];
let all: string[];

beforeAll(async () => {
  const { db } = database;
  const { albumId } = house;
  editor = await seed(database).user();
  await db.insert(albumUsers).values({ albumId, userId: editor.id, role: 'editor' });
  const states = {
    plain: {},
    archived: { visibility: 'archive' },
    hidden: { visibility: 'hidden' },
    locked: { lockedAt: NOW },
    trashed: { trashedAt: NOW },
    outside: {},
  } as const;
  for (const [state, values] of Object.entries(states)) {
    const exif = { description: 'Sommerfest', make: 'Leica', fileSizeInBytes: 1 };
    const id = await seed(database).asset({
      ownerId: editor.id,
      isFavorite: true,
      exif,
      ...values,
    });
    edited[state as keyof typeof edited] = id;
    if (state !== 'outside') await db.insert(albumAssets).values({ albumId, assetId: id });
  }
  const [second] = await database.sql`
    insert into album (owner_id, name) values (${house.stranger.id}, 'other') returning id`;
  other = second!['id'];
  all = [...SHOWN, edited.plain, edited.archived].sort();
  await indexTexts(database);
});

const toIds = (items: readonly { id: string }[]) => house.getNames(items.map(({ id }) => id));
const post = (path: string, caller: Caller, body: object) =>
  call(app, `POST /search/${path}` as 'POST /search/metadata', { ...caller, body });

/** Each search that lists items. */
const LISTS: Readonly<Record<string, (caller: Caller, albumId: string) => Promise<Json>>> = {
  metadata: async (caller, id) =>
    (await post('metadata', caller, { albumIds: [id] })).body.assets.items,
  'metadata by a filter': async (caller, id) =>
    (await post('metadata', caller, { filter: { albumIds: { any: [id] } } })).body.assets.items,
  'metadata by alternatives': async (caller, id) => {
    const or = ['IMAGE', 'VIDEO'].map((eq) => ({ albumIds: { all: [id] }, type: { eq } }));
    return (await post('metadata', caller, { filter: { or } })).body.assets.items;
  },
  'metadata with what is deleted': async (caller, id) =>
    (await post('metadata', caller, { albumIds: [id], withDeleted: true })).body.assets.items,
  'metadata by size': async (caller, id) =>
    (await post('metadata', caller, { albumIds: [id], orderBy: { field: 'fileSizeInBytes' } })).body
      .assets.items,
  random: async (caller, id) => (await post('random', caller, { albumIds: [id], size: 100 })).body,
  sorted: async (caller, id) =>
    (await post('sorted', caller, { albumIds: [id] })).body.assets.items,
  'large assets': async (caller, id) =>
    (await call(app, `POST /search/large-assets?albumIds=${id}&size=100`, caller)).body,
};

describe.each(Object.entries(LISTS))('410: an album searched by %s', (name, list) => {
  test('has the items of all for its owner, its editors and viewers', async () => {
    for (const as of [house.owner, editor, house.member]) {
      const trashed = name.includes('deleted')
        ? new Map([
            [house.owner, ['trashed']],
            [editor, [edited.trashed]],
          ]).get(as)
        : undefined;
      expect(toIds(await list({ as }, house.albumId))).toEqual([...all, ...(trashed ?? [])].sort());
    }
  });

  test('is not found by others', async () => {
    for (const as of [house.stranger, house.partner, house.viewer])
      expect(Array.isArray(await list({ as }, house.albumId).catch(() => undefined))).toBe(false);
    expect(toIds(await list({ as: house.stranger }, other))).toEqual([]);
  });
});

test('411: a search without an album finds own items only, whatever albums show', async () => {
  for (const body of [{}, { filter: { albumIds: { none: [other] } } }]) {
    const reply = await post('metadata', { as: house.member }, body);
    expect(reply.status).toBe(body.filter ? 400 : 200);
    if (!body.filter) expect(reply.body.assets.items).toEqual([]);
  }
  const or = [{ albumIds: { any: [house.albumId] } }, { isFavorite: { eq: true } }];
  const mixed = await post('metadata', { as: house.member }, { filter: { or } });
  expect(mixed.body.assets.items).toEqual([]);
});

test('412: counts, facets and the histogram are of the same items', async () => {
  const search = { albumIds: [house.albumId] };
  for (const as of [house.owner, editor, house.member]) {
    const count = async (path: string) => (await post(path, { as }, search)).body;
    expect((await count('statistics')).total).toBe(all.length);
    expect((await count('histogram')).total).toBe(all.length);
    expect(JSON.stringify(await count('facets'))).toContain('Leica');
  }
  for (const path of ['statistics', 'histogram', 'facets'])
    expect((await post(path, { as: house.stranger }, search)).status).toBe(400);
});

test('413: words are found in the items of others, too', async () => {
  for (const as of [house.owner, editor, house.member]) {
    const search = { query: 'Sommerfest', albumIds: [house.albumId] };
    const { body } = await post('smart', { as }, search);
    expect(toIds(body.assets.items)).toEqual([edited.plain, edited.archived].sort());
  }
  const { body } = await post('smart', { as: house.member }, { query: 'Sommerfest' });
  expect(body.assets.items).toEqual([]);
});

test('414: favorites, and what is known of people and tags, stay those of the caller', async () => {
  const find = async (as: TestUser, body: object) =>
    toIds(
      (await post('metadata', { as }, { albumIds: [house.albumId], ...body })).body.assets.items,
    );
  expect(await find(house.member, { isFavorite: true })).toEqual([]);
  expect(await find(house.owner, { isFavorite: true })).toEqual(['favorite']);
  expect(await find(house.owner, { filter: { isOwn: { eq: false } } })).toEqual(
    [edited.plain, edited.archived].sort(),
  );
  expect(await find(house.member, { visibility: 'archive' })).toEqual(
    ['archived', edited.archived].sort(),
  );
  expect(await find(house.member, { visibility: 'hidden' })).toEqual([]);
  const { status } = await post(
    'metadata',
    { as: house.member },
    {
      albumIds: [house.albumId],
      visibility: 'locked',
    },
  );
  expect(status).toBe(401);
});

test('415: what leaves the album, or who leaves it, is out at once', async () => {
  const { sql } = database;
  const { albumId } = house;
  const find = () => post('metadata', { as: house.member }, { albumIds: [albumId] });
  await sql`delete from album_asset where asset_id = ${edited.plain}`;
  expect(toIds((await find()).body.assets.items)).not.toContain(edited.plain);
  await sql`insert into album_asset (album_id, asset_id) values (${albumId}, ${edited.plain})`;
  expect(toIds((await find()).body.assets.items)).toContain(edited.plain);
  await sql`delete from album_user where user_id = ${house.member.id}`;
  expect((await find()).status).toBe(400);
  await sql`insert into album_user (album_id, user_id, role) values (${albumId}, ${house.member.id}, 'viewer')`;
});
