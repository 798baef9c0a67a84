import { expect, setDefaultTimeout, test } from 'bun:test';
import { getRefusal } from '../../src/areas/imports/run.ts';
import { PHOTO_TIME, toJson, useFieldImports, VIDEO_TIME, YEAR } from '../support/field-imports.ts';

// Exports of Google in many languages, and odd values in them: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, video, write, run, getPosition } = useFieldImports();

const facts = (name: string, over: object = {}, time = PHOTO_TIME) => ({
  [`${YEAR}/${name}.supplemental-metadata.json`]: toJson(name, time, over),
});
const at = (latitude: unknown, longitude: unknown) => ({ latitude, longitude, altitude: 0 });
const MISSING = ['value_odd', 'date_missing'];

test('330: the position that the file had counts where nobody has set another one', async () => {
  const places: Record<string, object> = {
    'exif.jpg': { geoData: at(0, 0), geoDataExif: at(48.5, 2.5) },
    'both.jpg': { geoData: at(41.25, 12.5), geoDataExif: at(48.5, 2.5) },
    'none.jpg': { geoData: at(0, 0), geoDataExif: at(0, 0) },
    'odd.jpg': { geoData: at(999, 'x'), geoDataExif: at('48.5', '2.5') },
    'gone.jpg': { geoData: undefined, geoDataExif: at(-33.75, 151.25) },
  };
  for (const [name, place] of Object.entries(places)) {
    await write({ [`${YEAR}/${name}`]: await photo(), ...facts(name, place) });
  }
  await run();
  const found = await Promise.all(Object.keys(places).map(getPosition));
  expect(found).toEqual([
    [48.5, 2.5],
    [41.25, 12.5],
    [null, null],
    [48.5, 2.5],
    [-33.75, 151.25],
  ]);
});

test('331: an odd time is no date, and its photo is taken in and listed', async () => {
  const times: Record<string, unknown> = {
    'huge.jpg': '99999999999999999',
    'thousands.jpg': '1554112800000',
    'negative.jpg': '-99999999999999999',
    'text.jpg': 'yesterday',
    'null.jpg': null,
    'list.jpg': ['1554112800'],
    'nul.jpg': '1554112800\0',
  };
  for (const [name, timestamp] of Object.entries(times)) {
    const json = { title: name, photoTakenTime: { timestamp } };
    await write({ [`${YEAR}/${name}`]: await photo(), [`${YEAR}/${name}.json`]: json });
  }
  await write({ [`${YEAR}/fine.jpg`]: await photo(), ...facts('fine.jpg') });
  const { report, refused, notes, items } = await run();
  expect([report.taken, refused]).toEqual([8, []]);
  expect(items['fine.jpg']?.takenAt).toBe(PHOTO_TIME);
  const listed = Object.fromEntries(
    Object.keys(times)
      .filter((name) => name !== 'list.jpg')
      .map((name) => [`${YEAR}/${name}`, { reasons: MISSING, dateSource: 'modified' }]),
  );
  expect(notes).toMatchObject(listed);
});

test('332: a photo of a time before 1970 has it', async () => {
  const [old, older] = ['1952-07-04T12:00:00.000Z', '1899-12-31T23:00:00.000Z'];
  await write({
    [`${YEAR}/old.jpg`]: await photo(),
    ...facts('old.jpg', {}, old),
    [`${YEAR}/older.jpg`]: await photo(),
    ...facts('older.jpg', {}, older),
  });
  const { items } = await run();
  expect([items['old.jpg']?.takenAt, items['older.jpg']?.takenAt]).toEqual([old, older]);
});

test('333: a NUL, and half of a character, are left out of texts', async () => {
  const odd = {
    description: 'Am\0 Strand \ud83c',
    people: [{ name: 'A\0nna' }, { name: '\0' }, 'Ben'],
  };
  await write({
    [`${YEAR}/nul.jpg`]: await photo(),
    ...facts('nul.jpg', odd),
    'Takeout/Google Photos/Album/metadata.json': { title: 'Ro\0ma' },
    'Takeout/Google Photos/Album/b.jpg': await photo(),
    'Takeout/Google Photos/Album/b.jpg.json': toJson('b\0.jpg', PHOTO_TIME),
  });
  const { refused, items } = await run({ tagsPeople: true });
  expect(refused).toEqual([]);
  expect(items).toMatchObject({
    'nul.jpg': { takenAt: PHOTO_TIME, description: expect.stringMatching(/^Am Strand/) },
    'b.jpg': { albums: ['Roma'] },
  });
});

