import { afterAll, beforeAll, expect, test } from 'bun:test';
import { seed, type TestDatabase, testDatabase } from '../../../../test/support/harness.ts';
import { expectedReport, openImportFolder, runImport } from '../../../../test/support/imports.ts';
import { randomFileBytes } from '../../../../test/support/forms.ts';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof openImportFolder>>;
beforeAll(async () => {
  database = await testDatabase();
  folder = await openImportFolder();
});
afterAll(async () => {
  await folder.remove();
  await database.close();
});

test('parts of an export: dates, favorites, hidden and deleted photos, albums across parts', async () => {
  const me = await seed(database).user();
  const HEADER =
    'imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate';
  const date = '"Saturday June 4,2022 12:11 PM GMT"';
  const line = (name: string, flags: string) => `${name},x,${flags},${date},1,${date}\n`;
  const [one, two] = ['iCloud Photos Part 1 of 2', 'iCloud Photos Part 2 of 2'];
  const photos = [`${one}/Photos/A.JPG`, `${one}/Photos/B.JPG`, `${one}/Photos/Same.JPG`];
  const more = [`${two}/Photos/C.JPG`, `${two}/Photos/D.JPG`, `${two}/Photos/Same.JPG`];
  await folder.write({
    ...Object.fromEntries([...photos, ...more].map((name) => [name, randomFileBytes()])),
    [`${two}/Recently Deleted/E.JPG`]: randomFileBytes(),
    [`${one}/Photos/Photo Details.csv`]: `${HEADER}\n${line('A.JPG', 'yes,no,no')}`,
    [`${one}/Photos/Photo Details-1.csv`]: `${HEADER}\n${line('B.JPG', 'no,yes,no')}`,
    [`${two}/Photos/Photo Details.csv`]: `${HEADER}\n${line('D.JPG', 'no,no,yes')}`,
    [`${one}/Albums/Rome.csv`]: 'Images\nA.JPG\nB.JPG\nC.JPG\nSame.JPG\nGone.JPG\n',
    [`${one}/Albums/Favorites.csv`]: 'imgName\nA.JPG\n',
    [`${one}/Memories/Summer.csv`]: 'imageName\nA.JPG\n',
  });
  const { report } = await runImport(database, me, folder.path, { namesAlbums: true });
  const counts = { taken: 5, skipped: 2, albums: 1, albumItems: 2, ambiguousAlbumItems: 1 };
  expect(report).toMatchObject(counts);
  const rows = await database.sql`
    select file_name, taken_at = '2022-06-04 12:11Z' as is_dated, is_favorite,
      locked_at is not null as is_locked, (select array_agg(name) from album_asset
        join album on album.id = album_id where asset_id = asset.id) as albums
    from asset where owner_id = ${me.id} order by file_name, is_dated`;
  const plain = { is_dated: false, is_favorite: false, is_locked: false, albums: null };
  expect([...rows]).toEqual([
    { ...plain, file_name: 'A.JPG', is_dated: true, is_favorite: true, albums: ['Rome'] },
    { ...plain, file_name: 'B.JPG', is_dated: true, is_locked: true },
    { ...plain, file_name: 'C.JPG', albums: ['Rome'] },
    { ...plain, file_name: 'Same.JPG' },
    { ...plain, file_name: 'Same.JPG' },
  ]);
  const again = await runImport(database, me, folder.path, { namesAlbums: true });
  expect(again.report).toEqual(
    expectedReport({ duplicates: 5, skipped: 2, ambiguousAlbumItems: 1, noted: 5 }),
  );
});
