import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { readdir, rm } from 'node:fs/promises';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  photoForm,
  randomFileBytes,
  toSha1Hex,
  toSha256,
  upload,
} from '../../../../test/support/forms.ts';
import {
  call,
  seed,
  send,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { startS3Server } from '../../../../test/support/s3-server.ts';
import { onFaultPoint } from '../../../core/fault-points.ts';
import { originalPath, MARKER } from '../../../storage/stored-file.ts';
import { findOriginal } from '../../assets/index.ts';
import { handleRemoveFiles } from '../../trash/removal/removal.handlers.ts';
import { compareSlice } from '../../object-storage/index.ts';

const server = startS3Server();
const database = await useDatabase();
const settings = {
  ...database.deps.settings,
  ...server.settings,
};
const deps = { ...database.deps, settings };
const app = testApp(database, { settings });
const { sql } = database;
let me: TestUser;
let other: TestUser;
beforeAll(async () => {
  me = await seed(database).user();
  other = await seed(database).user();
  await add(randomFileBytes());
});
afterEach(() => {
  server.fault = undefined;
});
afterAll(() => server.stop());

const keys = () => [...server.objects.keys()].filter((key) => key !== MARKER);
const hex = (bytes: Uint8Array) => Buffer.from(toSha256(bytes)).toString('hex');
const findKeys = (bytes: Uint8Array) => keys().filter((key) => key.includes(hex(bytes)));
const findRow = async (bytes: Uint8Array) =>
  (
    await sql`select object_key, missing_at is not null as missing
    from original where sha256 = ${toSha256(bytes)}`
  )[0];
const dropCache = () => rm(deps.paths.cache, { recursive: true, force: true });
const removeDue = () => handleRemoveFiles(jobCtx(database, { settings }), {});
const add = (bytes: Uint8Array, as = me) => upload(app, photoForm(bytes), { as });

async function download(id: string, headers: Record<string, string> = {}, as = me) {
  const response = await send(app, `GET /assets/${id}/original`, { as, headers });
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
}

test('an upload is in the object store before it is acknowledged, and no file is in the data folder', async () => {
  const bytes = randomFileBytes(200_000);
  const { status, body } = await add(bytes);
  expect(status).toBe(201);
  const [key] = findKeys(bytes);
  expect(Buffer.compare(server.objects.get(key!)!.bytes, bytes)).toBe(0);
  expect(await findRow(bytes)).toEqual({ object_key: key, missing: false });
  expect(await Bun.file(originalPath(deps.paths, toSha256(bytes))).exists()).toBe(false);
  expect(await readdir(deps.paths.incoming)).toEqual([]);
  expect(await sql`select from object_deletion where key = ${key!}`).toHaveLength(0);
  expect(body.status).toBe('created');
});

test('an upload that the object store does not take is refused, and nothing is left of it', async () => {
  const bytes = randomFileBytes();
  server.fault = (request) =>
    request.method === 'PUT' ? new Response(null, { status: 503 }) : undefined;
  const { status, headers } = await add(bytes);
  expect(status).toBe(503);
  expect(headers.get('retry-after')).not.toBeNull();
  expect(await findRow(bytes)).toBeUndefined();
  expect(await readdir(deps.paths.incoming)).toEqual([]);
});

test('a download is whole, by parts, and from the object store itself without a copy', async () => {
  const bytes = randomFileBytes(100_000);
  const { body } = await add(bytes);
  for (const clear of [async () => {}, dropCache]) {
    await clear();
    const whole = await download(body.id);
    expect(Buffer.compare(whole.bytes, bytes)).toBe(0);
    const part = await download(body.id, { range: 'bytes=10-19' });
    expect(part.status).toBe(206);
    expect(Buffer.compare(part.bytes, bytes.subarray(10, 20))).toBe(0);
    const parts = await download(body.id, { range: 'bytes=0-1,99998-' });
    expect(parts.status).toBe(206);
    expect(Buffer.from(parts.bytes).includes(Buffer.from(bytes.subarray(99_998)))).toBe(true);
  }
  expect((await download(body.id, {}, other)).status).toBe(400);
});

test('while the object store is away, copies are read, and the rest is refused for now', async () => {
  const [kept, gone] = [randomFileBytes(), randomFileBytes()];
  const { body: first } = await add(gone);
  await dropCache();
  const { body: second } = await add(kept);
  server.fault = () => new Response(null, { status: 503 });
  expect((await download(second.id)).status).toBe(200);
  expect((await download(first.id)).status).toBe(503);
  await expect(findOriginal(deps, toSha256(gone))).rejects.toMatchObject({ kind: 'unavailable' });
});

test('jobs read a verified copy, which stays while they use it', async () => {
  const bytes = randomFileBytes(50_000);
  await add(bytes);
  await dropCache();
  const before = server.requests.length;
  const [one, two] = await Promise.all([
    findOriginal(deps, toSha256(bytes)),
    findOriginal(deps, toSha256(bytes)),
  ]);
  const reads = server.requests.slice(before).filter((request) => request.startsWith('GET'));
  expect(reads).toHaveLength(1);
  await rm(`${deps.paths.cache}/originals`, { recursive: true });
  expect(Buffer.compare(await Bun.file(one!.path).bytes(), bytes)).toBe(0);
  await one![Symbol.asyncDispose]();
  expect(await Bun.file(one!.path).exists()).toBe(false);
  expect(await Bun.file(two!.path).exists()).toBe(true);
  await two![Symbol.asyncDispose]();
});

test('bytes that are not those of the original are never read', async () => {
  const bytes = randomFileBytes();
  await add(bytes);
  await dropCache();
  const [key] = findKeys(bytes);
  server.objects.set(key!, { bytes: new Uint8Array(bytes.length), modifiedAt: new Date() });
  expect(await findOriginal(deps, toSha256(bytes))).toBeUndefined();
});

test('what two accounts have is named once; the second object is deleted when it is due', async () => {
  const bytes = randomFileBytes();
  await add(bytes);
  await add(bytes, other);
  const { object_key: key } = (await findRow(bytes))!;
  expect(findKeys(bytes)).toHaveLength(2);
  await removeDue();
  expect(findKeys(bytes)).toHaveLength(2);
  await sql`update object_deletion set due_at = now()`;
  await removeDue();
  expect(findKeys(bytes)).toEqual([key]);
});

test('a duplicate is told only while the object store has its bytes', async () => {
  const bytes = randomFileBytes();
  const { body } = await add(bytes);
  const check = () =>
    call(app, 'POST /assets/bulk-upload-check', {
      as: me,
      body: { assets: [{ id: 'a', checksum: toSha1Hex(bytes) }] },
    });
  expect((await check()).body.results[0]).toMatchObject({ action: 'reject', assetId: body.id });
  expect((await add(bytes)).body).toMatchObject({ status: 'duplicate', id: body.id });
  for (const key of findKeys(bytes)) server.objects.delete(key);
  expect((await check()).body.results[0]).toMatchObject({ action: 'accept' });
  expect((await add(bytes)).body).toMatchObject({ status: 'duplicate', id: body.id });
  expect(findKeys(bytes)).toHaveLength(1);
  await dropCache();
  expect(Buffer.compare((await download(body.id)).bytes, bytes)).toBe(0);
});

test('deleting an asset deletes its object and its copy, and no other', async () => {
  const [bytes, left] = [randomFileBytes(), randomFileBytes()];
  const { body } = await add(bytes);
  await add(left);
  await call(app, 'DELETE /assets', { as: me, body: { ids: [body.id], force: true } });
  await removeDue();
  expect(findKeys(bytes)).toEqual([]);
  expect(findKeys(left)).toHaveLength(1);
  const copies = await readdir(`${deps.paths.cache}/originals`, { recursive: true });
  expect(copies.filter((name) => name.endsWith(hex(bytes)))).toEqual([]);
  expect(copies.filter((name) => name.endsWith(hex(left)))).toHaveLength(1);
});

test('a deletion that ends between the object and its row is repeated', async () => {
  const bytes = randomFileBytes();
  const { body } = await add(bytes);
  await call(app, 'DELETE /assets', { as: me, body: { ids: [body.id], force: true } });
  onFaultPoint((point) => {
    if (point === 'object.deleted') throw new Error('ended');
  });
  try {
    await expect(removeDue()).rejects.toThrow('ended');
  } finally {
    onFaultPoint(() => {});
  }
  expect(findKeys(bytes)).toEqual([]);
  const left = () => sql`select from object_deletion where key like ${`%${hex(bytes)}%`}`;
  expect(await left()).toHaveLength(1);
  await removeDue();
  expect(await left()).toHaveLength(0);
});

test('reconciliation finds objects without an original, and originals without their object', async () => {
  const [lost, whole] = [randomFileBytes(), randomFileBytes()];
  await add(lost);
  await add(whole);
  for (const key of findKeys(lost)) server.objects.delete(key);
  const stray = `originals/ab/cd/abcd${'0'.repeat(60)}-0123456789ab`;
  server.objects.set(stray, { bytes: new Uint8Array(3), modifiedAt: new Date() });
  for (let slice = 0; slice < 256; slice += 1) {
    await compareSlice(jobCtx(database, { settings }), slice);
  }
  expect(await findRow(lost)).toMatchObject({ missing: true });
  expect(await findRow(whole)).toMatchObject({ missing: false });
  const scheduled = await sql`
    select key from object_deletion where due_at > now() + interval '29 days'`;
  expect(scheduled.map(({ key }) => key)).toEqual([stray]);
});

test('the bucket of another library is refused', async () => {
  await using stranger = await openStranger();
  const bytes = randomFileBytes();
  const refused = await upload(stranger.app, photoForm(bytes), { as: stranger.user });
  expect(refused.status).toBe(503);
  expect(findKeys(bytes)).toEqual([]);
});

test('a marked library refuses a bucket without its mark, and a new one a bucket that is not empty', async () => {
  await using stranger = await openStranger();
  const mark = server.objects.get(MARKER)!;
  server.objects.delete(MARKER);
  const fill = () => upload(stranger.app, photoForm(randomFileBytes()), { as: stranger.user });
  expect((await fill()).status).toBe(503);
  await stranger.sql`update instance set object_store_marked_at = now()`;
  expect((await fill()).status).toBe(503);
  server.objects.set(MARKER, mark);
});

/** Another library with the same bucket. */
async function openStranger() {
  const library = await testDatabase();
  await library.sql`update instance set id = gen_random_uuid()`;
  const { dataDir, databaseUrl } = library.deps.settings;
  return {
    app: testApp(library, { settings: { ...settings, dataDir, databaseUrl } }),
    user: await seed(library).user(),
    sql: library.sql,
    [Symbol.asyncDispose]: () => library.close(),
  };
}
