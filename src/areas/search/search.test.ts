import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { call, NOW, seed, type TestDatabase } from '../../../test/support/harness.ts';
import { type Household, unlock } from '../../../test/support/household.ts';
import { listDifferences } from '../../../test/support/schema.ts';
import { metadataSearch, openSearchHousehold } from '../../../test/support/searching.ts';
import type { App } from '../../app.ts';
import { SearchResponseDto } from './schemas.ts';

let database: TestDatabase;
let app: App;
let house: Household;
beforeAll(async () => {
  ({ database, app, house } = await openSearchHousehold());
});
afterAll(() => database.close());

const { search, found } = metadataSearch(() => ({ app, house }));

const TIMELINE = ['favorite', 'live', 'plain', 'stackChild', 'video'];
const LIBRARY = ['archived', ...TIMELINE];
const WITH_EXIF = ['favorite', 'plain', 'video'];

describe('returns exactly the matching items', () => {
  const cases: [object, string[]][] = [
    [{}, [...LIBRARY, 'ofPartner'].sort()],
    [{ withArchived: true }, [...LIBRARY, 'ofPartner'].sort()],
    [{ withArchived: false }, [...TIMELINE, 'ofPartner'].sort()],
    [{ withArchived: true, visibility: 'timeline' }, [...TIMELINE, 'ofPartner'].sort()],
    [{ withArchived: false, visibility: 'archive' }, ['archived']],
    [{ visibility: 'timeline' }, [...TIMELINE, 'ofPartner'].sort()],
    [{ visibility: 'archive' }, ['archived']],
    [{ visibility: 'hidden' }, ['hidden', 'liveVideo']],
    [{ withDeleted: true }, [...LIBRARY, 'ofPartner', 'trashed'].sort()],
    [{ trashedAfter: '2000-01-01T00:00:00Z' }, ['trashed']],
    [{ trashedBefore: '2000-01-01T00:00:00Z' }, []],
    [{ isFavorite: true }, ['favorite']],
    [{ city: 'Lisbon' }, ['archived', ...WITH_EXIF]],
    [{ city: 'Lisbon', visibility: 'timeline' }, WITH_EXIF],
    [{ city: null, type: 'IMAGE' }, ['live', 'ofPartner', 'stackChild']],
    [{ city: 'lisbon' }, []],
    [{ make: 'Canon', visibility: 'archive' }, ['archived']],
    [{ isMotion: true }, ['live']],
    [{ type: 'VIDEO' }, ['video']],
    [{ originalFileName: 'CLIP' }, ['video']],
    [{ originalFileName: '%' }, []],
    [{ originalPath: '/2026/01/clip' }, ['video']],
    [{ isOffline: true }, []],
    [{ isOffline: false, type: 'VIDEO' }, ['video']],
    [{ isEncoded: true }, []],
    [{ personIds: [crypto.randomUUID()] }, []],
    [{ libraryId: crypto.randomUUID() }, []],
    [{ ocr: 'x' }, []],
    [{ encodedVideoPath: 'x' }, []],
    [{ isNotInAlbum: true }, ['ofPartner']],
    [{ isNotInAlbum: false, isMotion: true }, ['live']],
    [{ isNotInAlbum: false }, [...LIBRARY, 'ofPartner'].sort()],
    [
      { filter: { city: { eq: 'Lisbon' }, isFavorite: { eq: false } } },
      ['archived', 'plain', 'video'],
    ],
    [{ filter: { city: { in: ['Lisbon', 'Oslo'], ne: null } } }, ['archived', ...WITH_EXIF]],
    [{ filter: { type: { notIn: ['IMAGE'] } } }, ['video']],
    [{ filter: { originalFileName: { startsWith: 'cl', endsWith: 'MP4' } } }, ['video']],
    [
      { filter: { visibility: { in: ['archive', 'hidden'] } } },
      ['archived', 'hidden', 'liveVideo'],
    ],
    [{ filter: { visibility: { ne: 'timeline' } } }, ['archived']],
    [
      { filter: { or: [{ type: { eq: 'VIDEO' } }, { isMotion: { eq: true } }] } },
      ['live', 'video'],
    ],
    [{ filter: { trashedAt: { ne: null } } }, ['trashed']],
    [{ filter: { fileSizeInBytes: { gt: 1 } } }, []],
    [{ filter: { rating: { eq: null }, isMotion: { eq: true } } }, ['live']],
    [{ filter: { hasTags: { eq: true } } }, []],
  ];
  for (const [body, expected] of cases) {
    test(JSON.stringify(body), async () => {
      expect(await found(body, { as: house.owner })).toEqual(expected);
    });
  }

  test('unshared partners, album members and strangers find their own items only', async () => {
    for (const who of [house.viewer, house.member, house.stranger]) {
      for (const body of [
        {},
        { withDeleted: true },
        { visibility: 'hidden' },
        { id: house.ids.plain },
      ]) {
        expect(await found(body, { as: who })).toEqual([]);
      }
    }
  });

  test('a guest finds what the album of the link shows', async () => {
    const find = (body: object) => found({ albumIds: [house.albumId], ...body }, {}, '?slug=album');
    expect(await find({})).toEqual(LIBRARY);
    expect(await find({ visibility: 'timeline' })).toEqual(TIMELINE);
    expect(await find({ visibility: 'archive' })).toEqual(['archived']);
    expect(await find({ withDeleted: true })).toEqual(LIBRARY);
    expect(await find({ visibility: 'hidden' })).toEqual([]);
    expect(await find({ isFavorite: true })).toEqual([]);
  });

  test('a guest names the album that is searched', async () => {
    const { albumId } = house;
    const [all, any] = [{ all: [albumId] }, { any: [albumId] }];
    for (const albumIds of [all, any]) {
      expect(await found({ filter: { albumIds } }, {}, '?slug=album')).toEqual(LIBRARY);
    }
    const message = 'Shared link access is only allowed in combination with an albumIds filter';
    for (const slug of ['album', 'assets', 'pictures', 'empty']) {
      for (const body of [
        {},
        { albumIds: [] },
        { filter: {} },
        { filter: { albumIds: { none: [albumId] } } },
        { filter: { or: [{ albumIds: any }] } },
      ]) {
        expect(await search(body, {}, `?slug=${slug}`)).toMatchObject({
          status: 400,
          body: { message },
        });
      }
    }
    // Not the album that some of the pictures happen to be in.
    expect((await search({ albumIds: [albumId] }, {}, '?slug=assets')).status).toBe(400);
  });

  test('a guest of a link without metadata can neither read nor ask for them', async () => {
    const albumIds = [house.albumId];
    const { body } = await search({ withExif: true, albumIds }, {}, '?slug=album-pictures');
    expect(body.assets.count).toBe(LIBRARY.length);
    for (const secret of ['Lisbon', 'a.jpg', 'exifInfo']) {
      expect(JSON.stringify(body)).not.toContain(secret);
    }
    for (const asked of [{ city: 'Lisbon' }, { originalFileName: 'a' }, { make: 'Canon' }]) {
      expect(await found({ ...asked, albumIds }, {}, '?slug=album-pictures')).toEqual([]);
      expect(await found({ ...asked, albumIds }, {}, '?slug=album')).not.toEqual([]);
    }
    const videos = { type: 'VIDEO', albumIds };
    expect(await found(videos, {}, '?slug=album-pictures')).toEqual(['video']);
  });

  test('Locked items are found in an unlocked session only', async () => {
    const me = await seed(database).user();
    const id = await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
    const bodies = [
      { visibility: 'locked' },
      { filter: { or: [{ visibility: { eq: 'locked' } }] } },
    ];
    for (const body of bodies) {
      expect((await search(body, { session: me })).status).toBe(401);
      expect((await search(body, {}, '?slug=assets')).status).toBe(401);
    }
    await unlock(database, me);
    for (const body of bodies) {
      expect(await found(body, { session: me })).toEqual([id]);
      expect((await search(body, { as: me })).status).toBe(401);
    }
    for (const body of [{}, { withDeleted: true }, { filter: { visibility: { ne: 'archive' } } }]) {
      expect(await found(body, { session: me })).toEqual([]);
    }
  });
});

