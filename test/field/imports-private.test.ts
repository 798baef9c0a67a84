import { expect, setDefaultTimeout, test } from 'bun:test';
import {
  ICLOUD_HEADER,
  PHOTO_TIME,
  toJson,
  useFieldImports,
  VIDEO_TIME,
  YEAR,
} from '../support/field-imports.ts';

// Items of the trash and of the locked folder of other services: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, video, write, run } = useFieldImports();
const GOOGLE = 'Takeout/Google Photos';

test('20: in the trash folder of any language, a file without facts is left out by name', async () => {
  for (const name of ['Trash', 'Bin', 'Papierkorb', 'Corbeille(1)', 'ゴミ箱', 'papelera']) {
    await write({ [`${GOOGLE}/${name}/a.jpg`]: await photo() });
  }
  await write({ 'takeout-20250203-001/Fotos/Cestino/b.mp4': await video() });
  const { report, items, notes } = await run({ namesAlbums: true });
  expect(report).toMatchObject({ taken: 0, skipped: 7, albums: 0, noted: 7 });
  expect(items).toEqual({});
  expect(notes[`${GOOGLE}/Bin/a.jpg`]).toEqual({
    reasons: ['facts_missing', 'in_trash', 'date_missing'],
    dateSource: 'modified',
  });
});

test('21: in the locked folder of any language, a file without facts is locked', async () => {
  const names = ['Locked Folder', 'Gesperrter Ordner', 'Dossier verrouillé', '잠긴 폴더'];
  for (const [at, name] of names.entries()) {
    await write({ [`${GOOGLE}/${name.normalize('NFD')}/${at}.jpg`]: await photo() });
  }
  const { report, items, notes } = await run({ namesAlbums: true });
  expect(report).toMatchObject({ taken: 4, albums: 0, noted: 4 });
  for (const item of Object.values(items)) {
    expect(item).toMatchObject({ isShown: false, isLocked: true, albums: [] });
  }
  expect(Object.values(notes).map(({ reasons }) => reasons[1])).toEqual(names.map(() => 'locked'));
});

test('22: the flags of the neighbours tell the trash in a language that nobody has listed', async () => {
  const [trash, locked] = [`${GOOGLE}/Þórður`, `${GOOGLE}/Læst mappa`];
  await write({
    [`${trash}/a.jpg`]: await photo(),
    [`${trash}/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME, { trashed: true }),
    [`${trash}/b.jpg`]: await photo(),
    [`${trash}/c.mp4`]: await video(),
    [`${locked}/d.jpg`]: await photo(),
    [`${locked}/d.jpg.json`]: toJson('d.jpg', PHOTO_TIME, { inLockedFolder: true }),
    [`${locked}/e.jpg`]: await photo(),
  });
  const { report, items, notes } = await run();
  expect(report).toMatchObject({ taken: 2, skipped: 3 });
  expect(items).toMatchObject({ 'd.jpg': { isLocked: true }, 'e.jpg': { isLocked: true } });
  expect(Object.keys(items)).toHaveLength(2);
  expect(Object.keys(notes).sort()).toEqual([
    `${locked}/e.jpg`,
    `${trash}/b.jpg`,
    `${trash}/c.mp4`,
  ]);
});

test('23: an album with the name of the trash stays an album, and so does a plain folder', async () => {
  await write({
    [`${GOOGLE}/Bin/metadata.json`]: { title: 'Bin' },
    [`${GOOGLE}/Bin/a.jpg`]: await photo(),
    [`${GOOGLE}/Bin/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME),
    [`${GOOGLE}/Bin/b.jpg`]: await photo(),
  });
  const { items } = await run();
  expect(items).toMatchObject({
    'a.jpg': { isShown: true, albums: ['Bin'] },
    'b.jpg': { isShown: true, albums: ['Bin'] },
  });
});

test('24: in a plain folder, a folder named Trash is one as any other', async () => {
  await write({ 'summer/Trash/a.jpg': await photo(), 'summer/Locked Folder/b.jpg': await photo() });
  const { report, items } = await run();
  expect(report).toMatchObject({ taken: 2, noted: 0 });
  expect(items).toMatchObject({ 'a.jpg': { isShown: true }, 'b.jpg': { isShown: true } });
});

