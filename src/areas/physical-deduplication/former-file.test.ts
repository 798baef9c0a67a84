import { randomUUID } from 'node:crypto';
import { expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { effort } from '../../../test/support/effort.ts';
import { startSwapping } from '../../../test/support/path-swapper.ts';
import { OTHER_DISK, skipWithout } from '../../../test/support/requirements.ts';
import { guardPath } from '../../core/guarded-path.ts';
import { findFile } from '../integrity/index.ts';
import { FileMoveError, getQuarantinePath, moveBack, moveToQuarantine } from './former-file.ts';

const { database } = await useApp();

const describeFolder = async (folder: string) =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(folder)).map(async (name) => [
        name,
        await readFile(join(folder, name), 'utf8'),
      ]),
    ),
  );

/** Moves a file of a folder on this disk while a link takes the place of the folder again and again. */
async function expectSafeMoves(disk: string): Promise<void> {
  const { deps } = database;
  const folder = await realpath(await mkdtemp(join(disk, 'former-')));
  const [album, secrets] = [join(folder, 'album'), join(folder, 'secrets')];
  for (const path of [album, secrets]) await mkdir(path);
  const file = { id: randomUUID(), path: join(album, 'a.jpg'), size: 6 };
  await writeFile(file.path, 'photo!');
  await writeFile(join(secrets, 'a.jpg'), 'secret');
  const before = await describeFolder(secrets);
  const target = getQuarantinePath(deps.paths, file.id);
  const attempts = { moved: 0, refused: 0 };
  const attempt = async (work: () => Promise<void>) => {
    const isDone = await work().then(
      () => true,
      (error) => {
        expect(error).toBeInstanceOf(FileMoveError);
        return false;
      },
    );
    attempts[isDone ? 'moved' : 'refused'] += 1;
    return isDone;
  };
  const { file: verified } = await findFile(guardPath(file.path));
  const swapper = startSwapping(album, secrets);
  let state = verified;
  for (let round = 0; round < effort({ quick: 150, full: 5_000 }); round += 1) {
    if (await attempt(() => moveToQuarantine(deps, file, state))) {
      while (!(await attempt(() => moveBack(deps.paths, file))));
    }
    state = (await findFile(guardPath(file.path))).file ?? state;
  }
  expect(await swapper.stop()).toBeGreaterThan(10);
  expect(await describeFolder(secrets)).toEqual(before);
  expect(await describeFolder(album)).toEqual({ 'a.jpg': 'photo!' });
  expect(await readdir(join(target, '..')).catch(() => [])).not.toContain(file.id);
  expect(Math.min(attempts.moved, attempts.refused)).toBeGreaterThan(5);
}

test('files are moved out of a folder and back into it, never of another that a link leads to', () =>
  expectSafeMoves(tmpdir()));

skipWithout('another disk').test(
  'files are moved out of a folder on another disk and back into it, never of another that a link leads to',
  () => expectSafeMoves(OTHER_DISK!),
);
