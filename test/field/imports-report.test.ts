import { expect, setDefaultTimeout, test } from 'bun:test';
import { describeNote } from '../../src/areas/imports/index.ts';
import {
  ICLOUD_HEADER,
  PHOTO_TIME,
  toJson,
  useFieldImports,
  YEAR,
} from '../support/field-imports.ts';

// Nothing of an export goes without a word: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, video, write, run } = useFieldImports();

test('40: files without facts are listed by name, with the source of their date', async () => {
  await write({
    [`${YEAR}/known.jpg`]: await photo(),
    [`${YEAR}/known.jpg.json`]: toJson('known.jpg', PHOTO_TIME),
    [`${YEAR}/bare.jpg`]: await photo(),
    [`${YEAR}/IMG_20190402_101112.jpg`]: await photo(),
    [`${YEAR}/film.mp4`]: await video(),
    [`${YEAR}/broken.jpg`]: await photo(),
    [`${YEAR}/broken.jpg.json`]: '{"title": "broken.jpg", "trash',
  });
  const expected = {
    [`${YEAR}/IMG_20190402_101112.jpg`]: {
      reasons: ['facts_missing', 'date_missing'],
      dateSource: 'name',
    },
    [`${YEAR}/bare.jpg`]: { reasons: ['facts_missing', 'date_missing'], dateSource: 'modified' },
    [`${YEAR}/broken.jpg`]: { reasons: ['facts_missing', 'date_missing'], dateSource: 'modified' },
    [`${YEAR}/film.mp4`]: { reasons: ['facts_missing', 'date_missing'], dateSource: 'modified' },
  };
  const dry = await run({ isDryRun: true });
  expect([dry.report.noted, dry.notes]).toEqual([4, expected]);
  const { report, notes } = await run();
  expect([report.taken, report.noted, notes]).toEqual([5, 4, expected]);
});

test('41: a file whose facts have no date is listed only if it has none itself', async () => {
  const [part, day] = ['iCloud Photos Part 1 of 1/Photos', '"Monday April 1,2019 10:00 AM GMT"'];
  await write({
    [`${YEAR}/none.jpg`]: await photo(),
    [`${YEAR}/none.jpg.json`]: { title: 'none.jpg', photoTakenTime: { timestamp: '0' } },
    [`${part}/odd.JPG`]: await photo(),
    [`${part}/fine.JPG`]: await photo(),
    [`${part}/Photo Details.csv`]: [
      ICLOUD_HEADER,
      'odd.JPG,x,no,no,no,some day,1,',
      `fine.JPG,x,no,no,no,${day},1,`,
    ].join('\n'),
  });
  const { notes } = await run();
  const missing = { reasons: ['date_missing'], dateSource: 'modified' };
  expect(notes).toEqual({
    [`${YEAR}/none.jpg`]: missing,
    [`${part}/odd.JPG`]: { ...missing, reasons: ['value_odd', 'date_missing'] },
  });
});

test('42: entries of albums without a file, or with several, are listed with their album', async () => {
  const [one, two] = ['iCloud Photos Part 1 of 2', 'iCloud Photos Part 2 of 2'];
  await write({
    [`${one}/Albums/Rome.csv`]: 'Images\nA.JPG\nSame.JPG\nGone.JPG\n',
    [`${one}/Photos/A.JPG`]: await photo(),
    [`${one}/Photos/Same.JPG`]: await photo(),
    [`${two}/Photos/Same.JPG`]: await photo(),
  });
  const { report, notes } = await run();
  expect(report).toMatchObject({ ambiguousAlbumItems: 1, albumItems: 1 });
  expect(notes).toMatchObject({
    'Gone.JPG': { reasons: ['file_missing'], album: 'Rome' },
    'Same.JPG': { reasons: ['file_ambiguous'], album: 'Rome' },
    [`${one}/Photos/A.JPG`]: { reasons: ['facts_missing', 'date_missing'] },
  });
});

test('43: photos of an album that has lost its title are listed, unless its folder names it', async () => {
  await write({
    'Takeout/Google Photos/Rome/a.jpg': await photo(),
    'Takeout/Google Photos/Rome/a.jpg.json': toJson('a.jpg', PHOTO_TIME),
  });
  const { notes } = await run();
  expect(notes).toEqual({
    'Takeout/Google Photos/Rome/a.jpg': { reasons: ['album_missing'], dateSource: 'export' },
  });
  const named = await run({ namesAlbums: true });
  expect([named.notes, named.items]).toMatchObject([{}, { 'a.jpg': { albums: ['Rome'] } }]);
});

test('44: a plain folder has no facts to miss', async () => {
  await write({ 'Rome/a.jpg': await photo(), 'Rome/a.mp4': await video(), 'b.mov': await video() });
  expect((await run()).notes).toEqual({});
});

test('45: a note is one English sentence about one file', () => {
  expect(describeNote({ reasons: ['facts_missing'], dateSource: 'file' })).toBe(
    'the export has no facts about it; date: from the file',
  );
  expect(describeNote({ reasons: ['file_missing'], album: 'Rome' })).toBe(
    'there is no file of this name for the album; album: Rome',
  );
});

test('46: a name with a line break is a name, and ends no import', async () => {
  await write({
    [`${YEAR}/a\nb.jpg`]: await photo(),
    [`${YEAR}/a\nb.mp4`]: await video(),
    [`${YEAR}/c.jpg`]: await photo(),
    [`${YEAR}/c.jpg.json`]: toJson('c.jpg', PHOTO_TIME),
  });
  const { report, refused, notes } = await run();
  expect([report, refused]).toMatchObject([{ taken: 3, noted: 2 }, []]);
  expect(Object.keys(notes).sort()).toEqual([`${YEAR}/a\nb.jpg`, `${YEAR}/a\nb.mp4`]);
});
