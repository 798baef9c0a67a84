import { beforeEach, describe, expect, test } from 'bun:test';
import { createEntryNames } from '../../src/areas/downloads/entry-names.ts';
import { assetExif } from '../../src/db/tables/assets.ts';
import { createArchiveExportTests } from '../support/exported-archives.ts';
import { call, seed, send, type TestUser } from '../support/harness.ts';
import { addFile } from '../support/processing.ts';
import { listEntries, listEntryNames } from '../support/zip-entries.ts';

// Archives are unpacked on what people have: NTFS and exFAT (Windows, sticks), APFS (Mac), ext4, and what encrypts names.

const library = createArchiveExportTests();
let me: TestUser;
beforeEach(() => {
  me = library.me;
});

const addNamed = (name: string, over: object = {}) => {
  const file = { name: 'x.jpg', bytes: crypto.getRandomValues(new Uint8Array(8)) };
  return addFile(library.database, file, { ownerId: me.id, fileName: name, ...over });
};
const fetchZip = async (path: 'archive' | 'archive-with-sidecars', body: object) =>
  send(library.app, `POST /download/${path}`, { as: me, body });

/** Returns the names under which files of these names are in an archive. */
async function pack(names: readonly string[]): Promise<string[]> {
  const assetIds: string[] = [];
  for (const name of names) assetIds.push(await addNamed(name));
  const response = await fetchZip('archive', { assetIds });
  expect(response.status).toBe(200);
  return listEntryNames(await response.bytes());
}

const bytes = (name: string) => Buffer.byteLength(name);

test('530: names that differ by case only get a number', async () => {
  expect(await pack(['PICT0008.JPG', 'pict0008.jpg', 'Straße.jpg', 'STRASSE.JPG'])).toEqual([
    'PICT0008.JPG',
    'pict0008+1.jpg',
    'Straße.jpg',
    'STRASSE+1.JPG',
  ]);
});

test('531: names are in one Unicode form, and the same in two forms get a number', async () => {
  const name = 'Übung für Zoë.jpg';
  const packed = await pack([
    name.normalize('NFD'),
    name.normalize('NFC'),
    '한국.jpg'.normalize('NFD'),
  ]);
  expect(packed).toEqual([
    name.normalize('NFC'),
    'Übung für Zoë+1.jpg',
    '한국.jpg'.normalize('NFC'),
  ]);
});

test('532: no file has the name of a device of Windows', async () => {
  const names = [
    'CON.jpg',
    'nul.tar.gz',
    'com1',
    'LPT³.mp4',
    'aux .jpg',
    'CONTACT.jpg',
    'com10.jpg',
  ];
  expect(await pack(names)).toEqual([
    '_CON.jpg',
    '_nul.tar.gz',
    '_com1',
    '_LPT³.mp4',
    '_aux .jpg',
    'CONTACT.jpg',
    'com10.jpg',
  ]);
});

test('533: no name ends with dots or spaces, and none begins outside', async () => {
  expect(
    await pack(['etc...', 'IMG 1. . ', '../../a.jpg', '..\\..\\b.jpg', ' .. ', '...']),
  ).toEqual(['etc', 'IMG 1', 'a.jpg', 'b.jpg', 'file', 'file+1']);
});

test('534: characters that Windows refuses are replaced', async () => {
  const names = ['10:30 "Oma"? <1>|*.jpg', 'a\u0001\u007Fb.jpg', '😀 & été’s.jpg'];
  expect(await pack(names)).toEqual(['10_30 _Oma__ _1___.jpg', 'a__b.jpg', '😀 & été’s.jpg']);
});

