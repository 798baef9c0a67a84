import { afterAll, beforeEach, expect, test } from 'bun:test';
import { readdir, rm } from 'node:fs/promises';
import { useDatabase } from '../../../test/support/database.ts';
import { photoForm, randomFileBytes, toSha256, upload } from '../../../test/support/forms.ts';
import { seed, send, testApp, type TestUser } from '../../../test/support/harness.ts';
import { startS3Server } from '../../../test/support/s3-server.ts';
import { originalPath, MARKER } from '../../storage/stored-file.ts';
import { sumPlaces } from '../../storage/files.store.ts';
import { copyLibrary } from '../../maintenance/copy-library.ts';
import { compareSlice, moveToFiles, moveToObjects, verifyObjects } from './index.ts';

const server = startS3Server();
const database = await useDatabase();
const { sql } = database;
const settings = {
  ...database.deps.settings,
  ...server.settings,
};
const deps = { ...database.deps, settings };
const app = testApp(database, { settings });
const plain = testApp(database);
let me: TestUser;
beforeEach(async () => {
  await sql`delete from asset`;
  await sql`delete from original`;
  await sql`delete from object_deletion`;
  for (const key of server.objects.keys()) if (key !== MARKER) server.objects.delete(key);
  for (const folder of [deps.paths.cache, deps.paths.removed]) {
    await rm(folder, { recursive: true, force: true });
  }
  me = await seed(database).user();
});
afterAll(() => server.stop());

const noBytes = () => {};
/** Uploads to a server without an object store. Returns the id of the asset. */
const addOriginal = async (bytes: Uint8Array): Promise<string> =>
  (await upload(plain, photoForm(bytes), { as: me })).body.id;
const getPath = (bytes: Uint8Array) => originalPath(deps.paths, toSha256(bytes));
const hasFile = (bytes: Uint8Array) => Bun.file(getPath(bytes)).exists();
const findKeys = (bytes: Uint8Array) =>
  [...server.objects.keys()].filter((key) =>
    key.includes(Buffer.from(toSha256(bytes)).toString('hex')),
  );
const isMissing = async (bytes: Uint8Array) =>
  (await sql`select from original where sha256 = ${toSha256(bytes)} and missing_at is not null`)
    .length > 0;
async function download(id: string) {
  const response = await send(app, `GET /assets/${id}/original`, { as: me });
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
}
const isServed = async (id: string, bytes: Uint8Array) => {
  const found = await download(id);
  return found !== undefined && Buffer.compare(found, bytes) === 0;
};
async function verify() {
  const found = [];
  for await (const one of verifyObjects(deps, noBytes)) found.push(one);
  return found;
}

test('originals are moved to the object store and back, and are served all the time', async () => {
  const [one, two] = [randomFileBytes(100_000), randomFileBytes(2000)];
  const [first, second] = [await addOriginal(one), await addOriginal(two)];
  expect(await moveToObjects(deps, { deletesFiles: false, onBytes: noBytes })).toEqual({
    moved: 2,
    kept: 0,
    bad: [],
  });
  expect(await hasFile(one)).toBe(true);
  expect(await moveToObjects(deps, { deletesFiles: true, onBytes: noBytes })).toEqual({
    moved: 0,
    kept: 2,
    bad: [],
  });
  expect([await hasFile(one), await hasFile(two)]).toEqual([false, false]);
  expect(await readdir(deps.paths.removed)).toHaveLength(2);
  expect([await isServed(first, one), await isServed(second, two)]).toEqual([true, true]);
  expect(await sumPlaces(deps.db)).toMatchObject({ files: 0, objects: 2, objectBytes: 102_000 });

  expect(await moveToFiles(deps, { onBytes: noBytes })).toEqual({ moved: 2, kept: 0, bad: [] });
  expect([await hasFile(one), await hasFile(two)]).toEqual([true, true]);
  expect([await isServed(first, one), await isServed(second, two)]).toEqual([true, true]);
  const due = await sql`select from object_deletion where due_at > now() + interval '29 days'`;
  expect(due).toHaveLength(2);
});

