import { beforeAll, describe, expect, test } from 'bun:test';
import { albumAssets, albumUsers } from '../../src/db/tables/albums.ts';
import { useApp } from '../support/database.ts';
import { call, NOW, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';

// A filter compares what the answers show under its name: whoever picks a value that he sees finds the items that show
// it, and no others. `null` finds those that have none.

const { database, app } = await useApp();
let me: TestUser;
let partner: TestUser;
let albumId: string;
let shown: Json[];
let inAlbum: Json[];

const EXIF = [
  { rating: 5, make: 'Leica', model: 'Q2', lensModel: '28', city: 'Porto', country: 'Portugal' },
  { rating: -1, make: 'Canon', city: 'Lyon', state: 'Rhône', country: 'France' },
  { rating: 0, make: 'Sony', model: 'A7', description: 'A day' },
  { rating: 1, city: 'Porto', country: 'Portugal', description: 'a day at the sea' },
  {},
];

const search = async (as: TestUser, body: object): Promise<Json[]> =>
  (await call(app, 'POST /search/metadata', { as, body: { withExif: true, ...body } })).body.assets
    .items;

beforeAll(async () => {
  [me, partner] = [await seed(database).user(), await seed(database).user()];
  const add = (values: object, exif: object) =>
    seed(database).asset({ ownerId: me.id, exif, ...values } as never);
  for (const [n, exif] of EXIF.entries())
    await add({ isFavorite: n === 1, takenAt: new Date(Date.UTC(2020, n, 1, n)) }, exif);
  await add({ type: 'VIDEO', fileName: 'clip.mp4', durationMs: 1500, fileSize: 9 }, {});
  await add({ visibility: 'archive', offlineAt: NOW }, { rating: -1 });
  // Hidden places are the partner's to tell.
  const { db, sql } = database;
  await sql`insert into partner (sharer_id, viewer_id, in_timeline, hides_places)
    values (${partner.id}, ${me.id}, true, true)`;
  const theirs = await seed(database).asset({
    ownerId: partner.id,
    isFavorite: true,
    takenAt: new Date('2021-05-01T22:00:00Z'),
    localTakenAt: '2021-05-02 00:00:00',
    exif: { ...EXIF[0]!, timeZone: 'Europe/Lisbon' },
  } as never);
  const [album] = await sql`
    insert into album (owner_id, name) values (${partner.id}, 'all') returning id`;
  albumId = album!['id'];
  await db.insert(albumUsers).values({ albumId, userId: me.id, role: 'viewer' });
  const mine = await add({ takenAt: new Date(Date.UTC(2022, 1, 1)) }, EXIF[0]!);
  await db.insert(albumAssets).values([theirs, mine].map((assetId) => ({ albumId, assetId })));
  shown = await search(me, {});
  inAlbum = await search(me, { albumIds: [albumId] });
  expect([shown.length, inAlbum.length]).toEqual([9, 2]);
});

/** Members of the answer by the filters that compare them. */
const MEMBERS: Readonly<Record<string, (item: Json) => unknown>> = {
  rating: ({ exifInfo }) => exifInfo.rating,
  make: ({ exifInfo }) => exifInfo.make,
  model: ({ exifInfo }) => exifInfo.model,
  lensModel: ({ exifInfo }) => exifInfo.lensModel,
  city: ({ exifInfo }) => exifInfo.city,
  state: ({ exifInfo }) => exifInfo.state,
  country: ({ exifInfo }) => exifInfo.country,
  takenAt: ({ fileCreatedAt }) => fileCreatedAt,
  fileSizeInBytes: ({ exifInfo }) => exifInfo.fileSizeInByte,
  duration: ({ duration }) => duration,
  type: ({ type }) => type,
  visibility: ({ visibility }) => visibility,
  originalFileName: ({ originalFileName }) => originalFileName,
  originalPath: ({ originalPath }) => originalPath,
  checksum: ({ checksum }) => checksum,
  isFavorite: ({ isFavorite }) => isFavorite,
  isOffline: ({ isOffline }) => isOffline,
  libraryId: ({ libraryId }) => libraryId,
  trashedAt: ({ isTrashed }) => (isTrashed ? 'a time' : null),
};
const NULLABLE = [
  'rating',
  'make',
  'model',
  'lensModel',
  'city',
  'state',
  'country',
  'duration',
  'libraryId',
  'trashedAt',
];

const toIds = (items: readonly Json[]): string[] => items.map(({ id }): string => id).sort();

describe.each(Object.entries(MEMBERS))('420: the filter %s', (name, read) => {
  test('finds by each value the items that show it', async () => {
    for (const [scope, items] of [
      [{}, shown],
      [{ albumIds: { any: [albumId] } }, inAlbum],
    ] as const) {
      for (const value of new Set(items.map(read))) {
        if (value === null && !NULLABLE.includes(name)) continue;
        const found = await search(me, { filter: { ...scope, [name]: { eq: value } } });
        const wanted = items.filter((item) => read(item) === value);
        expect([value, toIds(found)]).toEqual([value, toIds(wanted)]);
      }
    }
  });
});

test('421: no value is 0 or an empty text where the answers show none', async () => {
  for (const name of NULLABLE) {
    const found = await search(me, { filter: { [name]: { ne: null } } });
    expect([name, toIds(found)]).toEqual([
      name,
      toIds(shown.filter((item) => MEMBERS[name]!(item) !== null)),
    ]);
  }
  expect(toIds(await search(me, { rating: null }))).toEqual(
    toIds(shown.filter(({ exifInfo }) => exifInfo.rating === null)),
  );
});

test('422: facets count the values that the answers show, in an album as in the library', async () => {
  const facets = async (body: object): Promise<Json[]> =>
    (await call(app, 'POST /search/facets', { as: me, body })).body.facets;
  const timeline = shown.filter(({ visibility }) => visibility === 'timeline');
  for (const [body, items] of [
    [{}, timeline],
    [{ type: 'IMAGE' }, timeline.filter(({ type }) => type === 'IMAGE')],
    [{ albumIds: [albumId] }, inAlbum],
  ] as const) {
    const found = (await facets(body)).filter(({ field }) => field in MEMBERS);
    expect(found.map(({ field }) => field)).toContainValues(['rating', 'city', 'make', 'type']);
    for (const { field, values } of found) {
      const wanted = Object.groupBy(items, (item) => String(MEMBERS[field]!(item)));
      expect([body, field, toRecord(values)]).toEqual([
        body,
        field,
        Object.fromEntries(Object.entries(wanted).map(([value, all]) => [value, all!.length])),
      ]);
    }
  }
});

const toRecord = (values: readonly Json[]) =>
  Object.fromEntries(values.map(({ value, count }) => [String(value), count]));
