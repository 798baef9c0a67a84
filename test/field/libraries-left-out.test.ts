import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { albumAssets } from '../../src/db/tables/albums.ts';
import { useApp } from '../support/database.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';
import { addLibrary, makeFolder, runLibraryJobs, scan, writeFiles } from '../support/libraries.ts';

// Files that the owner of an external library leaves out are gone from sight at once, and come back with all that people
// have done to them.

const { database, app } = await useApp();
let admin: TestUser;
let me: TestUser;
let partner: TestUser;
let folder: string;
let id: string;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  [me, partner] = [await seed(database).user(), await seed(database).user()];
  await database.sql`insert into partner (sharer_id, viewer_id, in_timeline)
    values (${me.id}, ${partner.id}, true)`;
  folder = await makeFolder();
  id = await addLibrary(app, admin, me.id, [folder]);
});

const run = () => scan(database, app, admin, id);
/** Changes the library; what the server enqueues for that is done, and nothing else. */
async function change(body: object): Promise<void> {
  expect((await call(app, `PUT /libraries/${id}`, { as: admin, body })).status).toBe(200);
  await runLibraryJobs(database);
}
const search = async (as: TestUser): Promise<string[]> => {
  const { body } = await call(app, 'POST /search/metadata', { as, body: { libraryId: id } });
  return body.assets.items.map((item: Json) => item.originalFileName).sort();
};
const countTimeline = async (as: TestUser): Promise<number> => {
  const query = '?withPartners=true&visibility=timeline';
  const { body } = await call(app, `GET /timeline/buckets${query}`, { as });
  return body.reduce((sum: number, { count }: Json) => sum + count, 0);
};
const find = async (name: string): Promise<string> =>
  (await database.sql`select id from asset where library_id = ${id} and file_name = ${name}`)[0]![
    'id'
  ];
const get = async (name: string, as = me) => call(app, `GET /assets/${await find(name)}`, { as });
const getState = async (name: string) => {
  const { isTrashed, isOffline } = (await get(name)).body;
  return { isTrashed, isOffline };
};
const HIDDEN = { isTrashed: true, isOffline: true };
const SHOWN = { isTrashed: false, isOffline: false };

test('430: what a new pattern leaves out is hidden at once, from partners and albums too, and comes back', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'raw/b.jpg': 'b', 'raw/c.jpg': 'c' });
  await run();
  const b = await find('b.jpg');
  await call(app, `PUT /assets/${b}`, { as: me, body: { isFavorite: true } });
  const [album] = await database.sql`
    insert into album (owner_id, name) values (${me.id}, 'all') returning id`;
  await database.db.insert(albumAssets).values([{ albumId: album!['id'], assetId: b }]);
  expect([await countTimeline(me), await countTimeline(partner)]).toEqual([3, 3]);
  await change({ exclusionPatterns: ['**/raw/**'] });
  expect(await getState('b.jpg')).toEqual(HIDDEN);
  expect(await search(me)).toEqual(['a.jpg']);
  expect([await countTimeline(me), await countTimeline(partner)]).toEqual([1, 1]);
  const ofAlbum = async () =>
    (
      await call(app, 'POST /search/metadata', { as: me, body: { albumIds: [album!['id']] } })
    ).body.assets.items.map((item: Json) => item.id);
  expect(await ofAlbum()).toEqual([]);
  expect((await call(app, `GET /assets/${b}/original`, { as: partner })).status).toBe(400);
  await change({ exclusionPatterns: [] });
  expect(await getState('b.jpg')).toEqual(SHOWN);
  expect((await get('b.jpg')).body.isFavorite).toBe(true);
  expect(await ofAlbum()).toEqual([b]);
  expect([await countTimeline(me), await countTimeline(partner)]).toEqual([3, 3]);
});

