import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { useDatabase } from '../../../test/support/database.ts';
import { runEffect } from '../../../test/support/films.ts';
import { filePart, photoForm, randomFileBytes, upload } from '../../../test/support/forms.ts';
import { call, seed, send, testApp, type TestUser } from '../../../test/support/harness.ts';
import { addMemory } from '../../../test/support/memories.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { startS3Server } from '../../../test/support/s3-server.ts';
import { until } from '../../../test/support/until.ts';
import { dataPaths } from '../../core/paths.ts';
import { closeImageChildren } from '../../media/image-children.ts';
import { countFilePlaces } from '../../storage/files.store.ts';
import { MARKER } from '../../storage/stored-file.ts';
import { handleRenderImage } from '../assets/processing/thumbnails.handlers.ts';
import { handleExportArchive } from '../memories/exports/archive.handlers.ts';
import { handleRenderPerson } from '../people/thumbnail/thumbnail.handlers.ts';
import { handleRemoveFiles } from '../trash/removal/removal.handlers.ts';
import {
  compareSlice,
  moveFilesToObjects,
  moveObjectsToFiles,
  moveToObjects,
  verifyObjects,
} from './index.ts';
import * as storage from '../../storage/index.ts';

// Two servers with folders of their own, beside one database and one object store.

const server = startS3Server();
const database = await useDatabase();
const { sql } = database;
const settings = {
  ...database.deps.settings,
  ...server.settings,
};
const folder = await mkdtemp(join(tmpdir(), 'node-'));
const here = { settings };
const there = { settings, paths: dataPaths(folder) };
const deps = { ...database.deps, ...here };
const app = testApp(database, here);
const otherApp = testApp(database, there);
const plainApp = testApp(database);
let me: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  await mkdir(deps.paths.incoming, { recursive: true });
});
beforeEach(async () => {
  me = await seed(database).user();
  stranger = await seed(database).user();
});
afterEach(async () => {
  server.fault = undefined;
  // They may read folders that are removed here.
  await closeImageChildren();
  await sql`delete from face`;
  await sql`delete from person`;
  await sql`delete from asset`;
  await sql`delete from original`;
  await sql`update app_user set profile_image = null`;
  await sql`delete from object_deletion`;
  await sql`truncate job`;
  for (const key of server.objects.keys()) {
    if (key !== MARKER) server.objects.delete(key);
  }
  for (const { root, cache, derived, profiles, removed } of [deps.paths, there.paths]) {
    for (const one of [cache, derived, profiles, removed]) {
      if (one.startsWith(root)) await rm(one, { recursive: true, force: true });
    }
  }
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const SIDECAR = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
let color = 0;
const makePhoto = (width = 600) =>
  sharp({
    create: { width, height: 400, channels: 3, background: { r: (color += 9) % 256, g: 90, b: 3 } },
  })
    .jpeg()
    .toBuffer();
const render = (assetId: string, over: object = here) =>
  runEffect(database, handleRenderImage(jobCtx(database, over), { assetId }));

/** Uploads a photo with a sidecar, and renders it. Returns its id. */
async function addPhoto(as = me, { over = here as object, to = app } = {}): Promise<string> {
  const sidecar = { ...filePart(SIDECAR, 'a.jpg.xmp'), name: 'sidecarData' };
  const { body, status } = await upload(to, photoForm(await makePhoto(), [sidecar]), { as });
  expect(status).toBe(201);
  await render(body.id, over);
  return body.id;
}
async function addPersonInPicture(assetId: string): Promise<string> {
  const { id } = await addPerson(database, { ownerId: me.id, name: 'Ann' });
  await addFace(database, { ownerId: me.id, personId: id, assetId });
  await runEffect(database, handleRenderPerson(jobCtx(database, here), { personId: id }));
  return id;
}
async function addProfile(as: TestUser, to = app): Promise<void> {
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(await makePhoto())]), 'me.jpg');
  expect((await call(to, 'POST /users/profile-image', { as, body })).status).toBe(201);
}
const findNames = async (id: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await sql`select kind, name from asset_file where asset_id = ${id}`).map((row) => [
      row['kind'],
      row['name'],
    ]),
  );