test('a damaged or missing original stays where it is', async () => {
  const [damaged, missing, whole] = [randomFileBytes(), randomFileBytes(), randomFileBytes()];
  for (const bytes of [damaged, missing, whole]) await addOriginal(bytes);
  await Bun.write(getPath(damaged), new Uint8Array(damaged.length));
  await rm(getPath(missing));
  const { moved, bad } = await moveToObjects(deps, { deletesFiles: true, onBytes: noBytes });
  expect([moved, bad.length]).toEqual([1, 2]);
  expect(findKeys(damaged)).toEqual([]);
  expect(await hasFile(damaged)).toBe(true);

  const [key] = findKeys(whole);
  server.objects.set(key!, { bytes: new Uint8Array(whole.length), modifiedAt: new Date() });
  expect(await moveToFiles(deps, { onBytes: noBytes })).toMatchObject({ moved: 0 });
  expect(await hasFile(whole)).toBe(false);
});

test('a store that is away ends the move; the next one goes on', async () => {
  const bytes = randomFileBytes();
  const id = await addOriginal(bytes);
  server.fault = (request) =>
    request.method === 'PUT' ? new Response(null, { status: 403 }) : undefined;
  await expect(moveToObjects(deps, { deletesFiles: true, onBytes: noBytes })).rejects.toMatchObject(
    { kind: 'unavailable' },
  );
  server.fault = undefined;
  expect([await hasFile(bytes), await isServed(id, bytes)]).toEqual([true, true]);
  expect(await moveToObjects(deps, { deletesFiles: true, onBytes: noBytes })).toMatchObject({
    moved: 1,
  });
});

test('a verification reads all objects, and the next upload replaces a damaged one', async () => {
  const [damaged, missing, whole] = [randomFileBytes(), randomFileBytes(), randomFileBytes()];
  for (const bytes of [damaged, missing, whole]) await upload(app, photoForm(bytes), { as: me });
  await rm(deps.paths.cache, { recursive: true });
  const [key] = findKeys(damaged);
  server.objects.set(key!, { bytes: new Uint8Array(damaged.length), modifiedAt: new Date() });
  for (const lost of findKeys(missing)) server.objects.delete(lost);
  const found = await verify();
  expect(found.filter((one) => one === 'ok')).toHaveLength(1);
  expect(found).toContainEqual({ key: key!, kind: 'damaged' });
  expect([await isMissing(damaged), await isMissing(missing), await isMissing(whole)]).toEqual([
    true,
    true,
    false,
  ]);
  const { body } = await upload(app, photoForm(damaged), { as: me });
  expect(body.status).toBe('duplicate');
  expect([await isMissing(damaged), await isServed(body.id, damaged)]).toEqual([false, true]);
});

test('after an old backup of the database was restored, moved originals find their objects again', async () => {
  const [moved, stray] = [randomFileBytes(), randomFileBytes()];
  const id = await addOriginal(moved);
  await upload(app, photoForm(stray), { as: me });
  await moveToObjects(deps, { deletesFiles: true, onBytes: noBytes });
  await sql`update original set object_key = null where sha256 = ${toSha256(moved)}`;
  await sql`delete from asset where sha256 = ${toSha256(stray)}`;
  await sql`delete from original where sha256 = ${toSha256(stray)}`;
  for (let slice = 0; slice < 256; slice += 1) await compareSlice(deps, slice);
  expect(await isServed(id, moved)).toBe(true);
  const scheduled = await sql`select key from object_deletion`;
  expect(scheduled.map(({ key }) => key)).toEqual(findKeys(stray));
});

test('a backup to a disk has the originals of the object store, too', async () => {
  const [file, object] = [randomFileBytes(), randomFileBytes()];
  await addOriginal(file);
  await upload(app, photoForm(object), { as: me });
  const folder = `${deps.paths.root}-backup`;
  try {
    expect(await copyLibrary(deps, folder)).toMatchObject({ copied: 2, bad: [] });
    for (const bytes of [file, object]) {
      const copy = originalPath(
        { ...deps.paths, originals: `${folder}/originals` },
        toSha256(bytes),
      );
      expect(Buffer.compare(await Bun.file(copy).bytes(), bytes)).toBe(0);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
