import { afterAll, beforeEach, expect, test } from 'bun:test';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useDatabase } from '../../test/support/database.ts';
import { seed } from '../../test/support/harness.ts';
import { startS3Server } from '../../test/support/s3-server.ts';
import { until } from '../../test/support/until.ts';
import { dataPaths } from '../core/paths.ts';
import { claimFolder, FOLDER_MARKER, releaseFolder } from './file-folder.ts';
import { MARKER } from './stored-file.ts';
import {
  acceptStores,
  closeStores,
  findStoreFault,
  joinStores,
  openStores,
} from './library-folders.ts';

const server = startS3Server();
const { deps, sql } = await useDatabase();
const settings = {
  ...deps.settings,
  ...server.settings,
};
const paths = dataPaths(await mkdtemp(join(tmpdir(), 'machine-')));
const machine = { ...deps, paths, settings };
beforeEach(async () => {
  await sql`delete from asset`;
  await sql`delete from original`;
  await sql`update instance set file_folder_id = null`;
  closeStores(paths);
  await rm(paths.root, { recursive: true, force: true });
  expect(await openStores({ ...deps, settings })).toBeUndefined();
});
afterAll(async () => {
  closeStores(paths);
  closeStores(deps.paths);
  await server.stop();
  await rm(paths.root, { recursive: true, force: true });
});

test('a machine beside an object store begins with an empty folder', async () => {
  await mkdir(join(paths.derived, 'scratch'), { recursive: true });
  for (const open of [openStores, joinStores]) {
    closeStores(paths);
    await rm(paths.originals, { recursive: true, force: true });
    expect(await open(machine)).toBeUndefined();
    expect(await Bun.file(join(paths.originals, MARKER)).exists()).toBe(true);
  }
});

test('an empty folder is refused without an object store, and while originals or derived files are in folders', async () => {
  expect(await openStores({ ...machine, settings: deps.settings })).toContain('is missing');
  const id = await seed(deps).asset({ ownerId: (await seed(deps).user()).id });
  expect(await openStores(machine)).toContain('is missing');
  await sql`update original set object_key = encode(sha256, 'hex')`;
  await sql`insert into asset_file values (${id}, 'preview', 'a.jpg', 'image/jpeg', 1, 't')`;
  for (const open of [openStores, joinStores]) expect(await open(machine)).toContain('is missing');
  await sql`update asset_file set name = 'derived/' || name`;
  expect(await openStores(machine)).toBeUndefined();
});

test('a folder with files of nobody knows whom, or of another library, is refused', async () => {
  await mkdir(join(paths.originals, 'ab'), { recursive: true });
  expect(await openStores(machine)).toContain('is missing');
  await Bun.write(join(paths.originals, MARKER), crypto.randomUUID());
  expect(await openStores(machine)).toContain('belongs to another library');
});

/** The machine of `deps` has got the files, which are moved back from the object store. */
const own = { ...deps, settings };
const OTHER = `${paths.originals} is not the folder that files of this library were moved to`;

test('a folder of a machine of its own is refused once files were moved to another one, also while it is served', async () => {
  expect(await openStores(machine)).toBeUndefined();
  await claimFolder(own);
  await until(async () => (await findStoreFault(machine))?.startsWith(OTHER) === true, 10_000);
  const alone = { ...machine, settings: deps.settings };
  for (const open of [openStores, joinStores])
    for (const at of [machine, alone]) expect(await open(at)).toStartWith(OTHER);
  expect(await findStoreFault(own)).toBeUndefined();
  for (const open of [openStores, joinStores]) expect(await open(own)).toBeUndefined();

  // The right folder is mounted.
  await rm(paths.root, { recursive: true });
  for (const name of ['originals', 'derived', 'backups'] as const)
    await cp(deps.paths[name], paths[name], { recursive: true });
  expect(await findStoreFault(machine)).toBeUndefined();
});

test('files are moved to one folder at a time, which keeps its identity', async () => {
  await openStores(machine);
  await claimFolder(own);
  const readId = () => readFile(join(deps.paths.originals, FOLDER_MARKER), 'utf8');
  const id = await readId();
  await expect(claimFolder(machine)).rejects.toThrow('are in another data folder');
  await seed(deps).asset({ ownerId: (await seed(deps).user()).id });
  await releaseFolder(own);
  expect(await openStores(machine)).toStartWith(OTHER);
  await sql`update original set object_key = encode(sha256, 'hex')`;
  await releaseFolder(own);
  expect(await openStores(machine)).toBeUndefined();
  await claimFolder(own);
  expect([await readId(), await openStores(own)]).toEqual([id, undefined]);
  // On the word of the owner.
  await acceptStores(machine);
  expect(await openStores(machine)).toBeUndefined();
});

test('a single machine is not asked, and finds its folder after its restart', async () => {
  const single = { ...own, settings: { ...settings, databaseUrl: undefined } };
  expect(await openStores(single)).toBeUndefined();
  await sql`update instance set file_folder_id = gen_random_uuid()`;
  await Bun.sleep(2100);
  for (let checks = 0; checks < 2; checks++) {
    expect(await findStoreFault(single)).toBeUndefined();
    await Bun.sleep(100);
  }
  await sql`update instance set file_folder_id = null`;
  await claimFolder(single);
  expect([await findStoreFault(single), await openStores(single)]).toEqual([undefined, undefined]);
});