const listFiles = async (path: string): Promise<string[]> =>
  (await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile() && entry.name !== MARKER)
    .map(({ name }) => name);
async function get(to: typeof app, route: `GET ${string}`, as = me) {
  const response = await send(to, route as 'GET /', { as });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}
const thumbnail = (id: string): `GET ${string}` => `GET /assets/${id}/thumbnail`;
const countReads = (key: string) =>
  server.requests.filter((request) => request === `GET ${key}`).length;
const isDue = async (key: string) =>
  (await sql`select from object_deletion where key = ${key}`).length > 0;
/** Tells whether a job is there that a request has enqueued, which does not wait for it. */
const isQueued = (name: string) => async () => (await listJobs()).includes(name);
const listJobs = async () => (await sql`select name from job`).map(({ name }) => name as string);

test('a server whose folder is empty serves what another one has made', async () => {
  const id = await addPhoto();
  const personId = await addPersonInPicture(id);
  await addProfile(me);
  const routes: `GET ${string}`[] = [
    thumbnail(id),
    `GET /assets/${id}/thumbnail?size=preview`,
    `GET /people/${personId}/thumbnail`,
    `GET /users/${me.id}/profile-image`,
  ];
  const names = await findNames(id);
  expect(Object.keys(names).toSorted()).toEqual(['preview', 'sidecar', 'thumbnail']);
  for (const name of Object.values(names)) expect(server.objects.has(name)).toBe(true);
  expect(await listFiles(deps.paths.derived)).toEqual([]);
  expect(await listFiles(deps.paths.profiles)).toEqual([]);
  expect(await sql`select from object_deletion`).toHaveLength(0);
  for (const route of routes) {
    const [one, other] = [await get(app, route), await get(otherApp, route)];
    expect([route, one.status, other.status]).toEqual([route, 200, 200]);
    expect(Buffer.compare(one.bytes, other.bytes)).toBe(0);
  }
  for (const route of routes.slice(0, 3)) {
    expect((await get(otherApp, route, stranger)).status).toBeGreaterThanOrEqual(400);
  }
  const before = server.requests.length;
  for (const route of routes) expect((await get(otherApp, route)).status).toBe(200);
  expect(server.requests.slice(before)).toEqual([]);
});

test('without an object store nothing is put anywhere, and files have the names that they had', async () => {
  const id = await addPhoto(me, { over: {}, to: plainApp });
  const before = server.requests.length;
  for (const [kind, name] of Object.entries(await findNames(id))) {
    expect(name).toMatch(new RegExp(`^${id.slice(0, 2)}/${id.slice(2, 4)}/${id}-${kind}\\.\\w+$`));
    expect(await Bun.file(join(deps.paths.derived, name)).exists()).toBe(true);
  }
  expect((await get(plainApp, thumbnail(id))).status).toBe(200);
  expect(server.requests.slice(before)).toEqual([]);
  expect(await sql`select from object_deletion`).toHaveLength(0);
});

test('many requests for a thumbnail are one download', async () => {
  const id = await addPhoto();
  const { thumbnail: key } = await findNames(id);
  const all = await Promise.all(Array.from({ length: 8 }, () => get(otherApp, thumbnail(id))));
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  expect(countReads(key!)).toBe(1);
});

test('bytes that are not those of the key are not served, and are made again', async () => {
  const id = await addPhoto();
  const { thumbnail: key } = await findNames(id);
  const { bytes } = server.objects.get(key!)!;
  server.objects.set(key!, { bytes: new Uint8Array(bytes.length), modifiedAt: new Date() });
  expect((await get(otherApp, thumbnail(id))).status).toBe(404);
  await until(isQueued('assets.renderImage'));
  await render(id);
  expect((await get(otherApp, thumbnail(id))).status).toBe(200);
});

