import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  call,
  type Caller,
  NOW,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
} from '../../../test/harness.ts';
import { type Household, seedHousehold, unlock } from '../../../test/library.ts';
import { differencesFrom } from '../../../test/schema.ts';
import type { App } from '../../app.ts';
import { albumAssets, albums } from '../../db/tables/albums.ts';
import { assetFiles } from '../../db/tables/assets.ts';
import { tagAssets, tags } from '../../db/tables/organisation.ts';
import { SearchResponseDto } from './schemas.ts';

let database: TestDatabase;
let app: App;
let house: Household;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  house = await seedHousehold(database);
});
afterAll(() => database.close());

const search = (body: object, caller: Caller, query = '') =>
  call(app, `POST /search/metadata${query}`, { ...caller, body });

async function found(body: object, caller: Caller, query = ''): Promise<string[]> {
  const reply = await search(body, caller, query);
  expect(reply.status).toBe(200);
  const { items, count, total } = reply.body.assets;
  expect([count, total]).toEqual([items.length, items.length]);
  return house.namesOf(items.map((item: { id: string }) => item.id));
}

const TIMELINE = ['favorite', 'live', 'plain', 'stackChild', 'video'];
const WITH_EXIF = ['favorite', 'plain', 'video'];

describe('what a search finds, and nothing else', () => {
  const cases: [object, string[]][] = [
    [{}, [...TIMELINE, 'ofPartner'].sort()],
    [{ visibility: 'timeline' }, [...TIMELINE, 'ofPartner'].sort()],
    [{ visibility: 'archive' }, ['archived']],
    [{ visibility: 'hidden' }, ['hidden', 'liveVideo']],
    [{ withDeleted: true }, [...TIMELINE, 'ofPartner', 'trashed'].sort()],
    [{ trashedAfter: '2000-01-01T00:00:00Z' }, ['trashed']],
    [{ trashedBefore: '2000-01-01T00:00:00Z' }, []],
    [{ isFavorite: true }, ['favorite']],
    [{ city: 'Lisbon' }, WITH_EXIF],
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
    [{ filter: { city: { eq: 'Lisbon' }, isFavorite: { eq: false } } }, ['plain', 'video']],
    [{ filter: { city: { in: ['Lisbon', 'Oslo'], ne: null } } }, WITH_EXIF],
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

  test('partners who are not mixed in, members of albums and strangers find their own only', async () => {
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

  test('a guest finds what the link shows', async () => {
    expect(await found({}, {}, '?slug=assets')).toEqual(TIMELINE);
    expect(await found({ visibility: 'archive' }, {}, '?slug=album')).toEqual(['archived']);
    expect(await found({ withDeleted: true }, {}, '?slug=album')).toEqual(TIMELINE);
    expect(await found({ visibility: 'hidden' }, {}, '?slug=assets')).toEqual([]);
    expect(await found({ isFavorite: true }, {}, '?slug=assets')).toEqual([]);
    expect(await found({}, {}, '?slug=empty')).toEqual([]);
  });

  test('a guest of a link without metadata can neither read nor ask for them', async () => {
    const { body } = await search({ withExif: true }, {}, '?slug=pictures');
    expect(body.assets.count).toBe(TIMELINE.length);
    for (const secret of ['Lisbon', 'a.jpg', 'exifInfo']) {
      expect(JSON.stringify(body)).not.toContain(secret);
    }
    for (const asked of [{ city: 'Lisbon' }, { originalFileName: 'a' }, { make: 'Canon' }]) {
      expect(await found(asked, {}, '?slug=pictures')).toEqual([]);
      expect(await found(asked, {}, '?slug=assets')).not.toEqual([]);
    }
    expect(await found({ type: 'VIDEO' }, {}, '?slug=pictures')).toEqual(['video']);
  });

  test('what is locked is found in an unlocked session only', async () => {
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

test('each field of a file is found by its value, and what has none by null', async () => {
  const me = await seed(database).user();
  const exif = {
    city: 'Kyoto',
    state: 'Kansai',
    country: 'Japan',
    make: 'Sony',
    model: 'A7',
    lensModel: '35mm',
    rating: 3,
    description: 'Under 100% rain',
  };
  const id = await seed(database).asset({ ownerId: me.id, exif });
  const bare = await seed(database).asset({ ownerId: me.id });
  const { description: _, ...exact } = exif;
  for (const [field, value] of Object.entries(exact)) {
    expect(await found({ [field]: value }, { as: me })).toEqual([id]);
    expect(await found({ [field]: null }, { as: me })).toEqual([bare]);
  }
  expect(await found({ description: 'under 100% R' }, { as: me })).toEqual([id]);
  expect(await found({ description: '100_' }, { as: me })).toEqual([]);

  const [row] = await database.sql`select sha1 from asset where id = ${id}`;
  for (const encoding of ['base64', 'hex'] as const) {
    const checksum = Buffer.from(row!['sha1']).toString(encoding);
    expect(await found({ checksum }, { as: me })).toEqual([id]);
  }
  expect((await search({ checksum: 'x' }, { as: me })).status).toBe(400);
  await database.db.insert(assetFiles).values({
    assetId: bare,
    kind: 'encoded_video',
    name: 'x',
    mimeType: 'video/mp4',
    size: 1,
    tag: 't',
  });
  expect(await found({ isEncoded: true }, { as: me })).toEqual([bare]);
  expect(await found({ isEncoded: false }, { as: me })).toEqual([id]);
});

test('times are compared as instants, both ends included', async () => {
  const me = await seed(database).user();
  const at = (text: string) => seed(database).asset({ ownerId: me.id, takenAt: new Date(text) });
  const [first, second] = [await at('2020-01-01T00:00:00Z'), await at('2020-01-02T00:00:00Z')];
  const both = [first, second].toSorted();
  expect(await found({ takenAfter: '2020-01-02T01:00:00+01:00' }, { as: me })).toEqual([second]);
  expect(await found({ takenBefore: '2020-01-01T00:00:00Z' }, { as: me })).toEqual([first]);
  expect(await found({ createdAfter: '2001-01-01T00:00:00Z' }, { as: me })).toEqual(both);
  expect(await found({ updatedBefore: '2001-01-01T00:00:00Z' }, { as: me })).toEqual([]);
  expect(await found({ filter: { takenAt: { lt: '2020-01-02' } } }, { as: me })).toEqual([first]);
  expect((await search({ takenAfter: '2020-01-02T01:00:00' }, { as: me })).status).toBe(400);
  expect((await search({ filter: { takenAt: { lt: 'x' } } }, { as: me })).status).toBe(400);
});

test('albums and tags: all of those named, and only those the caller may open', async () => {
  const me = await seed(database).user();
  const ids = await Promise.all([1, 2, 3].map(() => seed(database).asset({ ownerId: me.id })));
  const [one, two, three] = ids as [string, string, string];
  const add = async (assetIds: string[]) => {
    const [album] = await database.db
      .insert(albums)
      .values({ ownerId: me.id, name: 'a' })
      .returning();
    const albumId = album!.id;
    await database.db.insert(albumAssets).values(assetIds.map((assetId) => ({ albumId, assetId })));
    return albumId;
  };
  const [first, second] = [await add([one, two]), await add([two])];
  expect(await found({ albumIds: [first] }, { as: me })).toEqual([one, two].toSorted());
  expect(await found({ albumIds: [first, second] }, { as: me })).toEqual([two]);
  expect(await found({ isNotInAlbum: true }, { as: me })).toEqual([three]);
  const none = { filter: { albumIds: { any: [first], none: [second] } } };
  expect(await found(none, { as: me })).toEqual([one]);
  expect((await search({ albumIds: [house.albumId] }, { as: me })).status).toBe(400);
  expect((await search({ albumIds: [first] }, {}, '?slug=assets')).status).toBe(400);

  const [tag] = await database.db.insert(tags).values({ ownerId: me.id, value: 't' }).returning();
  await database.db.insert(tagAssets).values({ tagId: tag!.id, assetId: one });
  expect(await found({ tagIds: [tag!.id] }, { as: me })).toEqual([one]);
  expect(await found({ tagIds: null }, { as: me })).toEqual([two, three].toSorted());
  expect(await found({ tagIds: [tag!.id] }, { as: house.owner })).toEqual([]);
});

test('an item is told as fully as was asked', async () => {
  const item = async (body: object) =>
    (await search({ id: house.ids.plain, ...body }, { as: house.owner })).body.assets.items[0];
  expect(await item({})).toMatchObject({ id: house.ids.plain, originalFileName: 'a.jpg' });
  expect((await item({})).exifInfo).toBeUndefined();
  expect(await item({ withExif: true, withPeople: true })).toMatchObject({
    exifInfo: { city: 'Lisbon' },
    people: [],
  });
});

test('an answer has the members of its schema, and none besides', async () => {
  for (const body of [{}, { withExif: true, withPeople: true }, { size: 1 }]) {
    for (const query of ['', '?slug=assets', '?slug=pictures']) {
      const caller = query === '' ? { as: house.owner } : {};
      const reply = await search(body, caller, query);
      expect(differencesFrom(SearchResponseDto, reply.body)).toEqual([]);
    }
  }
});

test('refusals', async () => {
  expect((await search({}, {})).status).toBe(401);
  const weak = await seed(database).user(['asset.view']);
  expect((await search({}, { as: weak })).status).toBe(403);
  for (const body of [{ size: 0 }, { size: 1001 }, { page: 0 }, { rating: 9 }, { id: 'x' }]) {
    expect((await search(body, { as: house.owner })).status).toBe(400);
  }
});

test('stacks are told when asked for, of what may be seen together', async () => {
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
  await database.sql`update asset set trashed_at = now() where id = ${top}`;
  expect((await find({ withStacked: true })).get(child)).toBeNull();
});
