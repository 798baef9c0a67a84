import { expect, setDefaultTimeout, test } from 'bun:test';
import { PHOTO_TIME, toJson, useFieldImports, VIDEO_TIME, YEAR } from '../support/field-imports.ts';

// Names that Google has changed: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, video, write, run, listAlbums, listStacks } = useFieldImports();

const SUFFIX = 'supplemental-metadata';

test('476: signs that Google replaces are those of the photo, in one of the names or in both', async () => {
  const names: Record<string, string> = {
    'Mum _ Dad_s 50_.jpg': "Mum & Dad's 50%.jpg",
    "Zoë's.jpg": 'Zoe\u0308_s.jpg',
    'a_b_c.jpg': 'a_b_c.jpg',
  };
  for (const [name, json] of Object.entries(names)) {
    await write({
      [`${YEAR}/${name}`]: await photo(),
      [`${YEAR}/${json}.${SUFFIX}.json`]: toJson(json, PHOTO_TIME),
    });
  }
  // Another photo, whose JSON is in no part.
  await write({ [`${YEAR}/a_b&c.jpg`]: await photo() });
  const { items, notes } = await run();
  expect(Object.keys(notes)).toEqual([`${YEAR}/a_b&c.jpg`]);
  expect(Object.keys(names).map((name) => items[name]?.takenAt)).toEqual(
    Array.from({ length: 3 }, () => PHOTO_TIME),
  );
});

test('477: the title tells whose a description is where the names were cut in other places', async () => {
  const long = '10154287_834572653225479_4013587922845679913_n';
  const cut = `${long}_and_more_of_it`.slice(0, 47);
  await write({
    [`${YEAR}/${cut}.jpg`]: await photo(),
    [`${YEAR}/${long.slice(0, 40)}.json`]: toJson(`${long}_and_more_of_it.jpg`, PHOTO_TIME),
    [`${YEAR}/x.jpg`]: await photo(),
    [`${YEAR}/Untitled.jpg.json`]: toJson('x.jpg', VIDEO_TIME),
    // Two descriptions say that they are of it: none counts.
    [`${YEAR}/y.jpg`]: await photo(),
    [`${YEAR}/p.jpg.json`]: toJson('y.jpg', PHOTO_TIME),
    [`${YEAR}/q.jpg.json`]: toJson('y.jpg', VIDEO_TIME),
  });
  const { items, notes } = await run();
  expect(items).toMatchObject({
    [`${cut}.jpg`]: { takenAt: PHOTO_TIME },
    'x.jpg': { takenAt: VIDEO_TIME },
  });
  expect(notes[`${YEAR}/y.jpg`]?.reasons).toContain('facts_missing');
});

test('478: effects, copies of a phone and several edited versions are stacked, and dated as their original', async () => {
  const edited = ['-EFFECTS', '-SMILE', '~2', '-edited', '-edited(1)', '-COLLAGE'];
  await write({ [`${YEAR}/IMG_1.jpg`]: await photo() });
  await write({ [`${YEAR}/IMG_1.jpg.${SUFFIX}.json`]: toJson('IMG_1.jpg', PHOTO_TIME) });
  for (const word of edited) await write({ [`${YEAR}/IMG_1${word}.jpg`]: await photo() });
  // An item by itself.
  await write({
    [`${YEAR}/IMG_1-MIX.jpg`]: await photo(),
    [`${YEAR}/IMG_1-MIX.jpg.${SUFFIX}.json`]: toJson('IMG_1-MIX.jpg', VIDEO_TIME),
  });
  const { items, report, notes } = await run();
  expect([report.stacks, notes]).toEqual([1, {}]);
  const { 'IMG_1-MIX.jpg': mix, ...others } = items;
  expect(mix?.takenAt).toBe(VIDEO_TIME);
  expect(Object.values(others).map(({ takenAt }) => takenAt)).toEqual(
    Array.from({ length: 7 }, () => PHOTO_TIME),
  );
  expect(await listStacks()).toEqual([Object.keys(others).sort()]);
  expect((await run()).report).toMatchObject({ taken: 0, stacks: 0 });
});

