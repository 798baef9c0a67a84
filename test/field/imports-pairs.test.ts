import { expect, setDefaultTimeout, test } from 'bun:test';
import {
  ICLOUD_HEADER,
  PHOTO_TIME,
  toJson,
  useFieldImports,
  VIDEO_TIME,
  YEAR,
} from '../support/field-imports.ts';

// Photos and videos of one name in exports: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, video, write, run } = useFieldImports();
const JSON_NAME = 'supplemental-metadata';
const json = (name: string) => `${YEAR}/${name}.${JSON_NAME}.json`;

test('1: a video beside a photo of its name has the date, text and place of its own JSON', async () => {
  await write({
    [`${YEAR}/IMG_0901.JPG`]: await photo(),
    [json('IMG_0901.JPG')]: toJson('IMG_0901.JPG', PHOTO_TIME, { description: 'photo text' }),
    [`${YEAR}/IMG_0901.MP4`]: await video(),
    [json('IMG_0901.MP4')]: toJson('IMG_0901.MP4', VIDEO_TIME, { description: 'video text' }),
  });
  const { report, items, notes } = await run();
  expect(report).toMatchObject({ taken: 2, livePhotos: 0 });
  expect(notes).toEqual({});
  expect(items).toMatchObject({
    'IMG_0901.JPG': { isShown: true, takenAt: PHOTO_TIME, description: 'photo text', video: null },
    'IMG_0901.MP4': { isShown: true, takenAt: VIDEO_TIME, description: 'video text' },
  });
});

test('2: each file of a pair of names is shown, locked or left out by its own flags', async () => {
  const flags: Record<string, [photo: object, video: object]> = {
    A: [{}, { trashed: true }],
    B: [{ inLockedFolder: true }, {}],
    C: [{ archived: true }, {}],
    D: [{}, { inLockedFolder: true }],
    E: [{ trashed: true }, {}],
  };
  for (const [name, [ofPhoto, ofVideo]] of Object.entries(flags)) {
    await write({
      [`${YEAR}/${name}.jpg`]: await photo(),
      [json(`${name}.jpg`)]: toJson(`${name}.jpg`, PHOTO_TIME, ofPhoto),
      [`${YEAR}/${name}.MP4`]: await video(),
      [json(`${name}.MP4`)]: toJson(`${name}.MP4`, VIDEO_TIME, ofVideo),
    });
  }
  const dry = await run({ isDryRun: true });
  const { report, items } = await run();
  expect(report).toMatchObject({ taken: 8, skipped: 2, livePhotos: 0 });
  expect(dry.report).toMatchObject({ taken: 8, skipped: 2, livePhotos: 0 });
  const shown = Object.entries(items).map(([name, { isShown, isLocked }]) => [
    name,
    isLocked ? 'locked' : isShown,
  ]);
  expect(Object.fromEntries(shown)).toEqual({
    'A.jpg': true,
    'B.jpg': 'locked',
    'B.MP4': true,
    // In the archive.
    'C.jpg': false,
    'C.MP4': true,
    'D.jpg': true,
    'D.MP4': 'locked',
    'E.MP4': true,
  });
});

test('3: identifiers make a live photo also where each file has a JSON', async () => {
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  await write({
    [`${YEAR}/A.JPG`]: await photo(one),
    [json('A.JPG')]: toJson('A.JPG', PHOTO_TIME),
    [`${YEAR}/A.MOV`]: await video(one),
    [json('A.MOV')]: toJson('A.MOV', VIDEO_TIME),
    // The video was deleted by itself.
    [`${YEAR}/B.JPG`]: await photo(two),
    [json('B.JPG')]: toJson('B.JPG', PHOTO_TIME),
    [`${YEAR}/B.MOV`]: await video(two),
    [json('B.MOV')]: toJson('B.MOV', PHOTO_TIME, { trashed: true }),
  });
  const { report, items } = await run();
  expect(report).toMatchObject({ taken: 3, skipped: 1, livePhotos: 1 });
  expect(items).toMatchObject({
    'A.JPG': { isShown: true, takenAt: PHOTO_TIME, video: 'A.MOV' },
    'A.MOV': { isShown: false },
    'B.JPG': { isShown: true, video: null },
  });
  expect(items).not.toHaveProperty(['B.MOV']);
});

