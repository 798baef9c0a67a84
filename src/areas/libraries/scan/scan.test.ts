import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { passTimeUntil } from '../../../../test/support/passed-time.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { setError } from '../intake/intake.store.ts';
import { handleScanLibrary, handleTrashMissing } from './scan.handlers.ts';
import { addLibrary, makeFolder, scan, writeFiles } from '../../../../test/support/libraries.ts';

const { database, app } = await useApp();
let admin: TestUser;
let me: TestUser;
let folder: string;
let id: string;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  me = await seed(database).user();
  folder = await makeFolder();
  id = await addLibrary(app, admin, me.id, [folder]);
});

type Item = { id: string; path: string; sha256: string; offline: boolean };
const listItems = async (): Promise<Item[]> => {
  const rows = await database.sql<Item[]>`
    select id, folder || '/' || file_name as path, encode(sha256, 'hex') as sha256,
      offline_at is not null as offline
    from asset where library_id = ${id} order by folder, file_name`;
  return rows.map((row) => ({ ...row, path: row.path.slice(folder.length + 1) }));
};
const listPaths = async () => (await listItems()).map(({ path }) => path);
const listOffline = async () =>
  (await listItems()).filter(({ offline }) => offline).map(({ path }) => path);
const run = () => scan(database, app, admin, id);
const getState = async () => (await call(app, `GET /libraries/${id}/state`, { as: admin })).body;
const many = (count: number, prefix = '') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}.jpg`, `${n}`]));

describe('a scan', () => {
  test('takes in pictures, videos and sounds of all folders, and nothing else', async () => {
    await writeFiles(folder, {
      'a.jpg': 'a',
      'b/c d/é.MOV': 'b',
      'b/line\nfeed.heic': 'c',
      'notes.txt': 'd',
      '@eaDir/a.jpg': 'e',
      'b/#recycle/a.jpg': 'f',
      'b/._a.jpg': 'g',
    });
    await symlink('/etc', join(folder, 'etc'));
    await symlink(join(folder, 'a.jpg'), join(folder, 'link.jpg'));
    await run();
    expect(await listPaths()).toEqual(['a.jpg', 'b/line\nfeed.heic', 'b/c d/é.MOV']);
    const [row] = await database.sql`
      select owner_id, type, is_copy, file_size, file_modified_at from asset
      where library_id = ${id} and file_name = 'é.MOV'`;
    expect(row).toMatchObject({ owner_id: me.id, type: 'VIDEO', is_copy: true });
    const { body } = await call(app, `GET /libraries/${id}`, { as: admin });
    expect(body).toMatchObject({ assetCount: 3, refreshedAt: expect.any(String) });
  });

  test('leaves out what patterns say', async () => {
    await writeFiles(folder, {
      'a.jpg': '1',
      'raw/b.jpg': '2',
      'x/raw/c.jpg': '3',
      'd.tmp.jpg': '4',
    });
    const exclusionPatterns = ['**/raw/**', '**/*.tmp.jpg'];
    await call(app, `PUT /libraries/${id}`, { as: admin, body: { exclusionPatterns } });
    await run();
    expect(await listPaths()).toEqual(['a.jpg']);
  });

  test('of unchanged files reads none of them', async () => {
    await writeFiles(folder, many(5));
    await run();
    const before = await listItems();
    await database.sql`truncate job cascade`;
    await run();
    expect(await listItems()).toEqual(before);
    const jobs = await database.sql`select name from job where name like 'assets.%'`;
    expect(jobs).toHaveLength(0);
  });

  test('reads a changed file again: its item stays', async () => {
    await writeFiles(folder, { 'a.jpg': 'before' });
    await run();
    const [before] = await listItems();
    await database.sql`truncate job cascade`;
    await writeFile(join(folder, 'a.jpg'), 'after, longer');
    await run();
    const [after] = await listItems();
    expect(after!.id).toBe(before!.id);
    expect(after!.sha256).not.toBe(before!.sha256);
    const jobs = await database.sql`
      select payload ->> 'assetId' as id from job where name = 'assets.readMetadata'`;
    expect(jobs.map((row) => row['id'])).toEqual([after!.id]);
  });

  test('follows renamed files and folders: items keep their albums', async () => {
    await writeFiles(folder, { ...many(3, 'old/'), 'x.jpg': 'x' });
    await run();
    const before = await listItems();
    await rename(join(folder, 'old'), join(folder, 'new'));
    await rename(join(folder, 'x.jpg'), join(folder, 'y.jpg'));
    await run();
    const after = await listItems();
    expect(new Set(after.map((item) => item.id))).toEqual(new Set(before.map((item) => item.id)));
    expect(await listPaths()).toEqual(['y.jpg', 'new/0.jpg', 'new/1.jpg', 'new/2.jpg']);
    expect(await listOffline()).toEqual([]);
  });

  test('follows files that were copied elsewhere and deleted, by their content', async () => {
    await writeFiles(folder, { 'a.jpg': 'same', 'b.jpg': 'other' });
    await run();
    const [before] = await listItems();
    await rm(join(folder, 'a.jpg'));
    await writeFiles(folder, { 'later/c.jpg': 'same' });
    await run();
    const items = await listItems();
    expect(items.map(({ path }) => path)).toEqual(['b.jpg', 'later/c.jpg']);
    expect(items[1]!.id).toBe(before!.id);
  });

  test('sets items offline whose files are gone, and online when they are back', async () => {
    await writeFiles(folder, many(30));
    await run();
    await rename(join(folder, '7.jpg'), `${folder}-7.jpg`);
    await run();
    expect(await listOffline()).toEqual(['7.jpg']);
    await rename(`${folder}-7.jpg`, join(folder, '7.jpg'));
    await run();
    expect(await listOffline()).toEqual([]);
    expect(await listPaths()).toHaveLength(30);
  });

  test('moves items to the trash after 30 days without their files, and back with them', async () => {
    await writeFiles(folder, many(30));
    await run();
    await rename(join(folder, '7.jpg'), `${folder}-7.jpg`);
    await run();
    const listTrashed = async () =>
      (
        await database.sql`
          select file_name from asset where library_id = ${id} and trashed_at is not null`
      ).map((row) => row['file_name']);
    await passTimeUntil(database, NOW);
    await handleTrashMissing(jobCtx(database), {});
    expect(await listTrashed()).toEqual([]);
    await database.sql`
      update library_file set missing_at = missing_at - interval '31 days'
      where library_id = ${id} and missing_at is not null`;
    await handleTrashMissing(jobCtx(database), {});
    expect(await listTrashed()).toEqual(['7.jpg']);
    await rename(`${folder}-7.jpg`, join(folder, '7.jpg'));
    await run();
    expect(await listTrashed()).toEqual([]);
    expect(await listOffline()).toEqual([]);
  });

  test('takes in a file anew that comes back after its item has left the trash', async () => {
    await writeFiles(folder, many(30));
    await run();
    await rename(join(folder, '7.jpg'), `${folder}-7.jpg`);
    await run();
    await database.sql`delete from asset where library_id = ${id} and offline_at is not null`;
    await rename(`${folder}-7.jpg`, join(folder, '7.jpg'));
    await run();
    expect(await listPaths()).toHaveLength(30);
  });

  test('does not take in again what the owner has deleted', async () => {
    await writeFiles(folder, { 'a.jpg': 'a', 'b.jpg': 'b' });
    await run();
    const [first] = await listItems();
    await database.sql`delete from asset where id = ${first!.id}`;
    await run();
    expect(await listPaths()).toEqual(['b.jpg']);
    await writeFile(join(folder, 'a.jpg'), 'another picture');
    await run();
    expect(await listPaths()).toEqual(['a.jpg', 'b.jpg']);
  });

  test('changes nothing when the folder is gone, empty or not readable', async () => {
    await writeFiles(folder, many(20));
    await run();
    const before = await listItems();
    await rename(folder, `${folder}-away`);
    await run();
    expect(await listItems()).toEqual(before);
    expect((await getState()).scanError).toContain('cannot be reached');
    await mkdir(folder);
    await run();
    expect(await listItems()).toEqual(before);
    expect((await getState()).scanError).toContain('may not be mounted');
    await rm(folder, { recursive: true });
    await rename(`${folder}-away`, folder);
    await run();
    expect(await getState()).toMatchObject({ scanError: null, missingFiles: 0 });
  });

  test('believes that fewer than 20 files are gone while one is left', async () => {
    await writeFiles(folder, { ...many(19), 'last.jpg': 'last' });
    await run();
    for (const path of Object.keys(many(19))) await rm(join(folder, path));
    await run();
    expect(await listOffline()).toHaveLength(19);
    expect(await getState()).toMatchObject({ unconfirmedFiles: 0, missingFiles: 19 });
  });

  test('asks nobody about what the owner leaves out, also while a disk is away', async () => {
    await writeFiles(folder, { ...many(30), 'raw/a.jpg': 'a', 'raw/b.jpg': 'b' });
    const update = (body: object) => call(app, `PUT /libraries/${id}`, { as: admin, body });
    await update({ importPaths: [folder, '/nonexistent-folder'] });
    await run();
    expect(await listOffline()).toEqual([]);
    await update({ exclusionPatterns: ['**/raw/**'] });
    await run();
    expect(await listOffline()).toEqual(['raw/a.jpg', 'raw/b.jpg']);
    const other = await makeFolder();
    await update({ importPaths: [other] });
    await run();
    expect(await listOffline()).toHaveLength(32);
    expect(await getState()).toMatchObject({ unconfirmedFiles: 0, missingFiles: 32 });
    await update({ importPaths: [folder], exclusionPatterns: [] });
    await run();
    expect(await listOffline()).toEqual([]);
  });

  test('asks before it believes that many files are gone', async () => {
    await writeFiles(folder, many(60));
    await run();
    for (let n = 0; n < 20; n++) await rm(join(folder, `${n}.jpg`));
    await run();
    expect(await listOffline()).toEqual([]);
    expect(await getState()).toMatchObject({ unconfirmedFiles: 20, missingFiles: 0 });
    const notices = await database.sql`
      select title from notification where owner_id = ${admin.id} and data ->> 'libraryId' = ${id}`;
    expect(notices.map((row) => row['title'])).toEqual([
      '20 files of “New External Library” are gone',
    ]);
    const confirmed = await call(app, `POST /libraries/${id}/missing/confirm`, { as: admin });
    expect(confirmed.body).toMatchObject({ unconfirmedFiles: 0, missingFiles: 20 });
    expect(await listOffline()).toHaveLength(20);
  });

  test('records why a file was not taken in', async () => {
    await writeFiles(folder, { 'a.jpg': 'a', 'empty.jpg': '' });
    await run();
    expect(await listPaths()).toEqual(['a.jpg']);
    expect(await getState()).toMatchObject({ refusedFiles: 1, unreadFiles: 0 });
    await run();
    expect(await getState()).toMatchObject({ refusedFiles: 1, unreadFiles: 0 });
    await writeFile(join(folder, 'empty.jpg'), 'no longer');
    await run();
    expect(await listPaths()).toEqual(['a.jpg', 'empty.jpg']);
  });

  test('does not wait for files that could not be read again and again', async () => {
    await writeFiles(folder, { 'a.jpg': 'a' });
    await call(app, `POST /libraries/${id}/scan`, { as: admin });
    await handleScanLibrary(jobCtx(database), { libraryId: id });
    const [row] = await database.sql`select id::int from library_file where library_id = ${id}`;
    await setError(database.db, [row!['id']], 'EIO: i/o error');
    expect(await getState()).toMatchObject({ refusedFiles: 1, unreadFiles: 0 });
    await run();
    expect(await listPaths()).toEqual(['a.jpg']);
  });

  test('of files with the same content makes an item of each', async () => {
    const content = `of ${id}`;
    await writeFiles(folder, { 'a.jpg': content, 'b/a.jpg': content });
    await run();
    expect(await listPaths()).toEqual(['a.jpg', 'b/a.jpg']);
    await rm(join(folder, 'a.jpg'));
    await run();
    const [{ path }] = await database.sql<[{ path: string }]>`
      select path from original where path like ${`${folder}/%`}`;
    expect(path).toBe(join(folder, 'b/a.jpg'));
  });
});

test('the files of a library are never changed', async () => {
  await writeFiles(folder, many(3));
  await chmod(join(folder, '0.jpg'), 0o444);
  const list = () => Bun.$`cd ${folder} && find . -printf '%p %s %T@ %C@ %m\n' | sort`.text();
  const before = await list();
  await run();
  const [item] = await listItems();
  const original = await call(app, `GET /assets/${item!.id}/original`, { as: me });
  expect(original.status).toBe(200);
  await call(app, 'DELETE /assets', { as: me, body: { ids: [item!.id], force: true } });
  await call(app, `DELETE /libraries/${id}`, { as: admin });
  await scan(database, app, admin, id);
  expect(await listItems()).toEqual([]);
  expect(await list()).toBe(before);
});
