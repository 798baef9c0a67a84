import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFile, chmod, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { useDatabase } from '../../../test/support/database.ts';
import { seed, type TestUser } from '../../../test/support/harness.ts';
import {
  describeLibrary,
  expectedReport,
  openImportFolder,
  runImport,
} from '../../../test/support/imports.ts';
import { createStill, createVideo } from '../../../test/support/live-photos.ts';
import { randomFileBytes, toSha256 } from '../../../test/support/forms.ts';
import { startS3Server } from '../../../test/support/s3-server.ts';
import { StorageUnavailable } from '../../core/errors.ts';
import { originalPath } from '../../storage/stored-file.ts';

setDefaultTimeout(300_000);

const database = await useDatabase();
let me: TestUser;
let folder: Awaited<ReturnType<typeof openImportFolder>>;
beforeEach(async () => {
  await database.sql`truncate job`;
  me = await seed(database).user();
  folder = await openImportFolder();
});
afterEach(() => folder.remove());

const start = (options = {}) => runImport(database, me, folder.path, options);
type Row = {
  id: string;
  file_name: string;
  taken_at: string;
  trashed_at: string | null;
  live_video_id: string | null;
  albums: string[] | null;
};
const listAssets = (ownerId = me.id): Promise<Row[]> => database.sql<Row[]>`
  select *, (select array_agg(name order by name) from album_asset join album on album.id = album_id
    where asset_id = asset.id) as albums
  from asset where owner_id = ${ownerId} order by file_name`;

test('photos and videos are stored as uploads are, and the folder is left as it was', async () => {
  const [photo, video] = [randomFileBytes(300_000), randomFileBytes(3_000_000)];
  await folder.write({ 'a/photo.jpg': photo, 'b/c/film.mov': video, 'b/notes.txt': 'x' });
  await chmod(join(folder.path, 'a/photo.jpg'), 0o400);
  const listFolder = async () => (await readdir(folder.path, { recursive: true })).sort();
  const before = await listFolder();
  const { mtime } = await stat(join(folder.path, 'a/photo.jpg'));

  const { report, refused } = await start();
  expect(refused).toEqual([]);
  expect(report).toEqual(expectedReport({ taken: 2, takenBytes: 3_300_000, others: { txt: 1 } }));
  const [film, still] = await listAssets();
  expect(film).toMatchObject({ file_name: 'film.mov', type: 'VIDEO', visibility: 'timeline' });
  expect(still).toMatchObject({ file_name: 'photo.jpg', is_favorite: false });
  expect(new Date(still!.taken_at)).toEqual(mtime);
  for (const bytes of [photo, video]) {
    const path = originalPath(database.deps.paths, toSha256(bytes));
    expect((await readFile(path)).equals(bytes)).toBe(true);
  }
  const jobs = await database.sql`select distinct payload ->> 'assetId' as id from job`;
  expect(new Set(jobs.map(({ id }) => id))).toEqual(new Set([film!.id, still!.id]));
  expect(await listFolder()).toEqual(before);
  expect((await readFile(join(folder.path, 'a/photo.jpg'))).equals(photo)).toBe(true);
  expect(await readdir(database.deps.paths.incoming)).toEqual([]);
});

test('hidden files, those of storage systems and symbolic links are not taken in', async () => {
  const names = [
    '.hidden.jpg',
    '@eaDir/a.jpg',
    '.trash/a.jpg',
    '#recycle/a.jpg',
    '.stfolder/a.jpg',
    'x/@Recycle/a.jpg',
    'Thumbs.db',
  ];
  await folder.write(Object.fromEntries(names.map((name) => [name, randomFileBytes()])));
  const other = await openImportFolder();
  await other.write({ 'secret.jpg': randomFileBytes(), 'below/secret.jpg': randomFileBytes() });
  await symlink(join(other.path, 'secret.jpg'), join(folder.path, 'link.jpg'));
  await symlink(join(other.path, 'below'), join(folder.path, 'below'));
  // The links are listed.
  expect(await start()).toEqual({ report: expectedReport({ noted: 2 }), refused: [] });
  expect(await listAssets()).toEqual([]);
  await other.remove();
});

test('equal files are taken in once, and a second run changes nothing', async () => {
  const bytes = randomFileBytes();
  await folder.write({ 'a.jpg': bytes, 'b/c.jpg': bytes, 'd.jpg': randomFileBytes() });
  const options = { namesAlbums: true };
  expect((await start(options)).report).toMatchObject({ taken: 2, duplicates: 1, albums: 2 });
  const before = await describeLibrary(database);
  expect((await start(options)).report).toEqual(expectedReport({ duplicates: 3 }));
  expect(await describeLibrary(database)).toEqual(before);
});

