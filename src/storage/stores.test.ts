import { afterAll, beforeEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useDatabase } from '../../test/support/database.ts';
import { seed } from '../../test/support/harness.ts';
import { startS3Server } from '../../test/support/s3-server.ts';
import { dataPaths } from '../core/paths.ts';
import { closeStores, joinStores, MARKER, openStores } from './stores.ts';

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