test('an item has the members that were requested', async () => {
  const item = async (body: object) =>
    (await search({ id: house.ids.plain, ...body }, { as: house.owner })).body.assets.items[0];
  expect(await item({})).toMatchObject({ id: house.ids.plain, originalFileName: 'a.jpg' });
  expect((await item({})).exifInfo).toBeUndefined();
  // Clients of others require it.
  expect((await item({})).people).toEqual([]);
  expect(await item({ withExif: true, withPeople: true })).toMatchObject({
    exifInfo: { city: 'Lisbon' },
    people: [],
  });
});

test('a response has exactly the members of its schema', async () => {
  for (const body of [{}, { withExif: true, withPeople: true }, { size: 1 }]) {
    // A link without metadata is answered with fewer, as Immich does.
    for (const query of ['', '?slug=album']) {
      const caller = query === '' ? { as: house.owner } : {};
      const albumIds = query === '' ? [] : [house.albumId];
      const reply = await search({ ...body, albumIds }, caller, query);
      expect(listDifferences(SearchResponseDto, reply.body)).toEqual([]);
    }
  }
});

test('requires a credential and asset.read, and refuses values out of range', async () => {
  expect((await search({}, {})).status).toBe(401);
  const weak = await seed(database).user(['asset.view']);
  expect((await search({}, { as: weak })).status).toBe(403);
  for (const body of [{ size: 0 }, { size: 1001 }, { page: 0 }, { rating: 9 }, { id: 'x' }]) {
    expect((await search(body, { as: house.owner })).status).toBe(400);
  }
});

test('stacks are returned on request, of visible items', async () => {
  const me = await seed(database).user();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push(await seed(database).asset({ ownerId: me.id }));
  const [top, child, single] = ids as [string, string, string];
  const made = await call(app, 'POST /stacks', { as: me, body: { assetIds: [top, child] } });
  const find = async (body: object) => {
    const reply = await call(app, 'POST /search/metadata', { as: me, body });
    const { items } = reply.body.assets;
    return new Map(items.map((item: { id: string; stack: unknown }) => [item.id, item.stack]));
  };
  const stack = { id: made.body.id, primaryAssetId: top, assetCount: 2 };
  expect(await find({ withStacked: true })).toEqual(
    new Map<string, unknown>([
      [top, stack],
      [child, stack],
      [single, null],
    ]),
  );
  expect([...(await find({})).values()]).toEqual([null, null, null]);
  for (const route of ['metadata', 'random'] as const) {
    const body = { withStacked: false };
    const reply = await call(app, `POST /search/${route}`, { as: me, body });
    const items: { id: string }[] = route === 'random' ? reply.body : reply.body.assets.items;
    expect(items.map(({ id }) => id)).toEqual([single]);
  }
  await database.sql`update asset set trashed_at = now() where id = ${top}`;
  expect((await find({ withStacked: true })).get(child)).toBeNull();
});
