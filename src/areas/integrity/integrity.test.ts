import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { randomUUIDv7 } from 'bun';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, symlink, unlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { photoForm, randomFileBytes, toSha256, upload } from '../../../test/support/forms.ts';
import { emptyTables } from '../../../test/support/empty-tables.ts';
import { call, type Caller, seed, send, type TestUser } from '../../../test/support/harness.ts';
import { createChecks, LATER, writeBelow } from '../../../test/support/integrity.ts';
import { until } from '../../../test/support/until.ts';
import { type DataPaths, derivedName } from '../../core/paths.ts';
import { originalPath } from '../../storage/stored-file.ts';
import type { ReportType } from '../../db/tables/integrity.ts';

const { database, app } = await useApp({ now: () => LATER });
let admin: TestUser;
let user: TestUser;
let paths: DataPaths;
let checks: ReturnType<typeof createChecks>;
beforeAll(() => {
  ({ paths } = database.deps);
});
beforeEach(async () => {
  await emptyTables(database, 'job', 'job_run', 'original', 'integrity_report');
  await database.sql`delete from app_user`;
  await database.sql`update integrity_check set scan_id = null, completed_at = null`;
  for (const name of await readdir(paths.root))
    await rm(join(paths.root, name), { recursive: true });
  for (const folder of [paths.originals, paths.incoming]) await mkdir(folder, { recursive: true });
  admin = await seed(database).user(['all'], { isAdmin: true });
  user = await seed(database).user();
  checks = createChecks(database, app, admin);
});

const write = (path: string, content: string | Uint8Array = 'x') =>
  writeBelow(paths.root, path, content);
const insert = (type: ReportType, names: readonly string[]) =>
  Promise.all(
    names.map(async (path) => {
      const id = randomUUIDv7();
      await database.sql`insert into integrity_report (id, type, path, scan_id, created_at)
        values (${id}, ${type}, ${path}, ${id}, now())`;
      return id;
    }),
  );
const remove = (id: string, as = admin) =>
  call(app, `DELETE /admin/integrity/report/${id}`, { as });
const getFile = (id: string, as: Caller = { as: admin }) =>
  send(app, `GET /admin/integrity/report/${id}/file`, as);
const isThere = (path: string) => existsSync(join(paths.root, path));
/** Uploads a photo; returns its id and the path of its original. */
async function addPhoto(as = user): Promise<{ id: string; path: string; bytes: Uint8Array }> {
  const bytes = randomFileBytes();
  const { body } = await upload(app, photoForm(bytes), { as });
  const path = relative(paths.root, originalPath(paths, toSha256(bytes)));
  return { id: body.id, path, bytes };
}
const isTrashed = async (id: string) => {
  const [row] = await database.sql`select trashed_at from asset where id = ${id}`;
  return row!['trashed_at'] !== null;
};

describe('a report', () => {
  test('LM-017 has 500 entries a page, and the cursor leads to the rest once', async () => {
    const names = Array.from({ length: 501 }, (_, n) => `originals/${n}`);
    await insert('untracked_file', names);
    await insert('missing_file', ['originals/other']);
    const first = await checks.read('untracked_file');
    expect(first.items).toHaveLength(500);
    const rest = await checks.read('untracked_file', `&cursor=${first.nextCursor}`);
    expect(Object.keys(rest)).toEqual(['items']);
    const listed = [...first.items, ...rest.items].map(({ path }) => path);
    expect(listed.toSorted()).toEqual(names.toSorted());
    const { body } = await call(app, 'GET /admin/integrity/summary', { as: admin });
    expect(body).toEqual({ untracked_file: 501, missing_file: 1, checksum_mismatch: 0 });
  });

  test('LM-015 LM-016 takes limits from 1 and known types only', async () => {
    const get = (query: string) => call(app, `GET /admin/integrity/report?${query}`, { as: admin });
    for (const limit of [1, 9007199254740991]) {
      expect((await get(`type=missing_file&limit=${limit}`)).status).toBe(200);
    }
    for (const [query, name] of [
      ['type=missing_file&limit=0', 'limit'],
      ['type=missing_file&limit=-1', 'limit'],
      ['', 'type'],
      ['type=unknown', 'type'],
      ['type=missing_file&cursor=x', 'cursor'],
    ]) {
      const { status, body } = await get(query!);
      expect([query, status, body.errors[0].path]).toEqual([query, 400, [name]]);
    }
  });

  test('is a CSV without formulas', async () => {
    const [id] = await insert('untracked_file', ['originals/a,"b"\nc']);
    await insert('untracked_file', ['=1+1', '+1', '-1', '@a', '\ta', '\ra', 'derived/ü']);
    await insert('missing_file', ['originals/other']);
    const response = await send(app, 'GET /admin/integrity/report/untracked_file/csv', {
      as: admin,
    });
    expect(response.headers.get('content-type')).toStartWith('text/csv');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-disposition')).toContain('attachment');
    const text = await response.text();
    expect(text).toStartWith('id,type,assetId,fileAssetId,path,copyPath,createdAt\r\n');
    expect(text).toContain(`\r\n${id},untracked_file,null,null,"originals/a,""b""\nc",,20`);
    for (const cell of [`'=1+1`, `'+1`, `'-1`, `'@a`, `'\ta`, `"'\ra"`, 'derived/ü']) {
      expect(text).toContain(`,untracked_file,null,null,${cell},,`);
    }
    expect(text).not.toContain('other');
  });

  test('is for administrators with the permission', async () => {
    const [id] = await insert('untracked_file', [await write('originals/x')]);
    const weak = await seed(database).user(['job.create'], { isAdmin: true });
    for (const as of [user, weak]) {
      expect((await getFile(id!, { as })).status).toBe(403);
      expect((await remove(id!, as)).status).toBe(403);
    }
    expect((await getFile(id!, {})).status).toBe(401);
    expect(isThere('originals/x')).toBe(true);
  });
});

