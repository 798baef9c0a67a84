import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomFileBytes, toSha256 } from '../../../../test/support/forms.ts';
import { seed } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import {
  append,
  getStaged,
  getUploadId,
  getUploadState,
  head,
  INCOMPLETE,
  reserve,
  sendRequest,
  waitUntil,
} from '../../../../test/support/resumable.ts';
import { startS3Server } from '../../../../test/support/s3-server.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import type { Settings } from '../../../core/settings.ts';
import { getPartialPath } from '../../../staging/partial-file.ts';
import { createPartKey, MARKER } from '../../../storage/stored-file.ts';
import { PART_BYTES } from '../../../storage/object-store.ts';
import { putUploadPart } from '../../../staging/upload-parts.ts';
import { compareSlice } from '../../object-storage/compare.handlers.ts';
import { handleRemoveFiles } from '../../trash/removal/removal.handlers.ts';
import { handleExpireUploads } from './expiry.handlers.ts';

// Parts of large uploads in the object store. test/crash/node-parts.test.ts kills the servers that have received them.

const server = startS3Server();
const place = useUploadServer();
let settings: Settings;
let client: Awaited<ReturnType<typeof place.open>>;
beforeAll(async () => {
  settings = { ...place.database.deps.settings, ...server.settings };
  client = await place.open({ settings });
});
afterEach(async () => {
  server.fault = undefined;
  await sweep();
  expect(listParts()).toEqual([]);
});
afterAll(() => server.stop());

const MIB = 1024 ** 2;
const ctx = () => jobCtx(place.database, { settings });
const listParts = () => [...server.objects.keys()].filter((key) => key.startsWith('uploads/'));
const countRows = async () =>
  (await place.database.sql`select object_key from upload_part order by position`).length;
/** Runs what deletes objects that are over. */
async function sweep(): Promise<void> {
  await place.forget();
  await handleExpireUploads(ctx(), {});
  await place.database.sql`update object_deletion set due_at = now()`;
  await handleRemoveFiles(ctx(), {});
}

/** Begins an upload and waits until the store has its parts. */
async function begin(file: Uint8Array, bytes: number): Promise<string> {
  const location = await reserve(client, file);
  const part = await append(client, location, 0, file.subarray(0, bytes), { headers: INCOMPLETE });
  expect(part.status).toBe(204);
  const expected = Math.floor(bytes / PART_BYTES);
  await waitUntil('the parts are copied', async () => (await countRows()) === expected);
  return location;
}

/** Makes the process forget that it owns the upload, whose file is lost. */
async function loseFile(location: string): Promise<void> {
  await rm(getPartialPath(place.database.deps.paths, getStaged(location)));
  await place.database.sql`update upload set epoch = epoch + 1 where id = ${getUploadId(location)}`;
}

const findObject = (file: Uint8Array) =>
  [...server.objects].find(([key]) => key.includes(Buffer.from(toSha256(file)).toString('hex')));
const expectStored = (file: Uint8Array) =>
  expect(Buffer.compare(findObject(file)![1].bytes, file)).toBe(0);

test('parts are sent while a large file is received, and its object is composed of them', async () => {
  const file = randomFileBytes(36 * MIB);
  const location = await begin(file, 35 * MIB);
  expect(listParts()).toHaveLength(2);
  let sentBytes = 0;
  server.fault = (request) => {
    sentBytes += Number(request.headers.get('content-length') ?? 0);
    return undefined;
  };
  expect((await append(client, location, 35 * MIB, file.subarray(35 * MIB))).status).toBe(202);
  expect(sentBytes).toBeLessThan(5 * MIB);
  expectStored(file);
  expect(await countRows()).toBe(0);
  await handleRemoveFiles(ctx(), {});
  expect(listParts()).toEqual([]);
});

test('small files have no parts, and neither have files without an object store', async () => {
  const small = randomFileBytes(32 * MIB);
  const location = await reserve(client, small);
  await append(client, location, 0, small.subarray(0, 31 * MIB), { headers: INCOMPLETE });
  const large = randomFileBytes(33 * MIB);
  const other = await reserve(place.client, large);
  await append(place.client, other, 0, large.subarray(0, 32 * MIB), { headers: INCOMPLETE });
  await Bun.sleep(300);
  expect([await countRows(), listParts()]).toEqual([0, []]);
});

test('a file whose length is not announced has parts once it is large', async () => {
  const file = randomFileBytes(36 * MIB);
  const location = await reserve(client, file, { 'upload-length': undefined });
  await append(client, location, 0, file.subarray(0, 34 * MIB), { headers: INCOMPLETE });
  await waitUntil('the parts are copied', async () => (await countRows()) === 2);
  await loseFile(location);
  expect(await getUploadState(client, location)).toEqual([204, 32 * MIB, '?0']);
  expect((await append(client, location, 32 * MIB, file.subarray(32 * MIB))).status).toBe(202);
  expectStored(file);
});

test('an upload whose file is lost goes on behind its parts', async () => {
  const file = randomFileBytes(40 * MIB);
  const location = await begin(file, 39 * MIB);
  await loseFile(location);
  expect(await getUploadState(client, location)).toEqual([204, 32 * MIB, '?0']);
  // Another one cannot reach it, and nothing is read for it.
  const stranger = { ...client, key: (await seed(place.database).user()).key };
  const before = server.requests.length;
  expect((await head(stranger, location)).status).toBe(404);
  const foreign = await append(stranger, location, 32 * MIB, file.subarray(32 * MIB));
  expect([foreign.status, server.requests.length]).toEqual([404, before]);
  const more = file.subarray(32 * MIB, 33 * MIB);
  const part = await append(client, location, 32 * MIB, more, { headers: INCOMPLETE });
  expect(part).toMatchObject({ status: 204, headers: { 'upload-offset': String(33 * MIB) } });
  expect((await append(client, location, 33 * MIB, file.subarray(33 * MIB))).status).toBe(202);
  expectStored(file);
  expect(await place.partials()).toEqual([]);
});

