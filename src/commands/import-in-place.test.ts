import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../test/support/command-line.ts';
import { randomFileBytes } from '../../test/support/forms.ts';
import {
  seed,
  type TestDatabase,
  type TestUser,
  testDatabase,
} from '../../test/support/harness.ts';
import { describeLibrary, openImportFolder } from '../../test/support/imports.ts';

setDefaultTimeout(300_000);

const cwd = mkdtempSync(join(tmpdir(), 'import-in-place-'));
let database: TestDatabase;
let me: TestUser;
let folder: Awaited<ReturnType<typeof openImportFolder>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(cwd, { recursive: true });
});
beforeEach(async () => {
  me = await seed(database).user();
  folder = await openImportFolder();
});

const importInPlace = (path: string, ...flags: string[]) => {
  const { dataDir, databaseUrl } = database.deps.settings;
  const place = ['--data', dataDir, '--database-url', databaseUrl!];
  return runCommand(cwd, ['import', path, ...place, '--in-place', '--owner', me.email, ...flags]);
};
const listLibraries = () => database.sql`
  select name, import_paths from library where owner_id = ${me.id}`;
const listItems = async () =>
  (
    await database.sql`
      select folder || '/' || file_name as path from asset where owner_id = ${me.id} order by 1`
  ).map(({ path }) => (path as string).slice(folder.path.length + 1));

test('--in-place makes an external library of the folder, and takes in what is new', async () => {
  await folder.write({
    'a/x.jpg': randomFileBytes(2048),
    'y.jpg': randomFileBytes(2048),
    'z.jpg': '',
  });
  const before = await describeLibrary(database);
  const dry = await importInPlace(folder.path, '--dry-run');
  expect(dry).toMatchObject({ code: 0, out: '3 to take in, 4.0 KiB' });
  expect(await describeLibrary(database)).toEqual(before);
  const first = await importInPlace(folder.path);
  expect(first.out.split('\n')).toEqual([
    `refused: ${folder.path}/z.jpg: The file is empty`,
    '2 taken in, 4.0 KiB',
    '1 refused',
  ]);
  expect(first.code).toBe(1);
  expect(await listItems()).toEqual(['a/x.jpg', 'y.jpg']);
  expect(await listLibraries()).toMatchObject([{ import_paths: [folder.path] }]);
  await writeFile(join(folder.path, 'z.jpg'), randomFileBytes(1024));
  await folder.write({ 'a/new.jpg': randomFileBytes(1024) });
  const below = await importInPlace(join(folder.path, 'a'));
  expect(below).toMatchObject({ code: 0, out: '1 taken in, 1.0 KiB\n1 in the library already' });
  expect((await importInPlace(folder.path)).out).toBe(
    '1 taken in, 1.0 KiB\n3 in the library already',
  );
  expect(await listItems()).toEqual(['a/new.jpg', 'a/x.jpg', 'y.jpg', 'z.jpg']);
  expect(await listLibraries()).toHaveLength(1);
});

test('--in-place refuses the folder of another account, and options that need copies', async () => {
  await folder.write({ 'a/x.jpg': randomFileBytes(10) });
  const other = await seed(database).user();
  await database.sql`
    insert into library (owner_id, name, import_paths, exclusion_patterns)
    values (${other.id}, 'theirs', ${[folder.path]}, '{}')`;
  const refused = await importInPlace(folder.path);
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain('which is in another library');
  expect(await listItems()).toEqual([]);
  const both = await importInPlace(folder.path, '--copy');
  expect(both.err).toContain('either --in-place or --copy');
});
