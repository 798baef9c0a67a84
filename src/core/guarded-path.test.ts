import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effort } from '../../test/support/effort.ts';
import { startSwapping } from '../../test/support/path-swapper.ts';
import { guardPath, openFile, statFile, withFolder } from './guarded-path.ts';
import { launch } from './launch.ts';

let folder: string;
let root: string;
let secrets: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'guarded-')));
  [root, secrets] = [join(folder, 'library'), join(folder, 'secrets')];
  for (const path of [join(root, 'album'), secrets]) await mkdir(path, { recursive: true });
  await writeFile(join(root, 'album/a.jpg'), 'photo');
  await writeFile(join(secrets, 'a.jpg'), 'secret');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(path: string): Promise<string> {
  const file = await openFile(guardPath(path));
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** As a tool reads it. */
async function readByChild(path: string): Promise<{ code: number; out: string }> {
  const guarded = guardPath(path);
  const command = launch(['cat', guarded], { death: 'KILL', files: { read: [guarded] } });
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'ignore', timeout: 10_000 });
  return { out: await new Response(child.stdout).text(), code: await child.exited };
}

test('a file is read, and what is only a path to open finds nothing', async () => {
  const path = join(root, 'album/a.jpg');
  expect(await read(path)).toBe('photo');
  expect(await readByChild(path)).toEqual({ code: 0, out: 'photo' });
  expect((await statFile(guardPath(path))).size).toBe(5);
  await expect(readFile(guardPath(path))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('links, pipes, sockets, devices, folders and dots are refused, and none of them blocks', async () => {
  await symlink(join(secrets, 'a.jpg'), join(root, 'link.jpg'));
  await symlink(secrets, join(root, 'linked'));
  await symlink('album', join(root, 'inside'));
  await symlink('/dev/zero', join(root, 'zero.jpg'));
  Bun.spawnSync(['mkfifo', join(root, 'pipe.jpg')]);
  const server = createServer().listen(join(root, 'socket.jpg'));
  await mkdir(join(root, 'folder.jpg'));
  const CASES = {
    'link.jpg': 'ELOOP',
    'linked/a.jpg': 'ELOOP',
    'inside/a.jpg': 'ELOOP',
    'zero.jpg': 'ELOOP',
    'pipe.jpg': 'EINVAL',
    'socket.jpg': 'EINVAL',
    'folder.jpg': 'EINVAL',
    'album/../../secrets/a.jpg': 'ELOOP',
    'gone.jpg': 'ENOENT',
    'album/a.jpg/b.jpg': 'ENOTDIR',
  };
  for (const [name, code] of Object.entries(CASES)) {
    const refused = await read(`${root}/${name}`).catch((error) => error.code);
    expect([name, refused]).toEqual([name, code]);
    // A child may be given a folder.
    if (name === 'folder.jpg') continue;
    expect([name, await readByChild(`${root}/${name}`)]).toEqual([name, { code: 125, out: '' }]);
  }
  expect(await read('/dev/zero').catch((error) => error.code)).toBe('EINVAL');
  server.close();
});

test.each([
  ['a file', 'album/a.jpg', 'a.jpg'],
  ['a folder', 'album', '.'],
] as const)('nothing foreign is read while %s becomes a link and back', async (_, name, target) => {
  const swapper = startSwapping(join(root, name), join(secrets, target));
  const seen = { photo: 0, refused: 0, foreign: 0 };
  const count = (text: string | undefined) =>
    (seen[text === 'photo' ? 'photo' : text === undefined ? 'refused' : 'foreign'] += 1);
  const path = join(root, 'album/a.jpg');
  const reads = effort({ quick: 3_000, full: 100_000 });
  for (let at = 0; at < reads; at += 1) count(await read(path).catch(() => undefined));
  for (let at = 0; at < reads / 20; at += 1) {
    const { code, out } = await readByChild(path);
    count(code === 0 ? out : undefined);
  }
  expect(await swapper.stop()).toBeGreaterThan(100);
  expect(seen.foreign).toBe(0);
  expect(Math.min(seen.photo, seen.refused)).toBeGreaterThan(10);
});

test('a folder stays the one that was opened, wherever its path leads meanwhile', async () => {
  const album = join(root, 'album');
  await withFolder(album, async (pinned) => {
    await rename(album, `${album}.aside`);
    await symlink(secrets, album);
    await writeFile(join(pinned, 'new.jpg'), 'new');
    expect(await readFile(join(pinned, 'a.jpg'), 'utf8')).toBe('photo');
  });
  expect(await readdir(secrets)).toEqual(['a.jpg']);
  await expect(withFolder(album, async () => 0)).rejects.toThrow();
  await rm(album);
  await rename(`${album}.aside`, album);
  expect((await readdir(album)).toSorted()).toEqual(['a.jpg', 'new.jpg']);
});