describe('the file of an entry', () => {
  test('is sent as an attachment that nothing is made of', async () => {
    const [id] = await insert('untracked_file', [await write('originals/a "b".html', '<script>')]);
    const response = await getFile(id!);
    expect(await response.text()).toBe('<script>');
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-disposition')).toStartWith('attachment; ');
  });

  test('is 404 for a missing one, and never one behind a link or outside of the folders', async () => {
    await write('secret');
    await write('backups/secret');
    await mkdir(paths.derived, { recursive: true });
    await symlink(join(paths.root, 'secret'), join(paths.originals, 'link'));
    await symlink(join(paths.root, 'backups'), join(paths.derived, 'folder'));
    await write('originals/here');
    const hidden = ['originals/link', 'derived/folder/secret', 'originals/../secret', 'secret'];
    const ids = await insert('untracked_file', [...hidden, 'originals/gone']);
    const [missing] = await insert('missing_file', ['originals/here']);
    for (const id of [...ids, missing!, randomUUIDv7()]) {
      expect((await getFile(id)).status).toBe(404);
    }
    for (const id of ids) await remove(id);
    for (const path of ['secret', 'backups/secret', 'originals/link']) {
      expect(isThere(path)).toBe(true);
    }
    // ID-002
    expect((await getFile(crypto.randomUUID())).status).toBe(400);
  });
});

