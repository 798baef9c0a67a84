import {
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { appendFile, cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import { effort } from '../../../../test/support/effort.ts';
import { emptyTables } from '../../../../test/support/empty-tables.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import {
  addLibrary,
  makeFolder,
  runLibraryJobs,
  scan,
  writeFiles,
} from '../../../../test/support/libraries.ts';
import { until as untilTrue } from '../../../../test/support/until.ts';
import { readConfig } from '../../system-config/index.ts';
import { saveConfig } from '../../system-config/config.domain.ts';
import { startWatcher } from './watcher.domain.ts';

const TIMES = { refreshMs: 20, eventsMs: 10, quietMs: 50, maxWaitMs: 3_000, pollMs: 200 };
const PATIENCE_MS = 120_000;
setDefaultTimeout(4 * PATIENCE_MS);

const { database, app } = await useApp();
let admin: TestUser;
let me: TestUser;
let folder: string;
let id: string;
let watcher: { stop(): Promise<void> };
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  await emptyTables(database, 'library', 'job');
  me = await seed(database).user();
  folder = await makeFolder();
  await writeFiles(folder, { 'a/1.jpg': '1', 'b/2.jpg': '2', '3.jpg': '3' });
  id = await addLibrary(app, admin, me.id, [folder]);
  await scan(database, app, admin, id);
  watcher = startWatcher(database.deps, TIMES);
});
afterEach(async () => {
  await watcher.stop();
  await configure(false);
});

const until = (condition: () => boolean | Promise<boolean>) => untilTrue(condition, PATIENCE_MS);

async function configure(enabled: boolean): Promise<void> {
  const { library } = await readConfig(database.db, 'library');
  const watch = { ...library.watch, enabled };
  await saveConfig(database.db, { library: { ...library, watch } }, new Date());
}
const getState = async () => (await call(app, `GET /libraries/${id}/state`, { as: admin })).body;
const hasMode = (mode: string) => until(async () => (await getState()).watchMode === mode);
/** Watches the folder, and runs the scan that comes with that. */
async function watch(): Promise<void> {
  await configure(true);
  await hasMode('events');
  await until(async () => (await countJobs('libraries.scan')) > 0);
  await runLibraryJobs(database);
}
const countJobs = async (name: string): Promise<number> =>
  (await database.sql`select from job where name = ${name}`).length;
const listPaths = async (): Promise<string[]> => {
  const rows = await database.sql<{ path: string }[]>`
    select folder || '/' || file_name as path from asset
    where library_id = ${id} and offline_at is null order by 1`;
  return rows.map(({ path }) => path.slice(folder.length + 1));
};
/** Runs the jobs that changes enqueue until the items are those. */
const showsItems = (...paths: string[]) =>
  until(async () => {
    await runLibraryJobs(database);
    return Bun.deepEquals(await listPaths(), paths.toSorted());
  });

