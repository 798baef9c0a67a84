import { expect, setDefaultTimeout, test } from 'bun:test';
import { describeNote } from '../../src/areas/imports/index.ts';
import {
  ICLOUD_HEADER,
  PHOTO_TIME,
  toJson,
  useFieldImports,
  VIDEO_TIME,
  YEAR,
} from '../support/field-imports.ts';

// Parts that an export lacks are found elsewhere, or told: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, video, write, run, listAlbums } = useFieldImports();

const GOOGLE = 'Takeout/Google Photos';

test('484: an album of descriptions alone gets the photos that are in the folder of their year', async () => {
  await write({
    [`${YEAR}/a.jpg`]: await photo(),
    [`${YEAR}/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME),
    [`${YEAR}/a(1).jpg`]: await photo(),
    [`${YEAR}/a.jpg(1).json`]: toJson('a.jpg', VIDEO_TIME),
    [`${YEAR}/locked.jpg`]: await photo(),
    [`${YEAR}/locked.jpg.json`]: toJson('locked.jpg', PHOTO_TIME, { inLockedFolder: true }),
    [`${GOOGLE}/Rome/metadata.json`]: { title: 'Rome' },
    // Another one of the name, by its time.
    [`${GOOGLE}/Rome/a.jpg.json`]: toJson('a.jpg', VIDEO_TIME),
    [`${GOOGLE}/Rome/locked.jpg.json`]: toJson('locked.jpg', PHOTO_TIME),
    [`${GOOGLE}/Rome/gone.jpg.json`]: toJson('gone.jpg', PHOTO_TIME),
    [`${GOOGLE}/Rome/binned.jpg.json`]: toJson('binned.jpg', PHOTO_TIME, { trashed: true }),
  });
  const expected = {
    [`${GOOGLE}/Rome/gone.jpg.json`]: { reasons: ['file_missing'], album: 'Rome' },
  };
  const first = await run();
  expect([first.notes, first.report.albumItems]).toEqual([expected, 1]);
  expect(await listAlbums()).toMatchObject([{ name: 'Rome', items: ['a(1).jpg'] }]);
  expect((await run()).notes).toEqual(expected);
});

test('485: a description whose file is in no part is listed by name, and so is an archive that is still packed', async () => {
  await write({
    [`${YEAR}/a.jpg`]: await photo(),
    [`${YEAR}/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME),
    [`${YEAR}/b.jpg.supplemental-metadata.json`]: toJson('b.jpg', PHOTO_TIME),
    [`${YEAR}/binned.jpg.json`]: toJson('binned.jpg', PHOTO_TIME, { trashed: true }),
    [`${GOOGLE}/takeout-20260101-002.zip`]: 'PK',
  });
  const { notes } = await run();
  expect(notes).toEqual({
    [`${YEAR}/b.jpg.supplemental-metadata.json`]: { reasons: ['file_absent'] },
    [`${GOOGLE}/takeout-20260101-002.zip`]: { reasons: ['packed'] },
  });
  expect(describeNote({ reasons: ['file_absent'] })).toBe(
    'the export describes it, and has no file of it',
  );
});

const PART = 'iCloud Photos Part 1 of 1';

test('486: lists of iCloud mean the file that is spelled in another way, if there is one', async () => {
  const names = ['img_1.jpg', 'Été.JPG', 'IMG_0740(1).JPG', 'IMG_2.HEIC', 'IMG_5.JPG', 'IMG-5.JPG'];
  for (const name of names) {
    await write({ [`${PART}/Photos/${name.normalize('NFD')}`]: await photo() });
  }
  const id = crypto.randomUUID();
  await write({
    [`${PART}/Photos/IMG_3.HEIC`]: await photo(id),
    [`${PART}/Photos/IMG_3.MOV`]: await video(id),
    [`${PART}/Albums/Rome.csv`]: [
      'Images',
      'IMG_1.JPG',
      'Été.jpg'.normalize('NFC'),
      'IMG_07401.JPG',
      'IMG_2.JPG',
      'IMG_3.JPG',
      'IMG 5.JPG',
      'IMG_4.JPG',
    ].join('\n'),
  });
  const { notes } = await run();
  const missing = Object.entries(notes).filter(([, { album }]) => album);
  expect(missing).toEqual([
    ['IMG 5.JPG', { reasons: ['file_ambiguous'], album: 'Rome' }],
    ['IMG_4.JPG', { reasons: ['file_missing'], album: 'Rome' }],
  ]);
  const [album] = await listAlbums();
  expect(album?.items.map((name) => name.normalize('NFC')).sort()).toEqual(
    ['IMG_0740(1).JPG', 'IMG_2.HEIC', 'IMG_3.HEIC', 'img_1.jpg', 'Été.JPG'].sort(),
  );
});

test('487: a row of iCloud that spells a name in another way hides its photo', async () => {
  await write({
    [`${PART}/Photos/IMG_0740(1).JPG`]: await photo(),
    [`${PART}/Photos/IMG_0740.JPG`]: await photo(),
    [`${PART}/Photos/Photo Details.csv`]: [
      ICLOUD_HEADER,
      'IMG_07401.JPG,x,no,yes,no,"Monday April 1,2019 10:00 AM GMT",1,',
      'IMG_0740.JPG,x,no,no,no,"Monday April 1,2019 10:00 AM GMT",1,',
    ].join('\n'),
  });
  const { items } = await run();
  expect(items).toMatchObject({
    'IMG_0740(1).JPG': { isLocked: true, takenAt: PHOTO_TIME },
    'IMG_0740.JPG': { isShown: true },
  });
});

test('488: texts of an album are its description, and what is not taken of it is told', async () => {
  const folder = `${GOOGLE}/Rome`;
  await write({
    [`${folder}/a.jpg`]: await photo(),
    [`${folder}/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME),
    [`${folder}/metadata.json`]: {
      title: 'Rome',
      description: 'Spring',
      enrichments: [
        { narrativeEnrichment: { text: 'Day two' } },
        { locationEnrichment: { location: [{ name: 'Trevi' }] } },
        null,
      ],
      sharedAlbumComments: [{ text: 'hi' }],
    },
  });
  const { notes } = await run();
  expect(notes).toEqual({ [folder]: { reasons: ['album_left'], album: 'Rome' } });
  expect(await listAlbums()).toMatchObject([{ name: 'Rome', description: 'Spring\nDay two' }]);
});

test('489: names of people that do not become tags are told, each once, and so are odd values', async () => {
  const people = [{ name: 'Ada' }, { name: 'Ben' }];
  const geoData = { latitude: 999, longitude: 5 };
  await write({
    [`${YEAR}/a.jpg`]: await photo(),
    [`${YEAR}/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME, { people }),
    [`${YEAR}/b.jpg`]: await photo(),
    [`${YEAR}/b.jpg.json`]: toJson('b.jpg', PHOTO_TIME, { people: people.slice(0, 1), geoData }),
  });
  const odd = { [`${YEAR}/b.jpg`]: { reasons: ['value_odd'], dateSource: 'export' } };
  expect((await run()).notes).toEqual({
    ...odd,
    Ada: { reasons: ['person_left'] },
    Ben: { reasons: ['person_left'] },
  });
  expect((await run({ tagsPeople: true })).notes).toEqual(odd);
});
