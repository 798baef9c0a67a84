import { expect, setDefaultTimeout, test } from 'bun:test';
import { PHOTO_TIME, toJson, useFieldImports, VIDEO_TIME, YEAR } from '../support/field-imports.ts';

// Names that Takeout gives to what it says of a photo: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, video, write, run } = useFieldImports();

test('60: a JSON without the extension of its photo, also with a counter', async () => {
  await write({
    [`${YEAR}/2013-12-23(1).jpg`]: await photo(),
    [`${YEAR}/2013-12-23.supplemental-metadata(1).json`]: toJson('2013-12-23', PHOTO_TIME),
    [`${YEAR}/Peanut Butter Balls.jpg`]: await photo(),
    [`${YEAR}/Peanut Butter Balls.supplemental-metadata.json`]: toJson('Peanut', VIDEO_TIME),
    [`${YEAR}/Peanut Butter Balls-edited.jpg`]: await photo(),
  });
  const { report, items } = await run();
  expect(report).toMatchObject({ taken: 3, stacks: 1, noted: 0 });
  expect(items).toMatchObject({
    '2013-12-23(1).jpg': { takenAt: PHOTO_TIME },
    'Peanut Butter Balls.jpg': { takenAt: VIDEO_TIME },
    'Peanut Butter Balls-edited.jpg': { takenAt: VIDEO_TIME },
  });
});

test('61: a JSON in another case is that of the photo, unless one has this very name', async () => {
  await write({
    [`${YEAR}/P7040106.jpg`]: await photo(),
    [`${YEAR}/P7040106.JPG.json`]: toJson('P7040106.JPG', PHOTO_TIME),
    [`${YEAR}/IMG_4081(1).jpg`]: await photo(),
    [`${YEAR}/IMG_4081.JPG(1).json`]: toJson('IMG_4081.JPG', VIDEO_TIME),
    [`${YEAR}/B.JPG`]: await photo(),
    [`${YEAR}/b.jpg`]: await photo(),
    [`${YEAR}/B.JPG.json`]: toJson('B.JPG', VIDEO_TIME, { inLockedFolder: true }),
  });
  const { items, notes } = await run();
  expect(items).toMatchObject({
    'P7040106.jpg': { takenAt: PHOTO_TIME },
    'IMG_4081(1).jpg': { takenAt: VIDEO_TIME },
    'B.JPG': { isLocked: true },
    'b.jpg': { isShown: true },
  });
  expect(Object.keys(notes)).toEqual([`${YEAR}/b.jpg`]);
});

test('62: a JSON without an extension is that of the photo, not of the video beside it', async () => {
  await write({
    [`${YEAR}/A.jpg`]: await photo(crypto.randomUUID()),
    [`${YEAR}/A.mp4`]: await video(crypto.randomUUID()),
    [`${YEAR}/A.supplemental-metadata.json`]: toJson('A', PHOTO_TIME),
  });
  const { items, notes } = await run();
  expect(items).toMatchObject({ 'A.jpg': { takenAt: PHOTO_TIME }, 'A.mp4': { isShown: true } });
  expect(Object.keys(notes)).toEqual([`${YEAR}/A.mp4`]);
});

test('63: parts that are unpacked side by side: the JSON or the title of an album is in another one', async () => {
  const [one, two] = ['takeout-20250203-001', 'Takeout 2'];
  const year = (part: string) => `${part}/Takeout/Google Photos/Photos from 2019`;
  const album = (part: string) => `${part}/Takeout/Google Photos/Rome`;
  await write({
    [`${year(one)}/a.jpg.supplemental-metadata.json`]: toJson('a.jpg', PHOTO_TIME),
    [`${year(one)}/b.jpg.json`]: toJson('b.jpg', PHOTO_TIME, { trashed: true }),
    [`${year(one)}/c.jpg.json`]: toJson('c.jpg', PHOTO_TIME, { inLockedFolder: true }),
    [`${year(one)}/d.jpg`]: await photo(),
    [`${album(one)}/metadata.json`]: { title: 'Roma' },
    [`${year(two)}/a.jpg`]: await photo(),
    [`${year(two)}/b.jpg`]: await photo(),
    [`${year(two)}/c.jpg`]: await photo(),
    [`${year(two)}/d.jpg.json`]: toJson('d.jpg', VIDEO_TIME),
    [`${album(two)}/e.jpg`]: await photo(),
    [`${album(two)}/e.jpg.json`]: toJson('e.jpg', VIDEO_TIME),
    // The same name in another folder is another photo.
    [`${album(two)}/a.jpg`]: await photo(),
  });
  const { report, items, notes } = await run();
  expect(report).toMatchObject({ taken: 5, skipped: 1, noted: 1 });
  expect(items).toMatchObject({
    'c.jpg': { isLocked: true },
    'd.jpg': { isShown: true, takenAt: VIDEO_TIME },
    'e.jpg': { isShown: true, takenAt: VIDEO_TIME, albums: ['Roma'] },
  });
  expect(Object.keys(items)).not.toContain('b.jpg');
  expect(Object.keys(notes)).toEqual([`${album(two)}/a.jpg`]);
});

test('64: an edited version in another format, or with a counter, has the facts of its original', async () => {
  const facts = (name: string, over: object = {}) => ({
    [`${YEAR}/${name}.supplemental-metadata.json`]: toJson(name, PHOTO_TIME, over),
  });
  await write({
    [`${YEAR}/HOLIDAY.HEIC`]: await photo(),
    [`${YEAR}/HOLIDAY-edited.jpg`]: await photo(),
    ...facts('HOLIDAY.HEIC'),
    [`${YEAR}/SUMMER.jpg`]: await photo(),
    [`${YEAR}/SUMMER-edited(1).jpg`]: await photo(),
    ...facts('SUMMER.jpg'),
    [`${YEAR}/LOCKED.HEIC`]: await photo(),
    [`${YEAR}/LOCKED-bearbeitet.jpg`]: await photo(),
    ...facts('LOCKED.HEIC', { inLockedFolder: true }),
    [`${YEAR}/GONE.HEIC`]: await photo(),
    [`${YEAR}/GONE-edited.jpg`]: await photo(),
    ...facts('GONE.HEIC', { trashed: true }),
    // Each of two photos of a name has an edited version.
    [`${YEAR}/TWO.jpg`]: await photo(),
    [`${YEAR}/TWO(1).jpg`]: await photo(),
    [`${YEAR}/TWO-edited.jpg`]: await photo(),
    [`${YEAR}/TWO-edited(1).jpg`]: await photo(),
    ...facts('TWO.jpg'),
    [`${YEAR}/TWO.jpg.supplemental-metadata(1).json`]: toJson('TWO.jpg', VIDEO_TIME),
  });
  const { report, items } = await run();
  expect(report).toMatchObject({ taken: 10, skipped: 2, stacks: 4, noted: 0 });
  expect(items).toMatchObject({
    'HOLIDAY-edited.jpg': { isShown: true, takenAt: PHOTO_TIME },
    'SUMMER-edited(1).jpg': { isShown: true, takenAt: PHOTO_TIME },
    'LOCKED-bearbeitet.jpg': { isLocked: true },
    'TWO-edited.jpg': { takenAt: PHOTO_TIME },
    'TWO-edited(1).jpg': { takenAt: VIDEO_TIME },
  });
  expect(Object.keys(items)).not.toContain('GONE-edited.jpg');
});
