import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdir, readdir, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { randomFileBytes, toSha256 } from '../../../test/support/forms.ts';
import { emptyTables } from '../../../test/support/empty-tables.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { createChecks } from '../../../test/support/integrity.ts';
import { addLibrary, makeFolder, scan } from '../../../test/support/libraries.ts';
import { addFile } from '../../../test/support/processing.ts';
import type { DataPaths } from '../../core/paths.ts';
import { originalPath } from '../../storage/stored-file.ts';
import { OWN_DEFAULTS } from '../system-config/index.ts';

const { database, app } = await useApp();
let admin: TestUser;
let paths: DataPaths;
let checks: ReturnType<typeof createChecks>;
/** The bytes of an uploaded photo. */
let bytes: Buffer<ArrayBuffer>;
let original: string;
beforeAll(() => {
  ({ paths } = database.deps);
});
beforeEach(async () => {
  await emptyTables(
    database,
    'job',
    'job_run',
    'original',
    'integrity_report',
    'library',
    'system_config',
  );
  await database.sql`delete from app_user`;
  await database.sql`update integrity_check set scan_id = null, cursor = null, checked = 0,
    unreadable = 0, candidates = '{}', completed_at = null`;
  await rm(paths.root, { recursive: true, force: true });
  await mkdir(paths.originals, { recursive: true });
  admin = await seed(database).user(['all'], { isAdmin: true });
  checks = createChecks(database, app, admin);
  [bytes, original] = await upload();
  await upload();
});

async function upload(): Promise<[Buffer<ArrayBuffer>, string]> {
  const made = Buffer.from(randomFileBytes());
  const sha256 = toSha256(made);
  await addFile(database, { name: 'a.jpg', bytes: made }, { ownerId: admin.id });
  await database.sql`update original set size = ${made.length} where sha256 = ${sha256}`;
  return [made, originalPath(paths, sha256)];
}
const configure = (backupFolders: readonly string[]) =>
  call(app, 'PUT /admin/config/safelight', {
    session: admin,
    body: { ...OWN_DEFAULTS, integrity: { backupFolders } },
  });
const findEntry = async (type: 'checksum_mismatch' | 'missing_file') => {
  const { items } = await checks.read(type);
  expect(items).toHaveLength(1);
  return items[0]!.id;
};
const repair = (id: string, as = admin) =>
  call(app, `POST /admin/integrity/report/${id}/repair`, { as });
const readOriginal = async () => Buffer.from(await Bun.file(original).bytes());
const damage = async () => {
  const wrong = new Uint8Array(bytes.toReversed());
  await unlink(original);
  await writeFile(original, wrong);
  await checks.run('integrity-checksum-mismatch');
  return wrong;
};
const listRemoved = () => readdir(paths.removed).catch(() => [] as string[]);

test('a damaged file is repaired from an external library, and its bytes are put aside', async () => {
  const owner = await seed(database).user();
  const folder = await makeFolder();
  await writeFile(join(folder, 'a.jpg'), bytes);
  const library = await addLibrary(app, admin, owner.id, [folder]);
  await scan(database, app, admin, library);
  const wrong = await damage();
  const id = await findEntry('checksum_mismatch');
  const { body: csv } = await call(app, 'GET /admin/integrity/report/checksum_mismatch/csv', {
    as: admin,
  });
  expect(csv).toContain(`${relative(paths.root, original)},${folder}/a.jpg,`);
  const stranger = await seed(database).user();
  expect((await repair(id, stranger)).status).toBe(403);
  expect(await readOriginal()).toEqual(Buffer.from(wrong));
  expect((await repair(id)).status).toBe(204);
  expect(await readOriginal()).toEqual(bytes);
  expect(await listRemoved()).toEqual([`damaged-${id}`]);
  expect(Buffer.from(await Bun.file(join(paths.removed, `damaged-${id}`)).bytes())).toEqual(
    Buffer.from(wrong),
  );
  expect(Buffer.from(await Bun.file(join(folder, 'a.jpg')).bytes())).toEqual(bytes);
  expect((await checks.read('checksum_mismatch')).items).toEqual([]);
  expect(await database.sql`select from original where missing_at is not null`).toHaveLength(0);
  expect((await repair(id)).status).toBe(404);
  await checks.run('integrity-checksum-mismatch');
  expect((await checks.read('checksum_mismatch')).items).toEqual([]);
});

test.each(['', 'originals'])('a missing file is repaired from a backup of %p', async (part) => {
  const backup = await makeFolder();
  const name = relative(join(paths.root, part), original);
  await mkdir(dirname(join(backup, name)), { recursive: true });
  await writeFile(join(backup, name), bytes);
  await checks.run('integrity-missing-files');
  await unlink(original);
  await checks.run('integrity-missing-files');
  const id = await findEntry('missing_file');
  const refused = await repair(id);
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'No other file has the bytes of this one',
  ]);
  expect((await configure([backup])).status).toBe(200);
  expect((await repair(id)).status).toBe(204);
  expect(await readOriginal()).toEqual(bytes);
  expect(await listRemoved()).toEqual([]);
});

test('a copy with other bytes repairs nothing, and a file that is right again is left', async () => {
  const backup = await makeFolder();
  const copy = join(backup, relative(paths.root, original));
  await mkdir(dirname(copy), { recursive: true });
  await writeFile(copy, new Uint8Array(bytes.toReversed()));
  expect((await configure([backup])).status).toBe(200);
  expect((await configure(['relative'])).status).toBe(400);
  const wrong = await damage();
  const id = await findEntry('checksum_mismatch');
  expect((await repair(id)).status).toBe(400);
  expect(await readOriginal()).toEqual(Buffer.from(wrong));
  expect(await listRemoved()).toEqual([]);
  await writeFile(copy, bytes);
  await writeFile(original, bytes);
  expect((await repair(id)).status).toBe(204);
  expect(await readOriginal()).toEqual(bytes);
  expect(await listRemoved()).toEqual([]);
});

test('an untracked file has nothing to be repaired from', async () => {
  await mkdir(join(paths.derived, 'ab'), { recursive: true });
  await writeFile(join(paths.derived, 'ab/x.jpg'), 'x');
  await checks.run('integrity-untracked-files');
  const [entry] = (await checks.read('untracked_file')).items;
  expect((await repair(entry!.id)).status).toBe(400);
});