test('a dry run counts the same and writes nothing', async () => {
  const bytes = randomFileBytes();
  await folder.write({ 'a.jpg': bytes, 'b/c.jpg': bytes, 'b/d.jpg': randomFileBytes() });
  const before = await describeLibrary(database);
  const dry = await start({ namesAlbums: true, isDryRun: true });
  expect(await describeLibrary(database)).toEqual(before);
  expect(dry.report).toEqual((await start({ namesAlbums: true })).report);
  expect((await start({ namesAlbums: true, isDryRun: true })).report).toEqual(
    expectedReport({ duplicates: 3 }),
  );
});

test('equal files of another account are neither duplicates nor touched', async () => {
  const other = await seed(database).user();
  await folder.write({ 'Rome/a.jpg': randomFileBytes() });
  await runImport(database, other, folder.path);
  const before = await listAssets(other.id);
  expect((await start({ namesAlbums: true })).report).toMatchObject({ taken: 1, duplicates: 0 });
  expect(await listAssets(other.id)).toEqual(before);
  expect(await listAssets()).toMatchObject([{ file_name: 'a.jpg', albums: ['Rome'] }]);
});

test('folders become albums of the owner only, to which items are added', async () => {
  const other = await seed(database).user();
  await database.sql`insert into album (owner_id, name) values (${other.id}, 'Rome'), (${me.id}, 'Rome')`;
  await folder.write({ 'x/Rome/a.jpg': randomFileBytes(), 'y/Oslo/b.jpg': randomFileBytes() });
  expect((await start({ namesAlbums: true })).report).toMatchObject({ albums: 2, albumItems: 2 });
  expect((await listAssets()).map(({ albums }) => albums)).toEqual([['Rome'], ['Oslo']]);
  const albums = await database.sql`
    select owner_id, name, (select count(*)::int from album_asset where album_id = id) as items
    from album where owner_id in (${me.id}, ${other.id}) order by name, items`;
  expect([...albums]).toEqual([
    { owner_id: me.id, name: 'Oslo', items: 1 },
    { owner_id: other.id, name: 'Rome', items: 0 },
    { owner_id: me.id, name: 'Rome', items: 1 },
  ]);
});

test('what is in the trash stays there, and a locked item gets into no album', async () => {
  const [trashed, locked] = [randomFileBytes(), randomFileBytes()];
  await folder.write({ 'a/a.jpg': trashed, 'a/b.jpg': locked });
  await start();
  await database.sql`update asset set trashed_at = now() where sha256 = ${toSha256(trashed)}`;
  await database.sql`update asset set locked_at = now() where sha256 = ${toSha256(locked)}`;
  const { report } = await start({ namesAlbums: true });
  expect(report).toEqual(expectedReport({ inTrash: 1, duplicates: 1 }));
  const [first, second] = await listAssets();
  expect([first!.trashed_at === null, first!.albums, second!.albums]).toEqual([false, null, null]);
});

test('an original that was lost is stored again', async () => {
  const bytes = randomFileBytes();
  await folder.write({ 'a.jpg': bytes });
  await start();
  const path = originalPath(database.deps.paths, toSha256(bytes));
  await Bun.file(path).delete();
  expect((await start()).report).toMatchObject({ duplicates: 1, taken: 0 });
  expect((await readFile(path)).equals(bytes)).toBe(true);
});

test('a file that changes while it is read is refused', async () => {
  await folder.write({ 'a.jpg': new Uint8Array(64 * 1024 ** 2), 'b.jpg': randomFileBytes() });
  let isDone = false;
  const grow = async () => {
    while (!isDone) await appendFile(join(folder.path, 'a.jpg'), 'x');
  };
  const growing = grow();
  const { report, refused } = await start();
  isDone = true;
  await growing;
  expect(report).toMatchObject({ taken: 1, refused: 1 });
  expect(refused).toEqual([{ path: 'a.jpg', reason: 'The file changed while it was read' }]);
  expect(await listAssets()).toHaveLength(1);
});

test('an empty file is refused with the reason, the others are taken in', async () => {
  await folder.write({ 'empty.jpg': '', 'good.jpg': randomFileBytes() });
  expect(await start()).toMatchObject({
    report: { taken: 1, refused: 1 },
    refused: [{ path: 'empty.jpg', reason: 'The file is empty' }],
  });
});

