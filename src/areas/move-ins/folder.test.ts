import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { randomFileBytes } from '../../../test/support/forms.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { openImportFolder } from '../../../test/support/imports.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import type { Effect } from '../../jobs/define.ts';
import { JobPostponed } from '../../jobs/postpone.ts';
import { handleRunMoveIn } from './run.handlers.ts';

// An administrator takes in a folder of this machine, into the own library or that of another account.

const { database, app } = await useApp();
const { sql } = database;
let admin: TestUser;
let folder: Awaited<ReturnType<typeof openImportFolder>>;

beforeEach(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
  folder = await openImportFolder();
  await folder.write({
    'Photos from 2020/a.jpg': randomFileBytes(1000),
    'Photos from 2020/a.jpg.json': { photoTakenTime: { timestamp: '1583020800' }, favorited: true },
    'Rome/b.jpg': randomFileBytes(500),
    'Rome/metadata.json': { title: 'Roma' },
    'Rome/notes.txt': 'x',
  });
});
afterEach(async () => {
  await folder.remove();
  await sql`delete from operation`;
  await sql`delete from job`;
});

const check = (body: object = {}, as = admin) =>
  call(app, 'POST /move-ins/folder', { as, body: { path: folder.path, ...body } });
const start = (id: string, as = admin) => call(app, `POST /move-ins/${id}/start`, { as, body: {} });
const read = async (id: string, as = admin) =>
  (await call(app, 'GET /move-ins', { as })).body.find((one: { id: string }) => one.id === id);
const commit = async (effect: Effect | void) => {
  const after = await database.db.transaction(async (tx) => effect?.(tx));
  await after?.();
};
const run = async (operationId: string) =>
  commit(await handleRunMoveIn(jobCtx(database), { operationId }));
async function begin(body: object = {}): Promise<string> {
  const { id } = (await check(body)).body;
  expect((await start(id)).body).toMatchObject({ status: 'queued' });
  return id;
}
const listAssets = async ({ id }: TestUser) => [
  ...(await sql`select file_name, is_favorite, (select array_agg(name) from album_asset
      join album on album.id = album_id where asset_id = asset.id) as albums
    from asset where owner_id = ${id} order by file_name`),
];

test('a check tells what is there, which program it is of, and whether there is room', async () => {
  const { status, body } = await check();
  expect([status, body]).toMatchObject([
    201,
    {
      url: null,
      path: folder.path,
      program: 'takeout',
      ownerId: admin.id,
      status: 'waiting',
      needsKey: false,
      found: { photos: 2, videos: 0, albums: 1, tags: 0, people: null, bytes: 1500 },
      fitsQuota: true,
      fitsDisk: true,
    },
  ]);
  expect(await read(body.id)).toEqual(body);
  expect(await listAssets(admin)).toEqual([]);
  // The room is that of the account which gets the files.
  const bob = await seed(database).user(['all'], { quotaBytes: 1499 });
  const other = (await check({ ownerId: bob.id })).body;
  expect(other).toMatchObject({ ownerId: bob.id, fitsQuota: false });
  expect(await read(other.id)).toMatchObject({ fitsQuota: false });
});

test('a move takes the folder in, with favorites and albums, and nothing twice', async () => {
  const id = await begin({ albumsFromFolders: true });
  await run(id);
  expect(await read(id)).toMatchObject({
    status: 'completed',
    reason: null,
    done: { assets: 2, albums: 1, tags: 0 },
    taken: 2,
    takenBytes: 1500,
    others: 1,
    failures: 0,
  });
  expect(await listAssets(admin)).toEqual([
    { file_name: 'a.jpg', is_favorite: true, albums: null },
    { file_name: 'b.jpg', is_favorite: false, albums: ['Roma'] },
  ]);
  expect((await start(id)).status).toBe(409);
  const again = await begin();
  await run(again);
  expect(await read(again)).toMatchObject({ status: 'completed', taken: 0, duplicates: 2 });
});

test('another account gets the files, and sees nothing of the move', async () => {
  const bob = await seed(database).user(['all']);
  const id = await begin({ ownerId: bob.id });
  await run(id);
  expect(await listAssets(admin)).toEqual([]);
  expect((await listAssets(bob)).map((row) => row['file_name'])).toEqual(['a.jpg', 'b.jpg']);
  expect((await call(app, 'GET /move-ins', { as: bob })).body).toEqual([]);
  for (const route of [`POST /move-ins/${id}/pause`, `DELETE /move-ins/${id}`] as const) {
    expect((await call(app, route, { as: bob })).status).toBe(404);
  }
});

test('is for administrators, also when it is started and when it runs', async () => {
  const member = await seed(database).user(['all']);
  expect((await check({}, member)).status).toBe(403);
  const weak = await seed(database).user(['asset.upload'], { isAdmin: true });
  expect((await check({}, weak)).status).toBe(403);
  const id = await begin();
  await sql`update app_user set is_admin = false where id = ${admin.id}`;
  await run(id);
  expect(await read(id)).toMatchObject({ status: 'paused', reason: 'account_missing', taken: 0 });
  expect((await start(id)).status).toBe(400);
  expect(await listAssets(admin)).toEqual([]);
});

