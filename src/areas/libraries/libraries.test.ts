import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { migrations } from '../../../migrations/index.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { compareWithRecounts } from '../../../test/support/recounts.ts';
import {
  addLibrary,
  makeFolder,
  runLibraryJobs,
  scan,
  writeFiles,
} from '../../../test/support/libraries.ts';

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

const create = (body: object) => call(app, 'POST /libraries', { as: admin, body });

describe('a library', () => {
  test('is created with a name and exclusions unless they are given', async () => {
    const { status, body } = await create({ ownerId: me.id });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ownerId: me.id,
      name: 'New External Library',
      assetCount: 0,
      importPaths: [],
      refreshedAt: null,
    });
    expect(body.exclusionPatterns).toContain('**/@eaDir/**');
    const given = {
      ownerId: me.id,
      name: 'NAS',
      importPaths: [`${folder}/`],
      exclusionPatterns: [],
    };
    expect((await create(given)).body).toMatchObject({
      name: 'NAS',
      importPaths: [folder],
      exclusionPatterns: [],
    });
    const ids = (await call(app, 'GET /libraries', { as: admin })).body.map(
      (one: { id: string }) => one.id,
    );
    expect(ids).toContain(body.id);
  });

  test('has the exclusions of this version after an update, unless its owner chose others', async () => {
    const { id, exclusionPatterns } = (await create({ ownerId: me.id })).body;
    const own = ['**/raw/**', ...exclusionPatterns.slice(0, 18)];
    const update = migrations.find(({ name }) => name === '0048_library_exclusions')!;
    for (const [before, after] of [
      // Those of 0.2.0 and 0.3.0.
      [exclusionPatterns.slice(8, 18), exclusionPatterns],
      [exclusionPatterns.slice(0, 18), exclusionPatterns],
      [own, own],
      [[], []],
    ]) {
      await database.sql`update library set exclusion_patterns = ${before} where id = ${id}`;
      await database.sql.unsafe(update.sql);
      const { body } = await call(app, `GET /libraries/${id}`, { as: admin });
      expect(body.exclusionPatterns).toEqual(after);
    }
  });

  test('is changed and deleted, with its items', async () => {
    await writeFiles(folder, { 'a.jpg': 'a', 'b.mp4': 'bb' });
    const id = await addLibrary(app, admin, me.id, [folder]);
    await scan(database, app, admin, id);
    const statistics = await call(app, `GET /libraries/${id}/statistics`, { as: admin });
    expect(statistics.body).toEqual({ photos: 1, videos: 1, total: 2, usage: 3 });
    const change = { name: 'Renamed' };
    expect(
      (await call(app, `PUT /libraries/${id}`, { as: admin, body: change })).body,
    ).toMatchObject({ name: 'Renamed', importPaths: [folder] });
    expect((await call(app, `DELETE /libraries/${id}`, { as: admin })).status).toBe(204);
    expect((await call(app, `GET /libraries/${id}`, { as: admin })).status).toBe(400);
  });

  test.each([
    ['relative', 'must be absolute'],
    ['/nonexistent-folder', 'cannot be reached'],
    ['/etc/passwd', 'is no folder'],
    ['/', 'Cannot use media upload folder'],
  ] as const)('is made with %s, which its scan refuses: %s', async (path, message) => {
    const { status, body } = await create({ ownerId: me.id, importPaths: [path] });
    expect([status, body.importPaths]).toEqual([201, [path]]);
    await scan(database, app, admin, body.id);
    const state = await call(app, `GET /libraries/${body.id}/state`, { as: admin });
    expect(state.body.scanError).toContain(message);
  });

  test('shows nothing of the data folder, also not by a link', async () => {
    const { dataDir } = database.deps.settings;
    const inData = join(dataDir, 'originals');
    await writeFiles(inData, { 'x/secret.jpg': 'of somebody' });
    const link = join(folder, 'link');
    await symlink(inData, link);
    for (const path of [dataDir, inData, link, `${folder}/link/x`]) {
      const id = await addLibrary(app, admin, me.id, [path]);
      await scan(database, app, admin, id);
      const { body } = await call(app, `GET /libraries/${id}/statistics`, { as: admin });
      expect([path, body.total]).toEqual([path, 0]);
      const state = await call(app, `GET /libraries/${id}/state`, { as: admin });
      expect(state.body.scanError).toContain('Cannot use media upload folder');
      const question = { as: admin, body: { importPaths: [path] } };
      const answer = await call(app, `POST /libraries/${id}/validate`, question);
      expect(answer.body.importPaths[0].isValid).toBe(false);
    }
  });

  test('has the files of a folder that another one has too, for its own owner', async () => {
    await writeFiles(folder, { 'a.jpg': 'a', 'below/b.jpg': 'b' });
    const other = await seed(database).user();
    const ids = [
      await addLibrary(app, admin, me.id, [folder]),
      await addLibrary(app, admin, other.id, [folder, join(folder, 'below')]),
    ];
    for (const id of ids) await scan(database, app, admin, id);
    const search = async (as: TestUser, libraryId: string) => {
      const answer = await call(app, 'POST /search/metadata', { as, body: { libraryId } });
      return answer.body.assets?.items
        .map((item: { originalFileName: string }) => item.originalFileName)
        .sort();
    };
    for (const [at, as] of [me, other].entries()) {
      expect(await search(as, ids[at]!)).toEqual(['a.jpg', 'b.jpg']);
      expect((await search(as, ids[1 - at]!)) ?? []).toEqual([]);
    }
    await call(app, `DELETE /libraries/${ids[0]}`, { as: admin });
    await runLibraryJobs(database);
    expect(await search(other, ids[1]!)).toEqual(['a.jpg', 'b.jpg']);
  });

  test.each([
    [{ importPaths: ['/path', '/path'] }, 'Array must have unique items'],
    [{ exclusionPatterns: ['**/Raw/**', '**/Raw/**'] }, 'Array must have unique items'],
    [{ importPaths: [''] }, 'Array items must not be empty'],
    [{ exclusionPatterns: ['**/x', ''] }, 'Array items must not be empty'],
  ] as const)('%j is refused as in Immich', async (lists, message) => {
    const id = await addLibrary(app, admin, me.id, [folder]);
    const answers = [
      await create({ ownerId: me.id, ...lists }),
      await call(app, `PUT /libraries/${id}`, { as: admin, body: lists }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.message]).toEqual([400, 'Validation failed']);
      expect(body.errors).toMatchObject([{ path: Object.keys(lists), message }]);
    }
  });

  test('needs an account', async () => {
    expect((await create({ ownerId: crypto.randomUUID() })).status).toBe(400);
  });

  test('tells which folders can be imported', async () => {
    const id = await addLibrary(app, admin, me.id, [folder]);
    const { status, body } = await call(app, `POST /libraries/${id}/validate`, {
      as: admin,
      body: { importPaths: [folder, '/nonexistent-folder', 'relative/path'] },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      importPaths: [
        { importPath: folder, isValid: true },
        {
          importPath: '/nonexistent-folder',
          isValid: false,
          message: 'Path does not exist (ENOENT)',
        },
        {
          importPath: 'relative/path',
          isValid: false,
          message: `Import path must be absolute, try ${process.cwd()}/relative/path`,
        },
      ],
    });
  });
});