test('334: a JSON that begins with a mark of its encoding is read', async () => {
  const json = JSON.stringify(toJson('bom.jpg', PHOTO_TIME));
  await write({ [`${YEAR}/bom.jpg`]: await photo(), [`${YEAR}/bom.jpg.json`]: `\uFEFF${json}` });
  const { items, notes } = await run();
  expect([items['bom.jpg']?.takenAt, notes]).toEqual([PHOTO_TIME, {}]);
});

test('335: a JSON that is a list, a number or empty is that of no photo', async () => {
  for (const [name, json] of Object.entries({ list: '[1]', number: '1', empty: '' })) {
    await write({ [`${YEAR}/${name}.jpg`]: await photo(), [`${YEAR}/${name}.jpg.json`]: json });
  }
  const { report, notes } = await run();
  expect(report).toMatchObject({ taken: 3, noted: 3 });
  expect(Object.values(notes).map(({ reasons }) => reasons[0])).toEqual(
    Array.from({ length: 3 }, () => 'facts_missing'),
  );
});

test.each([
  ['336a: German', 'Takeout/Google Fotos/Fotos von 2019'],
  ['336b: French', 'Takeout/Google Photos/Photos de 2019'],
  ['336c: Spanish', 'Takeout/Google Fotos/Fotos de 2019'],
  ['336d: Italian', 'Takeout/Google Foto/Foto da 2002'],
  ['336e: Dutch', "Takeout/Google Foto's/Foto's uit 2019"],
  ['336f: Thai', 'Takeout/Google Photos/รูปภาพจากปี 2019'],
  ['336g: Japanese', 'Takeout/Google フォト/2019 年の写真'],
  ['336h: Korean', 'Takeout/Google 포토/2019년의 사진'],
  ['336i: Chinese', 'Takeout/Google 相册/2019 年的照片'],
  ['336j: Greek', 'Takeout/Google Φωτογραφίες/Φωτογραφίες από το 2019'],
  ['336k: Hungarian', 'Takeout/Google Fotók/Fotók - 2019'],
  ['336l: Russian', 'Takeout/Google Фото/Фото за 2019'],
])('%s: the folder of a year is no album, and none without a title', async (_, folder) => {
  await write({
    [`${folder}/a.jpg`]: await photo(),
    [`${folder}/a.jpg.supplemental-metadata.json`]: toJson('a.jpg', PHOTO_TIME),
    [`${folder.replace(/20\d\d/, '2011')}/b.jpg`]: await photo(),
    [`${folder.replace(/20\d\d/, '2011')}/b.jpg.json`]: toJson('b.jpg', PHOTO_TIME),
  });
  const { report, items, notes } = await run({ namesAlbums: true });
  expect([report.albums, notes, items['a.jpg']?.takenAt]).toEqual([0, {}, PHOTO_TIME]);
});

test('337: an album of a year with a title is an album', async () => {
  await write({
    'Takeout/Google Photos/Rome 2019/metadata.json': { title: 'Rome 2019' },
    'Takeout/Google Photos/Rome 2019/a.jpg': await photo(),
    'Takeout/Google Photos/Rome 2019/a.jpg.json': toJson('a.jpg', PHOTO_TIME),
  });
  await write({
    'Takeout/Google Photos/Oslo 2019/b.jpg': await photo(),
    'Takeout/Google Photos/Oslo 2019/b.jpg.json': toJson('b.jpg', PHOTO_TIME),
  });
  await write({ [`${YEAR}/c.jpg`]: await photo(), ...facts('c.jpg') });
  const { items, notes } = await run();
  expect(items['a.jpg']?.albums).toEqual(['Rome 2019']);
  // Beside the folder of that year, one that has lost its title.
  expect(Object.values(notes).map(({ reasons }) => reasons)).toEqual([['album_missing']]);
});

test.each([
  ['338a: Ukrainian', 'змінено'],
  ['338b: Greek', 'επεξεργασμένο'],
  ['338c: Hungarian', 'szerkesztett'],
  ['338d: Vietnamese', 'đã chỉnh sửa'],
  ['338e: Hebrew', 'נערך'],
  ['338f: Indonesian', 'diedit'],
  ['338g: Thai', 'แก้ไขแล้ว'],
])('%s: an edited version has the date of its original in any language', async (_, word) => {
  await write({
    [`${YEAR}/IMG_1.jpg`]: await photo(),
    ...facts('IMG_1.jpg'),
    [`${YEAR}/IMG_1-${word}.jpg`]: await photo(),
    [`${YEAR}/IMG_2.HEIC`]: await photo(),
    ...facts('IMG_2.HEIC', { inLockedFolder: true }, VIDEO_TIME),
    [`${YEAR}/IMG_2-${word}.jpg`]: await photo(),
  });
  const { items, report } = await run();
  expect(report.noted).toBe(0);
  const edited = Object.entries(items).filter(([name]) => name.includes(word));
  expect(edited.map(([, { takenAt, isLocked }]) => [takenAt, isLocked])).toEqual([
    [PHOTO_TIME, false],
    [VIDEO_TIME, true],
  ]);
});

