import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { albumAssets } from '../../src/db/tables/albums.ts';
import { useApp } from '../support/database.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import { addLibrary, makeFolder, runLibraryJobs, scan, writeFiles } from '../support/libraries.ts';

// Names of folders, of import paths and in patterns of external libraries.

const { database, app } = await useApp();
let admin: TestUser;
let me: TestUser;
let folder: string;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  me = await seed(database).user();
  folder = await makeFolder();
});

const list = async (id: string) =>
  (
    await database.sql`
      select folder || '/' || file_name as path, trashed_at is not null as hidden,
        offline_at is not null as offline from asset
      where library_id = ${id} order by 1`
  ).map(({ path, hidden, offline }) => [path.slice(folder.length + 1), hidden, offline]);
const shown = async (id: string) =>
  (await list(id)).filter(([, hidden]) => !hidden).map(([path]) => path);

test('467: a folder that is renamed keeps its live photo, its album and its XMP file, and deletes nothing', async () => {
  const id = await addLibrary(app, admin, me.id, [folder]);
  await writeFiles(folder, { 'old/a.jpg': 'still', 'old/a.mov': 'clip', 'old/a.jpg.xmp': '<x/>' });
  await scan(database, app, admin, id);
  const find = async (name: string): Promise<string> =>
    (await database.sql`select id from asset where library_id = ${id} and file_name = ${name}`)[0]![
      'id'
    ];
  const [still, clip] = [await find('a.jpg'), await find('a.mov')];
  await database.sql`update asset set live_video_id = ${clip} where id = ${still}`;
  await database.sql`update asset set visibility = 'hidden' where id = ${clip}`;
  const [album] = await database.sql`
    insert into album (owner_id, name) values (${me.id}, 'all') returning id`;
  await database.db.insert(albumAssets).values([{ albumId: album!['id'], assetId: still }]);
  const countSidecars = async () =>
    (await database.sql`select 1 from asset_file where asset_id = ${still} and kind = 'sidecar'`)
      .length;
  expect(await countSidecars()).toBe(1);
  await rename(join(folder, 'old'), join(folder, 'new'));
  for (let times = 0; times < 2; times++) await scan(database, app, admin, id);
  expect(await list(id)).toEqual([
    ['new/a.jpg', false, false],
    ['new/a.mov', false, false],
  ]);
  expect([await find('a.jpg'), await find('a.mov')]).toEqual([still, clip]);
  const { body } = await call(app, `GET /assets/${still}`, { as: me });
  expect([body.livePhotoVideoId, await countSidecars()]).toEqual([clip, 1]);
  const album2 = { albumIds: [album!['id']] };
  const found = await call(app, 'POST /search/metadata', { as: me, body: album2 });
  expect(found.body.assets.total).toBe(1);
  for (const name of ['a.jpg', 'a.mov', 'a.jpg.xmp'])
    expect(existsSync(join(folder, 'new', name))).toBe(true);
});

const ODD = [
  "John's Photos",
  '[2020] {best}',
  '*',
  'a?b',
  '-rf',
  ' ',
  'é',
  'x\\y',
  '100%',
  '$HOME',
];

test('468: import paths with letters that mean something to shells and globs are scanned, again and again', async () => {
  const paths = ODD.map((name) => join(folder, name));
  for (const name of ODD)
    await writeFiles(folder, { [`${name}/a b.jpg`]: name, [`${name}/sub (1)/c.jpg`]: `${name}c` });
  const id = await addLibrary(app, admin, me.id, paths);
  for (let times = 0; times < 3; times++) {
    await scan(database, app, admin, id);
    expect(await shown(id)).toHaveLength(2 * ODD.length);
    const { body } = await call(app, `GET /libraries/${id}/state`, { as: admin });
    expect(body).toMatchObject({ scanError: null, missingFiles: 0, unconfirmedFiles: 0 });
  }
});

test('468: an import path does not hold the folder beside it whose name goes on', async () => {
  await writeFiles(folder, { 'photos/a.jpg': 'a', 'photos2/b.jpg': 'b', 'photos/sub/c.jpg': 'c' });
  const paths = ['photos', 'photos2'].map((name) => join(folder, name));
  const id = await addLibrary(app, admin, me.id, paths);
  await scan(database, app, admin, id);
  const change = async (importPaths: string[]) => {
    await call(app, `PUT /libraries/${id}`, { as: admin, body: { importPaths } });
    await runLibraryJobs(database);
    return shown(id);
  };
  expect(await change([join(folder, 'photos2')])).toEqual(['photos2/b.jpg']);
  expect(await change([`${join(folder, 'photos')}/`])).toEqual([
    'photos/a.jpg',
    'photos/sub/c.jpg',
  ]);
});

test.each<[string, (root: string) => string, string[]]>([
  ['an absolute folder', (root) => `${root}/raw/**`, ['a.JPG', 'b.jpg', 'c.arw', 'x [1]/e.jpg']],
  ['some extensions', () => '**/*.{arw,ARW,dng}', ['a.JPG', 'b.jpg', 'raw/d.jpg', 'x [1]/e.jpg']],
  ['one case', () => '**/*.jpg', ['a.JPG', 'c.arw']],
  ['brackets', () => '**/x \\[1\\]/**', ['a.JPG', 'b.jpg', 'c.arw', 'raw/d.jpg']],
  ['a part of a name', () => '**/r*/**', ['a.JPG', 'b.jpg', 'c.arw', 'x [1]/e.jpg']],
])(
  '469: a pattern of %s leaves out what it names, before and after files are there',
  async (_what, toPattern, wanted) => {
    const files = {
      'a.JPG': '1',
      'b.jpg': '2',
      'c.arw': '3',
      'raw/d.jpg': '4',
      'x [1]/e.jpg': '5',
    };
    const exclusionPatterns = [toPattern(folder)];
    await writeFiles(folder, files);
    const id = await addLibrary(app, admin, me.id, [folder], { exclusionPatterns });
    await scan(database, app, admin, id);
    expect(await shown(id)).toEqual(wanted);
    const change = async (patterns: string[]) => {
      const body = { exclusionPatterns: patterns };
      await call(app, `PUT /libraries/${id}`, { as: admin, body });
      await runLibraryJobs(database);
    };
    await change([]);
    expect(await shown(id)).toHaveLength(5);
    await change(exclusionPatterns);
    expect(await shown(id)).toEqual(wanted);
    // Whatever people delete for good here, the files stay.
    const ids = (await database.sql`select id from asset where library_id = ${id}`).map(
      (row) => row['id'],
    );
    await call(app, 'POST /trash/empty', { as: me });
    await call(app, 'DELETE /assets', { as: me, body: { ids, force: true } });
    for (const name of Object.keys(files)) expect(existsSync(join(folder, name))).toBe(true);
  },
);

test('469: what is added to a folder that is left out is not shown, also when only its folder is scanned', async () => {
  const exclusionPatterns = [`${folder}/private/**`];
  const id = await addLibrary(app, admin, me.id, [folder], { exclusionPatterns });
  await writeFiles(folder, { 'a.jpg': 'a' });
  await mkdir(join(folder, 'private/deep'), { recursive: true });
  await scan(database, app, admin, id);
  await writeFile(join(folder, 'private/deep/b.jpg'), 'b');
  await writeFile(join(folder, 'private/c.xmp'), '<x/>');
  await scan(database, app, admin, id);
  expect(await list(id)).toEqual([['a.jpg', false, false]]);
  const files = await database.sql`select path from library_file where library_id = ${id}`;
  expect(files).toHaveLength(1);
});