describe('its items', () => {
  test('belong to the owner, with their path, and nobody else sees them', async () => {
    await writeFiles(folder, { 'trip/a.jpg': 'a' });
    const id = await addLibrary(app, admin, me.id, [folder]);
    await scan(database, app, admin, id);
    const [{ id: assetId }] = await database.sql<[{ id: string }]>`
      select id from asset where library_id = ${id}`;
    const { body } = await call(app, `GET /assets/${assetId}`, { as: me });
    expect(body).toMatchObject({
      libraryId: id,
      originalPath: join(folder, 'trip/a.jpg'),
      originalFileName: 'a.jpg',
      isOffline: false,
    });
    expect((await call(app, `GET /assets/${assetId}`, { as: admin })).status).toBe(400);
    const found = await call(app, 'POST /search/metadata', { as: me, body: { libraryId: id } });
    expect(found.body.assets.items.map((item: { id: string }) => item.id)).toEqual([assetId]);
  });

  test('do not count against the quota of their owner, whose uploads do', async () => {
    await database.sql`update app_user set quota_bytes = 5 where id = ${me.id}`;
    await writeFiles(folder, { 'a.jpg': 'longer than the quota', 'b.jpg': 'b' });
    const id = await addLibrary(app, admin, me.id, [folder]);
    await scan(database, app, admin, id);
    const readUsage = async () => {
      const own = (await call(app, 'GET /users/me', { as: me })).body.quotaUsageInBytes;
      const { body } = await call(app, `GET /admin/users/${me.id}`, { as: admin });
      return [own, body.quotaUsageInBytes];
    };
    expect((await call(app, `GET /libraries/${id}`, { as: admin })).body.assetCount).toBe(2);
    expect(await readUsage()).toEqual([0, 0]);
    await seed(database).asset({ ownerId: me.id, fileSize: 4 });
    expect(await readUsage()).toEqual([4, 4]);
    await writeFiles(folder, { 'a.jpg': 'another content of the file' });
    await scan(database, app, admin, id);
    await call(app, `DELETE /libraries/${id}`, { as: admin });
    await runLibraryJobs(database);
    expect(await readUsage()).toEqual([4, 4]);
    expect((await compareWithRecounts(database.sql)).wrong).toEqual([]);
  });

  test('are listed by folder: own ones on the Timeline only', async () => {
    await writeFiles(folder, { 'b/2.jpg': '1', 'b/1.jpg': '2', 'b/c/3.jpg': '3', 'd/4.jpg': '4' });
    const id = await addLibrary(app, admin, me.id, [folder]);
    await scan(database, app, admin, id);
    await database.sql`
      update asset set visibility = 'archive' where library_id = ${id} and file_name = '4.jpg'`;
    const takenAt = new Date('2020-02-03T12:00:00Z');
    await seed(database).asset({ ownerId: me.id, fileName: 'up.jpg', takenAt });
    await seed(database).asset({
      ownerId: me.id,
      fileName: 'no.jpg',
      takenAt,
      lockedAt: new Date(),
    });
    const listFolders = async (as: TestUser) =>
      (await call(app, 'GET /view/folder/unique-paths', { as })).body;
    expect(await listFolders(me)).toEqual(['/2020/02', `${folder}/b`, `${folder}/b/c`].sort());
    expect(await listFolders(admin)).toEqual([]);
    const countFolders = async (as: TestUser) =>
      (await call(app, 'GET /view/folder/counts', { as })).body;
    const counts = [
      { path: '/2020/02', count: 1 },
      { path: `${folder}/b`, count: 2 },
      { path: `${folder}/b/c`, count: 1 },
    ];
    expect(await countFolders(me)).toEqual(counts);
    expect(await countFolders(admin)).toEqual([]);
    const listNames = async (path: string, as = me) => {
      const query = `?path=${encodeURIComponent(path)}`;
      const { body } = await call(app, `GET /view/folder${query}`, { as });
      return body.map((item: { originalFileName: string }) => item.originalFileName);
    };
    expect(await listNames(`${folder}/b`)).toEqual(['1.jpg', '2.jpg']);
    expect(await listNames(`${folder}/b/`)).toEqual(['1.jpg', '2.jpg']);
    expect(await listNames(`${folder}/d`)).toEqual([]);
    expect(await listNames('/2020/02')).toEqual(['up.jpg']);
    expect(await listNames('/2020/13')).toEqual([]);
    expect(await listNames(`${folder}/b`, admin)).toEqual([]);
  });

  test('are taken in beside an upload of the same bytes, which is no duplicate of them', async () => {
    await writeFiles(folder, { 'a.jpg': 'same bytes' });
    const id = await addLibrary(app, admin, me.id, [folder]);
    await scan(database, app, admin, id);
    const checksum = new Bun.CryptoHasher('sha1').update('same bytes').digest('hex');
    const { body } = await call(app, 'POST /assets/bulk-upload-check', {
      as: me,
      body: { assets: [{ id: 'x', checksum }] },
    });
    expect(body.results).toMatchObject([{ id: 'x', action: 'accept' }]);
  });
});

test.each([
  ['GET /libraries', 'library.read'],
  ['POST /libraries', 'library.create'],
  ['PUT /libraries/:id', 'library.update'],
  ['POST /libraries/:id/scan', 'library.update'],
  ['GET /libraries/:id/statistics', 'library.statistics'],
  ['DELETE /libraries/:id', 'library.delete'],
] as const)('%s: administrators only, and keys with %s', async (operation, permission) => {
  const id = await addLibrary(app, admin, me.id, [folder]);
  const route = operation.replace(':id', id) as typeof operation;
  const body = { POST: { ownerId: me.id }, PUT: { name: 'x' } }[operation.split(' ')[0]!];
  const make = seed(database);
  const other = await make.user(['asset.read'], { isAdmin: true });
  for (const as of [me, other]) expect((await call(app, route, { as, body })).status).toBe(403);
  expect((await call(app, route, { body })).status).toBe(401);
  const key = await make.user([permission], { isAdmin: true });
  expect((await call(app, route, { as: key, body })).status).toBeLessThan(300);
});
