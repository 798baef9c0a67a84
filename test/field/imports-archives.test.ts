import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import { useArchiveMoves } from '../support/archive-moves.ts';
import { ICLOUD_HEADER, PHOTO_TIME, toJson, YEAR } from '../support/field-imports.ts';
import { seed, testApp, type TestUser } from '../support/harness.ts';
import { createStill } from '../support/live-photos.ts';
import { drainLane, openMediaLibrary } from '../support/processing.ts';
import { makeZip, type ZipEntry } from '../support/zips.ts';

// ZIP files of exports as people have them: README.md has the public threads.

setDefaultTimeout(300_000);

const library = await openMediaLibrary();
const { database } = library;
const { moveIn, read, listFailures, announce } = useArchiveMoves({
  database,
  app: testApp(database),
});
let me: TestUser;
let photos: Uint8Array[];

beforeAll(async () => {
  photos = await Promise.all([createStill(), createStill(), createStill()]);
});
afterAll(() => library.close());
beforeEach(async () => {
  me = await seed(database).user(['all']);
});

const toPart = (part: number, entries: readonly ZipEntry[]) => ({
  name: `takeout-20260529T043328Z-3-00${part}.zip`,
  bytes: makeZip(entries, { isZip64: true }),
});
const photo = (name: string, at = 0): ZipEntry => ({ name, content: photos[at]!, isStored: true });
const json = (name: string, title: string): ZipEntry => ({
  name,
  content: toJson(title, PHOTO_TIME),
});

async function take(zips: Parameters<typeof moveIn>[1]) {
  const id = await moveIn(me, zips);
  await drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
  const rows = await database.sql`
    select file_name, taken_at, stack_id is not null as stacked, array(
      select name from album_asset join album on album.id = album_id
      where asset_id = asset.id order by name) as albums
    from asset where owner_id = ${me.id} order by file_name`;
  const items = rows.map((row) => [
    row['file_name'],
    new Date(row['taken_at']).toISOString() === PHOTO_TIME,
    row['albums'],
    row['stacked'],
  ]);
  return { id, items, moveIn: await read(me, id), failures: await listFailures(me, id) };
}

test('620: a photo, its description, its album and its edited version are in four parts', async () => {
  const ROME = 'Takeout/Google Photos/Rome';
  const { items, moveIn } = await take([
    toPart(1, [json(`${ROME}/a.jpg.supplemental-metadata.json`, 'a.jpg')]),
    toPart(2, [photo(`${ROME}/a.jpg`)]),
    toPart(3, [photo(`${ROME}/a-edited.jpg`, 1)]),
    toPart(4, [{ name: `${ROME}/metadata.json`, content: { title: 'Rome / Day 1' } }]),
  ]);
  expect(items).toEqual([
    ['a-edited.jpg', true, ['Rome / Day 1'], true],
    ['a.jpg', true, ['Rome / Day 1'], true],
  ]);
  expect(moveIn).toMatchObject({ stacks: 1, failures: 0, noted: 0 });
});

test('621: the first part was forgotten: the photos come, and are listed', async () => {
  const { items, moveIn } = await take([toPart(2, [photo(`${YEAR}/a.jpg`)])]);
  expect(items).toEqual([['a.jpg', false, [], false]]);
  expect(moveIn).toMatchObject({ status: 'completed', taken: 1, noted: 1 });
});

test('622: folders of another language, in two parts', async () => {
  const { items } = await take([
    toPart(1, [photo('Takeout/Google Fotos/Fotos von 2019/a.jpg')]),
    toPart(2, [json('Takeout/Google Fotos/Fotos von 2019/a.jpg.json', 'a.jpg')]),
  ]);
  expect(items).toEqual([['a.jpg', true, [], false]]);
});

test('623: names that Google has cut, numbers among them, in another part than their photos', async () => {
  const long = 'a-name-that-is-much-longer-than-google-lets-it-be';
  const cut = long.slice(0, 46);
  const { items } = await take([
    toPart(1, [photo(`${YEAR}/${cut}.jpg`), photo(`${YEAR}/EFFECTS(7).jpg`, 1)]),
    toPart(2, [
      json(`${YEAR}/${cut}.json`, `${long}.jpg`),
      json(`${YEAR}/EFFECTS.jpg.supplemental-metadata(7).json`, 'EFFECTS.jpg'),
    ]),
  ]);
  expect(items).toEqual([
    ['EFFECTS(7).jpg', true, [], false],
    [`${cut}.jpg`, true, [], false],
  ]);
});

test('624: a part whose download broke off is named, and the others come', async () => {
  const second = toPart(2, [photo(`${YEAR}/b.jpg`, 1)]);
  const cut = { ...second, bytes: second.bytes.subarray(0, -200) };
  const { items, failures } = await take([
    toPart(1, [photo(`${YEAR}/a.jpg`), json(`${YEAR}/a.jpg.json`, 'a.jpg')]),
    cut,
    toPart(3, [photo(`${YEAR}/c.jpg`, 2), json(`${YEAR}/c.jpg.json`, 'c.jpg')]),
  ]);
  expect(items.map(([name, isDated]) => [name, isDated])).toEqual([
    ['a.jpg', true],
    ['c.jpg', true],
  ]);
  expect(failures).toEqual([[cut.name, 'The archive ends early: download it again']]);
});

test('625: names as Windows and macOS write them, with what macOS adds', async () => {
  const { items, moveIn } = await take([
    {
      name: 'Urlaub.zip',
      bytes: makeZip([
        // ü in CP437, and in UTF-8 without the flag.
        { ...photo(''), name: Buffer.from([0x4d, 0x81, 0x2e, 0x6a, 0x70, 0x67]) },
        { ...photo('', 1), name: Buffer.from('Küste.jpg') },
        { name: '__MACOSX/._Küste.jpg', content: 'resource fork' },
      ]),
    },
  ]);
  expect(items.map(([name]) => name)).toEqual(['Küste.jpg', 'Mü.jpg']);
  expect(moveIn).toMatchObject({ program: 'other', failures: 0 });
});

test('626: iCloud: a list in one part, its photos in the other', async () => {
  const row =
    'a.jpg,x,no,no,no,"Monday April 1,2019 10:00 AM GMT",0,"Monday April 1,2019 10:00 AM GMT"';
  const { items, moveIn } = await take([
    {
      name: 'iCloud Photos Part 1 of 2.zip',
      bytes: makeZip([
        {
          name: 'iCloud Photos Part 1 of 2/Photos/Photo Details.csv',
          content: `${ICLOUD_HEADER}\n${row}`,
        },
        { name: 'iCloud Photos Part 1 of 2/Albums/Rome.csv', content: 'Images\na.jpg' },
      ]),
    },
    {
      name: 'iCloud Photos Part 2 of 2.zip',
      bytes: makeZip([photo('iCloud Photos Part 2 of 2/Photos/a.jpg')]),
    },
  ]);
  expect(items).toEqual([['a.jpg', true, ['Rome'], false]]);
  expect(moveIn).toMatchObject({ program: 'icloud' });
});

test('627: an export of the other kind of archive is refused with what to choose instead', async () => {
  const tgz = { name: 'takeout-20260529T043328Z-001.tgz', bytes: Bun.gzipSync('x') };
  const { status, body } = await announce(me, [tgz]);
  expect([status, body.errors[0].code]).toEqual([400, 'archive_tgz']);
  const { failures } = await take([{ ...tgz, name: 'renamed.zip' }]);
  expect(failures[0]?.[1]).toContain('choose ZIP when you order the export');
});
