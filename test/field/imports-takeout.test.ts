import { expect, setDefaultTimeout, test } from 'bun:test';
import { isYearFolder } from '../../src/areas/imports/takeout/takeout.ts';
import { PHOTO_TIME, toJson, useFieldImports, YEAR } from '../support/field-imports.ts';

// Descriptions that Takeout writes about photos, in several languages: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, write, run } = useFieldImports();

const [ROME, NOWHERE] = [
  { latitude: 41.9, longitude: 12.5, altitude: 0 },
  { latitude: 0, longitude: 0, altitude: 0 },
];

test('300: the position of the file counts where its owner set none', async () => {
  await write({
    [`${YEAR}/a.jpg`]: await photo(),
    [`${YEAR}/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME, { geoData: NOWHERE, geoDataExif: ROME }),
    [`${YEAR}/b.jpg`]: await photo(),
    [`${YEAR}/b.jpg.json`]: toJson('b.jpg', PHOTO_TIME, {
      geoData: { latitude: 300, longitude: 'x' },
      geoDataExif: ROME,
    }),
  });
  const { items } = await run();
  expect(items).toMatchObject({
    'a.jpg': { position: [41.9, 12.5] },
    'b.jpg': { position: [41.9, 12.5] },
  });
});

test('301: the position that its owner set is before that of the file', async () => {
  const paris = { latitude: 48.9, longitude: 2.4 };
  await write({
    [`${YEAR}/a.jpg`]: await photo(),
    [`${YEAR}/a.jpg.json`]: toJson('a.jpg', PHOTO_TIME, { geoData: paris, geoDataExif: ROME }),
    [`${YEAR}/b.jpg`]: await photo(),
    [`${YEAR}/b.jpg.json`]: toJson('b.jpg', PHOTO_TIME, { geoDataExif: NOWHERE }),
  });
  const { items } = await run();
  expect(items).toMatchObject({
    'a.jpg': { position: [48.9, 2.4] },
    'b.jpg': { position: [null, null] },
  });
});

test('302: an impossible time is no date: the photo is taken in and listed, as are the others', async () => {
  const odd = ['99999999999999999', '-99999999999999999', 'yesterday', '1e300', '', '99999999999'];
  const files: Record<string, Buffer | object> = {};
  for (const [at, timestamp] of odd.entries()) {
    files[`${YEAR}/odd${at}.jpg`] = await photo();
    files[`${YEAR}/odd${at}.jpg.json`] = {
      title: `odd${at}.jpg`,
      description: `text ${at}`,
      photoTakenTime: { timestamp },
    };
  }
  await write({
    ...files,
    [`${YEAR}/fine.jpg`]: await photo(),
    [`${YEAR}/fine.jpg.json`]: toJson('fine.jpg', PHOTO_TIME),
  });
  const { report, items, notes, refused } = await run();
  expect([report.taken, refused]).toEqual([7, []]);
  expect(items).toMatchObject({
    'fine.jpg': { takenAt: PHOTO_TIME },
    'odd0.jpg': { description: 'text 0' },
  });
  const missing = { reasons: ['date_missing'], dateSource: 'modified' };
  expect(notes).toEqual(Object.fromEntries(odd.map((_, at) => [`${YEAR}/odd${at}.jpg`, missing])));
});

test('303: a NUL in texts, titles and names of people ends nothing', async () => {
  await write({
    'Takeout/Google Photos/Rome/metadata.json': { title: 'Ro\0ma' },
    'Takeout/Google Photos/Rome/a.jpg': await photo(),
    'Takeout/Google Photos/Rome/a.jpg.json': toJson('a\0.jpg', PHOTO_TIME, {
      description: 'by\0 the sea',
      people: [{ name: 'An\0na' }, { name: 7 }, null],
    }),
  });
  const { report, items } = await run({ tagsPeople: true });
  expect(report.taken).toBe(1);
  expect(items).toMatchObject({ 'a.jpg': { description: 'by the sea', albums: ['Roma'] } });
});

test('304: a date before 1970 is a date', async () => {
  await write({
    [`${YEAR}/old.jpg`]: await photo(),
    [`${YEAR}/old.jpg.json`]: toJson('old.jpg', '1931-05-06T10:00:00.000Z'),
  });
  const { items, notes } = await run();
  expect([items['old.jpg']?.takenAt, notes]).toEqual(['1931-05-06T10:00:00.000Z', {}]);
});

test('305: JSON that is none, of another kind or empty is a missing one', async () => {
  const odd = { list: [], text: 'text', nothing: null, taken: { photoTakenTime: 'then' } };
  for (const [name, document] of Object.entries(odd)) {
    await write({
      [`${YEAR}/${name}.jpg`]: await photo(),
      [`${YEAR}/${name}.jpg.json`]: JSON.stringify(document),
    });
  }
  await write({ [`${YEAR}/empty.jpg`]: await photo(), [`${YEAR}/empty.jpg.json`]: '' });
  const { report, notes } = await run();
  expect([report.taken, Object.keys(notes).length]).toEqual([5, 5]);
});

test('306: each cut of the suffix leads to the photo, also with a counter', async () => {
  const name = (length: number) => `${'n'.repeat(length - 4)}.jpg`;
  const lengths = [25, 30, 35, 40, 43, 44, 45, 46];
  for (const length of lengths) {
    const own = `${name(length)}.supplemental-metadata`.slice(0, 46);
    await write({
      [`${YEAR}/${name(length)}`]: await photo(),
      [`${YEAR}/${own}.json`]: toJson(name(length), PHOTO_TIME),
      [`${YEAR}/${name(length).replace('.jpg', '(1).jpg')}`]: await photo(),
      [`${YEAR}/${own}(1).json`]: toJson(name(length), PHOTO_TIME, { description: 'second' }),
    });
  }
  const { items, notes } = await run();
  expect(notes).toEqual({});
  const second = Object.entries(items).filter(([, { description }]) => description === 'second');
  expect(second.map(([one]) => one.endsWith('(1).jpg'))).toEqual(lengths.map(() => true));
});

test('307: letters that a Mac has decomposed, and emoji, lead to the photo', async () => {
  await write({
    [`${YEAR}/${'Été'.normalize('NFD')}.jpg`]: await photo(),
    [`${YEAR}/${'Été'.normalize('NFC')}.jpg.supplemental-metadata.json`]: toJson('x', PHOTO_TIME),
    [`${YEAR}/🏖️👨‍👩‍👧.jpg`]: await photo(),
    [`${YEAR}/🏖️👨‍👩‍👧.jpg.supplemental-metadata.json`]: toJson('y', PHOTO_TIME),
  });
  expect((await run()).notes).toEqual({});
});

const YEARS = {
  308: ['Photos from 2019'],
  309: ['Fotos von 2019', 'Fotos aus 2019'],
  310: ['Photos de 2019'],
  311: ['Fotos de 2019', 'Fotos del 2019'],
  312: ['Foto dal 2019', 'Foto del 2019'],
  313: ["Foto's uit 2019", 'Foto_s uit 2019'],
  314: ['Zdjęcia z 2019', 'Zdjęcia z 2019'.normalize('NFD')],
  315: ['2019 yılına ait fotoğraflar'],
};
for (const [number, names] of Object.entries(YEARS)) {
  test(`${number}: the folder of a year is no album: ${names[0]}`, () => {
    expect(names.filter((name) => !isYearFolder(name))).toEqual([]);
  });
}

test('316: an album about a year is an album', () => {
  expect(['Rome 2019', '2019', 'Photos from Rome', '2019 fotoğraf'].filter(isYearFolder)).toEqual(
    [],
  );
});

test('317: an edited version named by each language has the date of its original', async () => {
  const words = [
    'bearbeitet',
    'modifié',
    'ha editado',
    'modificato',
    'bewerkt',
    'edytowane',
    '編集済み',
  ];
  for (const [at, word] of words.entries()) {
    await write({
      [`${YEAR}/P${at}.jpg`]: await photo(),
      [`${YEAR}/P${at}-${word}.jpg`]: await photo(),
      [`${YEAR}/P${at}.jpg.json`]: toJson(`P${at}.jpg`, PHOTO_TIME),
    });
  }
  const { report, items } = await run();
  expect([report.stacks, report.noted]).toEqual([7, 0]);
  expect(new Set(Object.values(items).map(({ takenAt }) => takenAt))).toEqual(
    new Set([PHOTO_TIME]),
  );
});