test('431: what is in no import path any more is hidden at once, of whatever number, and comes back', async () => {
  const other = await makeFolder();
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}.jpg`, `${n}`]));
  await writeFiles(folder, files);
  await writeFiles(other, { 'x.jpg': 'x' });
  await change({ importPaths: [folder, other] });
  expect(await search(me)).toHaveLength(31);
  await change({ importPaths: [other] });
  expect(await search(me)).toEqual(['x.jpg']);
  expect(await getState('7.jpg')).toEqual(HIDDEN);
  await change({ importPaths: [other, folder] });
  expect(await search(me)).toHaveLength(31);
});

test('432: the whole trash is restored and emptied without what is left out, and so are single items', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'raw/b.jpg': 'b' });
  await run();
  await call(app, 'DELETE /assets', { as: me, body: { ids: [await find('a.jpg')] } });
  await change({ exclusionPatterns: ['**/raw/**'] });
  const restored = await call(app, 'POST /trash/restore', { as: me });
  expect(restored.body).toEqual({ count: 1 });
  expect(await getState('a.jpg')).toEqual(SHOWN);
  expect(await getState('b.jpg')).toEqual(HIDDEN);
  const ids = [await find('b.jpg')];
  const one = await call(app, 'POST /trash/restore/assets', { as: me, body: { ids } });
  expect(one.body).toMatchObject({ count: 0 });
  const stranger = await call(app, 'POST /trash/restore/assets', { as: partner, body: { ids } });
  expect(stranger.status).toBe(400);
  expect((await call(app, 'POST /trash/empty', { as: me })).body).toEqual({ count: 0 });
  expect(await getState('b.jpg')).toEqual(HIDDEN);
  await change({ exclusionPatterns: [] });
  expect(await getState('b.jpg')).toEqual(SHOWN);
});

test('433: what its owner had moved to the trash stays there when it is left out no longer', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'raw/b.jpg': 'b' });
  await run();
  await call(app, 'DELETE /assets', { as: me, body: { ids: [await find('b.jpg')] } });
  await change({ exclusionPatterns: ['**/raw/**'] });
  expect(await getState('b.jpg')).toEqual(HIDDEN);
  await change({ exclusionPatterns: [] });
  expect(await getState('b.jpg')).toEqual({ isTrashed: true, isOffline: false });
  expect((await call(app, 'POST /trash/restore', { as: me })).body).toEqual({ count: 1 });
});

test('434: an import path that was given another name keeps items and albums: nothing is read again', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'b.jpg': 'b' });
  await run();
  const before = [await find('a.jpg'), await find('b.jpg')];
  await rename(folder, `${folder}-new`);
  await change({ importPaths: [`${folder}-new`] });
  expect([await find('a.jpg'), await find('b.jpg')]).toEqual(before);
  expect(await getState('a.jpg')).toEqual(SHOWN);
  expect((await get('a.jpg')).body.originalPath).toBe(join(`${folder}-new`, 'a.jpg'));
});

test('435: a library that is renamed is not scanned for that', async () => {
  await writeFiles(folder, { 'a.jpg': 'a' });
  await change({ name: 'other' });
  expect(await search(me)).toEqual([]);
});

test('436: what is deleted while it is left out is gone when it is left out no longer, and may be restored', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'raw/b.jpg': 'b' });
  await run();
  await change({ exclusionPatterns: ['**/raw/**'] });
  await rm(join(folder, 'raw'), { recursive: true });
  await change({ exclusionPatterns: [] });
  expect(await getState('b.jpg')).toEqual(HIDDEN);
  expect((await call(app, 'POST /trash/restore', { as: me })).body).toEqual({ count: 1 });
});

test('437: of a live photo only the video is left out: it does not become an item of its own', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'a.mov': 'clip' });
  await run();
  const [still, clip] = [await find('a.jpg'), await find('a.mov')];
  await database.sql`update asset set live_video_id = ${clip} where id = ${still}`;
  await database.sql`update asset set visibility = 'hidden' where id = ${clip}`;
  await change({ exclusionPatterns: ['**/*.mov'] });
  expect(await getState('a.jpg')).toEqual(SHOWN);
  expect(await search(me)).toEqual(['a.jpg']);
  expect((await call(app, 'GET /trash/summary', { as: me })).body).toMatchObject({ items: 0 });
  await change({ exclusionPatterns: ['**/a.*'] });
  expect(await search(me)).toEqual([]);
  await change({ exclusionPatterns: [] });
  expect(await search(me)).toEqual(['a.jpg']);
  expect((await get('a.jpg')).body.livePhotoVideoId).toBe(clip);
});

test('438: bytes that another library shows are sent from its file', async () => {
  const other = await makeFolder();
  const content = `of ${folder}`;
  await writeFiles(folder, { 'a.jpg': content, 'b.jpg': 'b' });
  await writeFiles(other, { 'theirs.jpg': content });
  await run();
  const theirs = await addLibrary(app, admin, partner.id, [other]);
  await scan(database, app, admin, theirs);
  await change({ exclusionPatterns: ['**/a.jpg'] });
  const [item] = await database.sql`select id from asset where library_id = ${theirs}`;
  const sent = await call(app, `GET /assets/${item!['id']}/original`, { as: partner });
  expect([sent.status, await getState('a.jpg')]).toEqual([200, HIDDEN]);
});

test('439: a file that was left out before this version is hidden by the next scan', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'raw/b.jpg': 'b' });
  await run();
  await database.sql`update library set exclusion_patterns = array['**/raw/**'] where id = ${id}`;
  await database.sql`update library_file set unseen_at = now(), missing_at = now()
    where library_id = ${id} and path like '%/raw/%'`;
  await database.sql`update asset set offline_at = now() where id = ${await find('b.jpg')}`;
  await run();
  expect(await getState('b.jpg')).toEqual(HIDDEN);
  await writeFile(join(folder, 'raw/c.jpg'), 'c');
  await run();
  expect(await search(me)).toEqual(['a.jpg']);
});

test('700: what phones, photo programs and servers for Macs keep beside the pictures is left out', async () => {
  const copies = [
    '.trashed-1700000000-b.jpg',
    'DCIM/.pending-1700000000-c.jpg',
    '.dtrash/files/d.jpg',
    'DCIM/.thumbnails/1.jpg',
    'Catalog Previews.lrdata/A/B/e.jpg',
    'Bilder/.AppleDouble/f.jpg',
    'Photos Library.photoslibrary/resources/derivatives/A/g.jpeg',
    'Photos Library.photoslibrary/resources/renders/A/h.jpeg',
  ];
  const originals = ['a.jpg', 'Photos Library.photoslibrary/originals/A/original.jpg'];
  const names = [...copies, ...originals];
  await writeFiles(folder, Object.fromEntries(names.map((name) => [name, name])));
  await run();
  expect(await search(me)).toEqual(['a.jpg', 'original.jpg']);
});