test('339: a name with a dash is that of another photo if it has a JSON of its own', async () => {
  await write({
    [`${YEAR}/IMG_1.jpg`]: await photo(),
    ...facts('IMG_1.jpg'),
    [`${YEAR}/IMG_1-COLLAGE.jpg`]: await photo(),
    ...facts('IMG_1-COLLAGE.jpg', {}, VIDEO_TIME),
    // Nothing says that it is of the photo before the dash.
    [`${YEAR}/IMG_1-2.jpg`]: await photo(),
  });
  const { items, notes } = await run();
  expect(items['IMG_1-COLLAGE.jpg']?.takenAt).toBe(VIDEO_TIME);
  expect(Object.keys(notes)).toEqual([`${YEAR}/IMG_1-2.jpg`]);
});

test('340: long names that are cut within their extension, with and without a counter', async () => {
  const long = '123456789123456789123456789123456789';
  const names: Record<string, string> = {
    [`${long}_DSCN0091.JPG`]: `${long}_DSCN0091.JP.supplemental-meta.json`,
    [`${long}_DSCN0091(1).JPG`]: `${long}_DSCN0091.JP.supplemental-meta(1).json`,
    [`${long}_DSCN0098.JPG`]: `${long}_DSCN0098.JPG.su.json`,
    [`${long}_DSCN0098(1).JPG`]: `${long}_DSCN0098.JPG.su(1).json`,
    [`${long}_DSCN0100.JPG`]: `${long}_DSCN0100.JPG.s.json`,
  };
  for (const [name, json] of Object.entries(names)) {
    await write({
      [`${YEAR}/${name}`]: await photo(),
      [`${YEAR}/${json}`]: toJson(name, PHOTO_TIME),
    });
  }
  const { items, notes } = await run();
  expect(notes).toEqual({});
  expect(Object.values(items).map(({ takenAt }) => takenAt)).toEqual(
    Array.from({ length: 5 }, () => PHOTO_TIME),
  );
});

test('341: clips beside photos of Pixel phones in every spelling', async () => {
  await write({
    [`${YEAR}/PXL_1.MP.jpg`]: await photo(),
    [`${YEAR}/PXL_1.MP`]: await video(),
    ...facts('PXL_1.MP.jpg'),
    [`${YEAR}/PXL_2.mp.jpg`]: await photo(),
    [`${YEAR}/PXL_2.mp`]: await video(),
    ...facts('PXL_2.mp.jpg'),
    [`${YEAR}/PXL_3.MP(1).jpg`]: await photo(),
    [`${YEAR}/PXL_3.MP(1)`]: await video(),
    [`${YEAR}/PXL_3.MP.jpg.supplemental-metadata(1).json`]: toJson('PXL_3.MP.jpg', PHOTO_TIME),
    [`${YEAR}/PXL_4.MP.mp4`]: await video(),
    ...facts('PXL_4.MP.mp4'),
  });
  const { items, notes, report } = await run();
  expect(notes).toEqual({});
  expect(report).toMatchObject({ livePhotos: 3, others: {} });
  expect(items['PXL_4.MP.mp4']).toMatchObject({ isShown: true, takenAt: PHOTO_TIME });
});

test('342: a value that cannot be stored is a failure of its file, and no end of the import', () => {
  const wrap = (code: string, message: string) =>
    new Error('Failed query: insert', { cause: Object.assign(new Error(message), { code }) });
  const reason = (error: Error) => getRefusal(error, '/data');
  expect([
    reason(new RangeError('Invalid time value')),
    reason(wrap('22021', 'invalid byte sequence for encoding "UTF8": 0x00')),
    reason(wrap('22008', 'date/time field value out of range')),
    // The next file would fail, too.
    reason(wrap('53100', 'disk full')),
    reason(new TypeError('x is not a function')),
  ]).toEqual([
    'A value of it cannot be stored: Invalid time value',
    'A value of it cannot be stored: invalid byte sequence for encoding "UTF8": 0x00',
    'A value of it cannot be stored: date/time field value out of range',
    undefined,
    undefined,
  ]);
});