describe('a watched library', () => {
  test('gets new, changed, renamed and deleted files, and scans their folders only', async () => {
    await watch();
    const [before] = await database.sql`select id from asset where file_name = '1.jpg'`;
    await writeFile(join(folder, 'a/new.jpg'), 'new');
    await showsItems('a/1.jpg', 'b/2.jpg', '3.jpg', 'a/new.jpg');
    await rename(join(folder, 'a/1.jpg'), join(folder, 'b/1.jpg'));
    await showsItems('b/1.jpg', 'b/2.jpg', '3.jpg', 'a/new.jpg');
    const [after] = await database.sql`select id from asset where file_name = '1.jpg'`;
    expect(after).toEqual(before);
    await rm(join(folder, 'b/2.jpg'));
    await until(async () => {
      await runLibraryJobs(database);
      return (await getState()).missingFiles === 1;
    });
    expect(await listPaths()).toEqual(['3.jpg', 'a/new.jpg', 'b/1.jpg']);
    await writeFile(join(folder, '3.jpg'), 'changed');
    const changed = new Bun.CryptoHasher('sha1').update('changed').digest('hex');
    await until(async () => {
      await runLibraryJobs(database);
      const rows = await database.sql`select from asset where encode(sha1, 'hex') = ${changed}`;
      return rows.length === 1;
    });
    expect(await countJobs('libraries.scan')).toBe(0);
  });

  test('gets folders that are made, copied, moved within it and out of it', async () => {
    await watch();
    await mkdir(join(folder, 'x/y/z'), { recursive: true });
    await writeFile(join(folder, 'x/y/z/4.jpg'), '4');
    await showsItems('a/1.jpg', 'b/2.jpg', '3.jpg', 'x/y/z/4.jpg');
    const other = await makeFolder();
    await writeFiles(other, { 'deep/er/5.jpg': '5' });
    await cp(join(other, 'deep'), join(folder, 'deep'), { recursive: true });
    await showsItems('a/1.jpg', 'b/2.jpg', '3.jpg', 'x/y/z/4.jpg', 'deep/er/5.jpg');
    await rename(join(folder, 'x'), join(folder, 'moved'));
    await showsItems('a/1.jpg', 'b/2.jpg', '3.jpg', 'moved/y/z/4.jpg', 'deep/er/5.jpg');
    // The folder is still watched at its new place.
    await writeFile(join(folder, 'moved/y/6.jpg'), '6');
    const rest = ['a/1.jpg', 'b/2.jpg', '3.jpg', 'moved/y/6.jpg', 'deep/er/5.jpg'];
    await showsItems(...rest, 'moved/y/z/4.jpg');
    await rename(join(folder, 'moved/y/z'), join(other, 'z'));
    await until(async () => {
      await runLibraryJobs(database);
      return (await getState()).missingFiles === 1;
    });
    await writeFile(join(other, 'z/elsewhere.jpg'), 'elsewhere');
    await writeFile(join(folder, 'a/last.jpg'), 'last');
    await showsItems(...rest, 'a/last.jpg');
  });

  test('gets many files that come at once, and none of what is excluded', async () => {
    await watch();
    const length = effort({ quick: 400, full: 3_000 });
    const names = Array.from({ length }, (_, n) => `many/${n % 40}/${n}.jpg`);
    const files = Object.fromEntries(names.map((name) => [name, name]));
    await writeFiles(folder, { ...files, '@eaDir/no.jpg': 'no', 'many/notes.txt': 'no' });
    await showsItems('a/1.jpg', 'b/2.jpg', '3.jpg', ...names);
  });

  test('is taken in again when its folder was away', async () => {
    await watch();
    await rename(folder, `${folder}-away`);
    await until(async () => {
      await runLibraryJobs(database);
      return (await getState()).scanError?.includes('cannot be reached') ?? false;
    });
    expect(await listPaths()).toHaveLength(3);
    await rename(`${folder}-away`, folder);
    await writeFile(join(folder, 'b/back.jpg'), 'back');
    await showsItems('a/1.jpg', 'b/2.jpg', '3.jpg', 'b/back.jpg');
  });

  test('is not watched any more when the configuration or the server ends it', async () => {
    await watch();
    await configure(false);
    await hasMode('off');
    await writeFile(join(folder, 'a/unseen.jpg'), 'unseen');
    await configure(true);
    await hasMode('events');
    await showsItems('a/1.jpg', 'b/2.jpg', '3.jpg', 'a/unseen.jpg');
    await watcher.stop();
    expect(await getState()).toMatchObject({ watchMode: 'off', watchReason: null });
    await call(app, `DELETE /libraries/${id}`, { as: admin });
  });
});

test('a file that is being written is taken in when it is complete', async () => {
  await watch();
  const path = join(folder, 'b/slow.jpg');
  await writeFile(path, 'x');
  let isWriting = true;
  const writing = (async () => {
    while (isWriting) {
      await appendFile(path, 'x');
      await Bun.sleep(20);
    }
  })();
  await writeFile(join(folder, 'b/quick.jpg'), 'quick');
  // With the clock of this machine, as in the server.
  await until(async () => {
    await runLibraryJobs(database, () => new Date());
    return (await listPaths()).includes('b/quick.jpg');
  });
  expect(await listPaths()).not.toContain('b/slow.jpg');
  isWriting = false;
  await writing;
  // It would be looked at again in 10 s.
  await database.sql`update job set run_at = now() where name = 'libraries.scanFolders'`;
  await showsItems('a/1.jpg', 'b/2.jpg', '3.jpg', 'b/quick.jpg', 'b/slow.jpg');
});
