import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdir, readdir, rm, unlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { emptyTables } from '../../../test/support/empty-tables.ts';
import { photoForm, randomFileBytes, toSha256, upload } from '../../../test/support/forms.ts';
import { call, seed, send, type TestUser } from '../../../test/support/harness.ts';
import { createChecks, writeBelow } from '../../../test/support/integrity.ts';
import type { DataPaths } from '../../core/paths.ts';
import { originalPath } from '../../storage/stored-file.ts';
import type { ReportType } from '../../db/tables/integrity.ts';

// The cases of Immich's own tests of /admin/integrity, in their order, with the files where ours lie.

const { database, app } = await useApp();
let admin: TestUser;
let paths: DataPaths;
let checks: ReturnType<typeof createChecks>;
let photos: Awaited<ReturnType<typeof addPhoto>>[];
beforeAll(() => {
  ({ paths } = database.deps);
});
beforeEach(async () => {
  await emptyTables(database, 'job', 'job_run', 'original', 'integrity_report');
  await database.sql`delete from app_user`;
  await database.sql`update integrity_check set scan_id = null, completed_at = null`;
  await rm(paths.root, { recursive: true, force: true });
  for (const folder of [paths.originals, paths.incoming]) await mkdir(folder, { recursive: true });
  admin = await seed(database).user(['all'], { isAdmin: true });
  checks = createChecks(database, app, admin);
  photos = [
    await addPhoto(admin),
    await addPhoto(await seed(database).user()),
    await addPhoto(await seed(database).user()),
  ];
  for (const check of CHECKS) await run(check);
});

const CHECKS = ['untracked-files', 'missing-files', 'checksum-mismatch'] as const;
const run = async (job: (typeof CHECKS)[number], rest = '') =>
  expect(await checks.run(`integrity-${job}${rest}` as 'integrity-missing-files')).toMatchObject({
    status: 'completed',
  });
const write = (path: string, content: string | Uint8Array) => writeBelow(paths.root, path, content);
async function addPhoto(owner: TestUser) {
  const bytes = randomFileBytes();
  const { body } = await upload(app, photoForm(bytes), { as: owner });
  return {
    owner,
    bytes,
    id: body.id as string,
    path: relative(paths.root, originalPath(paths, toSha256(bytes))),
  };
}
type Photo = Awaited<ReturnType<typeof addPhoto>>;
const lose = ({ path }: Photo) => unlink(join(paths.root, path));
const cut = ({ path }: Photo) => write(path, '');
const restore = ({ path, bytes }: Photo) => write(path, bytes);
const untracked = () => write('originals/untracked1.png', 'untracked');
const count = async (type: ReportType) =>
  (await call(app, 'GET /admin/integrity/summary', { as: admin })).body[type];
const isTrashed = async ({ id, owner }: Photo) =>
  (await call(app, `GET /assets/${id}`, { as: owner })).body.isTrashed;
const removeEntry = async (id: string) => {
  const reply = await call(app, `DELETE /admin/integrity/report/${id}`, { as: admin });
  expect(reply.status).toBe(200);
};
/** Expects one entry, about this photo or no item. */
const getEntry = async (type: ReportType, path: string, photo?: Photo): Promise<string> => {
  const { items, ...rest } = await checks.read(type, '&limit=5');
  expect(rest).toEqual({});
  expect(items).toEqual([
    {
      id: expect.any(String),
      type,
      path,
      assetId: photo?.id ?? null,
      fileAssetId: null,
      createdAt: expect.any(String),
    },
  ]);
  return items[0]!.id;
};

test('nothing is reported where nothing is wrong', async () => {
  await run('untracked-files', '-delete-all');
  expect((await call(app, 'GET /admin/integrity/summary', { as: admin })).body).toEqual({
    missing_file: 0,
    untracked_file: 0,
    checksum_mismatch: 0,
  });
});

test('an untracked file is found, refreshed and deleted', async () => {
  const path = await untracked();
  await run('untracked-files');
  expect(await count('untracked_file')).toBe(1);
  await rm(join(paths.root, path));
  await write('originals/untracked2.png', 'untracked');
  await run('untracked-files', '-refresh');
  expect(await count('untracked_file')).toBe(0);
  await run('untracked-files');
  expect(await count('untracked_file')).toBe(1);
  await run('untracked-files', '-delete-all');
  expect(await count('untracked_file')).toBe(0);
  expect(await readdir(paths.originals)).not.toContain('untracked2.png');
});