test('an account that is gone gets nothing', async () => {
  const bob = await seed(database).user(['all']);
  const id = await begin({ ownerId: bob.id });
  await sql`update app_user set deleted_at = now() where id = ${bob.id}`;
  await run(id);
  expect(await read(id)).toMatchObject({ status: 'paused', reason: 'account_missing' });
  expect(await listAssets(bob)).toEqual([]);
  const unknown = await check({ ownerId: crypto.randomUUID() });
  expect([unknown.status, unknown.body.errors[0].path]).toEqual([400, ['ownerId']]);
  expect((await check({ ownerId: bob.id })).status).toBe(400);
});

test('a folder that may not be taken in is named, with the reason', async () => {
  const { root } = database.deps.paths;
  await mkdir(root, { recursive: true });
  await symlink(root, join(folder.path, 'link'));
  const cases = [
    ['relative', 'folder_refused'],
    [join(folder.path, 'nowhere'), 'folder_missing'],
    [join(folder.path, 'Rome/b.jpg'), 'folder_refused'],
    [join(folder.path, 'link'), 'folder_refused'],
    [root, 'folder_refused'],
    ['/', 'folder_refused'],
  ] as const;
  for (const [path, code] of cases) {
    const { status, body } = await check({ path });
    expect([path, status, body.errors?.[0]]).toMatchObject([path, 400, { path: ['path'], code }]);
  }
  expect((await check({ path: '' })).status).toBe(400);
  expect((await call(app, 'GET /move-ins', { as: admin })).body).toEqual([]);
});

test('a folder that is gone pauses the move, which goes on when it is there again', async () => {
  const id = await begin();
  const elsewhere = `${folder.path}-moved`;
  await rename(folder.path, elsewhere);
  await run(id);
  expect(await read(id)).toMatchObject({ status: 'paused', reason: 'folder_missing', taken: 0 });
  await rename(elsewhere, folder.path);
  expect((await start(id)).status).toBe(200);
  await run(id);
  expect(await read(id)).toMatchObject({ status: 'completed', reason: null, taken: 2 });
});

test('what cannot be read is listed by its name below the folder', async () => {
  await folder.write({ 'Rome/empty.jpg': '' });
  const id = await begin();
  await run(id);
  expect(await read(id)).toMatchObject({ status: 'completed', taken: 2, failures: 1 });
  const { body } = await call(app, `GET /move-ins/${id}/failures`, { as: admin });
  expect(body.failures).toMatchObject([{ name: 'Rome/empty.jpg' }]);
});

test('files of an export that lack facts are counted, and listed in the report by name', async () => {
  await folder.write({
    'Photos from 2020/bare.jpg': randomFileBytes(10),
    '=1+1.jpg': randomFileBytes(10),
    'Papierkorb/gone.jpg': randomFileBytes(10),
    'Rome/empty.jpg': '',
  });
  const id = await begin();
  await run(id);
  expect(await read(id)).toMatchObject({ status: 'completed', taken: 4, failures: 1, noted: 5 });
  expect((await listAssets(admin)).map((row) => row['file_name'])).not.toContain('gone.jpg');
  const { body } = await call(app, `GET /move-ins/${id}/failures`, { as: admin });
  expect(body).toMatchObject({ failures: [{ name: 'Rome/empty.jpg' }], hasNextPage: false });
  const report = await call(app, `GET /move-ins/${id}/report`, { as: admin });
  const [head, failed, ...lines] = (report.body as string).trim().split('\r\n');
  expect([head, failed]).toEqual(['status,name,reason', 'failed,Rome/empty.jpg,The file is empty']);
  const missing =
    'the export has no facts about it; neither the export nor the file tells its date; date: from the time at which the file was changed';
  expect(lines.map((line) => line.replaceAll('"', '')).sort()).toEqual([
    `listed,'=1+1.jpg,${missing}`,
    `listed,Papierkorb/gone.jpg,${missing.replace('it; ', 'it; left out, since its folder is the trash of the export; ')}`,
    `listed,Photos from 2020/bare.jpg,${missing}`,
    `listed,Rome/b.jpg,${missing}`,
    `listed,Rome/empty.jpg,${missing}`,
  ]);

  const other = await seed(database).user(['all'], { isAdmin: true });
  expect((await call(app, `GET /move-ins/${id}/report`, { as: other })).status).toBe(404);
  const weak = await seed(database).user(['asset.read'], { isAdmin: true });
  expect((await call(app, `GET /move-ins/${id}/report`, { as: weak })).status).toBe(403);
  const again = await begin();
  await run(again);
  expect(await read(again)).toMatchObject({ noted: 5, failures: 1, taken: 0 });
});

test('waits for the node at which it was started, as long as that lives', async () => {
  const id = await begin();
  const node = crypto.randomUUID();
  await sql`update operation set progress = progress || ${`{"keyHolder": "${node}"}`}::text::jsonb`;
  await sql`insert into node (id, role, host, version, state, seen_at)
    values (${node}, 'server', 'other', '1', 'ready', now())`;
  await expect(handleRunMoveIn(jobCtx(database), { operationId: id })).rejects.toBeInstanceOf(
    JobPostponed,
  );
  await sql`delete from node where id = ${node}`;
  await run(id);
  expect(await read(id)).toMatchObject({ status: 'completed', taken: 2 });
});
