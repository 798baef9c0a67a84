import { afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFile, copyFile, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scanFolders } from '../../src/areas/libraries/jobs.ts';
import { createListing } from '../../src/areas/libraries/scan/record.domain.ts';
import { isRemote } from '../../src/areas/libraries/watch/mounts.ts';
import { watchTree } from '../../src/areas/libraries/watch/tree-watch.ts';
import { enqueue } from '../../src/jobs/queue.ts';
import { useApp } from '../support/database.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import { addLibrary, makeFolder, runLibraryJobs, scan, writeFiles } from '../support/libraries.ts';
import { mountDisk, unmount } from '../support/mounts.ts';
import { until } from '../support/until.ts';
import { skipWithout } from '../support/requirements.ts';

// Disks, network shares and watched folders of external libraries.

setDefaultTimeout(60_000);

const { database, app } = await useApp();
let admin: TestUser;
let me: TestUser;
let folder: string;
let id: string;
const mounted: string[] = [];
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  me = await seed(database).user();
  folder = await makeFolder();
  id = await addLibrary(app, admin, me.id, [folder]);
});
afterEach(() => {
  for (const path of mounted.splice(0)) unmount(path);
});

const run = () => scan(database, app, admin, id);
const getState = async () => (await call(app, `GET /libraries/${id}/state`, { as: admin })).body;
const list = async () =>
  (
    await database.sql`
      select id, file_name as name, offline_at is not null as offline, encode(sha256, 'hex') as sha256
      from asset where library_id = ${id} order by folder, file_name`
  ).map((row) => ({ ...row })) as { id: string; name: string; offline: boolean; sha256: string }[];
const listOffline = async () =>
  (await list()).filter(({ offline }) => offline).map(({ name }) => name);
function mountAt(path: string): void {
  mountDisk(path, 1024 ** 2);
  mounted.push(path);
}

skipWithout('tmpfs').test(
  '448: a disk that is mounted below an import path takes nothing offline when it is away',
  async () => {
    const disk = join(folder, 'nas');
    await mkdir(disk);
    mountAt(disk);
    await writeFiles(folder, { 'a.jpg': 'a', 'b.jpg': 'b', 'nas/1.jpg': '1', 'nas/x/2.jpg': '2' });
    await run();
    unmount(disk);
    await rm(join(folder, 'a.jpg'));
    await run();
    expect(await listOffline()).toEqual(['a.jpg']);
    expect(await getState()).toMatchObject({
      scanError: `${disk} has none of its 2 files any more: its disk may not be mounted`,
      unconfirmedFiles: 2,
    });
    await run();
    expect(await listOffline()).toEqual(['a.jpg']);
    mountAt(disk);
    await writeFiles(folder, { 'nas/1.jpg': '1', 'nas/x/2.jpg': '2' });
    await run();
    expect(await getState()).toMatchObject({ scanError: null, unconfirmedFiles: 0 });
    expect(await listOffline()).toEqual(['a.jpg']);
  },
);

test('449: where names of any case find a file, it is at the name that is listed', async () => {
  await writeFiles(folder, { 'Piter/a.jpg': 'a', 'Piter/B.JPG': 'b' });
  const isListed = createListing([folder]);
  const found = await Promise.all(
    ['Piter/a.jpg', 'PIter/a.jpg', 'Piter/b.jpg', 'Piter/B.JPG', 'closed/x.jpg'].map((name) =>
      isListed(join(folder, name)),
    ),
  );
  // A file below a folder that is not there is gone anyway.
  expect(found).toEqual([true, false, false, true, false]);
});

test('461: a network share whose numbers of files change at each mount is not read again', async () => {
  await writeFiles(folder, { 'a.jpg': 'one', 'b.jpg': 'two' });
  await run();
  const before = await list();
  // The same files under other numbers, those of a and b exchanged.
  await copyFile(join(folder, 'a.jpg'), join(folder, 'a.new'));
  await writeFile(join(folder, 'a.jpg'), 'two');
  await writeFile(join(folder, 'b.jpg'), 'one');
  await rename(join(folder, 'a.jpg'), join(folder, 'swap'));
  await rename(join(folder, 'b.jpg'), join(folder, 'a.jpg'));
  await rename(join(folder, 'swap'), join(folder, 'b.jpg'));
  for (const name of ['a.jpg', 'b.jpg'])
    await utimes(join(folder, name), 1_700_000_000, 1_700_000_000);
  await database.sql`truncate job cascade`;
  await run();
  expect(await list()).toEqual(before);
  const jobs = await database.sql`select name from job where name like 'assets.%'`;
  expect(jobs).toHaveLength(0);
});