test('4: the JSON of the photo alone is that of its live photo, with a counter, too', async () => {
  const id = crypto.randomUUID();
  await write({
    [`${YEAR}/A.JPG`]: await photo(),
    [json('A.JPG')]: toJson('A.JPG', PHOTO_TIME),
    [`${YEAR}/A.MP4`]: await video(),
    [`${YEAR}/A(1).JPG`]: await photo(id),
    [`${YEAR}/A.JPG.${JSON_NAME}(1).json`]: toJson('A.JPG', VIDEO_TIME, { inLockedFolder: true }),
    // Google has made another file of it, which lost the identifier.
    [`${YEAR}/A(1).MP4`]: await video(),
    [`${YEAR}/C.JPG`]: await photo(),
    [json('C.JPG')]: toJson('C.JPG', PHOTO_TIME, { trashed: true }),
    [`${YEAR}/C.MP4`]: await video(),
  });
  const { report, items, notes } = await run();
  expect(report).toMatchObject({ taken: 4, skipped: 2, livePhotos: 2 });
  expect(notes).toEqual({});
  expect(items).toMatchObject({
    'A.JPG': { isShown: true, takenAt: PHOTO_TIME, video: 'A.MP4' },
    'A(1).JPG': { isLocked: true, takenAt: VIDEO_TIME, video: 'A(1).MP4' },
    'A.MP4': { isShown: false },
    'A(1).MP4': { isShown: false, isLocked: true },
  });
  expect(Object.keys(items)).not.toContain('C.MP4');
});

test('5: identifiers go before names: videos that have changed their names keep their photos', async () => {
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  await write({
    [`${YEAR}/img.jpg`]: await photo(one),
    [json('img.jpg')]: toJson('img.jpg', PHOTO_TIME, { trashed: true }),
    [`${YEAR}/img.mov`]: await video(two),
    [`${YEAR}/img(1).jpg`]: await photo(two),
    [`${YEAR}/img.jpg.${JSON_NAME}(1).json`]: toJson('img.jpg', VIDEO_TIME),
    [`${YEAR}/img(1).mov`]: await video(one),
  });
  const { report, items } = await run();
  expect(report).toMatchObject({ taken: 2, skipped: 2, livePhotos: 1 });
  expect(items).toMatchObject({
    'img(1).jpg': { isShown: true, takenAt: VIDEO_TIME, video: 'img.mov' },
    'img.mov': { isShown: false },
  });
  expect(Object.keys(items)).toHaveLength(2);
});

test('6: a photo and a video of other names with one identifier are a live photo', async () => {
  const id = crypto.randomUUID();
  await write({
    [`${YEAR}/DFD4.jpg`]: await photo(id),
    [json('DFD4.jpg')]: toJson('DFD4.jpg', PHOTO_TIME, { inLockedFolder: true }),
    [`${YEAR}/DFD4_3.mov`]: await video(id),
    [`${YEAR}/other.jpg`]: await photo(),
    [json('other.jpg')]: toJson('other.jpg', PHOTO_TIME),
  });
  const { report, items } = await run();
  expect(report).toMatchObject({ taken: 3, livePhotos: 1 });
  expect(items).toMatchObject({
    'DFD4.jpg': { isLocked: true, video: 'DFD4_3.mov' },
    'DFD4_3.mov': { isLocked: true, isShown: false },
    'other.jpg': { isShown: true, video: null },
  });
});

test('7: of two photos of a name, the one with the identifier has the video', async () => {
  const id = crypto.randomUUID();
  await write({
    'IMG_7.jpeg': await photo(),
    'IMG_7.jpg': await photo(id),
    'IMG_7.mov': await video(id),
  });
  expect((await run()).items).toMatchObject({
    'IMG_7.jpeg': { isShown: true, video: null },
    'IMG_7.jpg': { isShown: true, video: 'IMG_7.mov' },
  });
});

test('280b: a video of another name leaves the photo to the video of its own name', async () => {
  for (const name of ['A', 'Z']) {
    const id = crypto.randomUUID();
    await write({
      [`IMG_${name}.jpg`]: await photo(id),
      [`${name}.mov`]: await video(id),
      [`IMG_${name}.mov`]: await video(id),
    });
  }
  expect((await run()).items).toMatchObject({
    'A.mov': { isShown: true },
    'IMG_A.jpg': { isShown: true, video: 'IMG_A.mov' },
    'Z.mov': { isShown: true },
    'IMG_Z.jpg': { isShown: true, video: 'IMG_Z.mov' },
  });
});

test('8: in a plain folder, a name makes no live photo where one file has an identifier', async () => {
  await write({
    'A.jpg': await photo(crypto.randomUUID()),
    'A.mp4': await video(),
    'B.jpg': await photo(),
    'B.mp4': await video(crypto.randomUUID()),
    'C.JPG': await photo(),
    'c.mov': await video(),
  });
  const { report, items, notes } = await run();
  expect([report, notes]).toMatchObject([{ taken: 6, livePhotos: 1 }, {}]);
  expect(items).toMatchObject({
    'A.mp4': { isShown: true },
    'B.mp4': { isShown: true },
    'C.JPG': { video: 'c.mov' },
    'c.mov': { isShown: false },
  });
});