test('a rendering never overwrites, and the former object is deleted in an hour', async () => {
  const id = await addPhoto();
  const before = await findNames(id);
  await render(id);
  const after = await findNames(id);
  expect(after['thumbnail']).not.toBe(before['thumbnail']);
  expect([await isDue(before['thumbnail']!), await isDue(after['thumbnail']!)]).toEqual([
    true,
    false,
  ]);
  await handleRemoveFiles(jobCtx(database, here), {});
  expect(server.objects.has(before['thumbnail']!)).toBe(true);
  await sql`update object_deletion set due_at = now()`;
  await handleRemoveFiles(jobCtx(database, here), {});
  expect(server.objects.has(before['thumbnail']!)).toBe(false);
  expect(server.objects.has(after['thumbnail']!)).toBe(true);
});

test('objects and copies go with their asset, person and picture', async () => {
  const id = await addPhoto();
  await addPersonInPicture(id);
  await addProfile(me);
  const body = { ids: [id], force: true };
  expect((await call(app, 'DELETE /assets', { as: stranger, body })).status).toBe(400);
  expect(await sql`select from object_deletion`).toHaveLength(0);
  expect((await call(app, 'DELETE /assets', { as: me, body })).status).toBe(204);
  expect((await call(app, 'DELETE /users/profile-image', { as: me })).status).toBe(204);
  await sql`delete from person where owner_id = ${me.id}`;
  await sql`update object_deletion set due_at = now()`;
  await handleRemoveFiles(jobCtx(database, here), {});
  await sql`update object_deletion set due_at = now()`;
  await handleRemoveFiles(jobCtx(database, here), {});
  expect([...server.objects.keys()]).toEqual([MARKER]);
  expect(await listFiles(deps.paths.cache)).toEqual([]);
});

test('while the object store is away, copies are served and jobs wait without a verdict', async () => {
  const [known, unknown] = [await addPhoto(), await addPhoto()];
  await sql`truncate job`;
  expect((await get(otherApp, thumbnail(known))).status).toBe(200);
  server.fault = () => new Response(null, { status: 503 });
  expect((await get(otherApp, thumbnail(known))).status).toBe(200);
  expect((await get(otherApp, thumbnail(unknown))).status).toBe(503);
  expect(await listJobs()).not.toContain('assets.renderImage');
  await expect(render(known)).rejects.toMatchObject({ kind: 'unavailable' });
  const [row] = await sql`select name from asset_file where asset_id = ${known}`;
  expect(row!['name']).toStartWith('derived/');
});

test('the comparison makes missing objects again and deletes unknown ones in a month', async () => {
  const id = await addPhoto();
  const { thumbnail: lost, preview } = await findNames(id);
  server.objects.delete(lost!);
  const [row] = await sql`select gen_random_uuid() as id`;
  const stray = `derived/${id.slice(0, 2)}/${row!['id']}-preview-${'a'.repeat(40)}-5.jpg`;
  const foreign = `derived/${id.slice(0, 2)}/README`;
  for (const key of [stray, foreign]) {
    server.objects.set(key, { bytes: new Uint8Array(5), modifiedAt: new Date() });
  }
  await sql`truncate job`;
  await compareSlice(deps, Number.parseInt(id.slice(0, 2), 16));
  expect(await listJobs()).toEqual(['assets.renderImage']);
  const scheduled = await sql`
    select key from object_deletion where due_at > now() + interval '29 days'`;
  expect(scheduled.map(({ key }) => key)).toEqual([stray]);
  expect(server.objects.has(preview!)).toBe(true);
});

