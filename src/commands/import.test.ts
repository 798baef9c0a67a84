import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
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
import { runInTerminal } from '../../test/support/terminal.ts';

setDefaultTimeout(300_000);

const cwd = mkdtempSync(join(tmpdir(), 'import-command-'));
let database: TestDatabase;
let admin: TestUser;
let folder: Awaited<ReturnType<typeof openImportFolder>>;
beforeAll(async () => {
  database = await testDatabase();
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterAll(async () => {
  await database.close();
  rmSync(cwd, { recursive: true });
});
beforeEach(async () => {
  folder = await openImportFolder();
});
afterEach(() => folder.remove());

const toArgs = (path: string, ...flags: string[]) => {
  const { dataDir, databaseUrl } = database.deps.settings;
  return ['import', path, '--data', dataDir, '--database-url', databaseUrl!, ...flags];
};
const safelight = (...flags: string[]) => runCommand(cwd, toArgs(folder.path, ...flags));
const countAssets = async (ownerId: string) =>
  (await database.sql`select 1 from asset where owner_id = ${ownerId}`).length;

test('takes a folder in for the only administrator, and reports it', async () => {
  const before = await countAssets(admin.id);
  await folder.write({ 'a/x.jpg': randomFileBytes(2048), 'a/y.jpg': randomFileBytes(2048) });
  const dry = await safelight('--dry-run', '--album-from-folders');
  expect(dry).toEqual({ code: 0, out: '2 to take in, 4.0 KiB\n2 added to albums (1)', err: '' });
  expect(await countAssets(admin.id)).toBe(before);
  const first = await safelight('--album-from-folders');
  expect(first).toEqual({ code: 0, out: '2 taken in, 4.0 KiB\n2 added to albums (1)', err: '' });
  expect(await countAssets(admin.id)).toBe(before + 2);
  await folder.write({ 'b.zip': '', 'c.ZIP': '', 'd.svgz': '', Makefile: '', 'e.json': '' });
  const again = await safelight('--copy');
  expect(again.out).toBe(
    '0 taken in, 0 B\n2 in the library already\n4 other files: zip 2, none 1, svgz 1',
  );
});

test('a dry run leaves database and data folder as they are', async () => {
  await folder.write({ 'x.jpg': randomFileBytes(), 'y.mov': randomFileBytes() });
  const before = await describeLibrary(database);
  expect((await safelight('--dry-run')).code).toBe(0);
  expect(await describeLibrary(database)).toEqual(before);
});

test('takes it in for the account of --owner; refused files end with 1 and are told', async () => {
  const other = await seed(database).user();
  await folder.write({ 'x.jpg': randomFileBytes(10), 'bad\n\u001B[2J.jpg': '' });
  const dry = await safelight('--owner', other.email.toUpperCase(), '--json', '--dry-run');
  const lines = dry.out.split('\n').map((line) => JSON.parse(line));
  expect(lines[0]).toEqual({
    path: join(folder.path, 'bad\n\u001B[2J.jpg'),
    reason: 'The file is empty',
  });
  expect(lines[1]).toMatchObject({ taken: 1, takenBytes: 10, refused: 1 });
  const { code, out } = await safelight('--owner', other.email);
  expect([code, out.split('\n')[0]]).toEqual([
    1,
    `refused: ${folder.path}/bad [2J.jpg: The file is empty`,
  ]);
  expect(await countAssets(other.id)).toBe(1);
});

test('lists files of an export about which it does not say all, and ends with 0', async () => {
  const year = 'Takeout/Google Photos/Photos from 2019';
  await folder.write({
    [`${year}/known.jpg`]: randomFileBytes(10),
    [`${year}/known.jpg.json`]: { photoTakenTime: { timestamp: '1554112800' } },
    [`${year}/bare.jpg`]: randomFileBytes(10),
    'Takeout/Google Photos/Bin/gone\u001B.jpg': randomFileBytes(10),
  });
  const dry = await safelight('--json', '--dry-run');
  const lines = dry.out.split('\n').map((line) => JSON.parse(line));
  const missing = { dateSource: 'modified' };
  expect(lines).toMatchObject([
    { path: join(folder.path, year, 'bare.jpg'), reasons: ['facts_missing', 'date_missing'] },
    { ...missing, reasons: ['facts_missing', 'in_trash', 'date_missing'] },
    { taken: 2, skipped: 1, noted: 2 },
  ]);
  const { code, out } = await safelight();
  expect([code, out.split('\n')]).toEqual([
    0,
    [
      `listed: ${folder.path}/${year}/bare.jpg: the export has no facts about it; neither the export nor the file tells its date; date: from the time at which the file was changed`,
      `listed: ${folder.path}/Takeout/Google Photos/Bin/gone .jpg: the export has no facts about it; left out, since its folder is the trash of the export; neither the export nor the file tells its date; date: from the time at which the file was changed`,
      '2 taken in, 20 B',
      '1 in the trash of the export, skipped',
      '2 listed: what is missing or stays behind',
    ],
  ]);
});

test('an unknown account, and several administrators without a choice, are errors', async () => {
  const unknown = await safelight('--owner', 'nobody@example.com');
  expect(unknown).toEqual({ code: 1, out: '', err: 'There is no account for nobody@example.com' });
  const second = await seed(database).user(['all'], { isAdmin: true });
  expect(await safelight()).toMatchObject({ code: 1, err: expect.stringContaining('--owner') });
  await database.sql`delete from app_user where id = ${second.id}`;
});

test('a folder that is missing, or not apart from the data folder, is refused', async () => {
  const { dataDir } = database.deps.settings;
  mkdirSync(join(dataDir, 'incoming'), { recursive: true });
  for (const [path, words] of [
    [join(folder.path, 'gone'), 'There is no folder'],
    [dataDir, 'must be apart'],
    [join(dataDir, '..'), 'must be apart'],
    [join(dataDir, 'incoming'), 'must be apart'],
  ] as const) {
    const { code, err } = await runCommand(cwd, toArgs(path));
    expect([path, code, err]).toEqual([path, 2, expect.stringContaining(words)]);
  }
  const { code, err } = await runCommand(cwd, ['import']);
  expect([code, err]).toEqual([2, expect.stringContaining('needs the folder')]);
});

test('shows a bar in a terminal', async () => {
  await folder.write({ 'x.jpg': randomFileBytes() });
  const terminal = runInTerminal(cwd, toArgs(folder.path));
  expect(await terminal.exited).toBe(0);
  expect(terminal.read()).toMatch(/import {2}\[#+\] 100 % {2}1 of 1/);
});
