import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type DataPaths, dataPaths } from '../core/paths.ts';
import { originalPath } from '../storage/stored-file.ts';
import { openIncoming, publishFile } from '../storage/originals.ts';
import { statLocal } from '../storage/files.ts';
import { sweepIncoming } from '../storage/removal.ts';
import { getProcessOwner } from './process-stat.ts';

let paths: DataPaths;
beforeEach(async () => {
  paths = dataPaths(await mkdtemp(join(tmpdir(), 'safelight-test-')));
});
afterEach(() => rm(paths.root, { recursive: true, force: true }));

const hash = (name: string, bytes: Uint8Array): Uint8Array =>
  new Uint8Array(createHash(name).update(bytes).digest());
const incomingNames = () => readdir(paths.incoming).catch(() => []);

async function receive(bytes: Uint8Array, chunk = 65_536) {
  const file = await openIncoming(paths);
  for (let at = 0; at < bytes.length; at += chunk) {
    const piece = new Uint8Array(bytes.subarray(at, at + chunk));
    const written = file.write(piece);
    // It is copied.
    piece.fill(0);
    await written;
  }
  return { file, digests: await file.finish() };
}

test('bytes of any length in chunks of any size arrive with their digests', async () => {
  for (const [length, chunk] of [
    [0, 1],
    [1, 1],
    [5000, 7],
    [1024 ** 2, 65_536],
    [3_333_333, 100_000],
    [9_000_000, 3_000_000],
  ] as const) {
    const bytes = randomBytes(length);
    const { file, digests } = await receive(bytes, chunk);
    expect(digests).toEqual({
      sha1: hash('sha1', bytes),
      sha256: hash('sha256', bytes),
      size: length,
    });
    await file.sync();
    await publishFile(paths, file, digests.sha256);
    const path = originalPath(paths, digests.sha256);
    expect(await readFile(path)).toEqual(bytes);
    expect(await statLocal(originalPath(paths, digests.sha256))).toEqual({ path, size: length });
    expect(await incomingNames()).toEqual([]);
  }
});

test('long files do not wait in memory: the writer is at most a few pieces behind', async () => {
  const file = await openIncoming(paths);
  const piece = randomBytes(1024 ** 2);
  for (let n = 0; n < 200; n++) {
    await file.write(piece);
    const [name] = await incomingNames();
    const { size } = await stat(join(paths.incoming, name!));
    expect(file.size - size).toBeLessThanOrEqual(3 * piece.length);
  }
  await file.finish();
  await file.discard();
});

test('an existing original is never written again', async () => {
  const bytes = randomBytes(1000);
  const [first, second] = [await receive(bytes), await receive(bytes)];
  for (const { file } of [first, second]) await file.sync();
  await publishFile(paths, first.file, first.digests.sha256);
  const path = originalPath(paths, first.digests.sha256);
  const { ino } = await stat(path);
  await publishFile(paths, second.file, second.digests.sha256);
  expect((await stat(path)).ino).toBe(ino);
  expect(await incomingNames()).toEqual([]);
});

test('a file of another length under the same name is replaced, also while it is read', async () => {
  const bytes = randomBytes(1000);
  const { file, digests } = await receive(bytes);
  const path = originalPath(paths, digests.sha256);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'cut off');
  const reader = await open(path, 'r');
  await file.sync();
  expect(await publishFile(paths, file, digests.sha256)).toBe('replaced');
  await file.discard();
  expect(await readFile(path)).toEqual(bytes);
  expect((await stat(path)).nlink).toBe(1);
  expect(await reader.readFile('utf8')).toBe('cut off');
  await reader.close();
  expect(await incomingNames()).toEqual([]);
});

test('a file in doubt is replaced once by one of the same length', async () => {
  const bytes = randomBytes(1000);
  const { file, digests } = await receive(bytes);
  const path = originalPath(paths, digests.sha256);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, randomBytes(1000));
  await file.sync();
  const doubt = { isDoubted: true };
  expect(await publishFile(paths, file, digests.sha256, doubt)).toBe('replaced');
  expect(await readFile(path)).toEqual(bytes);
  const again = await receive(bytes);
  await again.file.sync();
  expect(await publishFile(paths, again.file, digests.sha256)).toBe('kept');
  expect(await incomingNames()).toEqual([]);
});

test('a folder in the place of an original is not replaced', async () => {
  const { file, digests } = await receive(randomBytes(10));
  await mkdir(originalPath(paths, digests.sha256), { recursive: true });
  await file.sync();
  await expect(publishFile(paths, file, digests.sha256)).rejects.toThrow('not overwritten');
  await file.discard();
  expect(await incomingNames()).toEqual([]);
});

test('publish throws before sync', async () => {
  const { file, digests } = await receive(randomBytes(10));
  await expect(publishFile(paths, file, digests.sha256)).rejects.toThrow(
    'must complete before publish',
  );
  await file.discard();
  expect(await statLocal(originalPath(paths, digests.sha256))).toBeUndefined();
});

test('discard leaves nothing, at any time and twice', async () => {
  const open = await openIncoming(paths);
  void open.write(randomBytes(3 * 1024 ** 2));
  await open.discard();
  await open.discard();
  const { file } = await receive(randomBytes(10));
  await file.sync();
  await file.discard();
  expect(await incomingNames()).toEqual([]);
});

test('the sweep deletes files of dead processes and old files only', async () => {
  expect(await sweepIncoming(paths)).toBe(0);
  const { file } = await receive(randomBytes(10));
  const [running] = await incomingNames();
  const [machine, pid, startTime] = getProcessOwner().split('-') as [string, string, string];
  const names = {
    dead: `${machine}-${2 ** 30}-5`,
    reused: `${machine}-${pid}-${Number(startTime) + 1}`,
    elsewhere: `0123456789ab-${pid}-5`,
    elsewhereOld: `0123456789ab-${pid}-6`,
  };
  const path = (mark: string) => join(paths.incoming, `${crypto.randomUUID()}.${mark}`);
  for (const mark of [names.dead, names.reused]) await writeFile(path(mark), '');
  const elsewhere = path(names.elsewhere);
  await writeFile(elsewhere, '');
  const old = path(names.elsewhereOld);
  await writeFile(old, '');
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
  await utimes(old, twoDaysAgo, twoDaysAgo);
  const resumable = join(paths.incoming, crypto.randomUUID());
  await writeFile(resumable, '');
  await utimes(resumable, twoDaysAgo, twoDaysAgo);

  expect(await sweepIncoming(paths, new Date(Date.now() - 86_400_000))).toBe(3);
  const left = (await incomingNames()).map((name) => join(paths.incoming, name));
  expect(left.toSorted()).toEqual(
    [join(paths.incoming, running!), elsewhere, resumable].toSorted(),
  );
  await file.discard();
});
