import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mountDisk, unmount } from '../../test/support/mounts.ts';
import { skipWithout } from '../../test/support/requirements.ts';
import { type DataPaths, dataPaths } from '../core/paths.ts';
import { findFolderFault, placeStagingFolders } from './disks.ts';

let paths: DataPaths;
beforeEach(() => {
  paths = dataPaths(mkdtempSync(join(tmpdir(), 'staging-')));
  for (const folder of [paths.originals, paths.derived, paths.incoming]) mkdirSync(folder);
  writeFileSync(join(paths.incoming, 'unfinished'), 'bytes');
});
afterEach(() => {
  unmount(paths.incoming);
  unmount(paths.originals);
  rmSync(paths.root, { recursive: true, force: true });
});

test('a data folder on one disk stays as it is', async () => {
  expect(await placeStagingFolders(paths)).toBe(false);
  expect(lstatSync(paths.incoming).isSymbolicLink()).toBe(false);
  expect(await findFolderFault(paths)).toBeUndefined();
});

skipWithout('tmpfs').describe('with originals on another disk', () => {
  beforeEach(() => mountDisk(paths.originals, 8 * 1024 ** 2));

  test('unfinished uploads and removals move there, and files can be moved', async () => {
    expect(await findFolderFault(paths)).toBe(
      `${paths.incoming} and ${paths.originals} are on two disks, between which files cannot be moved: put both on one`,
    );
    expect(await placeStagingFolders(paths)).toBe(true);
    expect(readFileSync(join(paths.incoming, 'unfinished'), 'utf8')).toBe('bytes');
    expect(realpathSync(paths.incoming)).toBe(join(realpathSync(paths.originals), '.incoming'));
    expect(realpathSync(paths.removed)).toBe(join(realpathSync(paths.originals), '.removed'));
    expect(await findFolderFault(paths)).toBeUndefined();
    expect(await placeStagingFolders(paths)).toBe(false);
  });

  test('a move that was interrupted is completed', async () => {
    mkdirSync(join(paths.originals, '.incoming'));
    writeFileSync(join(paths.originals, '.incoming', 'unfinished'), 'by');
    expect(await placeStagingFolders(paths)).toBe(true);
    expect(readFileSync(join(paths.incoming, 'unfinished'), 'utf8')).toBe('bytes');
    rmSync(paths.removed);
    expect(await placeStagingFolders(paths)).toBe(true);
    expect(await findFolderFault(paths)).toBeUndefined();
  });

  test('folders that are mounts of their own are told in one sentence', async () => {
    mountDisk(paths.incoming, 1024 ** 2);
    await expect(placeStagingFolders(paths)).rejects.toThrow('EBUSY');
    expect(await findFolderFault(paths)).toContain('are on two disks');
  });
});