test('a missing file is no mismatch; it is found, refreshed and deleted', async () => {
  const [photo, other] = photos as [Photo, Photo];
  await lose(photo);
  await run('missing-files');
  expect([await count('missing_file'), await count('checksum_mismatch')]).toEqual([1, 0]);
  await restore(photo);
  await run('missing-files', '-refresh');
  expect(await count('missing_file')).toBe(0);
  await lose(other);
  await run('missing-files');
  expect(await count('missing_file')).toBe(1);
  await run('missing-files', '-delete-all');
  expect(await count('missing_file')).toBe(0);
  expect([await isTrashed(photo), await isTrashed(other)]).toEqual([false, true]);
});

test('a wrong checksum is found, refreshed and deleted', async () => {
  const [photo, , other] = photos as [Photo, Photo, Photo];
  await cut(photo);
  await run('checksum-mismatch');
  expect(await count('checksum_mismatch')).toBe(1);
  await restore(photo);
  await run('checksum-mismatch', '-refresh');
  expect(await count('checksum_mismatch')).toBe(0);
  await cut(other);
  await run('checksum-mismatch');
  expect(await count('checksum_mismatch')).toBe(1);
  await run('checksum-mismatch', '-delete-all');
  expect(await count('checksum_mismatch')).toBe(0);
  expect([await isTrashed(photo), await isTrashed(other)]).toEqual([false, true]);
});

test('the entry of an untracked file has no item, a file, a row of the CSV, and is deleted with it', async () => {
  const path = await untracked();
  await run('untracked-files');
  const id = await getEntry('untracked_file', path);
  const csv = await send(app, 'GET /admin/integrity/report/untracked_file/csv', { as: admin });
  expect(csv.headers.get('content-type')).toContain('text/csv');
  expect(csv.headers.get('content-disposition')).toContain('.csv');
  const text = await csv.text();
  expect(text).toContain('id,type,assetId,fileAssetId,path');
  expect(text).toContain(`${id},untracked_file,null,null,${path}`);
  const file = await send(app, `GET /admin/integrity/report/${id}/file`, { as: admin });
  expect(file.headers.get('content-type')).toContain('application/octet-stream');
  expect(await file.text()).toBe('untracked');
  await removeEntry(id);
  await run('untracked-files');
  expect((await checks.read('untracked_file')).items).toEqual([]);
});

test('an entry whose item is in the trash stays until it is deleted, and then does not come back', async () => {
  const [photo] = photos as [Photo];
  await cut(photo);
  await run('checksum-mismatch');
  await getEntry('checksum_mismatch', photo.path, photo);
  await lose(photo);
  await run('missing-files');
  await removeEntry(await getEntry('missing_file', photo.path, photo));
  expect(await isTrashed(photo)).toBe(true);
  await run('missing-files');
  expect((await checks.read('missing_file')).items).toEqual([]);
  await restore(photo);
  await cut(photo);
  await run('checksum-mismatch');
  await removeEntry(await getEntry('checksum_mismatch', photo.path, photo));
  await run('checksum-mismatch');
  expect((await checks.read('checksum_mismatch')).items).toEqual([]);
  expect(await Promise.all(photos.slice(1).map(isTrashed))).toEqual([false, false]);
});

test('an entry names an item outside the trash, of whatever account, before one in it', async () => {
  const [photo] = photos as [Photo];
  const [row] = await database.sql`select sha256 from asset where id = ${photo.id}`;
  const owner = await seed(database).user();
  const trashed = await seed(database).asset({ ownerId: owner.id, sha256: row!['sha256'] });
  await database.sql`update asset set trashed_at = now() where id = ${trashed}`;
  await lose(photo);
  await run('missing-files');
  const readItem = async () => (await checks.read('missing_file')).items[0]!.assetId;
  expect(await readItem()).toBe(photo.id);
  await database.sql`delete from asset where id = ${photo.id}`;
  expect(await readItem()).toBe(trashed);
  await database.sql`delete from asset where id = ${trashed}`;
  expect(await readItem()).toBeNull();
});
