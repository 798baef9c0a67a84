import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { useCommandLibrary } from '../../test/support/command-library.ts';

// A backup is restored, in the place of the database or beside it.
setDefaultTimeout(300_000);

const library = useCommandLibrary();
const { folder, dataDir, paths, start, safelight, query, addOriginal } = library;

const backUp = async (...more: string[]): Promise<string> =>
  (await safelight('maintenance', 'backup', ...more)).out.split('\n').at(-1)!;
const restore = (dump: string) => safelight('maintenance', 'restore', dump);
const drill = (...dump: string[]) => safelight('maintenance', 'restore-drill', ...dump);

const countOriginals = () => query('select count(*)::int as count from original');

test('maintenance restore brings a backup back and keeps the replaced database', async () => {
  for (const text of ['one', 'two', 'three']) await addOriginal(text);
  const dump = await backUp();
  expect(dirname(dump)).toBe(paths.backups);
  expect(readdirSync(paths.backups)).toHaveLength(1);
  await query('delete from original');

  const refused = await restore(dump);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.err).toContain('is running on');

  await library.stop();
  const broken = join(folder, 'broken.dump');
  writeFileSync(broken, 'PGDMP');
  expect((await restore(broken)).code).toBe(1);
  const { code, out } = await restore(dump);
  expect(code).toBe(0);
  await start();
  expect(await countOriginals()).toEqual([{ count: 3 }]);
  const kept = /kept as (\S+)$/.exec(out)![1]!;
  const names = await query(`select datname as name from pg_database where datname = '${kept}'`);
  expect(names).toEqual([{ name: kept }]);
  await query(`drop database "${kept}"`);
});

test('maintenance restore refuses a dump of a newer version or of another program', async () => {
  await addOriginal('one');
  await query("insert into schema_migration (name, checksum) values ('9999_later', 'x')");
  const newer = await backUp();
  await query("delete from schema_migration where name = '9999_later'");
  await query('alter table schema_migration rename to other');
  // A dump is named by the second.
  renameSync(newer, `${newer}.newer`);
  const foreign = await backUp();
  await query('alter table other rename to schema_migration');
  await library.stop();
  const cases = [
    [
      `${newer}.newer`,
      `${newer}.newer was made by a newer version (schema 9999_later): restore it with that version.`,
    ],
    [foreign, `${foreign} is not a dump of a Safelight database.`],
  ] as const;
  for (const [dump, err] of cases) expect(await restore(dump)).toMatchObject({ code: 1, err });
  await start();
  expect(await countOriginals()).toEqual([{ count: 1 }]);
});

test('a drill restores a backup beside the database and tells what has changed since', async () => {
  const target = mkdtempSync(join(folder, 'target-'));
  const one = await addOriginal('one');
  await query(`insert into tag (owner_id, value) select id, 'Trip' from app_user`);
  const dump = await backUp('--to', target);
  const proven = await drill(dump);
  expect([proven.code, proven.out]).toEqual([
    0,
    `${dump} can be restored: 1 accounts, 0 originals missing`,
  ]);
  await query('delete from tag');
  rmSync(one.replace(dataDir, target));
  const { code, out } = await drill(dump);
  expect([code, out.split('\n').at(-1)]).toEqual([
    1,
    `${dump} can be restored: 1 accounts, 1 originals missing`,
  ]);
  expect(out).toMatch(/^changed since: tag of [\da-f-]{36}: 1 in the backup, 0 now$/m);
  const names = await query(`select datname from pg_database where datname like 'safelight%'`);
  expect(names).toEqual([{ datname: 'safelight' }]);
});

test('a drill fails for a file that cannot be restored, and without any backup', async () => {
  const none = await drill();
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('There is no backup')]);
  const broken = join(folder, 'no-backup.dump');
  writeFileSync(broken, 'PGDMP');
  expect((await drill(broken)).code).toBe(1);
  expect((await drill(join(folder, 'none.dump'))).code).toBe(2);
  expect(await query('select from app_user')).toHaveLength(1);
});