describe('long names', () => {
  const family = '👨‍👩‍👧‍👦';

  test('535: fit into 255 bytes, with whole characters and their extension', async () => {
    const long = [`${family.repeat(20)}.HEIC`, `${'ñ'.repeat(150)}.jpg`, `a.${'x'.repeat(300)}`];
    const packed = await pack(long);
    for (const name of packed) expect(bytes(name)).toBeLessThanOrEqual(255);
    expect(packed[0]).toMatch(new RegExp(`^(?:${family})+\\.HEIC$`, 'u'));
    expect(packed[1]).toMatch(/^ñ+\.jpg$/);
    expect(packed[2]).toMatch(/^a\.x+$/);
  });

  test('536: that are cut to the same get numbers', async () => {
    const text = 'Sommer in Örebro '.repeat(20);
    const packed = await pack([`${text}1.jpg`, `${text}2.jpg`, `${text}3.jpg`]);
    expect(new Set(packed).size).toBe(3);
    for (const [index, name] of packed.entries()) {
      expect(bytes(name)).toBeLessThanOrEqual(255);
      expect(name).toEndWith(index === 0 ? '.jpg' : `+${index}.jpg`);
    }
  });

  test('537: have their sidecars by their side, under the whole name', async () => {
    const [long, short] = [await addNamed(`${'é'.repeat(200)}.jpg`), await addNamed('CON.jpg')];
    const second = await addNamed('con.jpg');
    const assetIds = [long, short, second];
    await library.database.db.update(assetExif).set({ description: 'x' });
    const response = await fetchZip('archive-with-sidecars', { assetIds });
    const names = listEntryNames(await response.bytes());
    expect(names.slice(2)).toEqual(['_CON.jpg', '_CON.jpg.xmp', '_con+1.jpg', '_con+1.jpg.xmp']);
    expect(names[1]).toBe(`${names[0]}.xmp`);
    expect(bytes(names[1]!)).toBeLessThanOrEqual(255);
  });
});

test('538: a file that is named as the sidecar of another one takes no place of it', () => {
  const name = createEntryNames();
  expect(name('a.jpg.xmp')).toBe('a.jpg.xmp');
  expect(name('a.jpg')).toBe('a.jpg');
  expect(name('a.jpg', '.xmp')).toBe('a.jpg+1.xmp');
});

test('539: the archive has such a name, too', async () => {
  const assetIds = [await addNamed('a.jpg')];
  const getName = async (archiveName: string) =>
    /filename\*=UTF-8''([^;]+)|filename="([^"]*)"/
      .exec(
        (await fetchZip('archive', { assetIds, archiveName })).headers.get('content-disposition')!,
      )!
      .slice(1)
      .find((one) => one !== undefined)!;
  expect(await getName('NUL')).toBe('_NUL.zip');
  expect(await getName('2025: Rom?')).toBe('2025_ Rom_.zip');
  expect(bytes(decodeURIComponent(await getName('ü'.repeat(200))))).toBeLessThanOrEqual(255);
});

test('540: programs are told that names are UTF-8', async () => {
  const response = await fetchZip('archive', { assetIds: [await addNamed('Übung.jpg')] });
  expect(listEntries(await response.bytes())).toEqual([{ name: 'Übung.jpg', isUtf8: true }]);
});

test('541: exports of memories have such names, and are named so', async () => {
  const ids = [await addNamed('AUX.jpg'), await addNamed('aux.JPG'), await addNamed('x?.jpg')];
  await library.setMemory(ids, 'PRN');
  const id = await library.complete();
  const response = await library.download(id);
  expect(response.headers.get('content-disposition')).toContain('_PRN.zip');
  const names = listEntryNames(await response.bytes());
  expect(names).toEqual(['_AUX.jpg', '_aux+1.JPG', 'x_.jpg']);
});

test('542: thousands of files of one name are named at once', () => {
  const name = createEntryNames();
  // Trying each number for each file would take minutes.
  const names = Array.from({ length: 50_000 }, () => name('FullSizeRender.mov'));
  expect(new Set(names).size).toBe(50_000);
});

test("543: a file that is missing is told by a name of its own; somebody else's is refused", async () => {
  const gone = await seed(library.database).asset({ ownerId: me.id, fileName: 'CON.jpg' });
  const there = await addNamed('b.jpg');
  const response = await fetchZip('archive', { assetIds: [gone, there] });
  expect(listEntryNames(await response.bytes())).toEqual(['_CON.jpg.missing.txt', 'b.jpg']);
  const stranger = await seed(library.database).user();
  const body = { assetIds: [there] };
  const refused = await call(library.app, 'POST /download/archive', { as: stranger, body });
  expect(refused.status).toBe(400);
});