test('479: a plain folder has names with dashes, and no stacks', async () => {
  for (const name of ['IMG_1', 'IMG_1-EFFECTS', 'IMG_1~2', 'IMG_1-2']) {
    await write({ [`Rome/${name}.jpg`]: await photo() });
  }
  expect((await run()).report).toMatchObject({ taken: 4, stacks: 0 });
});

test('480: the only folder of a year, in any language, is no album', async () => {
  const folder = 'Takeout/Google Nuotraukos/2019 m. nuotraukos';
  await write({
    [`${folder}/a.jpg`]: await photo(),
    [`${folder}/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME),
    [`${folder}/b.jpg`]: await photo(),
    [`${folder}/b.jpg.json`]: toJson('b.jpg', '2019-12-31T23:30:00.000Z'),
  });
  const { notes } = await run({ namesAlbums: true });
  expect([notes, await listAlbums()]).toEqual([{}, []]);
});

test('481: an album of a year is an album, also with nothing but a title', async () => {
  const google = 'Takeout/Google Photos';
  for (const folder of ['Oslo 2019', 'Rome 2019', 'Mixed 2019', '2018-2019']) {
    await write({
      [`${google}/${folder}/${folder}.jpg`]: await photo(),
      [`${google}/${folder}/${folder}.jpg.json`]: toJson(`${folder}.jpg`, PHOTO_TIME),
    });
  }
  await write({
    [`${google}/Rome 2019/metadata.json`]: { title: 'Rome 2019' },
    [`${YEAR}/z.jpg`]: await photo(),
    [`${YEAR}/z.jpg.json`]: toJson('z.jpg', PHOTO_TIME),
    [`${google}/Mixed 2019/old.jpg`]: await photo(),
    [`${google}/Mixed 2019/old.jpg.json`]: toJson('old.jpg', VIDEO_TIME),
  });
  const { notes } = await run();
  expect(await listAlbums()).toMatchObject([{ name: 'Rome 2019', items: ['Rome 2019.jpg'] }]);
  // The other ones have lost their titles.
  expect(Object.values(notes).flatMap(({ reasons }) => reasons)).toEqual(
    Array.from({ length: 4 }, () => 'album_missing'),
  );
});

test('482: a live photo, an edited version and a motion part whose other half is in another part', async () => {
  const [one, two] = [
    'part1/Google Photos/Photos from 2019',
    'part2/Google Photos/Photos from 2019',
  ];
  const id = crypto.randomUUID();
  await write({
    [`${one}/IMG_1.HEIC`]: await photo(id),
    [`${two}/IMG_1.MP4`]: await video(id),
    [`${two}/IMG_1.HEIC.json`]: toJson('IMG_1.HEIC', PHOTO_TIME),
    [`${one}/IMG_2.jpg`]: await photo(),
    [`${one}/IMG_2.jpg.json`]: toJson('IMG_2.jpg', PHOTO_TIME),
    [`${two}/IMG_2-edited.jpg`]: await photo(),
    [`${two}/PXL_3.MP.jpg`]: await photo(),
    [`${one}/PXL_3.MP`]: await video(),
    [`${one}/PXL_3.MP.jpg.json`]: toJson('PXL_3.MP.jpg', PHOTO_TIME),
  });
  const { items, report, notes } = await run();
  expect([report, notes]).toMatchObject([{ taken: 6, livePhotos: 2, stacks: 1, noted: 0 }, {}]);
  expect(items['IMG_1.HEIC']).toMatchObject({ video: 'IMG_1.MP4', takenAt: PHOTO_TIME });
});

test('483: two exports side by side, of two people, stay apart where their names are equal', async () => {
  const people = { mum: PHOTO_TIME, dad: VIDEO_TIME };
  for (const [who, time] of Object.entries(people)) {
    await write({
      [`${who}/${YEAR}/IMG_1.jpg`]: await photo(),
      [`${who}/${YEAR}/IMG_1.jpg.json`]: toJson('IMG_1.jpg', time, { description: who }),
    });
  }
  const { report, described } = await run();
  expect(report).toMatchObject({ taken: 2, noted: 0 });
  expect(described).toEqual(['dad', 'mum']);
});
