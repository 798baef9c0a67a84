import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../test/support/command-line.ts';
import { useDatabase } from '../../test/support/database.ts';
import { photoForm, randomFileBytes, upload } from '../../test/support/forms.ts';
import { seed, testApp } from '../../test/support/harness.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { startS3Server } from '../../test/support/s3-server.ts';
import { MARKER } from '../storage/stored-file.ts';
import { openStores } from '../storage/library-folders.ts';

setDefaultTimeout(300_000);

const server = startS3Server();
const database = await useDatabase();
const { databaseUrl, dataDir } = database.deps.settings;
const folder = createMemoryFolder('storage-command-');
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const LIBRARY = ['--data', dataDir, '--database-url', databaseUrl!];
const STORE = ['--object-store', server.url, '--object-store-credentials', server.credentials];
const storage = (...args: string[]) => runCommand(folder, ['storage', ...args, ...LIBRARY]);

const listKeys = () => [...server.objects.keys()].filter((key) => key !== MARKER);

beforeEach(async () => {
  await database.sql`delete from asset`;
  await database.sql`delete from original`;
  for (const key of listKeys()) server.objects.delete(key);
  const app = testApp(database);
  const me = await seed(database).user();
  for (let n = 0; n < 2; n++) await upload(app, photoForm(randomFileBytes()), { as: me });
  giveFiles();
});

/** A command that root runs becomes the owner of the data folder, this process does not. */
const giveFiles = () => Bun.spawnSync(['chown', '-R', '--reference', dataDir, dataDir]);

test('originals are moved to the object store, verified there, and moved back', async () => {
  expect((await storage('status', ...STORE)).out).toStartWith('files    2 originals');
  expect(await storage('move', '--to', 's3', '--delete-source', ...STORE)).toMatchObject({
    code: 0,
    out: 'moved 2 originals, 0 were there, 0 are bad\nmoved 0 other files, 0 are missing',
  });
  expect(listKeys()).toHaveLength(2);
  expect((await storage('verify', ...STORE)).out).toBe('2 objects are right, 0 are not');
  const [key] = listKeys();
  server.objects.set(key!, { bytes: new Uint8Array(1000), modifiedAt: new Date() });
  const { code, out } = await storage('verify', ...STORE);
  expect([code, out]).toEqual([1, `damaged: ${key}\n1 objects are right, 1 are not`]);
  expect((await storage('move', '--to', 'files', ...STORE)).out).toEndWith(
    '1 are bad\nmoved 0 other files, 0 are missing',
  );
  expect((await storage('status', ...STORE)).out).toContain('objects  1 originals');
});

test('files are moved back to one data folder, and a command on another one of the same library is refused', async () => {
  expect(await openStores(database.deps)).toBeUndefined();
  giveFiles();
  const other = createMemoryFolder('storage-other-');
  for (const name of ['originals', 'derived', 'backups'])
    await cp(join(dataDir, name, MARKER), join(other, name, MARKER));
  const there = ['--data', other, '--database-url', databaseUrl!, ...STORE];
  try {
    expect((await storage('move', '--to', 's3', ...STORE)).code).toBe(0);
    expect((await runCommand(folder, ['storage', 'status', ...there])).code).toBe(0);
    expect((await storage('move', '--to', 'files', ...STORE)).code).toBe(0);
    for (const args of [['status'], ['move', '--to', 'files']]) {
      const { code, err } = await runCommand(folder, ['storage', ...args, ...there]);
      expect([code, err]).toEqual([
        1,
        expect.stringContaining(`${other}/originals is not the folder`),
      ]);
    }
    expect((await storage('move', '--to', 's3', ...STORE)).code).toBe(0);
    expect((await runCommand(folder, ['storage', 'status', ...there])).code).toBe(0);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

test('a move that cannot write ends with the reason, and goes on when it can', async () => {
  const app = testApp(database);
  const me = await seed(database).user();
  for (let n = 0; n < 20; n++) await upload(app, photoForm(randomFileBytes()), { as: me });
  giveFiles();
  await storage('move', '--to', 's3', '--delete-source', ...STORE);
  const { originals } = database.deps.paths;
  const folders = (await readdir(originals)).filter((name) => /^..$/.test(name));
  for (const name of folders) {
    await rm(join(originals, name), { recursive: true });
    await writeFile(join(originals, name), 'no folder');
  }
  const { code, err } = await storage('move', '--to', 'files', ...STORE);
  for (const name of folders) await rm(join(originals, name));
  expect(code).not.toBe(0);
  expect(err).toContain('a part of the path is no folder');
  expect((await storage('move', '--to', 'files', ...STORE)).out).toStartWith('moved 22 originals');
});

test.each([
  [['move', ...STORE], '--to must be s3 or files'],
  [['move', '--to', 'files', '--delete-source', ...STORE], '--delete-source belongs to --to s3'],
  [['move', '--to', 's3'], '--object-store names no object store'],
  [['burn'], 'Say what to do: status, move, verify'],
])('%j is refused with the reason', async (args, reason) => {
  const { code, err } = await storage(...args);
  expect(code).not.toBe(0);
  expect(err).toContain(reason);
});

test('doctor tells whether the object store and the backup store answer', async () => {
  const backups = ['--backup-store', `${server.url}/backups`];
  const doctor = () => runCommand(folder, ['doctor', ...LIBRARY, ...STORE, ...backups]);
  const found = await doctor();
  expect(found.out).toMatch(/^ok +object store +http/m);
  expect(found.out).toMatch(/^ok +backup store +http\S+\/backups, without a library/m);
  server.fault = () => new Response(null, { status: 403 });
  const refused = await doctor();
  expect(refused.out).toMatch(/^missing +object store .*HEAD \.safelight: 403/m);
  expect(refused.out).toMatch(/^missing +backup store .*HEAD \.safelight: 403/m);
  server.fault = undefined;
});
