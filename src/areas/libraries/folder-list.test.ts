import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { makeFolder } from '../../../test/support/libraries.ts';
import { OWN_DEFAULTS } from '../system-config/index.ts';

const { database, app } = await useApp();
let admin: TestUser;
let root: string;
let other: string;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  root = await makeFolder();
  other = await makeFolder();
  await configure([root, join(root, 'a'), '/nonexistent-folder']);
  for (const name of ['b', 'a/inner', '.hidden'])
    await mkdir(join(root, name), { recursive: true });
  await mkdir(join(other, 'secret'));
  await writeFile(join(root, 'file.jpg'), 'x');
  await symlink(other, join(root, 'link'));
});

const configure = (folders: readonly string[]) =>
  call(app, 'PUT /admin/config/safelight', {
    as: admin,
    body: { ...OWN_DEFAULTS, libraries: { folders, writeSidecars: false } },
  });
const list = (path?: string, as = admin) =>
  call(app, `GET /libraries/folders${path ? `?path=${encodeURIComponent(path)}` : ''}`, { as });

test('lists the folders of the configuration, and those below them', async () => {
  expect((await list()).body).toEqual({
    path: null,
    parent: null,
    fault: null,
    folders: [root],
    isTruncated: false,
  });
  expect((await list(`${root}/`)).body).toMatchObject({
    path: root,
    parent: null,
    fault: null,
    folders: [join(root, 'a'), join(root, 'b')],
  });
  expect((await list(join(root, 'a'))).body).toMatchObject({
    parent: root,
    folders: [join(root, 'a/inner')],
  });
});

test('says why a library cannot have a folder', async () => {
  const { dataDir } = database.deps.settings;
  await configure([dataDir, root]);
  expect((await list(dataDir)).body.fault).toContain('Cannot use media upload folder');
  expect((await list(join(root, 'b'))).body.fault).toBeNull();
});

test.each([
  ['another folder', () => other],
  ['one that a link leads to', () => join(root, 'link')],
  ['one below a link', () => join(root, 'link/secret')],
  ['the folder above', () => `${root}/..`],
  ['one that only begins with the same name', () => `${root}x`],
  ['one that is not there', () => join(root, 'nothing')],
  ['a relative path', () => 'a'],
  ['the whole server', () => '/'],
])('%s is refused', async (_, getPath) => {
  const { status, body } = await list(getPath());
  expect([status, body.folders]).toEqual([400, undefined]);
});

test('is for administrators, and keys that may read libraries', async () => {
  const stranger = await seed(database).user();
  const key = await seed(database).user(['asset.read'], { isAdmin: true });
  for (const as of [stranger, key]) expect((await list(root, as)).status).toBe(403);
  expect((await call(app, 'GET /libraries/folders')).status).toBe(401);
  const reader = await seed(database).user(['library.read'], { isAdmin: true });
  expect((await list(root, reader)).status).toBe(200);
});

test('the configuration takes absolute paths only', async () => {
  expect((await configure(['relative'])).status).toBe(400);
});
