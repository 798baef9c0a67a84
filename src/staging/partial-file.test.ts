import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DataPaths, dataPaths } from '../core/paths.ts';
import { completePartial, copyPartial, getPartialPath, openPartial } from './partial-file.ts';

let paths: DataPaths;
beforeEach(async () => {
  paths = dataPaths(await mkdtemp(join(tmpdir(), 'safelight-test-')));
  await mkdir(paths.incoming, { recursive: true });
});
afterEach(() => rm(paths.root, { recursive: true, force: true }));

const first = { id: 'upload', fileEpoch: 1 };
const second = { id: 'upload', fileEpoch: 2 };

test('the copy of a file that was about to be published can be written again', async () => {
  await writeFile(getPartialPath(paths, first), '0123456789', { mode: 0o640 });
  await completePartial(paths, first, 10).sync();
  await copyPartial(paths, { from: first, to: second, size: 8 });
  const copied = getPartialPath(paths, second);
  expect(await readFile(copied, 'utf8')).toBe('01234567');
  // As root every file can be written: the service is not.
  expect((await stat(copied)).mode & 0o777).toBe(0o640);
  expect((await stat(getPartialPath(paths, first))).mode & 0o222).toBe(0);
});

test('a published file is not opened for more bytes', async () => {
  await writeFile(getPartialPath(paths, first), '0123456789', { mode: 0o640 });
  await completePartial(paths, first, 10).publish(join(paths.root, 'originals', 'ab', 'abcd'), {
    isDoubted: false,
  });
  await expect(openPartial(paths, first, 10)).rejects.toThrow(
    'is already published as an original',
  );
});
