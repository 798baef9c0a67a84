import { beforeEach, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import {
  addLibrary,
  makeFolder,
  runLibraryJobs,
  scan,
  writeFiles,
} from '../../../../test/support/libraries.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { handleScanLibrary } from '../scan/scan.handlers.ts';
import { shareLibrary } from '../store.ts';
import { takeIn } from './intake.domain.ts';

const { database, app } = await useApp();
let admin: TestUser;
let me: TestUser;
let folder: string;
let id: string;
beforeEach(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
  me = await seed(database).user();
  folder = await makeFolder();
  id = await addLibrary(app, admin, me.id, [folder]);
});

const listItems = () => database.sql<{ id: string; file_name: string }[]>`
  select id, file_name from asset where library_id = ${id} order by file_name`;
const readNames = async () => (await listItems()).map(({ file_name }) => file_name);

/** Records the files of the library; returns the ids of those that have to be taken in. */
async function recordFiles(): Promise<number[]> {
  await handleScanLibrary(jobCtx(database), { libraryId: id });
  const files = await database.sql<{ id: string }[]>`
    select id from library_file where library_id = ${id} and sha256 is null order by id`;
  return files.map((file) => Number(file.id));
}
const { signal } = jobCtx(database);

test('files of a library are taken in while another transaction takes in some of it', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'b.jpg': 'b' });
  const files = await recordFiles();
  await inTransaction(database, async ({ db }) => {
    expect(await shareLibrary(db, id)).toMatchObject({ id });
    await takeIn(database.deps, id, files, signal);
    expect(await readNames()).toEqual(['a.jpg', 'b.jpg']);
  });
  const stranger = await seed(database).user();
  const { body } = await call(app, 'POST /search/metadata', { as: stranger, body: {} });
  expect(body.assets.items).toEqual([]);
});

test('of two files with the content of one that is missed, taken in at once, one is its item', async () => {
  await writeFiles(folder, { 'old.jpg': 'same content', 'other.jpg': 'another content' });
  await scan(database, app, admin, id);
  const [old] = await listItems();
  // In this order: no file gets the inode of another one.
  await writeFiles(folder, { 'x.jpg': 'same content', 'y.jpg': 'same content' });
  await rm(join(folder, 'old.jpg'));
  const files = await recordFiles();
  expect(files).toHaveLength(2);
  await Promise.all(files.map((file) => takeIn(database.deps, id, [file], signal)));
  const items = await listItems();
  expect(items).toHaveLength(3);
  expect(items.filter((item) => item.id === old!.id)).toMatchObject([
    { file_name: expect.stringMatching(/^[xy]\.jpg$/) },
  ]);
});

test('a deletion waits for the files that are being taken in, and no more come after it', async () => {
  await writeFiles(folder, { 'a.jpg': 'a' });
  await scan(database, app, admin, id);
  let deletion: Promise<{ status: number }> | undefined;
  await inTransaction(database, async ({ db }) => {
    expect(await shareLibrary(db, id)).toBeDefined();
    deletion = call(app, `DELETE /libraries/${id}`, { as: admin });
    for (let isWaiting = false; !isWaiting;) {
      await Bun.sleep(5);
      const waiting = await database.sql`
        select from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query like '%"library"%'`;
      isWaiting = waiting.length > 0;
    }
    const [library] = await database.sql`select deleted_at from library where id = ${id}`;
    expect(library!['deleted_at']).toBeNull();
  });
  expect((await deletion)?.status).toBe(204);
  expect(await shareLibrary(database.db, id)).toBeUndefined();
  await runLibraryJobs(database);
  expect(await readNames()).toEqual([]);
  expect((await call(app, `DELETE /libraries/${id}`, { as: me })).status).toBe(403);
});