describe('deleting an entry', () => {
  test('EP-019 of an untracked file puts it into quarantine', async () => {
    const bytes = randomFileBytes();
    const stray = await write(relative(paths.root, originalPath(paths, toSha256(bytes))), bytes);
    const derived = await write(`derived/${derivedName(crypto.randomUUID(), 'preview', 'jpg')}`);
    const ids = await insert('untracked_file', [stray, derived, await write('originals/x.jpg')]);
    const photo = await addPhoto();
    for (const id of ids) expect((await remove(id)).status).toBe(200);
    expect(await checks.listPaths('untracked_file')).toEqual([]);
    expect([stray, derived, 'originals/x.jpg'].filter(isThere)).toEqual([]);
    expect((await readdir(paths.removed)).sort()).toEqual(
      ids.map((id) => `untracked-${id}`).sort(),
    );
    expect([...(await readFile(join(paths.removed, `untracked-${ids[0]}`)))]).toEqual([...bytes]);
    expect([isThere(photo.path), await isTrashed(photo.id)]).toEqual([true, false]);
    expect((await database.sql`select from original`).length).toBe(1);
    expect((await remove(ids[0]!)).status).toBe(400);
  });

  test('keeps a file that a row has adopted since, or that a job is about to record', async () => {
    const photo = await addPhoto();
    const asset = await seed(database).asset({ ownerId: user.id });
    const name = derivedName(asset, 'preview', 'jpg');
    await database.sql`
      insert into asset_file values (${asset}, 'preview', ${name}, 'image/jpeg', 7, 't')`;
    const video = `derived/${derivedName(asset, 'encoded_video', 'mp4')}`;
    await database.sql`insert into job (name, queue, lane, payload, state)
      values ('assets.transcodeVideo', 'videoConversion', 'video', 
        jsonb_build_object('assetId', ${asset}::text), 'running')`;
    const files = [photo.path, await write(`derived/${name}`), await write(video)];
    const ids = await insert('untracked_file', files);
    for (const id of ids) expect((await remove(id)).status).toBe(200);
    expect(files.filter(isThere)).toEqual(files);
    expect(await checks.listPaths('untracked_file')).toEqual([]);
  });

  test('waits for an upload of the same bytes, and then keeps their file', async () => {
    const bytes = randomFileBytes();
    const sha256 = toSha256(bytes);
    const stray = await write(relative(paths.root, originalPath(paths, sha256)), bytes);
    const [id] = await insert('untracked_file', [stray]);
    const removing = await database.sql.begin(async (uploading) => {
      await uploading`insert into original (sha256, size) values (${sha256}, 1000)`;
      const running = remove(id!);
      await until(
        async () => (await database.sql`select 1 from pg_locks where not granted`).length > 0,
      );
      return [running];
    });
    expect((await removing[0]!).status).toBe(200);
    expect(isThere(stray)).toBe(true);
    expect(await database.sql`select 1 from original where sha256 = ${sha256}`).toHaveLength(1);
  });

  test('of a missing file trashes the items of all accounts that have it, and nobody else', async () => {
    const photo = await addPhoto();
    const [row] = await database.sql`select sha256 from asset where id = ${photo.id}`;
    const shared = await seed(database).asset({ ownerId: admin.id, sha256: row!['sha256'] });
    const other = await addPhoto();
    const [present, gone] = await insert('missing_file', [other.path, photo.path]);
    await unlink(join(paths.root, photo.path));
    for (const id of [present!, gone!]) expect((await remove(id)).status).toBe(200);
    expect(await Promise.all([photo.id, shared, other.id].map(isTrashed))).toEqual([
      true,
      true,
      false,
    ]);
    expect(await checks.listPaths('missing_file')).toEqual([]);
    expect(isThere(other.path)).toBe(true);
  });

  test('of a damaged file trashes its items and leaves the file', async () => {
    const [photo, right] = [await addPhoto(), await addPhoto()];
    await write(photo.path, 'rotten');
    const ids = await insert('checksum_mismatch', [photo.path, right.path]);
    expect(await (await getFile(ids[0]!)).text()).toBe('rotten');
    for (const id of ids) expect((await remove(id)).status).toBe(200);
    expect([await isTrashed(photo.id), await isTrashed(right.id)]).toEqual([true, false]);
    expect([isThere(photo.path), isThere(right.path)]).toEqual([true, true]);
  });

  test('keeps the picture of a live photo whose video is missing', async () => {
    const video = await addPhoto();
    const still = await addPhoto();
    await database.sql`update asset set visibility = 'hidden', type = 'VIDEO' where id = ${video.id}`;
    await database.sql`update asset set live_video_id = ${video.id} where id = ${still.id}`;
    await unlink(join(paths.root, video.path));
    const [id] = await insert('missing_file', [video.path]);
    expect((await remove(id!)).status).toBe(400);
    expect([await isTrashed(video.id), await isTrashed(still.id)]).toEqual([false, false]);
    expect(await checks.listPaths('missing_file')).toEqual([video.path]);
  });

  test('all at once does the same to each, and goes on after one that cannot be deleted', async () => {
    await insert('untracked_file', [await write('originals/one'), await write('originals/two')]);
    const photo = await addPhoto();
    await insert('missing_file', [photo.path]);
    await rename(join(paths.root, photo.path), join(paths.root, 'aside'));
    expect(await checks.run('integrity-untracked-files-delete-all')).toMatchObject({
      status: 'completed',
      name: 'integrity-untracked-files-delete-all',
    });
    expect(['originals/one', 'originals/two'].filter(isThere)).toEqual([]);
    expect(await isTrashed(photo.id)).toBe(false);
    await checks.run('integrity-missing-files-delete-all');
    expect(await isTrashed(photo.id)).toBe(true);
  });
});

test('a refresh removes what is solved, keeps the rest, and is no full run', async () => {
  const [there, gone] = [await addPhoto(), await addPhoto()];
  await unlink(join(paths.root, gone.path));
  await insert('missing_file', [there.path, gone.path]);
  await insert('untracked_file', [there.path, 'originals/gone', await write('originals/stray')]);
  await checks.run('integrity-missing-files-refresh');
  await checks.run('integrity-untracked-files-refresh');
  expect(await checks.listPaths('missing_file')).toEqual([gone.path]);
  expect(await checks.listPaths('untracked_file')).toEqual(['originals/stray']);
  for (const run of Object.values(await checks.getRuns())) {
    expect(run).toEqual({ lastCompletedAt: null, isRunning: false });
  }
  await checks.start('integrity-missing-files');
  expect((await checks.getRuns()).missing_file.isRunning).toBe(true);
});
