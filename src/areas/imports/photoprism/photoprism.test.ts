import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import { seed, type TestDatabase, testDatabase } from '../../../../test/support/harness.ts';
import { expectedReport, openImportFolder, runImport } from '../../../../test/support/imports.ts';
import { inspectFolder } from '../inspect.ts';
import { parseAlbum, parsePhoto } from './photoprism.ts';

const PHOTO = `# Asset 1
TakenAt: 2020-05-01T12:00:00Z
TakenSrc: meta
UID: pqnzigq351j2fqgn
Type: image
Title: Berlin / Germany / 2020
Caption: On the roof
Favorite: true
TimeZone: Europe/Berlin
PlaceSrc: manual
Lat: 52.459686
Lng: 13.3218317
Details:
  Keywords: berlin, city
`;

describe('the file of a photo', () => {
  test('has its date, place, caption and marks', () => {
    expect(parsePhoto(PHOTO)).toEqual({
      uid: 'pqnzigq351j2fqgn',
      facts: {
        takenAt: new Date('2020-05-01T12:00:00Z'),
        position: { latitude: 52.459686, longitude: 13.3218317 },
        description: 'On the roof',
        isFavorite: true,
        visibility: undefined,
      },
    });
  });

  test.each([
    [
      'an estimated date and place are none',
      'TakenSrc: estimate\nPlaceSrc: estimate',
      { takenAt: undefined, position: undefined },
    ],
    ['no place is at 0, 0', 'Lat: 0\nLng: 0', { position: undefined }],
    ['a place is on Earth', 'Lat: 91', { position: undefined }],
    ['a date is one', 'TakenAt: soon', { takenAt: undefined }],
    [
      'older files call the caption a description',
      'Caption: ""\nDescription: D',
      { description: 'D' },
    ],
    ['what is archived is', 'DeletedAt: 2021-01-01T00:00:00Z', { visibility: 'archive' }],
    [
      'what is private is locked',
      'Private: true\nDeletedAt: 2021-01-01T00:00:00Z',
      { visibility: 'locked' },
    ],
  ])('%s', (_, lines, facts) => {
    const names = lines.split('\n').map((line) => line.split(':')[0]!);
    const others = PHOTO.split('\n').filter((line) => !names.includes(line.split(':')[0]!));
    expect(parsePhoto(`${others.join('\n')}\n${lines}\n`)?.facts).toMatchObject(facts);
  });

  const BOMB = `a: &a [x, x]\n${'bcdefghijk'.replace(/./g, (c, at: number) => `${c}: &${c} [${`*${'abcdefghij'[at]},`.repeat(9)}]\n`)}UID: *k\nTakenAt: 1`;
  test.each(['', 'UID: 1', 'a: [', '- UID: a', 'just text', '\0', BOMB])('%p is none', (text) => {
    expect(parsePhoto(text)).toBeUndefined();
  });
});

test('the file of an album lists photos; what is no album is none', () => {
  const album = 'UID: aq1\nType: album\nTitle: Rome\nPhotos:\n- UID: p1\n- UID: p2\n- {}\n';
  expect(parseAlbum(album)).toEqual({
    album: { title: 'Rome', origin: { source: 'photoprism', key: 'aq1' } },
    uids: ['p1', 'p2'],
  });
  expect(parseAlbum(album.replace('album', 'folder'))).toBeUndefined();
  expect(parseAlbum(album.replace('Title', 'Name'))).toBeUndefined();
  expect(parseAlbum('Type: album\nTitle: Rome\n')).toBeUndefined();
  expect(parseAlbum(PHOTO)).toBeUndefined();
});

describe('a folder', () => {
  let database: TestDatabase;
  let folder: Awaited<ReturnType<typeof openImportFolder>>;
  beforeAll(async () => {
    database = await testDatabase();
    folder = await openImportFolder();
  });
  afterAll(async () => {
    await folder.remove();
    await database.close();
  });

  test('of PhotoPrism: its photos with what their files say, no thumbnails, and the albums', async () => {
    const me = await seed(database).user();
    await folder.write({
      'originals/2020/roof.jpg': randomFileBytes(),
      'originals/2020/plain.jpg': randomFileBytes(),
      'originals/beside.jpg': randomFileBytes(),
      'originals/beside.yml':
        'UID: p3\nTakenAt: 2019-01-01T00:00:00Z\nDeletedAt: 2021-01-01T00:00:00Z\n',
      'storage/sidecar/2020/roof.yml': PHOTO,
      'storage/albums/album/aq1.yml':
        'Type: album\nTitle: Rome\nPhotos:\n- UID: pqnzigq351j2fqgn\n- UID: p3\n',
      'storage/albums/album/aq2.yml': 'Type: album\nTitle: Empty\nPhotos: []\n',
      'storage/cache/thumbnails/a/b/c/abc_224x224.jpg': randomFileBytes(),
    });
    expect(await inspectFolder(folder.path, { namesAlbums: false, ms: 10_000 })).toMatchObject({
      program: 'photoprism',
      photos: 3,
      videos: 0,
      albums: 1,
    });
    const { report, refused } = await runImport(database, me, folder.path);
    expect(refused).toEqual([]);
    expect(report).toMatchObject({ taken: 3, albums: 1, albumItems: 2, others: {} });
    const rows = await database.sql`
      select file_name, asset.taken_at = '2020-05-01 12:00Z' as is_dated, is_favorite, visibility,
        asset_supplement.description,
        (select array_agg(name) from album_asset join album on album.id = album_id
          where asset_id = asset.id) as albums
      from asset left join asset_supplement on asset_supplement.asset_id = asset.id
      where owner_id = ${me.id} order by file_name`;
    const plain = {
      is_dated: false,
      is_favorite: false,
      visibility: 'timeline',
      description: null,
      albums: null,
    };
    expect([...rows]).toEqual([
      { ...plain, file_name: 'beside.jpg', visibility: 'archive', albums: ['Rome'] },
      { ...plain, file_name: 'plain.jpg' },
      {
        ...plain,
        file_name: 'roof.jpg',
        is_dated: true,
        is_favorite: true,
        description: 'On the roof',
        albums: ['Rome'],
      },
    ]);
    const again = await runImport(database, me, folder.path);
    expect(again.report).toEqual(expectedReport({ duplicates: 3, noted: 1 }));
  });

  test('of Immich: the originals, not what it has made of them', async () => {
    const immich = await openImportFolder();
    await immich.write({
      'library/admin/2020/a.jpg': randomFileBytes(),
      'upload/x/b.mp4': randomFileBytes(),
      'thumbs/x/b-preview.jpeg': randomFileBytes(),
      'encoded-video/x/b.mp4': randomFileBytes(),
      'profile/x/me.jpg': randomFileBytes(),
    });
    const counts = await inspectFolder(immich.path, { namesAlbums: true, ms: 10_000 });
    expect(counts).toMatchObject({ program: 'immich', photos: 1, videos: 1, albums: 2 });
    expect(counts.bytes).toBeGreaterThan(0);
    // Without time for the sizes.
    const hasty = await inspectFolder(immich.path, { namesAlbums: true, ms: -1 });
    expect(hasty).toMatchObject({ photos: 1, videos: 1, bytes: null });
    await immich.remove();
  });
});