test('of two files of one name, the other one is taken in when one is refused', async () => {
  await folder.write({
    'A.jpg': randomFileBytes(),
    'A.MOV': '',
    'B.jpg': '',
    'B.MOV': randomFileBytes(),
  });
  const { report, refused } = await start();
  expect(report).toMatchObject({ taken: 2, refused: 2, livePhotos: 0 });
  expect(refused.map(({ path }) => path).sort()).toEqual(['A.MOV', 'B.jpg']);
});

test('the quota ends the import', async () => {
  me = await seed(database).user(['all'], { quotaBytes: 250_000 });
  for (const name of ['a', 'b', 'c'])
    await folder.write({ [`${name}/a.jpg`]: randomFileBytes(100_000) });
  const stopped = { taken: 2, stopped: 'Quota has been exceeded!' };
  expect((await start({ isDryRun: true })).report).toMatchObject(stopped);
  expect((await start()).report).toMatchObject(stopped);
  expect(await listAssets()).toHaveLength(2);
  expect(await readdir(database.deps.paths.incoming)).toEqual([]);
});

test('the reserve of the disk ends the import', async () => {
  await folder.write({ 'a.jpg': randomFileBytes() });
  const settings = { ...database.deps.settings, reserveBytes: Number.MAX_SAFE_INTEGER };
  const full = { ...database, deps: { ...database.deps, settings } };
  for (const isDryRun of [true, false]) {
    const { report } = await runImport(full, me, folder.path, { isDryRun });
    expect(report).toEqual({
      ...expectedReport({}),
      stopped: 'The server has no space left for uploads',
      stopCode: 'storage_full',
    });
  }
  expect(await listAssets()).toEqual([]);
});

test('storage that is away ends the import with an error, not as a full disk', async () => {
  await folder.write({ 'a.jpg': randomFileBytes() });
  const store = startS3Server();
  store.fault = () => new Response(null, { status: 403 });
  const settings = { ...database.deps.settings, ...store.settings };
  const away = { ...database, deps: { ...database.deps, settings } };
  await expect(runImport(away, me, folder.path)).rejects.toBeInstanceOf(StorageUnavailable);
  await store.stop();
  expect(await listAssets()).toEqual([]);
  expect((await start()).report).toMatchObject({ taken: 1 });
});

test('an XMP file beside a photo is stored with it', async () => {
  await folder.write({
    'a.jpg': randomFileBytes(),
    'a.jpg.xmp': '<x:xmpmeta/>',
    'b.jpg': randomFileBytes(),
    'B.xmp': '<x:xmpmeta/>',
    'c.jpg': randomFileBytes(),
  });
  expect((await start()).report).toMatchObject({ taken: 3 });
  const files = await database.sql`
    select file_name from asset join asset_file on asset_id = id and kind = 'sidecar'
    where owner_id = ${me.id} order by 1`;
  expect(files.map(({ file_name }) => file_name)).toEqual(['a.jpg', 'b.jpg']);
});

test('IMG_1.HEIC and IMG_1.MOV become one live photo unless they cannot belong together', async () => {
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  await folder.write({
    'A.jpg': await createStill(one),
    'A.MOV': await createVideo(folder.path, one),
    'B.jpg': await createStill(),
    'b.mp4': await createVideo(folder.path),
    'C.jpg': await createStill(one),
    'C.MOV': await createVideo(folder.path, other),
    'D.jpg': randomFileBytes(),
    'D.MOV': randomFileBytes(),
  });
  for (const made of await readdir(folder.path)) {
    if (/^\d+\.mov$/.test(made)) await Bun.file(join(folder.path, made)).delete();
  }
  const dry = await start({ isDryRun: true });
  const { report, refused } = await start({ namesAlbums: true });
  expect(refused).toEqual([]);
  expect(report).toMatchObject({ taken: 8, livePhotos: 2, albumItems: 6 });
  expect(dry.report).toMatchObject({ taken: 8, livePhotos: 2 });
  const rows = await listAssets();
  const byName = new Map(rows.map((row) => [row.file_name, row]));
  for (const [still, video] of [
    ['A.jpg', 'A.MOV'],
    ['B.jpg', 'b.mp4'],
  ] as const) {
    expect(byName.get(still)).toMatchObject({ live_video_id: byName.get(video)!.id });
    expect(byName.get(video)).toMatchObject({ visibility: 'hidden', albums: null });
  }
  for (const name of ['C.MOV', 'D.MOV']) {
    expect(byName.get(name)).toMatchObject({ visibility: 'timeline' });
    expect(byName.get(name)!.albums).toHaveLength(1);
  }
  expect((await start({ namesAlbums: true })).report).toEqual(expectedReport({ duplicates: 8 }));
});
