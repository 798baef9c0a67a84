import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importInPlace } from '../../src/areas/libraries/in-place/in-place.domain.ts';
import { PRESET_EXCLUSIONS } from '../../src/areas/libraries/scan/exclusions.ts';
import { useApp } from '../support/database.ts';
import { call, createCtx, createSession, seed, type TestUser } from '../support/harness.ts';
import { addLibrary, makeFolder, scan, writeFiles } from '../support/libraries.ts';

// An odd file or folder of an external library does not affect the others, and what is skipped is told.

const { database, app } = await useApp();
let admin: TestUser;
let me: TestUser;
let folder: string;
let id: string;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  me = await seed(database).user();
  folder = await makeFolder();
  id = await addLibrary(app, admin, me.id, [folder]);
});

const run = () => scan(database, app, admin, id);
const getState = async () => (await call(app, `GET /libraries/${id}/state`, { as: admin })).body;
const list = async (): Promise<[string, boolean][]> =>
  (
    await database.sql`
      select folder || '/' || file_name as path, offline_at is not null as offline from asset
      where library_id = ${id} order by 1`
  ).map(({ path, offline }) => [path.slice(folder.length + 1), offline]);
const find = async (name: string): Promise<string> =>
  (await database.sql`select id from asset where library_id = ${id} and file_name = ${name}`)[0]![
    'id'
  ];
/** Writes a file whose name is "caf", é as Windows writes it, and an extension. */
const writeIllegible = (extension: string) =>
  writeFile(
    Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from(extension)]),
    'odd',
  );

test('440: names that are not UTF-8 stop neither deletions nor renames, and only photos are told', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'b.jpg': 'b', 'c.jpg': 'c' });
  await run();
  const before = await find('b.jpg');
  await writeIllegible('.txt');
  await rm(join(folder, 'a.jpg'));
  await rename(join(folder, 'b.jpg'), join(folder, 'new.jpg'));
  await run();
  expect(await list()).toEqual([
    ['a.jpg', true],
    ['c.jpg', false],
    ['new.jpg', false],
  ]);
  expect(await find('new.jpg')).toBe(before);
  expect(await getState()).toMatchObject({ scanError: null, scanNote: null });
  await writeIllegible('.jpg');
  await run();
  const { scanError, scanNote } = await getState();
  expect([scanError, scanNote]).toEqual([
    null,
    `Names are not valid UTF-8 (1), such as ${folder}/caf\u{fffd}.jpg: these files can be shown once renamed`,
  ]);
});

/** Walks without the rights of root, as a service does. */
async function walk(...patterns: string[]) {
  const rights = '--bounding-set=-dac_override,-dac_read_search';
  const asService = process.getuid?.() === 0 ? ['setpriv', rights] : [];
  const script = join(import.meta.dir, '../support/walk-child.ts');
  const command = [...asService, process.execPath, script, folder, ...patterns];
  const child = Bun.spawn(command, { stderr: 'inherit' });
  return JSON.parse(await new Response(child.stdout).text());
}

test('441: a folder that may not be read hides only what is in it, and the advice names it', async () => {
  const names = ['closed', "l'été"];
  await writeFiles(folder, { 'a.jpg': 'a', 'z/b.jpg': 'b' });
  for (const name of names) {
    await writeFiles(folder, { [`${name}/x.jpg`]: 'x' });
    await chmod(join(folder, name), 0);
  }
  const { paths, faults, notes } = await walk();
  for (const name of names) await chmod(join(folder, name), 0o700);
  expect([paths, notes]).toEqual([['a.jpg', 'z/b.jpg'], []]);
  expect(faults).toHaveLength(2);
  for (const name of names) {
    expect(faults.join('\n')).toContain(`may not read ${join(folder, name)}. This changes that: `);
  }
});

test('442: folders of systems are left out by default, and nobody is told to open them', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'lost+found/x.jpg': 'x', '$RECYCLE.BIN/y.jpg': 'y' });
  await run();
  expect(await list()).toEqual([['a.jpg', false]]);
  const closed = join(folder, 'lost+found');
  await chmod(closed, 0);
  const [preset, none] = [await walk(...PRESET_EXCLUSIONS), await walk()];
  await chmod(closed, 0o700);
  expect(preset).toEqual({ paths: ['a.jpg'], faults: [], notes: [] });
  expect(none.faults).toEqual([
    `${closed} is no folder of photos: leave it out by the exclusion pattern **/lost+found/**`,
  ]);
});