test('462: times of a share whose clock is wrong, before 1970 or after 2100, keep no file out', async () => {
  await writeFiles(folder, { 'old.jpg': 'o', 'new.jpg': 'n', 'odd.jpg': 'x' });
  await utimes(join(folder, 'old.jpg'), -2_000_000_000.5, -2_000_000_000.5);
  await utimes(join(folder, 'new.jpg'), 5_000_000_000, 5_000_000_000);
  await utimes(join(folder, 'odd.jpg'), -0.25, -0.25);
  await run();
  const names = (await list()).map(({ name }) => name);
  expect(names).toEqual(['new.jpg', 'odd.jpg', 'old.jpg']);
  const before = await list();
  await database.sql`truncate job cascade`;
  await run();
  expect(await list()).toEqual(before);
  const jobs = await database.sql`select name from job where name like 'assets.%'`;
  expect(jobs).toHaveLength(0);
});

test('463: a photo that is still being copied is taken in once it is whole', async () => {
  const path = join(folder, 'slow.jpg');
  await writeFile(path, 'begin');
  const runNow = async () => {
    await call(app, `POST /libraries/${id}/scan`, { as: admin });
    await runLibraryJobs(database, () => new Date());
  };
  const scanning = runNow();
  await Bun.sleep(700);
  await appendFile(path, ', middle');
  await scanning;
  expect(await list()).toEqual([]);
  await appendFile(path, ', end');
  await utimes(path, 1_700_000_000, 1_700_000_000);
  await Bun.sleep(2_100);
  await runNow();
  const whole = new Bun.CryptoHasher('sha256').update('begin, middle, end').digest('hex');
  expect((await list()).map(({ name, sha256 }) => [name, sha256])).toEqual([['slow.jpg', whole]]);
});

test('464: folders that any pattern leaves out as a whole are not watched', async () => {
  await writeFiles(folder, {
    'a.jpg': 'a',
    'keep/b.jpg': 'b',
    'private/c.jpg': 'c',
    'x1/d.jpg': 'd',
  });
  const changed: string[] = [];
  const exclusionPatterns = [`${folder}/private/**`, '**/x*/**', '**/*.tmp'];
  const onChange = (path: string) => changed.push(path);
  const { signal } = new AbortController();
  const tree = await watchTree(folder, { exclusionPatterns, onChange }, signal);
  try {
    await writeFiles(folder, { 'private/new.jpg': '1', 'x1/new.jpg': '2', 'x2/new.jpg': '3' });
    await writeFiles(folder, { 'private/deep/new.jpg': '4', 'keep/new.jpg': '5' });
    await until(() => {
      tree.poll();
      return changed.length > 0;
    }, 20_000);
    await Bun.sleep(200);
    tree.poll();
    expect([...new Set(changed)]).toEqual([join(folder, 'keep')]);
  } finally {
    await tree.close();
  }
});

test('465: shares and pooled disks are polled, as nobody tells this machine of changes', () => {
  const remote = ['nfs', 'nfs4', 'cifs', 'smb3', 'fuse.rclone', 'fuse.mergerfs', 'fuse.shfs'];
  const more = ['fuse.sshfs', '9p', 'virtiofs', 'davfs', 'ceph'];
  for (const type of [...remote, ...more])
    expect([type, isRemote({ id: '1', path: '/', type })]).toEqual([type, true]);
  for (const type of ['ext4', 'xfs', 'btrfs', 'zfs', 'overlay', 'tmpfs', 'exfat', 'ntfs3'])
    expect([type, isRemote({ id: '1', path: '/', type })]).toEqual([type, false]);
});

test('466: files that a folder loses one by one are not believed to be gone with the last one', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'b.jpg': 'b' });
  await run();
  const folders = [{ path: folder, isDeep: false }];
  for (const name of ['a.jpg', 'b.jpg']) {
    await rm(join(folder, name));
    await enqueue(database.db, scanFolders, { libraryId: id, folders });
    await runLibraryJobs(database);
  }
  expect(await listOffline()).toEqual(['a.jpg']);
  expect(await getState()).toMatchObject({ unconfirmedFiles: 1 });
  const notices = await database.sql`
    select title from notification where owner_id = ${admin.id} and data ->> 'libraryId' = ${id}`;
  expect(notices.map(({ title }) => title)).toEqual(['1 file of “New External Library” is gone']);
});
