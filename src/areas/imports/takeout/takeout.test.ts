import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { mkdir, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { seed, type TestDatabase, type TestUser } from '../../../../test/support/harness.ts';
import {
  describeLibrary,
  expectedReport,
  openImportFolder,
  runImport,
} from '../../../../test/support/imports.ts';
import { createStill, createVideo } from '../../../../test/support/live-photos.ts';
import { drainLane, openMediaLibrary } from '../../../../test/support/processing.ts';
import { PARIS, writeTaggedPhoto } from '../../../../test/support/metadata.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { readMetadata } from '../../assets/index.ts';
import { handleReadMetadata } from '../../assets/exif/exif.handlers.ts';
import { isYearFolder, parseTakeoutAlbum, parseTakeoutPhoto } from './takeout.ts';

setDefaultTimeout(300_000);

let database: TestDatabase;
let close: () => Promise<void>;
let me: TestUser;
let folder: Awaited<ReturnType<typeof openImportFolder>>;
beforeAll(async () => {
  ({ database, close } = await openMediaLibrary());
});
afterAll(() => close());
beforeEach(async () => {
  me = await seed(database).user();
  folder = await openImportFolder();
});
afterEach(() => folder.remove());

const start = (options = {}) => runImport(database, me, folder.path, options);
const read = () => drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
const ROOT = 'Takeout/Google Photos';

const toJson = (title: string, over: object = {}) => ({
  title,
  description: '',
  photoTakenTime: { timestamp: '1000000000', formatted: 'Sep 9, 2001, 1:46:40 AM UTC' },
  geoData: { latitude: 0, longitude: 0, altitude: 0 },
  ...over,
});
const BERLIN = { geoData: { latitude: 52.52, longitude: 13.405, altitude: 30 } };

type Row = {
  id: string;
  file_name: string;
  taken_at: string;
  local: string;
  locked_at: string | null;
  stack_id: string | null;
  albums: string[] | null;
  tags: string[] | null;
};

async function listAssets(): Promise<Map<string, Row>> {
  const rows = await database.sql<Row[]>`
    select asset.*, exif.description, exif.latitude, exif.longitude, exif.city, exif.time_zone,
      asset.local_taken_at::text as local,
      (select array_agg(name order by name) from album_asset join album on album.id = album_id
        where asset_id = asset.id) as albums,
      (select array_agg(value order by value) from tag_asset join tag on tag.id = tag_id
        where asset_id = asset.id) as tags
    from asset join asset_exif exif on exif.asset_id = asset.id where owner_id = ${me.id}`;
  return new Map(rows.map((row) => [row['file_name'] as string, row]));
}

async function writePhoto(name: string, tags: readonly string[]): Promise<void> {
  await mkdir(dirname(join(folder.path, name)), { recursive: true });
  await writeTaggedPhoto(join(folder.path, name), tags);
}

test('date, position and description are used where the file has none, and stay when it is read again', async () => {
  const more = { description: 'from Google', ...BERLIN };
  await folder.write({
    [`${ROOT}/Photos from 2001/bare.jpg`]: await createStill(),
    [`${ROOT}/Photos from 2001/bare.jpg.json`]: toJson('bare.jpg', more),
    [`${ROOT}/Photos from 2001/own.jpg.supplemental-metadata.json`]: toJson('own.jpg', more),
  });
  await writePhoto(`${ROOT}/Photos from 2001/own.jpg`, [...PARIS, '-ImageDescription=mine']);
  expect((await start()).report).toMatchObject({ taken: 2, albums: 0 });
  for (let round = 0; round < 2; round++) {
    await read();
    const rows = await listAssets();
    const bare = rows.get('bare.jpg');
    expect(bare).toMatchObject({
      description: 'from Google',
      latitude: 52.52,
      longitude: 13.405,
      city: 'Berlin',
      time_zone: 'Europe/Berlin',
      local: '2001-09-09 03:46:40',
    });
    expect(new Date(bare!.taken_at).getTime()).toBe(1e12);
    expect(rows.get('own.jpg')).toMatchObject({
      description: 'mine',
      city: 'Paris',
      local: '2020-06-01 12:00:00',
    });
    await start();
  }
});

test('the date of the export goes before that of the file, and an earlier one of its name before both', async () => {
  const files = ['plain.jpg', 'IMG_20000102_030405.jpg', 'IMG_20050102_030405.jpg', 'other.jpg'];
  for (const name of files) {
    await writePhoto(
      `${ROOT}/x/${name}`,
      name === 'other.jpg' ? ['-ModifyDate=1999:01:01 00:00:00'] : [],
    );
    await folder.write({ [`${ROOT}/x/${name}.json`]: toJson(name) });
    // As a program that unpacks archives leaves it.
    const unpacked = new Date('1999-08-07T06:05:04Z');
    await utimes(join(folder.path, ROOT, 'x', name), unpacked, unpacked);
  }
  await start();
  for (let round = 0; round < 2; round++) {
    await read();
    const rows = [...(await listAssets())].map(([name, { local }]) => [name, local]);
    expect(Object.fromEntries(rows)).toEqual({
      'plain.jpg': '2001-09-09 01:46:40',
      'IMG_20000102_030405.jpg': '2000-01-02 03:04:05',
      'IMG_20050102_030405.jpg': '2001-09-09 01:46:40',
      'other.jpg': '2001-09-09 01:46:40',
    });
    for (const { id: assetId } of (await listAssets()).values())
      await enqueue(database.db, readMetadata, { assetId });
  }
});

test('an edit of the owner stays, and an item that was there before is completed', async () => {
  const bytes = await createStill();
  await folder.write({ [`${ROOT}/x/a.jpg`]: bytes });
  await start();
  await read();
  await folder.write({
    [`${ROOT}/x/a.jpg.json`]: toJson('a.jpg', { description: 'first', ...BERLIN }),
  });
  expect((await start()).report).toEqual(expectedReport({ duplicates: 1, noted: 1 }));
  await read();
  expect((await listAssets()).get('a.jpg')).toMatchObject({ description: 'first', city: 'Berlin' });
  await database.sql`
    update asset_exif set description = '', edited_fields = '{description}'
    where asset_id in (select id from asset where owner_id = ${me.id})`;
  await start();
  await read();
  expect((await listAssets()).get('a.jpg')).toMatchObject({ description: '', city: 'Berlin' });
});

test('favorites, the archive and the locked folder are kept, the trash is skipped', async () => {
  await folder.write({
    [`${ROOT}/x/metadata.json`]: { title: 'Everything' },
    ...Object.fromEntries(
      ['favorited', 'archived', 'inLockedFolder', 'trashed'].map((flag) => [
        `${ROOT}/x/${flag}.jpg.json`,
        toJson(`${flag}.jpg`, { [flag]: true }),
      ]),
    ),
  });
  for (const flag of ['favorited', 'archived', 'inLockedFolder', 'trashed']) {
    await folder.write({ [`${ROOT}/x/${flag}.jpg`]: await createStill() });
  }
  expect((await start()).report).toMatchObject({ taken: 3, skipped: 1, albumItems: 2 });
  const rows = await listAssets();
  expect([...rows.keys()].sort()).toEqual(['archived.jpg', 'favorited.jpg', 'inLockedFolder.jpg']);
  expect(rows.get('favorited.jpg')).toMatchObject({ is_favorite: true, visibility: 'timeline' });
  expect(rows.get('archived.jpg')).toMatchObject({ is_favorite: false, visibility: 'archive' });
  expect(rows.get('inLockedFolder.jpg')).toMatchObject({ albums: null });
  expect(rows.get('inLockedFolder.jpg')!.locked_at).not.toBeNull();
});

test('albums by their title, edited versions on top of a stack, live photos; twice changes nothing', async () => {
  const [photo, edited, year] = [
    await createStill(),
    await createStill(),
    `${ROOT}/Photos from 2001`,
  ];
  await folder.write({
    [`${year}/metadata.json`]: { title: 'Photos from 2001' },
    [`${year}/IMG_1(1).jpg`]: photo,
    [`${year}/IMG_1.jpg(1).json`]: toJson('IMG_1.jpg', { description: 'both' }),
    [`${year}/IMG_1-bearbeitet(1).jpg`]: edited,
    [`${year}/IMG_2.JPG`]: await createStill(),
    [`${year}/IMG_2.JPG.json`]: toJson('IMG_2.JPG', { favorited: true }),
    [`${year}/IMG_2.MP4`]: await createVideo(folder.path),
    [`${ROOT}/rome-1/Metadaten.json`]: { title: 'Rome', description: '', access: 'protected' },
    [`${ROOT}/rome-1/IMG_1(1).jpg`]: photo,
    [`${ROOT}/rome-1/IMG_1.jpg(1).json`]: toJson('IMG_1.jpg'),
  });
  for await (const name of new Bun.Glob('*.mov').scan(folder.path)) {
    await Bun.file(join(folder.path, name)).delete();
  }
  const counts = { taken: 4, duplicates: 1, livePhotos: 1, stacks: 1, albums: 1, albumItems: 1 };
  expect((await start({ isDryRun: true })).report).toMatchObject({ ...counts });
  expect((await start()).report).toMatchObject(counts);
  await read();
  const rows = await listAssets();
  const [original, better] = [rows.get('IMG_1(1).jpg'), rows.get('IMG_1-bearbeitet(1).jpg')];
  expect(original).toMatchObject({ albums: ['Rome'], description: 'both', is_stack_child: true });
  expect(original!.stack_id).not.toBeNull();
  expect(better).toMatchObject({ stack_id: original!.stack_id, description: 'both', albums: null });
  expect(better).toMatchObject({ is_stack_child: false });
  expect(rows.get('IMG_2.JPG')).toMatchObject({ is_favorite: true, stack_id: null });
  expect(rows.get('IMG_2.MP4')).toMatchObject({ visibility: 'hidden', is_favorite: false });
  const before = await describeLibrary(database);
  expect((await start()).report).toEqual(expectedReport({ duplicates: 5 }));
  expect(await describeLibrary(database)).toEqual(before);
});

test('a photo whose album has no description of it gets that of its year', async () => {
  const photo = await createStill();
  await folder.write({
    [`${ROOT}/Album/a.jpg`]: photo,
    [`${ROOT}/Album/metadata.json`]: { title: 'Rome' },
    [`${ROOT}/Photos from 2001/a.jpg`]: photo,
    [`${ROOT}/Photos from 2001/a.jpg.json`]: toJson('a.jpg', { favorited: true }),
  });
  await start();
  const found = (await listAssets()).get('a.jpg');
  expect(found).toMatchObject({ is_favorite: true, albums: ['Rome'] });
  expect(new Date(found!.taken_at).getTime()).toBe(1e12);
});

test('names of people are tags only if that is asked for', async () => {
  const people = [{ name: 'Ada/Lovelace' }, { name: 'Dad' }, {}];
  await folder.write({
    [`${ROOT}/x/a.jpg`]: await createStill(),
    [`${ROOT}/x/a.jpg.json`]: toJson('a.jpg', { people }),
  });
  await start();
  expect((await listAssets()).get('a.jpg')).toMatchObject({ tags: null });
  await start({ tagsPeople: true });
  await read();
  expect((await listAssets()).get('a.jpg')!.tags).toEqual(['People/Ada Lovelace', 'People/Dad']);
});

test('documents of other kinds are no description and no album', () => {
  for (const document of [null, 1, [], {}, { title: '' }, { photoTakenTime: 1 }]) {
    expect([parseTakeoutPhoto(document), parseTakeoutAlbum(document)]).toEqual([
      undefined,
      undefined,
    ]);
  }
  expect(parseTakeoutAlbum(toJson('a.jpg'))).toBeUndefined();
  expect(parseTakeoutAlbum({ albumData: { title: 'Old' } })).toEqual({ title: 'Old' });
  expect(parseTakeoutPhoto(toJson('a', { photoTakenTime: { timestamp: '0' } }))).toMatchObject({
    takenAt: undefined,
    position: undefined,
  });
});

test('folders by year are told from albums', () => {
  const years = [
    'Photos from 2020',
    'Fotos von 2020',
    "Foto's uit 1999",
    'Foto_s van 2019',
    '/x/Photos de 2021',
  ];
  expect(years.filter((name) => !isYearFolder(name))).toEqual([]);
  expect(['Summer in Rome 2020', '2020', 'Photos from Rome'].filter(isYearFolder)).toEqual([]);
});