test('25: one trashed photo of a year says nothing about the others', async () => {
  await write({
    [`${YEAR}/a.jpg`]: await photo(),
    [`${YEAR}/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME, { trashed: true }),
    [`${YEAR}/b.jpg`]: await photo(),
  });
  const { report, items, notes } = await run();
  expect([report, items]).toMatchObject([{ taken: 1, skipped: 1 }, { 'b.jpg': { isShown: true } }]);
  expect(Object.keys(notes)).toEqual([`${YEAR}/b.jpg`]);
});

test('26: a photo of the locked folder that is in an album, too, is locked', async () => {
  const both = await photo();
  await write({
    [`${GOOGLE}/Album/metadata.json`]: { title: 'Rome' },
    [`${GOOGLE}/Album/a.jpg`]: both,
    [`${GOOGLE}/Locked Folder/a.jpg`]: both,
    [`${GOOGLE}/Locked Folder/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME, { inLockedFolder: true }),
    [`${YEAR}/a.jpg`]: both,
  });
  const { items } = await run({ tagsPeople: true });
  expect(items).toMatchObject({ 'a.jpg': { isShown: false, isLocked: true, albums: [] } });
});

test('27: a long video without a JSON is hidden as the photo of its name is', async () => {
  await write({
    [`${YEAR}/a.jpg`]: await photo(crypto.randomUUID()),
    [`${YEAR}/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME, { trashed: true }),
    // Its identifier is that of another photo, which is nowhere.
    [`${YEAR}/a.mov`]: await video(crypto.randomUUID()),
    [`${YEAR}/b.jpg`]: await photo(),
    [`${YEAR}/b.jpg.json`]: toJson('b.jpg', PHOTO_TIME, { inLockedFolder: true }),
    [`${YEAR}/b.m4v`]: await video(),
    [`${YEAR}/c.jpg`]: await photo(),
    [`${YEAR}/c.jpg.json`]: toJson('c.jpg', PHOTO_TIME, { inLockedFolder: true }),
    [`${YEAR}/c-1.mp4`]: await video(),
  });
  const { items, notes } = await run();
  expect(items).toMatchObject({
    'a.mov': { isShown: true },
    'b.jpg': { isLocked: true },
    'b.m4v': { isLocked: true, takenAt: PHOTO_TIME },
    'c-1.mp4': { isShown: true },
  });
  expect(notes[`${YEAR}/b.m4v`]).toEqual({ reasons: ['facts_of_photo'], dateSource: 'photo' });
});

const PARTS = ['iCloud Photos Part 1 of 2', 'iCloud Photos Part 2 of 2'];
const day = '"Monday April 1,2019 10:00 AM GMT"';
const row = (name: string, flags: string) => `${name},x,${flags},${day},1,${day}`;

test('28: a row of iCloud in another part hides its photo, and dates it', async () => {
  await write({
    [`${PARTS[0]}/Photos/Photo Details.csv`]: [
      ICLOUD_HEADER,
      row('Hidden.HEIC', 'no,yes,no'),
      row('Deleted.JPG', 'no,no,yes'),
      row('Plain.JPG', 'yes,no,no'),
    ].join('\n'),
    [`${PARTS[0]}/Photos/here.JPG`]: await photo(),
    [`${PARTS[1]}/Photos/Hidden.HEIC`]: await photo(),
    [`${PARTS[1]}/Photos/Deleted.JPG`]: await photo(),
    [`${PARTS[1]}/Photos/Plain.JPG`]: await photo(),
    [`${PARTS[1]}/Recently Deleted/Gone.JPG`]: await photo(),
  });
  const { report, items, notes } = await run();
  expect(report).toMatchObject({ taken: 3, skipped: 2, noted: 1 });
  expect(items).toMatchObject({
    'Hidden.HEIC': { isLocked: true, isShown: false },
    'Plain.JPG': { isShown: true, takenAt: PHOTO_TIME },
    'here.JPG': { isShown: true },
  });
  expect(Object.keys(items)).toHaveLength(3);
  expect(Object.keys(notes)).toEqual([`${PARTS[0]}/Photos/here.JPG`]);
});

test('29: of two rows for one name, the one that hides counts; names in another case are the same', async () => {
  await write({
    [`${PARTS[0]}/Photos/Photo Details.csv`]: [
      ICLOUD_HEADER,
      row('Twice.JPG', 'no,yes,no'),
      row('Trash.JPG', 'no,no,yes'),
      row('lower.jpg', 'no,yes,no'),
    ].join('\n'),
    [`${PARTS[0]}/Photos/Photo Details-1.csv`]: [
      ICLOUD_HEADER,
      row('Twice.JPG', 'no,no,no'),
      row('Trash.JPG', 'no,no,no'),
    ].join('\n'),
    [`${PARTS[0]}/Photos/Twice.JPG`]: await photo(),
    [`${PARTS[0]}/Photos/Trash.JPG`]: await photo(),
    [`${PARTS[0]}/Photos/LOWER.JPG`]: await photo(),
  });
  const { report, items } = await run();
  expect(report).toMatchObject({ taken: 3, noted: 0 });
  for (const item of Object.values(items)) expect(item).toMatchObject({ isLocked: true });
});

test('30: what PhotoPrism knows of a photo is of its live photo, too', async () => {
  const yaml = (over: string) => `UID: pq1\nTakenAt: 2019-04-01T10:00:00Z\n${over}`;
  await write({
    'originals/a.jpg': await photo(),
    'originals/a.mp4': await video(),
    'storage/sidecar/a.yml': yaml('Private: true\n'),
    'originals/b.jpg': await photo(),
    'originals/b.mp4': await video(crypto.randomUUID()),
    'storage/sidecar/b.yml': yaml('Private: true\n'),
    'originals/c.jpg': await photo(),
  });
  const { items, notes } = await run();
  expect(items).toMatchObject({
    'a.jpg': { isLocked: true, video: 'a.mp4' },
    'a.mp4': { isLocked: true },
    'b.jpg': { isLocked: true },
    'b.mp4': { isLocked: true, takenAt: PHOTO_TIME },
    'c.jpg': { isShown: true },
  });
  expect(Object.keys(notes)).toEqual(['originals/c.jpg']);
});

test('31: each of a RAW and a JPEG of one name, and of names with counters, has its own flags', async () => {
  const dng = await photo();
  await write({
    [`${YEAR}/R.dng`]: dng,
    [`${YEAR}/R.dng.json`]: toJson('R.dng', PHOTO_TIME, { trashed: true }),
    [`${YEAR}/R.jpg`]: await photo(),
    [`${YEAR}/R.jpg.json`]: toJson('R.jpg', VIDEO_TIME),
    [`${YEAR}/N.jpg`]: await photo(),
    [`${YEAR}/N.jpg.json`]: toJson('N.jpg', PHOTO_TIME),
    [`${YEAR}/N(1).jpg`]: await photo(),
    [`${YEAR}/N.jpg(1).json`]: toJson('N.jpg', VIDEO_TIME, { inLockedFolder: true }),
    [`${YEAR}/N(2).jpg`]: await photo(),
    [`${YEAR}/N.jpg.supplemental-metadata(2).json`]: toJson('N.jpg', PHOTO_TIME, { trashed: true }),
  });
  const { report, items } = await run();
  expect(report).toMatchObject({ taken: 3, skipped: 2, noted: 0 });
  expect(items).toMatchObject({
    'N.jpg': { isShown: true, takenAt: PHOTO_TIME },
    'N(1).jpg': { isLocked: true, takenAt: VIDEO_TIME },
    'R.jpg': { isShown: true, takenAt: VIDEO_TIME },
  });
});

test('32: the video of a live photo whose photo is in another part of iCloud is hidden as that is', async () => {
  const ids: Record<string, string> = {};
  const rows = { 1: [ICLOUD_HEADER], 2: [ICLOUD_HEADER] };
  const flags = { A: 'no,no,yes', B: 'no,yes,no', C: 'no,no,no', D: 'no,no,yes' };
  for (const [name, ofPhoto] of Object.entries(flags)) {
    const id = (ids[name] = crypto.randomUUID());
    // The video of D comes before its photo.
    const [still, clip] = name === 'D' ? ([2, 1] as const) : ([1, 2] as const);
    rows[still].push(row(`${name}.HEIC`, ofPhoto));
    await write({
      [`${PARTS[still - 1]}/Photos/${name}.HEIC`]: await photo(id),
      [`${PARTS[clip - 1]}/Photos/${name}.MOV`]: await video(id),
    });
  }
  await write({
    [`${PARTS[0]}/Photos/Photo Details.csv`]: rows[1].join('\n'),
    [`${PARTS[1]}/Photos/Photo Details.csv`]: rows[2].join('\n'),
  });
  const { report, items, notes } = await run();
  expect(report).toMatchObject({ taken: 4, skipped: 4 });
  expect(items).toMatchObject({
    'B.HEIC': { isLocked: true, video: 'B.MOV' },
    'B.MOV': { isLocked: true },
    'C.HEIC': { isShown: true, video: 'C.MOV' },
    'C.MOV': { isShown: false },
  });
  expect(Object.keys(items)).toHaveLength(4);
  expect(notes[`${PARTS[0]}/Photos/D.MOV`]).toMatchObject({ reasons: ['facts_of_photo'] });
});