test('443: symbolic links to folders and photos are told, others and left out ones are not', async () => {
  const other = await makeFolder();
  await writeFiles(other, { 'x.jpg': 'x', 'notes.txt': 'n' });
  await writeFiles(folder, { 'a.jpg': 'a' });
  await symlink(join(other, 'notes.txt'), join(folder, 'notes.txt'));
  await symlink(other, join(folder, '@eaDir'));
  await run();
  expect(await getState()).toMatchObject({ scanError: null, scanNote: null });
  await symlink(other, join(folder, 'trip'));
  await run();
  expect((await getState()).scanNote).toBe(
    `Symbolic links are not followed (1), such as ${folder}/trip: add what they lead to as import paths`,
  );
  await symlink(join(other, 'x.jpg'), join(folder, 'x.jpg'));
  await run();
  expect((await getState()).scanNote).toStartWith('Symbolic links are not followed (2), such as ');
  expect(await list()).toEqual([['a.jpg', false]]);
  const strange = await call(app, `GET /libraries/${id}/state`, { as: me });
  expect(strange.status).toBe(403);
});

test('444: an import of a folder where it is does not end at an odd name, tried or done', async () => {
  const ctx = createCtx(database, createSession(me.id));
  await writeFiles(folder, { 'a.jpg': 'a' });
  await writeIllegible('.jpg');
  await symlink('/etc', join(folder, 'etc'));
  const events = { onProgress: () => {}, onRefused: () => {} };
  for (const isDryRun of [true, false]) {
    const target = { ownerId: me.id, root: folder };
    const report = await importInPlace(ctx, target, { isDryRun }, events as never);
    expect(report).toMatchObject({ taken: 1 });
    expect(report.stopped).toBeUndefined();
  }
});

test('445: an empty mount takes nothing offline, of 5 items as of 25, before somebody confirms it', async () => {
  const files = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`${n}.jpg`, `${n}`]));
  await writeFiles(folder, files);
  await run();
  await rename(folder, `${folder}-disk`);
  await mkdir(folder);
  await run();
  expect((await list()).filter(([, offline]) => offline)).toEqual([]);
  expect(await getState()).toMatchObject({
    scanError: `${folder} has none of its 5 files any more: its disk may not be mounted`,
    unconfirmedFiles: 5,
    missingFiles: 0,
  });
  await rm(folder, { recursive: true });
  await rename(`${folder}-disk`, folder);
  await run();
  expect(await getState()).toMatchObject({ scanError: null, unconfirmedFiles: 0 });
  for (const name of Object.keys(files)) await rm(join(folder, name));
  await run();
  await call(app, `POST /libraries/${id}/missing/confirm`, { as: admin });
  expect((await list()).filter(([, offline]) => offline)).toHaveLength(5);
  await run();
  expect(await getState()).toMatchObject({ scanError: null, unconfirmedFiles: 0, missingFiles: 5 });
});

test('446: a placeholder in the place of a mount is no library', async () => {
  await writeFiles(folder, { 'a.jpg': 'a', 'b/c.jpg': 'c' });
  await run();
  await rename(folder, `${folder}-disk`);
  await writeFiles(folder, { '.not-mounted': '', 'README.txt': 'insert the disk', 'a.xmp': 'x' });
  await run();
  expect((await list()).filter(([, offline]) => offline)).toEqual([]);
  expect((await getState()).scanError).toContain('may not be mounted');
});

test('447: beside an empty mount other import paths are scanned as always', async () => {
  const other = await makeFolder();
  await writeFiles(folder, { 'a.jpg': 'a' });
  await writeFiles(other, { 'x.jpg': 'x', 'y.jpg': 'y' });
  await call(app, `PUT /libraries/${id}`, { as: admin, body: { importPaths: [folder, other] } });
  await run();
  await rename(folder, `${folder}-disk`);
  await mkdir(folder);
  await rm(join(other, 'x.jpg'));
  await writeFiles(other, { 'z.jpg': 'new' });
  await run();
  const rows = await database.sql`
    select file_name, offline_at is not null as offline from asset where library_id = ${id} order by 1`;
  expect(rows.map((row) => Object.values(row))).toEqual([
    ['a.jpg', false],
    ['x.jpg', true],
    ['y.jpg', false],
    ['z.jpg', false],
  ]);
  expect(await getState()).toMatchObject({ unconfirmedFiles: 1, missingFiles: 1 });
});
