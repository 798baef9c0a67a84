import { expect, setDefaultTimeout, test } from 'bun:test';
import { toJson, PHOTO_TIME, useFieldImports } from '../support/field-imports.ts';

// Albums of other programs stay what they were: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, write, run, listAlbums, rename, remove } = useFieldImports();

const GOOGLE = 'Takeout/Google Photos';
const inAlbum = async (folder: string, name: string, album: object | undefined) => ({
  [`${folder}/${name}`]: await photo(),
  [`${folder}/${name}.supplemental-metadata.json`]: toJson(name, PHOTO_TIME),
  ...(album && { [`${folder}/metadata.json`]: album }),
});
const writeRomes = async () => {
  await write(await inAlbum(`${GOOGLE}/Rome`, 'a.jpg', { title: 'Rome', description: 'Spring' }));
  await write(await inAlbum(`${GOOGLE}/Rome(1)`, 'b.jpg', { title: 'Rome', description: '' }));
};
const ROMES = [
  { name: 'Rome', description: '', items: ['b.jpg'] },
  { name: 'Rome', description: 'Spring', items: ['a.jpg'] },
];

test('470: two albums of one title stay two, with their descriptions, at each run', async () => {
  await writeRomes();
  expect((await run()).report).toMatchObject({ taken: 2, albums: 2, albumItems: 2 });
  expect(await listAlbums()).toEqual(ROMES);
  expect((await run()).report).toMatchObject({ taken: 0, albums: 0 });
  // A later export, without one of them.
  await remove(`${GOOGLE}/Rome`);
  await write(await inAlbum(`${GOOGLE}/Rome(1)`, 'c.jpg', undefined));
  await run();
  expect(await listAlbums()).toEqual([{ ...ROMES[0]!, items: ['b.jpg', 'c.jpg'] }, ROMES[1]!]);
});

test('471: an album that was renamed here is the same at the next run', async () => {
  await writeRomes();
  await run();
  await rename('Spring', 'Roma');
  await write(await inAlbum(`${GOOGLE}/Rome`, 'd.jpg', undefined));
  await run();
  expect(await listAlbums()).toEqual([
    { name: 'Roma', description: 'Spring', items: ['a.jpg', 'd.jpg'] },
    ROMES[0]!,
  ]);
});

test('472: the parts of one album in several archives are one album', async () => {
  const [one, two] = ['takeout-20260101-001/Takeout', 'takeout-20260101-002/Takeout'];
  const album = { title: 'Rome', description: 'Spring' };
  await write(await inAlbum(`${one}/Google Photos/Rome`, 'a.jpg', album));
  await write(await inAlbum(`${two}/Google Photos/Rome`, 'b.jpg', undefined));
  await run();
  expect(await listAlbums()).toEqual([
    { name: 'Rome', description: 'Spring', items: ['a.jpg', 'b.jpg'] },
  ]);
});

test('500: two titles whose folders have one name, in exports of two people, are two albums', async () => {
  await write(await inAlbum(`mum/${GOOGLE}/A_B`, 'a.jpg', { title: 'A/B' }));
  await write(await inAlbum(`dad/${GOOGLE}/A_B`, 'b.jpg', { title: 'A:B' }));
  await run();
  expect(await listAlbums()).toMatchObject([
    { name: 'A/B', items: ['a.jpg'] },
    { name: 'A:B', items: ['b.jpg'] },
  ]);
});

test('473: an album that is there already gets the items of one, and no description over its own', async () => {
  await write({ 'Rome/z.jpg': await photo() });
  await run({ namesAlbums: true });
  await remove('Rome');
  await writeRomes();
  await run();
  expect(await listAlbums()).toEqual([
    ROMES[0]!,
    { name: 'Rome', description: 'Spring', items: ['a.jpg', 'z.jpg'] },
  ]);
});

test('474: albums of PhotoPrism of one title stay two, with their descriptions', async () => {
  const yaml = (uid: string, text: string, photo: string) =>
    `UID: ${uid}\nType: album\nTitle: Rome\nDescription: ${text}\nPhotos:\n- UID: ${photo}\n`;
  const about = (uid: string) => `UID: ${uid}\nTakenAt: 2019-04-01T10:00:00Z\n`;
  await write({
    'originals/a.jpg': await photo(),
    'originals/b.jpg': await photo(),
    'storage/sidecar/a.yml': about('pa'),
    'storage/sidecar/b.yml': about('pb'),
    'storage/albums/album/aq1.yml': yaml('aq1', 'One', 'pa'),
    'storage/albums/album/aq2.yml': yaml('aq2', 'Two', 'pb'),
  });
  await run();
  await run();
  expect(await listAlbums()).toEqual([
    { name: 'Rome', description: 'One', items: ['a.jpg'] },
    { name: 'Rome', description: 'Two', items: ['b.jpg'] },
  ]);
});

test('475: two folders of one name without any title are the album of that name', async () => {
  await write({ 'Italy/Rome/a.jpg': await photo(), 'Old/Rome/b.jpg': await photo() });
  await run({ namesAlbums: true });
  expect(await listAlbums()).toEqual([
    { name: 'Rome', description: '', items: ['a.jpg', 'b.jpg'] },
  ]);
});