test('few files are made from their parts at once, and the others follow', async () => {
  const files = Array.from({ length: 3 }, () => randomFileBytes(33 * MIB));
  const locations: string[] = [];
  for (const file of files) {
    const location = await reserve(client, file);
    await append(client, location, 0, file.subarray(0, 17 * MIB), { headers: INCOMPLETE });
    locations.push(location);
  }
  await waitUntil('the parts are copied', async () => (await countRows()) === files.length);
  for (const location of locations) await loseFile(location);
  const gate = Promise.withResolvers<void>();
  let [reads, most] = [0, 0];
  server.fault = async ({ method }, key) => {
    if (method !== 'GET' || !key.startsWith('uploads/')) return undefined;
    most = Math.max(most, ++reads);
    await gate.promise;
    return undefined;
  };
  const ends = files.map((file, at) =>
    append(client, locations[at]!, 16 * MIB, file.subarray(16 * MIB)),
  );
  await waitUntil('the first are read', async () => reads >= 2);
  await Bun.sleep(300);
  expect(most).toBe(2);
  gate.resolve();
  expect((await Promise.all(ends)).map(({ status }) => status)).toEqual(files.map(() => 202));
  files.forEach(expectStored);
});

test('bytes that are sent again and have another digest are refused', async () => {
  const file = randomFileBytes(40 * MIB);
  const location = await begin(file, 39 * MIB);
  await loseFile(location);
  const wrong = randomFileBytes(8 * MIB);
  const ended = await append(client, location, 32 * MIB, wrong);
  expect(ended.body).toMatchObject({ code: 'digest_mismatch' });
  expect([await countRows(), findObject(file)]).toEqual([0, undefined]);
});

test.each(['missing', 'damaged'])('an upload whose part is %s is begun anew', async (fault) => {
  const file = randomFileBytes(40 * MIB);
  const location = await begin(file, 39 * MIB);
  await loseFile(location);
  const [, last = ''] = listParts();
  const { bytes } = server.objects.get(last)!;
  if (fault === 'missing') server.objects.delete(last);
  else server.objects.set(last, { bytes: bytes.toReversed(), modifiedAt: new Date() });
  const ended = await append(client, location, 32 * MIB, file.subarray(32 * MIB));
  expect(ended.status).toBe(404);
  expect((await head(client, location)).status).toBe(404);
  expect([await countRows(), await place.partials()]).toEqual([0, []]);
});

test('while the store is away bytes are acknowledged, and the parts follow', async () => {
  const file = randomFileBytes(40 * MIB);
  const location = await reserve(client, file);
  server.fault = () => new Response(null, { status: 400 });
  const part = await append(client, location, 0, file.subarray(0, 33 * MIB), {
    headers: INCOMPLETE,
  });
  expect([part.status, await countRows()]).toEqual([204, 0]);
  server.fault = undefined;
  const more = file.subarray(33 * MIB, 34 * MIB);
  await append(client, location, 33 * MIB, more, { headers: INCOMPLETE });
  await waitUntil('the parts are copied', async () => (await countRows()) === 2);
  server.fault = () => new Response(null, { status: 400 });
  const ended = await append(client, location, 34 * MIB, file.subarray(34 * MIB));
  expect(ended.status).toBe(503);
  server.fault = undefined;
  expect((await append(client, location, 40 * MIB, new Uint8Array())).status).toBe(202);
  expectStored(file);
});

test('a part of an earlier owner, or one that leaves a gap, does not count', async () => {
  const file = randomFileBytes(40 * MIB);
  const location = await begin(file, 20 * MIB);
  const id = getUploadId(location);
  const path = join(settings.dataDir, 'three-parts');
  await writeFile(path, randomFileBytes(3 * PART_BYTES));
  const put = (epoch: number, position: number) =>
    putUploadPart({ ...place.database.deps, settings }, { id, epoch }, { path, position });
  expect(await put(0, 1)).toBe(false);
  expect(await put(1, 2)).toBe(false);
  expect(await countRows()).toBe(1);
  await handleRemoveFiles(ctx(), {});
  expect(listParts()).toHaveLength(1);
  expect((await sendRequest(client, `DELETE ${location}`)).status).toBe(204);
  expect([await put(1, 0), await countRows()]).toEqual([false, 0]);
  await handleRemoveFiles(ctx(), {});
  expect(listParts()).toEqual([]);
});

test('the parts of uploads that are gone are swept, and those that no row names in a day', async () => {
  const location = await begin(randomFileBytes(40 * MIB), 20 * MIB);
  const [known = ''] = listParts();
  const id = getUploadId(location);
  const unknown = createPartKey(id, 7);
  server.objects.set(unknown, { bytes: new Uint8Array(3), modifiedAt: new Date() });
  await compareSlice(ctx(), Number.parseInt(id.slice(0, 2), 16));
  const announced = await place.database.sql`
    select key from object_deletion
    where due_at between now() + interval '23 hours' and now() + interval '24 hours'`;
  expect([...announced]).toEqual([{ key: unknown }]);
  await place.database.sql`delete from upload`;
  await handleExpireUploads(ctx(), {});
  await handleRemoveFiles(ctx(), {});
  expect(server.objects.has(known)).toBe(false);
  expect([...server.objects.keys()].filter((key) => key === MARKER)).toHaveLength(1);
});