test('files are moved to the object store and back, and are served all the time', async () => {
  const id = await addPhoto(me, { over: {}, to: plainApp });
  await addProfile(me, plainApp);
  const before = await findNames(id);
  const places = await countFilePlaces(deps.db);
  expect(places.objects).toBe(0);
  const routes: `GET ${string}`[] = [thumbnail(id), `GET /users/${me.id}/profile-image`];
  const shown = await Promise.all(routes.map((route) => get(plainApp, route)));
  await moveToObjects(deps, { deletesFiles: true, onBytes: () => {} });
  const moved = await moveFilesToObjects(deps, { deletesFiles: true });
  expect(moved).toMatchObject({ moved: places.files, missing: 0 });
  expect(await listFiles(deps.paths.derived)).toEqual([]);
  // Uploaded files are kept for a month.
  expect(await listFiles(deps.paths.removed)).toContainEqual(expect.stringContaining('-sidecar'));
  for (const [at, route] of routes.entries()) {
    const found = await get(otherApp, route);
    expect(found.status).toBe(200);
    expect(Buffer.compare(found.bytes, shown[at]!.bytes)).toBe(0);
  }
  for await (const found of verifyObjects(deps, () => {})) expect(found).toBe('ok');

  const back = await moveObjectsToFiles(deps);
  expect(back).toMatchObject({ moved: places.files, missing: 0 });
  expect(await findNames(id)).toEqual(before);
  for (const [at, route] of routes.entries()) {
    const found = await get(plainApp, route);
    expect(Buffer.compare(found.bytes, shown[at]!.bytes)).toBe(0);
  }
});

test('a verification finds damaged objects, which are made again', async () => {
  const id = await addPhoto();
  const { preview } = await findNames(id);
  const { bytes } = server.objects.get(preview!)!;
  server.objects.set(preview!, { bytes: new Uint8Array(bytes.length), modifiedAt: new Date() });
  await sql`truncate job`;
  const found = [];
  for await (const one of verifyObjects(deps, () => {})) if (one !== 'ok') found.push(one);
  expect(found).toEqual([{ key: preview!, kind: 'damaged' }]);
  expect(await listJobs()).toEqual(['assets.renderImage']);
});

test('a converted video is read by parts from the object store, and by its owner only', async () => {
  const id = await addPhoto();
  await sql`update asset set type = 'VIDEO' where id = ${id}`;
  const bytes = randomFileBytes(9 * 1024 ** 2);
  const path = join(folder, 'video.mp4');
  await Bun.write(path, bytes);
  const owner = { id, kind: 'encoded_video', extension: 'mp4' };
  const name = await storage.putDerived(deps, path, owner);
  expect(await isDue(name)).toBe(true);
  await sql`
    insert into asset_file values (${id}, 'encoded_video', ${name}, 'video/mp4', ${bytes.length}, 't')`;
  expect(await isDue(name)).toBe(false);
  const headers = { range: 'bytes=9000000-9000009' };
  const part = await send(otherApp, `GET /assets/${id}/video/playback` as 'GET /', {
    as: me,
    headers,
  });
  expect(part.status).toBe(206);
  expect(Buffer.compare(await part.bytes(), bytes.subarray(9_000_000, 9_000_010))).toBe(0);
  expect(await listFiles(there.paths.cache)).toEqual([]);
  expect((await get(otherApp, `GET /assets/${id}/video/playback`, stranger)).status).toBe(400);
  server.objects.delete(name);
  expect((await get(otherApp, `GET /assets/${id}/video/playback`)).status).toBe(404);
  await until(isQueued('assets.transcodeVideo'));
});

test('an archive is downloaded where it was not made, and goes when it expires', async () => {
  const id = await addPhoto();
  const memory = await addMemory(database, { ownerId: me.id, type: 'custom', name: 'x' }, [id]);
  const made = await call(app, `POST /memories/${memory}/exports` as 'POST /', {
    as: me,
    body: { kind: 'archive' },
  });
  const operationId = made.body.id as string;
  await runEffect(database, handleExportArchive(jobCtx(database, here), { operationId }));
  const route = `GET /memories/exports/${operationId}/download` as const;
  const [one, other] = [await get(app, route), await get(otherApp, route)];
  expect([one.status, other.status]).toEqual([200, 200]);
  expect(Buffer.compare(one.bytes, other.bytes)).toBe(0);
  expect(await listFiles(deps.paths.exports)).toEqual([]);
  expect((await get(otherApp, route, stranger)).status).toBe(404);
  const [row] = await sql`select object_key from operation_file where id = ${operationId}`;
  expect(await isDue(row!['object_key'])).toBe(false);
  await sql`update operation set expires_at = '2020-01-01' where id = ${operationId}`;
  expect((await get(otherApp, route)).status).toBe(404);
  expect(await isDue(row!['object_key'])).toBe(true);
});