test('9: rows of iCloud for both files keep a live photo whole, unless they differ', async () => {
  const part = 'iCloud Photos Part 1 of 1/Photos';
  const [day, other] = ['"Monday April 1,2019 10:00 AM GMT"', '"Friday July 14,2017 2:40 AM GMT"'];
  const row = (name: string, flags: string, date = day) => `${name},x,${flags},${date},1,${day}`;
  const names = ['A', 'B', 'C', 'D'];
  for (const name of names) {
    await write({ [`${part}/${name}.JPG`]: await photo(), [`${part}/${name}.MOV`]: await video() });
  }
  await write({
    [`${part}/Photo Details.csv`]: [
      ICLOUD_HEADER,
      row('A.JPG', 'no,no,no'),
      row('A.MOV', 'no,no,no'),
      row('B.JPG', 'no,no,no'),
      row('B.MOV', 'no,yes,no'),
      row('C.JPG', 'no,no,yes'),
      row('C.MOV', 'no,no,no', other),
      row('D.JPG', 'no,no,no'),
      row('D.MOV', 'no,no,yes', other),
    ].join('\n'),
  });
  const { report, items, notes } = await run();
  expect([report, notes]).toMatchObject([{ taken: 6, skipped: 2, livePhotos: 1 }, {}]);
  expect(items).toMatchObject({
    'A.JPG': { isShown: true, video: 'A.MOV' },
    'B.JPG': { isShown: true, video: null },
    'B.MOV': { isLocked: true },
    'C.MOV': { isShown: true, takenAt: VIDEO_TIME },
    'D.JPG': { isShown: true, video: null },
  });
  expect(Object.keys(items)).not.toContain('D.MOV');
});

test('10: the clip that Takeout writes beside a motion photo is its video', async () => {
  await write({
    [`${YEAR}/PXL_1.MP.jpg`]: await photo(),
    [json('PXL_1.MP.jpg')]: toJson('PXL_1.MP.jpg', PHOTO_TIME),
    [`${YEAR}/PXL_1.MP`]: await video(),
    [`${YEAR}/PXL_1.MP~2.jpg`]: await photo(),
    [json('PXL_1.MP~2.jpg')]: toJson('PXL_1.MP~2.jpg', PHOTO_TIME, { trashed: true }),
    [`${YEAR}/PXL_1.MP~2`]: await video(),
    [`${YEAR}/MVIMG_2.jpg`]: await photo(),
    [json('MVIMG_2.jpg')]: toJson('MVIMG_2.jpg', PHOTO_TIME),
    [`${YEAR}/MVIMG_2.MP4`]: await video(),
    // No photo is there.
    [`${YEAR}/notes.MP`]: 'x',
  });
  const { report, items } = await run();
  expect(report).toMatchObject({ taken: 4, skipped: 2, livePhotos: 2, others: { mp: 1 } });
  expect(items).toMatchObject({
    'PXL_1.MP.jpg': { isShown: true, video: 'PXL_1.MP.mp4' },
    'PXL_1.MP.mp4': { isShown: false },
    'MVIMG_2.jpg': { video: 'MVIMG_2.MP4' },
    'MVIMG_2.MP4': { isShown: false },
  });
  expect(Object.keys(items)).toHaveLength(4);
});

test('11: a cut name of a JSON fits a photo and a video: its title tells whose it is', async () => {
  const stem = 'Backyard_ceremony_wedding_photography_location_';
  const cut = `${YEAR}/${stem.slice(0, 46)}.json`;
  await write({
    [`${YEAR}/${stem}.jpg`]: await photo(),
    [`${YEAR}/${stem}.mp4`]: await video(),
    [cut]: toJson(`${stem}265.mp4`, VIDEO_TIME, { trashed: true }),
  });
  const { report, items, notes } = await run();
  expect(report).toMatchObject({ taken: 1, skipped: 1, livePhotos: 0 });
  expect(Object.keys(items)).toEqual([`${stem}.jpg`]);
  expect(notes).toMatchObject({
    [`${YEAR}/${stem}.jpg`]: { reasons: ['facts_missing', 'date_missing'] },
  });
});

test('12: a video beside a photo does not take the XMP file of the photo', async () => {
  const xmp = (text: string) => `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
    xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt><rdf:li xml:lang="x-default"
    >${text}</rdf:li></rdf:Alt></dc:description></rdf:Description></rdf:RDF></x:xmpmeta>`;
  await write({
    'A.JPG': await photo(crypto.randomUUID()),
    'A.MP4': await video(),
    'A.xmp': xmp('of the photo'),
    'B.JPG': await photo(crypto.randomUUID()),
    'B.MP4': await video(),
    'B.MP4.xmp': xmp('of the video'),
    'C.MP4': await video(),
    'C.xmp': xmp('of C'),
  });
  const { items } = await run();
  const texts = Object.entries(items).map(([name, { description }]) => [name, description]);
  expect(Object.fromEntries(texts)).toEqual({
    'A.JPG': 'of the photo',
    'A.MP4': '',
    'B.JPG': '',
    'B.MP4': 'of the video',
    'C.MP4': 'of C',
  });
});
